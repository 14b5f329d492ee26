/** Claims about clients, graded on any answer to who has a property or who contributes how much. */
import type { ContributionClaim, PropertyClaim } from '../../attacks/claim.js'
import { OverhearError } from '../../errors.js'
import { rangeOf } from '../../numeric/special/summaries.js'
import { distinctIds } from '../grading.js'
import { finiteNumbers } from '../number-lists.js'
import { rankCorrelation } from '../ranks.js'
import { aucBetween, ordered } from './roc.js'

/** What ranks the clients of a claim, and what a client has that it does not mention: a probability of 0, or less than all. */
export function rankedClients(clients: PropertyClaim['clients']): {
  readonly stated: Float64Array
  readonly denied: number
} {
  const probable = clients.every(({ probability }) => probability !== null)
  const stated = finiteNumbers(
    clients.map(({ probability, score }) => probability ?? score ?? 0),
    probable ? 'probability' : 'score',
  )
  return { stated, denied: probable ? 0 : rangeOf(stated).min - 1 }
}

/**
 * The AUC over these clients as a function of who has the property; 0.5 where all or none have it. A client that the
 * claim does not mention is denied: its probability is 0.
 */
export function propertyGradable(
  { clients }: Pick<PropertyClaim, 'clients'>,
  clientIds: readonly string[],
): (having: ReadonlySet<string>) => number {
  distinctIds(clients)
  const { stated, denied } = rankedClients(clients)
  const byId = new Map(clients.map(({ id }, i) => [id, stated[i]!]))
  const scores = ordered(clientIds.map((id) => byId.get(id) ?? denied))
  const all = clientIds.map((_, i) => i)
  return (having) => {
    const has = all.filter((i) => having.has(clientIds[i]!))
    const hasNot = all.filter((i) => !having.has(clientIds[i]!))
    return aucBetween(scores, has, hasNot) ?? 0.5
  }
}

/** The rank correlation over the clients of the claim, as a function of the truth by client; 0 where either is constant. */
export function contributionGradable({
  clients,
}: Pick<ContributionClaim, 'clients'>): (truth: ReadonlyMap<string, number>) => number {
  const ids = [...distinctIds(clients)]
  const claimed = finiteNumbers(
    clients.map(({ score }) => score),
    'score',
  )
  return (truth) => {
    const absent = ids.find((id) => !truth.has(id))
    if (absent !== undefined) {
      throw new OverhearError('E_INPUT', `the contribution of client "${absent}" is not known`, 'all are needed')
    }
    const actual = finiteNumbers(
      ids.map((id) => truth.get(id)!),
      'contribution',
    )
    return rankCorrelation(claimed, actual) ?? 0
  }
}
