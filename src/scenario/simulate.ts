/** The door for simulations: every model of a scenario trained into a folder, with events on the way. */
import type { LoadContext } from '../data/dataset-entry.js'
import type { ClientPool } from '../federation/pool.js'
import type { Population } from '../federation/population.js'
import type { FederationSpec } from '../federation/spec.js'
import type { WritableStore } from '../transcript/write-transcript.js'
import { type Running, running, type StopSignal } from './running.js'
import { modelName, type Scenario } from './scenario-schema.js'
import { type ModelUtility, type Simulated, simulateModel } from './simulate-model.js'

/** What a simulation needs of the machine it runs on. */
export interface SimulatePorts {
  /** A store below the run's folder; '' is the folder itself. */
  folder(path: string): WritableStore
  /** Who plays the clients. */
  clients(spec: FederationSpec, population: Population): ClientPool
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

/** How to simulate; only the ports are needed. */
export interface SimulateOptions {
  readonly ports: SimulatePorts
  readonly signal?: StopSignal
}

/**
 * Trains every model of the scenario and writes transcript, knowledge and truth of each. Goes on where an earlier call was
 * cut off; rejects with E_INTERRUPTED when the signal stops it.
 */
export function simulate(
  scenario: Scenario,
  { ports, signal }: SimulateOptions,
): Running<SimulateEvent, SimulatedModel[]> {
  return running(async (emit) => {
    const done: SimulatedModel[] = []
    for (const model of scenario.models.keys()) done.push(await one(scenario, model, { ports, signal, emit }))
    return done
  })
}

/** A scenario with one model has the run's folder to itself; of several, each has one below it. */
function modelFolder(scenario: Scenario, model: number): string {
  return scenario.models.length === 1 ? '' : `${model}-${modelName(scenario, model).replace(/#.*/, '')}`
}

interface Surroundings {
  readonly ports: SimulatePorts
  readonly signal: StopSignal | undefined
  emit(event: SimulateEvent): void
}

async function one(scenario: Scenario, model: number, { ports, signal, emit }: Surroundings): Promise<SimulatedModel> {
  const folder = modelFolder(scenario, model)
  const name = modelName(scenario, model)
  const files = ports.dataset?.(scenario.data.name)
  const store = (path: string): WritableStore => ports.folder([folder, path].filter((part) => part !== '').join('/'))
  await store('').makeFolder('')
  const run = await simulateModel(scenario, model, {
    folder: store,
    poolFor: ports.clients,
    ...(files !== undefined && { files }),
    ...(signal !== undefined && { signal }),
    onRound: (round, rounds) => emit({ kind: 'round', model: name, round, rounds }),
  })
  for (const text of remarksOn(run, scenario.training.rounds)) emit({ kind: 'remark', model: name, text })
  emit({ kind: 'trained', model: name, utility: run.utility })
  return { ...run, folder }
}

function remarksOn({ aborted, noticed }: Simulated, rounds: number): string[] {
  const { clipped = 0 } = noticed
  return [
    ...(aborted.rounds > 0 ? [`${aborted.rounds} of ${rounds} rounds had no sum, the last for: ${aborted.why}`] : []),
    ...(clipped > 0 ? [`secure aggregation cut off ${clipped} values of updates: its clip is too small for them`] : []),
  ]
}
