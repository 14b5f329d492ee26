/** Whether a federation is over sooner than threads would be awake: then its clients are played in this one. */
import type { Search } from '../../federation/clients.js'
import type { Population } from '../../federation/population.js'
import { type FederationSpec, settle } from '../../federation/spec.js'
import { parameterCount } from '../../models/model.js'

/** Products of a parameter with a number of a record that a training may take: some tenths of a second. Threads of attacks have the cores meanwhile. */
const mostProducts = 4e8

export function isSoonDone(spec: FederationSpec, population: Population): boolean {
  // Whoever is that many is not counted one by one.
  if (population.count > 1000) return false
  const { model, plan, rounds } = settle(spec)
  let records = 0
  for (let k = 0; k < population.count; k++) {
    const n = population.samples(k)
    records +=
      plan.localSteps === null ? (plan.localEpochs ?? 1) * n : plan.localSteps * Math.min(plan.batchSize ?? n, n)
  }
  // A parameter of a convolution meets about as many numbers as the picture has.
  const reuse = model.parameters.some(({ shape }) => shape.length > 2) ? model.inputs : 1
  return rounds * records * parameterCount(model) * reuse <= mostProducts
}

/**
 * Whether the models that clients would train alone are found sooner than threads would be awake; least squares take no search. Where none
 * is idle, new ones would have to share the cores with those that are busy, and more is done here.
 */
export function areSoonFound(
  spec: FederationSpec,
  population: Population,
  { searches, idle }: { readonly searches: readonly Search[]; readonly idle: number },
): boolean {
  const { model, loss } = settle(spec)
  if (searches.length < 2 || (model.kind === 'linear' && loss === 'mse')) return true
  const products = searches.map(({ client, maxIterations }) => maxIterations * population.samples(client))
  return products.reduce((sum, one) => sum + one, 0) * parameterCount(model) <= (idle > 0 ? 1 : 4) * mostProducts
}
