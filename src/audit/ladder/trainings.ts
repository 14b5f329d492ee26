/** All trainings that an audit of a scenario rests on: repeats with records dealt anew, each with and without its targets. */
import type { Attack } from '../../attacks/attack.js'
import { OverhearError } from '../../errors.js'
import { repeatsOf } from '../../scenario/repeats.js'
import type { StopSignal } from '../../scenario/running.js'
import { modelName, type Scenario } from '../../scenario/scenario-schema.js'
import {
  type SimulatedModel,
  type SimulateEvent,
  type SimulateOptions,
  type SimulatePorts,
  simulate,
} from '../../scenario/simulate.js'
import { bytesOfMessages } from '../../scenario/size-of-messages.js'
import { seatsOf } from '../../scenario/targets.js'
import { askedAttacks } from '../asked-attacks.js'

/** One model of one repeat. */
export interface Trained extends Pick<SimulatedModel, 'name' | 'folder' | 'targets' | 'utility'> {
  readonly repeat: number
  /** The leak that was planted in it, from 0. */
  readonly plant?: number
  /** Which of the scenario's models. */
  readonly model: number
  readonly clients: readonly string[]
  /** Among whom it was drawn who is guilty of what. */
  readonly seats: readonly string[]
  /** By target: the folder of the federation without it; the first few targets have one. */
  readonly without: ReadonlyMap<string, string>
}

/** Targets for whom a federation without them is trained: each costs a training in every repeat. */
const mostAbsent = 5

/** Whether the scenario has records to compare with, without which nothing is decided and nothing need be repeated. */
export const holdsBack = ({ heldBack }: Pick<Scenario, 'heldBack'>): boolean => heldBack > 0

/** How often everything is trained. */
export async function plannedRepeats(scenario: Scenario, ports: Pick<SimulatePorts, 'dataset'>): Promise<number> {
  if (!holdsBack(scenario)) return 1
  return repeatsOf(scenario, await bytesOfMessages(scenario, ports))
}

/** Without how many targets it is trained besides: nobody needs that where all attacks are about the clients together. */
export function absentIn(scenario: Pick<Scenario, 'heldBack' | 'attacks' | 'activeRounds'>, targets: number): number {
  const aimed = ({ needs, uses }: Pick<Attack, 'needs' | 'uses'>): boolean => [...needs, ...uses].includes('target')
  const some = holdsBack(scenario) && askedAttacks(scenario).some(({ attack }) => aimed(attack))
  return some ? Math.min(targets, mostAbsent) : 0
}

type Sized = Pick<Scenario, 'heldBack' | 'knowledge' | 'attacks' | 'activeRounds'>

/** Trainings of all repeats, with and without targets, of one model. */
export function trainingsIn(scenario: Sized, repeats: number): number {
  const { targets } = scenario.knowledge
  return repeats * (1 + absentIn(scenario, targets === 'all' ? mostAbsent : targets.length))
}

export interface TrainingOptions {
  readonly ports: SimulatePorts
  readonly signal?: StopSignal
  readonly repeats: number
  /** Trainings that come after these, of which each counts. */
  readonly more?: number
  readonly repair?: boolean
  emit(event: SimulateEvent | { readonly kind: 'training'; readonly number: number; readonly total: number }): void
  /** A model is given up: it diverged in a training after the first, and why. */
  diverged(model: string, why: string): void
}

/**
 * Trains everything, repeat by repeat; each repeat's models are handed on as soon as they are there. A model that diverges
 * in the first training is an error. One that diverges later is given up: the records that it was dealt decided that it did,
 * so the trainings that are left would be a choice among deals, and dice no more. A federation without a client may diverge:
 * it fills a rung, and no test rests on it.
 */
export async function* trainings(scenario: Scenario, options: TrainingOptions): AsyncGenerator<readonly Trained[]> {
  const { repeats, emit, more = 0 } = options
  const redraw = holdsBack(scenario)
  const total = trainingsIn(scenario, repeats) + more
  let number = 0
  const alive = new Set(scenario.models.keys())
  for (let repeat = 0; repeat < repeats && alive.size > 0; repeat++) {
    const run = async (without?: string): Promise<Map<number, SimulatedModel | OverhearError>> => {
      emit({ kind: 'training', number: ++number, total })
      const made = new Map<number, SimulatedModel | OverhearError>()
      for (const model of alive) {
        const training = { repeat, redraw, models: [model], ...(without !== undefined && { without }) }
        made.set(model, await attempt(scenario, training, options))
      }
      return made
    }
    const present = new Map<number, SimulatedModel>()
    for (const [model, made] of await run()) {
      if (!(made instanceof OverhearError)) present.set(model, made)
      else if (repeat === 0) throw made
      else {
        alive.delete(model)
        options.diverged(modelName(scenario, model), `training ${repeat + 1} of ${repeats}, ${made.message}`)
      }
    }
    const absent = new Map<string, Map<number, SimulatedModel | OverhearError>>()
    const attacked = [...present.values()][0]?.targets ?? []
    for (const id of attacked.slice(0, absentIn(scenario, attacked.length))) absent.set(id, await run(id))
    yield [...present].map(([model, { name, folder, targets, utility, world }]): Trained => {
      const without = new Map<string, string>()
      for (const [id, models] of absent) {
        const made = models.get(model)!
        if (!(made instanceof OverhearError)) without.set(id, made.folder)
      }
      const clients = world.clients.map(({ id }) => id)
      const seats = seatsOf(scenario, world.clients)
      return { repeat, model, name, folder, targets, utility, clients, seats, without }
    })
  }
}

/** One model of one training, or why it diverged. */
export async function attempt(
  scenario: Scenario,
  training: Omit<SimulateOptions, 'ports'>,
  { ports, signal, repair, emit }: Pick<TrainingOptions, 'ports' | 'signal' | 'repair' | 'emit'>,
): Promise<SimulatedModel | OverhearError> {
  const simulation = simulate(scenario, {
    ...training,
    ports,
    ...(signal !== undefined && { signal }),
    ...(repair !== undefined && { repair }),
  })
  try {
    for await (const event of simulation) emit(event)
    const [made] = await simulation.result
    return made!
  } catch (error) {
    if (error instanceof OverhearError && error.code === 'E_NON_FINITE') return error
    throw error
  }
}
