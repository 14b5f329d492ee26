/** Rules about who can be told apart though only sums are seen: participation, masks, seeds, whom to trust. */
import { type Matrix, matrix } from '../../numeric/linalg/matrix.js'
import { qrPivoted } from '../../numeric/linalg/qr.js'
import type { Setup } from '../account/setup.js'
import { defineLintRule, type Found, noised, said } from './rule.js'

/** Clients and rounds up to which a rank is worth its time. */
const mostClients = 400

export const oneSeed = defineLintRule({
  code: 'OH201',
  id: 'one-seed-for-all-clients',
  severity: 'error',
  danger: 9,
  title: 'clients draw noise or masks from one seed',
  fix: 'let each client draw its own seed, which nobody else is told',
  check(setup) {
    const seeds = said(setup, 'clientSeeds')
    const noise = said(setup, 'noiseSeed')
    const found: Found[] = []
    if (noise !== undefined && noise !== null && noise !== 'own' && setup.clients.length > 1) {
      found.push({
        subject: { of: 'seeds' },
        evidence: `noiseSeed is ${JSON.stringify(noise)} for ${setup.clients.length} clients: whoever knows it takes all noise off`,
      })
    }
    if (typeof seeds === 'object' && seeds !== null) {
      const all = Object.values(seeds as Record<string, unknown>).map((seed) => JSON.stringify(seed))
      const shared = all.length - new Set(all).size
      if (shared > 0)
        found.push({ subject: { of: 'seeds' }, evidence: `of ${all.length} seeds ${shared + 1} or more are the same` })
    }
    return found
  },
})

export const maskReuse = defineLintRule({
  code: 'OH202',
  id: 'mask-reuse',
  severity: 'error',
  danger: 9,
  title: 'a mask is used more than once',
  fix: 'derive masks anew for each round and each tensor (a counter or the round in the key derivation)',
  check(setup) {
    const found: Found[] = []
    if (said(setup, 'maskPerTensor') === 'same') {
      found.push({
        subject: { of: 'secureAggregation' },
        evidence: 'maskPerTensor is "same": tensors of one length differ by their difference in the clear',
      })
    }
    const rounds = Array.isArray(setup.raw.rounds)
      ? (setup.raw.rounds as { maskSeed?: unknown; round?: unknown }[])
      : []
    const seen = new Map<string, number>()
    for (const [i, { maskSeed }] of rounds.entries()) {
      if (maskSeed === undefined || maskSeed === null) continue
      const key = JSON.stringify(maskSeed)
      const before = seen.get(key)
      if (before !== undefined) {
        found.push({
          subject: { of: 'rounds' },
          evidence: `rounds ${before} and ${i} have the same maskSeed: their difference is in the clear`,
        })
        break
      }
      seen.set(key, i)
    }
    return found
  },
})

export const fewClients = defineLintRule({
  code: 'OH203',
  id: 'few-clients-in-a-sum',
  severity: 'warning',
  danger: 5,
  title: 'few clients are in a secure sum',
  fix: 'aggregate over more clients, or add noise inside the sum',
  check(setup) {
    if (!setup.secureAggregation || noised(setup)) return []
    const sizes = setup.participants?.map((round) => round.length) ?? (everybody(setup) ? [setup.clients.length] : [])
    if (sizes.length === 0 || setup.clients.some(({ id }) => id === '*')) return []
    const fewest = sizes.reduce((a, b) => Math.min(a, b))
    if (fewest > 5) return []
    const alone = fewest <= 2 ? ': each of them can take its own off and has the other' : ''
    return [
      { subject: { of: 'secureAggregation' }, evidence: `a sum of ${fewest} client${fewest === 1 ? '' : 's'}${alone}` },
    ]
  },
})

/** Whether a scenario asks all clients in every round. */
function everybody({ raw, from }: Setup): boolean {
  const sampling = (raw.training as { sampling?: { name?: unknown } } | undefined)?.sampling
  return from === 'scenario' && (sampling === undefined || sampling.name === 'all')
}

