/** `overhear sweep`: trials of a scenario along axes, on this machine or through a queue. */
import { availableParallelism } from 'node:os'
import { OverhearError } from '../../errors.js'
import { trialProcesses, usualMegabytes } from '../sweep/trial-processes.js'
import { commonFlags, defined, parsePlaced, wholeNumber } from './arguments.js'

const flags = {
  ...commonFlags,
  workers: { type: 'string' },
  seeds: { type: 'string' },
  queue: { type: 'string' },
  parquet: { type: 'boolean' },
  resume: { type: 'boolean' },
  'retry-failed': { type: 'boolean' },
} as const

export async function runSweep(args: readonly string[]): Promise<number> {
  const { values, places } = parsePlaced(args, flags, ['the file of a sweep'])
  if (values.plugin !== undefined) {
    throw new OverhearError('E_INPUT', '--plugin was given', 'a sweep runs what the package brings alone')
  }
  const [workers, seed, seeds] = (['workers', 'seed', 'seeds'] as const).map((name) => wholeNumber(name, values[name]))
  const { out, queue, quiet = false, json = false, parquet = false, resume = false } = values
  const { 'data-dir': dataDir, 'retry-failed': retryFailed = false } = values
  const processes = trialProcesses({ most: workers ?? availableParallelism() })
  // They load their code while this process loads its own. A sweep that goes on may have nothing left to run.
  if (queue === undefined && !resume && !retryFailed) processes.warm(usualMegabytes)
  try {
    const { sweepFile } = await import('../sweep/sweep-run.js')
    const asked = { quiet, json, parquet, resume, retryFailed, processes }
    return await sweepFile(places[0]!, { ...asked, ...defined({ out, queue, dataDir, workers, seed, seeds }) })
  } finally {
    await processes.close()
  }
}
