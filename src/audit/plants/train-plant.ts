/** One training of one model of a scenario in which a leak was planted. */
import { OverhearError } from '../../errors.js'
import { plantRepeat } from '../../scenario/plants/grades.js'
import type { Pools } from '../../scenario/pools.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import { seatsOf } from '../../scenario/targets.js'
import { attempt, type Trained, type TrainingOptions } from '../ladder/trainings.js'
import type { Planted } from '../ports.js'

export interface TrainPlantOptions extends Pick<TrainingOptions, 'ports' | 'signal' | 'repair'> {
  /** Who owns which rows, where that is loaded already. */
  readonly pools?: Pools
  emit: Parameters<typeof attempt>[2]['emit']
}

/** Or why it diverged. */
export async function trainPlant(
  scenario: Scenario,
  { plant, model }: Planted,
  { pools, ...options }: TrainPlantOptions,
): Promise<Trained | OverhearError> {
  const repeat = plantRepeat(plant)
  // Attacks are asked about the first target alone.
  const training = { repeat, redraw: true, plant, optima: 'first', models: [model], ...(pools && { pools }) } as const
  const made = await attempt(scenario, training, options)
  if (made instanceof OverhearError) return made
  const { name, folder, targets, utility, world } = made
  const clients = world.clients.map(({ id }) => id)
  const seats = seatsOf(scenario, world.clients)
  return { repeat, plant, model, name, folder, targets, utility, clients, seats, without: new Map() }
}
