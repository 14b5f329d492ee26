/** Grades which clients have a property. */
import { scoreDetection } from './detection.js'
import { distinctIds, lacks, metric, needed } from './grading.js'
import { finiteNumbers } from './number-lists.js'

/** Over the clients of the claim, and those that have the property and are not in it: they count as denied. */
export const property = metric('property', 'which clients have a property', (claim, { truth }) => {
  const [having] = needed([`properties.${claim.property}`, truth.property(claim.property)])
  const positive = new Set(having)
  const ids = distinctIds(claim.clients)
  const probabilities = finiteNumbers(
    claim.clients.map(({ probability }) => probability),
    'probability',
  )
  const unseen = having.filter((id) => !ids.has(id))
  const everyone = [...ids, ...unseen]
  if (everyone.length === 0) lacks('clients')
  const claimed = everyone.map((_, i) => claim.clients[i]?.positive ?? false)
  const has = everyone.map((id) => positive.has(id))
  const scores = Float64Array.from(everyone, (_, i) => probabilities[i] ?? 0)
  return {
    ...scoreDetection({ truth: has, claimed, scores, of: 'clients' }),
    perClient: everyone.map((id, i) => ({ id, right: claimed[i] === has[i] })),
  }
})
