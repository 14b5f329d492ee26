/** Trainings of a scenario in which a leak was planted, weaker and stronger: one of each grade and model. */
import { OverhearError } from '../../errors.js'
import { plantRepeat, plants, plantsAgain } from '../../scenario/plants/grades.js'
import { modelName, type Scenario } from '../../scenario/scenario-schema.js'
import { seatsOf } from '../../scenario/targets.js'
import { attempt, type Trained, type TrainingOptions, trainingsIn } from '../ladder/trainings.js'

/** Which plants a scenario gets: none where nobody wants them. */
export const plantsOf = ({ controls }: Pick<Scenario, 'controls'>): readonly number[] => (controls ? plants : [])

export interface PlantOptions extends Pick<TrainingOptions, 'ports' | 'signal' | 'repair' | 'emit' | 'repeats'> {
  /** Models that were given up. */
  readonly without: ReadonlySet<string>
  /** How often plants were drawn before: the first ones unless told. */
  readonly again?: number
}

/** One that diverges is left out: whoever looks for it there is told by the weaker ones. */
export async function* plantTrainings(scenario: Scenario, options: PlantOptions): AsyncGenerator<Trained> {
  const { emit, repeats, without, again = 0 } = options
  const all = plantsOf(scenario).length === 0 ? [] : plantsAgain(again)
  const before = trainingsIn(scenario, repeats)
  for (const plant of all) {
    emit({ kind: 'training', number: before + plant + 1, total: before + all.at(-1)! + 1 })
    for (const model of scenario.models.keys()) {
      if (without.has(modelName(scenario, model))) continue
      const repeat = plantRepeat(plant)
      // Attacks are asked about the first target alone.
      const made = await attempt(scenario, { repeat, redraw: true, plant, optima: 'first', models: [model] }, options)
      if (made instanceof OverhearError) continue
      const { name, folder, targets, utility, world } = made
      const clients = world.clients.map(({ id }) => id)
      const seats = seatsOf(scenario, world.clients)
      yield { repeat, plant, model, name, folder, targets, utility, clients, seats, without: new Map() }
    }
  }
}
