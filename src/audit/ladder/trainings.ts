/** All trainings that an audit of a scenario rests on: repeats with records dealt anew, each with and without its targets. */
import { repeatsOf } from '../../scenario/repeats.js'
import type { StopSignal } from '../../scenario/running.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import { type SimulatedModel, type SimulateEvent, type SimulatePorts, simulate } from '../../scenario/simulate.js'
import { bytesOfMessages } from '../../scenario/size-of-messages.js'
import { seatsOf } from '../../scenario/targets.js'

/** One model of one repeat. */
export interface Trained extends Pick<SimulatedModel, 'name' | 'folder' | 'targets' | 'utility'> {
  readonly repeat: number
  /** Which of the scenario's models. */
  readonly model: number
  readonly clients: readonly string[]
  /** Among whom it was drawn who is guilty of what. */
  readonly seats: readonly string[]
  /** By target: the folder of the federation without it; the first few targets have one. */
  readonly without: ReadonlyMap<string, string>
}

/** Targets for whom a federation without them is trained: each costs a training in every repeat. */
export const mostAbsent = 5

/** Whether the scenario has records to compare with, without which nothing is decided and nothing need be repeated. */
export const holdsBack = ({ heldBack }: Pick<Scenario, 'heldBack'>): boolean => heldBack > 0

/** How often everything is trained. */
export async function plannedRepeats(scenario: Scenario, ports: Pick<SimulatePorts, 'dataset'>): Promise<number> {
  if (!holdsBack(scenario)) return 1
  return repeatsOf(scenario, await bytesOfMessages(scenario, ports))
}

export interface TrainingOptions {
  readonly ports: SimulatePorts
  readonly signal?: StopSignal
  readonly repeats: number
  emit(event: SimulateEvent | { readonly kind: 'training'; readonly number: number; readonly total: number }): void
}

/** Trains everything, repeat by repeat; each repeat's models are handed on as soon as they are there. */
export async function* trainings(
  scenario: Scenario,
  { ports, signal, repeats, emit }: TrainingOptions,
): AsyncGenerator<readonly Trained[]> {
  const redraw = holdsBack(scenario)
  const { targets } = scenario.knowledge
  const absentees = redraw ? (targets === 'all' ? mostAbsent : Math.min(targets.length, mostAbsent)) : 0
  let number = 0
  for (let repeat = 0; repeat < repeats; repeat++) {
    const run = async (without?: string): Promise<SimulatedModel[]> => {
      const simulation = simulate(scenario, {
        ports,
        repeat,
        redraw,
        ...(without !== undefined && { without }),
        ...(signal !== undefined && { signal }),
      })
      emit({ kind: 'training', number: ++number, total: repeats * (1 + absentees) })
      for await (const event of simulation) emit(event)
      return simulation.result
    }
    const present = await run()
    const absent = new Map<string, readonly SimulatedModel[]>()
    if (redraw) for (const id of present[0]!.targets.slice(0, mostAbsent)) absent.set(id, await run(id))
    yield present.map(({ name, folder, targets, utility, world }, model): Trained => {
      const without = new Map([...absent].map(([id, models]) => [id, models[model]!.folder]))
      const clients = world.clients.map(({ id }) => id)
      const seats = seatsOf(scenario, world.clients)
      return { repeat, model, name, folder, targets, utility, clients, seats, without }
    })
  }
}
