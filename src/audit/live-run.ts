/** A simulated federation brought back to life where it ended or earlier, for attacks that send models themselves. */
import { OverhearError } from '../errors.js'
import type { Checkpoint } from '../federation/checkpoint.js'
import { checkpointStore } from '../federation/checkpoint-store.js'
import { liveChannel } from '../federation/live-channel.js'
import { inlinePool } from '../federation/pool.js'
import type { Scenario } from '../scenario/scenario-schema.js'
import type { SimulatePorts } from '../scenario/simulate.js'
import { defencesOf, type Stage, stageOf, type Training } from '../scenario/simulate-model.js'
import type { Channel } from '../threat/granted-keys.js'
import type { Job } from './plan-jobs.js'

/** What it takes, as plain data that travels to a worker. */
export interface LiveRun {
  readonly scenario: Scenario
  /** Which of the scenario's models. */
  readonly model: number
  /** Which of its trainings; the first unless told. */
  readonly training?: Training
  /** Where its checkpoints are. */
  readonly checkpoints: string
}

/** Makes lines into federations; worlds that were built once are kept. */
export function liveLines(ports: Pick<SimulatePorts, 'folder' | 'dataset'>) {
  const stages = new Map<string, Promise<Stage>>()
  /** A fresh line to the job's target; undefined for a job without one, and where updates stay with the clients. */
  return async (live: LiveRun, { target }: Job): Promise<Channel | undefined> => {
    const { scenario, model, training = {}, checkpoints } = live
    const defences = defencesOf(scenario)
    if (target === null || defences.some(({ exchange }) => exchange !== undefined)) return undefined
    const key = JSON.stringify(live)
    const files = ports.dataset?.(scenario.data.name)
    const stage = stages.get(key) ?? stageOf(scenario, model, { ...training, ...(files !== undefined && { files }) })
    stages.set(key, stage)
    const { spec, population } = await stage
    const { found } = await checkpointStore(ports.folder(checkpoints))
    const from = found.map(({ checkpoint }) => checkpoint).sort((a, b) => b.nextRound - a.nextRound)[0]
    if (from === undefined)
      throw new OverhearError('E_INPUT', `there is no checkpoint in ${checkpoints}`, 'simulate first')
    const at = begun(from, { scenario, target, stateful: defences.some(({ restore }) => restore !== undefined) })
    return liveChannel({ spec, population, pool: inlinePool(spec, { population }), from: at, target, defences })
  }
}

interface Beginning {
  readonly scenario: Scenario
  readonly target: string
  /** Whether a defence remembers what it did. */
  readonly stateful: boolean
}

/** Where the line begins: a client's turn follows from its data, the round and what it is sent, whatever was before. */
function begun(end: Checkpoint, { scenario: { activeFrom }, target, stateful }: Beginning): Checkpoint {
  if (activeFrom === null) return end
  if (stateful || end.memory[target] !== undefined) {
    const found = `activeFrom is ${activeFrom}, and ${stateful ? 'a defence' : `client "${target}"`} remembers rounds`
    throw new OverhearError('E_VALUE', found, 'only the end of the training can be taken up: leave activeFrom out')
  }
  return { ...end, nextRound: activeFrom }
}
