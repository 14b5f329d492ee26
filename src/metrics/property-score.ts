/** Grades which clients have a property. */
import { rankedClients } from './cells/client-cells.js'
import { scoreDetection, scoreRanking } from './detection.js'
import { distinctIds, lacks, metric, needed } from './grading.js'

/** Over the clients of the claim, and those that have the property and are not in it: they count as denied. */
export const property = metric('property', 'which clients have a property', (claim, { truth }) => {
  const [having] = needed([`properties.${claim.property}`, truth.property(claim.property)])
  const positive = new Set(having)
  const ids = distinctIds(claim.clients)
  const { stated, denied } = rankedClients(claim.clients)
  const unseen = having.filter((id) => !ids.has(id))
  const everyone = [...ids, ...unseen]
  if (everyone.length === 0) lacks('clients')
  const claimed = everyone.map((_, i) => claim.clients[i]?.positive ?? false)
  const has = everyone.map((id) => positive.has(id))
  const scores = Float64Array.from(everyone, (_, i) => stated[i] ?? denied)
  // Who accuses nobody because it only ranks is graded by its ranking, where there is one to be right about.
  const ranking = claim.ranksOnly === true ? scoreRanking({ truth: has, scores }) : undefined
  if (ranking !== undefined) return ranking
  return {
    ...scoreDetection({ truth: has, claimed, scores, of: 'clients' }),
    perClient: everyone.map((id, i) => ({ id, right: claimed[i] === has[i] })),
  }
})
