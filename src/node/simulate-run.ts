/** Simulates the models of a scenario into a run's folder, with progress. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { modelName, type Scenario } from '../scenario/scenario.js'
import { type Simulated, simulate } from '../scenario/simulate.js'
import { datasetReader } from './files/dataset-files.js'
import { fileStore } from './files/file-store.js'
import { progress } from './progress.js'
import { threadPool } from './threads/thread-pool.js'

export interface RunOptions {
  readonly out: string
  readonly workers?: number
  readonly dataDir?: string
  readonly quiet: boolean
  readonly signal: AbortSignal
}

/** A scenario with one model has the run's folder to itself; of several, each has one below it. */
export function modelFolder(scenario: Scenario, model: number, out: string): string {
  return scenario.models.length === 1 ? out : join(out, `${model}-${modelName(scenario, model).replace(/#.*/, '')}`)
}

export async function simulateInto(scenario: Scenario, model: number, options: RunOptions): Promise<Simulated> {
  const { workers, dataDir, quiet, signal } = options
  const out = modelFolder(scenario, model, options.out)
  mkdirSync(out, { recursive: true })
  const { kind } = scenario.models[model]!
  const bar = progress({ total: scenario.training.rounds, what: `${kind}: rounds`, quiet })
  try {
    const done = await simulate(scenario, model, {
      folder: (path) => fileStore(path === '' ? out : join(out, path)),
      poolFor: (spec, population) => threadPool(spec, { population, ...(workers !== undefined && { workers }) }),
      files: datasetReader(scenario.data.name, dataDir),
      signal,
      onRound: (round) => bar.tick(round),
    })
    const { rounds, why } = done.aborted
    const { clipped = 0 } = done.noticed
    const lines = [
      ...(rounds > 0 ? [`${rounds} of ${scenario.training.rounds} rounds had no sum, the last for: ${why}`] : []),
      ...(clipped > 0
        ? [`secure aggregation cut off ${clipped} values of updates: its clip is too small for them`]
        : []),
    ]
    if (!quiet) for (const line of lines) process.stderr.write(`${kind}: ${line}\n`)
    return done
  } finally {
    bar.end()
  }
}
