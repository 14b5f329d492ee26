/** Where nobody of a scenario does what its adversary looks for, a plant has one client that does. */
import { misbehaviours } from '../../federation/misbehaviour/index.js'
import type { Scenario } from '../scenario-schema.js'
import { seatsOf } from '../targets.js'

export function withCulprit(scenario: Scenario, clients: readonly { readonly id: string }[]): Scenario {
  const { knowledge, training } = scenario
  const { property } = knowledge
  if (property === null || !Object.hasOwn(misbehaviours, property)) return scenario
  if (Object.values(training.misbehaving).some(({ name }) => name === property)) return scenario
  const free = seatsOf(scenario, clients).find((id) => !Object.hasOwn(training.misbehaving, id))
  if (free === undefined) return scenario
  const misbehaving = { ...training.misbehaving, [free]: { name: property, params: {} } }
  return { ...scenario, training: { ...training, misbehaving } }
}
