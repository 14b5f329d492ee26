/** What clients go by under each protocol, for the search: who holds whose shares, and which lists they accept. */
import type { Rng } from '../../numeric/random/rng.js'
import { type Policy, sizeFor } from '../checked-aggregation/terms.js'
import { everyPair, type Neighbours, regularGraph } from '../secure-aggregation/mask-graph.js'
import type { ListRules } from './find-lists.js'

const withSelf = (masks: Neighbours): Neighbours => masks.map((own, i) => [...own, i + 1].sort((a, b) => a - b))

/** Clients of the honest-but-curious protocol believe what each of them is told. */
export function curiousRules(masks: Neighbours): ListRules {
  const threshold = Math.floor(((masks[0]?.length ?? 0) + 1) / 2) + 1
  return { masks, holders: withSelf(masks), threshold, leastListed: threshold, signers: 0, leastHolders: 0 }
}

/** Clients who check sign one list, and answer when more than two thirds have signed the same. */
export function checkedRules(n: number, policy: Policy, rng: Rng): ListRules {
  const { threshold, degree, shares } = sizeFor(n, policy)
  const lists = { threshold: shares, leastListed: Math.max(threshold, policy.least), signers: threshold }
  if (degree === null) {
    const masks = everyPair(n)
    return { ...lists, masks, holders: withSelf(masks), leastHolders: 0 }
  }
  const out = Array.from({ length: n }, (_, u) => {
    return [...rng.fork('neighbours', u).sample(n - 1, degree)].map((v) => (v < u ? v : v + 1) + 1)
  })
  const masks = out.map((own) => new Set(own))
  for (const [u, own] of out.entries()) for (const v of own) masks[v - 1]!.add(u + 1)
  return { ...lists, masks: masks.map((own) => [...own]), holders: withSelf(out), leastHolders: shares }
}

/** The rules under the parameters of the defence. */
export function rulesFor(
  n: number,
  protocol: { readonly server: string; readonly neighbours: number; readonly policy: Policy },
  rng: Rng,
): ListRules {
  const { server, neighbours, policy } = protocol
  if (server === 'malicious') return checkedRules(n, policy, rng)
  return curiousRules(policy.variant === 'pairs' ? everyPair(n) : regularGraph(n, neighbours, rng.fork('graph')))
}
