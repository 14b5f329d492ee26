/** `overhear simulate`: a federation into a folder, without any attack. */
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { withNoise } from '../../audit/account/calibrated-noise.js'
import { figure } from '../../audit/figures.js'
import { OverhearError } from '../../errors.js'
import { textTable } from '../../report/text-table.js'
import { simulate } from '../../scenario/simulate.js'
import { lockName } from '../files/folder-lock.js'
import { faultOf, systemCode } from '../files/machine-faults.js'
import { loadScenario } from '../files/scenario-file.js'
import { interruptible } from '../interrupt.js'
import { nodePorts, openFolder, shownPath } from '../node-ports.js'
import { print, printJson } from '../print.js'
import { showProgress } from '../show-progress.js'
import { commonFlags, defined, parseNamed, settings, wholeNumber } from './arguments.js'

const flags = {
  ...commonFlags,
  resume: { type: 'boolean' },
  repair: { type: 'boolean' },
  workers: { type: 'string' },
  set: { type: 'string', multiple: true },
} as const

export async function runSimulate(args: readonly string[]): Promise<number> {
  const { values, name } = parseNamed(args, flags)
  if (values.out === undefined) throw new OverhearError('E_INPUT', 'there is no folder to write to', 'give --out DIR')
  const out = resolve(values.out)
  const { repair = false, resume = repair } = values
  if (!resume && filesIn(out).some((one) => one !== lockName)) {
    throw new OverhearError('E_INPUT', `${values.out} is not empty`, 'give --resume to go on there, or another folder')
  }
  const seed = wholeNumber('seed', values.seed)
  const ports = nodePorts(
    defined({
      dataDir: values['data-dir'],
      trustPlugins: values['trust-plugins'],
      workers: wholeNumber('workers', values.workers),
    }),
  )
  const { files, threads } = ports
  const { plugin: plugins = [], set = [] } = values
  const read = await loadScenario(name, { ports, plugins, set: settings(set), quiet: values.quiet ?? false })
  const scenario = await withNoise({ ...read, ...(seed !== undefined && { seed }) }, files)
  const { folder, release } = await openFolder(out)
  try {
    return await interruptible(async (signal) => {
      const run = simulate(scenario, { ports: { folder, ...files, ...threads }, signal, repair })
      await showProgress(run, { quiet: values.quiet ?? false })
      const runs = (await run.result).map(({ utility, targets, folder: below }) => {
        return { ...utility, targets, folder: join(out, below) }
      })
      const rows = runs.map(({ model, rounds, heldOutLoss, folder: place }) => {
        return [model ?? '', rounds, figure(heldOutLoss), shownPath(place)]
      })
      if (values.json) await printJson({ scenario, runs })
      else await print(textTable(['model', 'rounds', 'held-out loss', 'folder'], rows))
      return 0
    })
  } finally {
    await release?.()
  }
}

/** What is in a folder; nothing where there is none. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // Making it will say what is wrong with it.
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return []
    throw faultOf(error, folder)
  }
}
