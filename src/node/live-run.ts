/** A simulated federation brought back to life where it ended, for attacks that send models themselves. */
import type { Job } from '../audit/plan-jobs.js'
import { OverhearError } from '../errors.js'
import { checkpointStore } from '../federation/checkpoint-store.js'
import { liveChannel } from '../federation/live-channel.js'
import { inlinePool } from '../federation/pool.js'
import type { Scenario } from '../scenario/scenario.js'
import { defencesOf, stageOf } from '../scenario/simulate.js'
import type { Channel } from '../threat/knowledge.js'
import { datasetReader } from './files/dataset-files.js'
import { fileStore } from './files/file-store.js'

/** What it takes, as plain data that travels to a worker. */
export interface LiveRun {
  readonly scenario: Scenario
  /** Which of the scenario's models. */
  readonly model: number
  /** Where its checkpoints are. */
  readonly checkpoints: string
  readonly dataDir?: string
}

const stages = new Map<string, ReturnType<typeof stageOf>>()

/** A fresh line to the job's target; undefined for a job without one, and where updates stay with the clients. */
export async function liveChannelOf(live: LiveRun, { target }: Job): Promise<Channel | undefined> {
  const { scenario, model, checkpoints, dataDir } = live
  const defences = defencesOf(scenario)
  if (target === null || defences.some(({ exchange }) => exchange !== undefined)) return undefined
  const key = JSON.stringify(live)
  const stage = stages.get(key) ?? stageOf(scenario, model, datasetReader(scenario.data.name, dataDir))
  stages.set(key, stage)
  const { spec, population } = await stage
  const { found } = await checkpointStore(fileStore(checkpoints))
  const from = found.map(({ checkpoint }) => checkpoint).sort((a, b) => b.nextRound - a.nextRound)[0]
  if (from === undefined)
    throw new OverhearError('E_INPUT', `there is no checkpoint in ${checkpoints}`, 'simulate first')
  return liveChannel({ spec, population, pool: inlinePool(spec, { population }), from, target, defences })
}
