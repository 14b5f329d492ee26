/** Where each training of a scenario lies below the run's folder. */
import { modelName, type Scenario } from './scenario-schema.js'

/** One training of many: a model, a repeat, and the client that stays away where one does. */
export interface TrainingPlace {
  /** Which of the scenario's models; the first unless told. */
  readonly model?: number
  /** The first unless told. */
  readonly repeat?: number
  readonly without?: string
  /** The leak that is planted in it. */
  readonly plant?: number
}

/**
 * The folder of a training. A scenario with one model has the run's folder to itself; of several, each has one below it.
 * Repeats but the first lie in `repeat-<r>`, those with a planted leak in `plant-<n>`, federations without a client in `without-<id>` below the one with it.
 */
export function trainingFolder(
  scenario: Pick<Scenario, 'models'>,
  { model = 0, repeat = 0, without, plant }: TrainingPlace = {},
): string {
  const parts = [
    ...(plant !== undefined ? [`plant-${plant + 1}`] : repeat === 0 ? [] : [`repeat-${repeat}`]),
    ...(scenario.models.length === 1 ? [] : [`${model}-${modelName(scenario, model).replace(/#.*/, '')}`]),
    ...(without === undefined ? [] : [`without-${without}`]),
  ]
  return parts.join('/')
}
