/** The door for simulations: every model of a scenario trained into a folder, with events on the way. */
import type { LoadContext } from '../data/dataset-entry.js'
import type { WritableStore } from '../transcript/write-transcript.js'
import { loadPools, type Pools } from './pools.js'
import { type Running, running, type StopSignal } from './running.js'
import { modelName, type Scenario } from './scenario-schema.js'
import { type ModelUtility, type PoolFor, type Simulated, simulateModel, type Training } from './simulate-model.js'
import { smallWorld } from './small-world.js'
import { trainingFolder } from './training-folder.js'

/** What a simulation needs of the machine it runs on. */
export interface SimulatePorts {
  /**
   * A store below the run's folder; '' is the folder itself. What is not `lasting` may be written without waiting for the
   * disk: a killed run finds it, a machine that lost its power may not.
   */
  folder(path: string, options?: { readonly lasting?: boolean }): WritableStore
  /** Who plays the clients. */
  readonly clients: PoolFor
  /** Reads the files of a dataset, for those that have files. */
  dataset?(name: string): LoadContext['files']
}

/** What a simulation tells on its way. */
export type SimulateEvent =
  | { readonly kind: 'round'; readonly model: string; readonly round: number; readonly rounds: number }
  /** Something that people should know: sums that were not had, values that were cut off. */
  | { readonly kind: 'remark'; readonly model: string; readonly text: string }
  | { readonly kind: 'trained'; readonly model: string; readonly utility: ModelUtility }

/** One model's run: where it was written, below the run's folder. */
export interface SimulatedModel extends Simulated {
  readonly folder: string
}

/** How to simulate; only the ports are needed. Which training it is stands in `Training`: the first unless told. */
export interface SimulateOptions extends Training {
  readonly ports: SimulatePorts
  readonly signal?: StopSignal
  /** Which of the scenario's models, by their places; all of them unless told. */
  readonly models?: readonly number[]
  /** Whether what is damaged in the folder is made again, in place of being an error. */
  readonly repair?: boolean
  /** Who owns which rows, where that is loaded already. */
  readonly pools?: Pools
}

/**
 * Trains every model of the scenario and writes transcript, knowledge and truth of each; of a federation without one of
 * its clients, the transcript alone. Goes on where an earlier call was cut off; rejects with E_INTERRUPTED when the
 * signal stops it.
 */
export function simulate(
  scenario: Scenario,
  { ports, signal, repair = false, pools, models = [...scenario.models.keys()], ...training }: SimulateOptions,
): Running<SimulateEvent, SimulatedModel[]> {
  return running(async (emit) => {
    const done: SimulatedModel[] = []
    for (const model of models) {
      done.push(await one(scenario, { ...training, model }, { ports, signal, repair, pools, emit }))
    }
    return done
  })
}

interface Surroundings {
  readonly ports: SimulatePorts
  readonly signal: StopSignal | undefined
  readonly repair: boolean
  readonly pools: Pools | undefined
  emit(event: SimulateEvent): void
}

async function one(
  scenario: Scenario,
  { model, ...training }: Training & { readonly model: number },
  { ports, signal, repair, pools, emit }: Surroundings,
): Promise<SimulatedModel> {
  const { repeat = 0, without, plant } = training
  const folder = trainingFolder(scenario, {
    model,
    repeat,
    ...(without !== undefined && { without }),
    ...(plant !== undefined && { plant }),
  })
  const name = modelName(scenario, model)
  // What the first training holds people look at; of the others there are many, and they are soon made again.
  const first = repeat === 0 && without === undefined
  const store = (path: string): WritableStore => {
    const lasting = first && !path.startsWith('without-')
    return ports.folder([folder, path].filter((part) => part !== '').join('/'), { lasting })
  }
  await store('').makeFolder('')
  const run = await simulateModel(scenario, model, {
    ...training,
    folder: store,
    poolFor: ports.clients,
    pools: pools ?? (await poolsOf(scenario, ports)),
    ...(signal !== undefined && { signal }),
    repair,
    onRound: (round, rounds) => emit({ kind: 'round', model: name, round, rounds }),
  })
  const size = { clients: run.world.clients.length, rounds: scenario.training.rounds }
  const remarks = [...(first ? smallWorld(size) : []), ...remarksOn(run, scenario.training.rounds)]
  for (const text of remarks) emit({ kind: 'remark', model: name, text })
  emit({ kind: 'trained', model: name, utility: run.utility })
  return { ...run, folder }
}

const kept = new WeakMap<Scenario, { readonly dataset: SimulatePorts['dataset']; readonly pools: Promise<Pools> }>()

/** The pools of a scenario, loaded once for all its models and repeats as long as it is the same object. */
export function poolsOf(scenario: Scenario, { dataset }: Pick<SimulatePorts, 'dataset'>): Promise<Pools> {
  const there = kept.get(scenario)
  if (there !== undefined && there.dataset === dataset) return there.pools
  const pools = loadPools(scenario, dataset?.(scenario.data.name))
  kept.set(scenario, { dataset, pools })
  return pools
}

function remarksOn({ aborted, noticed }: Simulated, rounds: number): string[] {
  const { clipped = 0 } = noticed
  return [
    ...(aborted.rounds > 0 ? [`${aborted.rounds} of ${rounds} rounds had no sum, the last for: ${aborted.why}`] : []),
    ...(clipped > 0 ? [`secure aggregation cut off ${clipped} values of updates: its clip is too small for them`] : []),
  ]
}