export const separable = defineLintRule({
  code: 'OH204',
  id: 'clients-separable',
  severity: 'warning',
  danger: 5,
  title: 'who took part when tells the clients of a secure sum apart',
  fix: 'keep cohorts together, add noise inside the sums, or run fewer rounds than there are clients',
  check(setup) {
    if (!setup.secureAggregation || noised(setup)) return []
    const { participants, clients, rounds } = setup
    const n = clients.length
    if (n < 2 || n > mostClients || clients.some(({ id }) => id === '*')) return []
    if (participants === null) {
      if (everybody(setup) || rounds < n) return []
      const evidence = `${rounds} rounds of changing groups of ${n} clients: from about round ${n} on their matrix has full column rank, if groups are drawn at random`
      return [{ subject: { of: 'rounds' }, evidence }]
    }
    const at = fullRankAt(
      participants,
      clients.map(({ id }) => id),
    )
    if (at === undefined) return []
    const evidence = `after ${at} of ${rounds} rounds the participation of ${n} clients has full column rank: what is constant in a client's updates can be solved for`
    return [{ subject: { of: 'rounds' }, evidence }]
  },
})

/** After how many rounds the participation matrix first has full column rank. */
function fullRankAt(participants: readonly (readonly string[])[], ids: readonly string[]): number | undefined {
  const n = ids.length
  const rankOf = (rounds: number): number => qrPivoted(participation(participants.slice(0, rounds), ids)).rank
  const most = Math.min(participants.length, 4 * mostClients)
  if (most < n || rankOf(most) < n) return undefined
  let [low, high] = [n - 1, most]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (rankOf(middle) === n) high = middle
    else low = middle
  }
  return high
}

function participation(rounds: readonly (readonly string[])[], ids: readonly string[]): Matrix {
  const place = new Map(ids.map((id, k) => [id, k]))
  const A = matrix(rounds.length, ids.length)
  for (const [r, round] of rounds.entries()) {
    for (const id of round) {
      const k = place.get(id)
      if (k !== undefined) A.data[r * ids.length + k] = 1
    }
  }
  return A
}

export const oneApart = defineLintRule({
  code: 'OH205',
  id: 'cohorts-differ-in-one-client',
  severity: 'warning',
  danger: 6,
  title: 'two cohorts of a secure sum differ in one client',
  fix: 'never aggregate a cohort with and without one client; drop a whole group where one vanishes',
  check(setup) {
    const { participants } = setup
    if (!setup.secureAggregation || noised(setup) || participants === null) return []
    const sets = participants.slice(0, 2000).map((round) => new Set(round))
    for (let a = 0; a < sets.length; a++) {
      for (let b = Math.max(0, a - 50); b < a; b++) {
        const [small, large] = sets[a]!.size < sets[b]!.size ? [sets[a]!, sets[b]!] : [sets[b]!, sets[a]!]
        if (large.size !== small.size + 1 || ![...small].every((id) => large.has(id))) continue
        const who = [...large].find((id) => !small.has(id))!
        const evidence = `rounds ${b} and ${a} differ in client ${who} alone: the difference of their sums is nearly its update`
        return [{ subject: { of: 'rounds' }, evidence }]
      }
    }
    return []
  },
})

export const untrustedServer = defineLintRule({
  code: 'OH206',
  id: 'plain-updates-to-an-untrusted-server',
  severity: 'warning',
  danger: 6,
  title: 'a server that is not trusted sees single updates, or could open them',
  fix: 'aggregate securely, add noise at the clients, or say that the server is trusted',
  check(setup) {
    const server = said(setup, 'server')
    if (trusting(setup)) {
      const evidence =
        'server: honest-but-curious opens to a server that tells clients different lists, and observers has such a one'
      return [{ subject: { of: 'secureAggregation' }, evidence, fix: 'set server: malicious, the default' }]
    }
    if (server !== 'honest-but-curious' && server !== 'malicious') return []
    if (!setup.secureAggregation && !noised(setup)) {
      return [
        {
          subject: { of: 'server' },
          evidence: `the server is ${server}, updates reach it one by one and without noise`,
        },
      ]
    }
    if (server === 'malicious' && setup.secureAggregation && said(setup, 'consistencyCheck') !== true) {
      const evidence =
        'the server is malicious, and clients do not compare the lists of survivors that they are told (consistencyCheck)'
      return [
        {
          subject: { of: 'server' },
          evidence,
          fix: 'let clients sign and compare survivor lists, with a threshold above two thirds',
        },
      ]
    }
    return []
  },
})

/** Whether a scenario names a server among its adversaries that the protocol of its sums does not withstand. */
function trusting({ from, raw }: Setup): boolean {
  if (from !== 'scenario' || !Array.isArray(raw.defences) || !Array.isArray(raw.observers)) return false
  const sums = (raw.defences as { name?: unknown; params?: { server?: unknown } }[]).find(
    (one) => one?.name === 'secure-aggregation' || one?.name === 'distributed-dp',
  )
  return sums?.params?.server === 'honest-but-curious' && raw.observers.includes('malicious-secagg-server')
}
