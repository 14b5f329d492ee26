/** What a malicious server of secure sums gets out of the protocol as it is configured: each attack is tried on clients. */
import { OverhearError } from '../../errors.js'
import { type Bytes, type Own, seatsHere } from '../../federation/exchange.js'
import { type Rng, rng } from '../../numeric/random/rng.js'
import { checkedSeat } from '../checked-aggregation/checked-seat.js'
import { CheckedAborted, checkedSum } from '../checked-aggregation/checked-sum.js'
import { mostColluders } from '../checked-aggregation/graph-bounds.js'
import { type Policy, sizeFor } from '../checked-aggregation/terms.js'
import { everyPair, regularGraph } from '../secure-aggregation/mask-graph.js'
import { type Primitives, primitivesHere } from '../secure-aggregation/primitives.js'
import { secureSeat } from '../secure-aggregation/secure-seat.js'
import { secureSum } from '../secure-aggregation/secure-sum.js'
import { findLists } from './find-lists.js'
import { rulesFor } from './sum-rules.js'

/** The protocol as a defence's parameters choose it. */
export interface SumProtocol {
  readonly server: 'malicious' | 'honest-but-curious'
  /** Of the graph where the server is honest-but-curious. */
  readonly neighbours: number
  readonly policy: Policy
}

export interface SumAttack {
  readonly attack: 'equivocation' | 'sybils' | 'cohort-differencing' | 'round-asked-twice'
  /** What the server does. */
  readonly what: string
  /** Clients in league with it. */
  readonly colluders: number
  /** Among so many clients it was tried. */
  readonly clients: number
  /** The fewest clients whose updates' sum it learns; null: no fewer than the protocol allows. */
  readonly opened: number | null
  /** What came of it. */
  readonly why: string
}

const mostSearched = 100
const length = 6
const quantisation = { clip: 8, levels: 1 << 22 }

/** Every attack on sums of n clients. */
export async function trySums(
  n: number,
  protocol: SumProtocol,
  primitives: Primitives = primitivesHere(),
): Promise<SumAttack[]> {
  const few = Math.max(12, protocol.policy.least + 2)
  return [
    ...equivocations(Math.min(n, mostSearched), protocol),
    await sybils(few, protocol, primitives),
    await differencing(few, protocol, { primitives, rounds: [0, 1] }),
    await differencing(few, protocol, { primitives, rounds: [0, 0] }),
  ]
}

/** By the search for lists, alone and with as many colluders as the protocol is meant for. */
function equivocations(n: number, protocol: SumProtocol): SumAttack[] {
  const { server, policy } = protocol
  const rules = rulesFor(n, protocol, rng('openings'))
  const checked = server === 'malicious'
  const sized = checked && policy.variant === 'graph' && sizeFor(n, policy).degree !== null
  const most = !checked ? 1 : sized ? Math.ceil(policy.corrupt * n) : mostColluders(n)
  const below = checked ? rules.leastListed : 3
  return [...new Set([0, most])].map((c): SumAttack => {
    const colluders = new Set(Array.from({ length: c }, (_, i) => i + 1))
    const found = findLists({ rules, colluders, below })
    const what = 'tells clients different things about who has survived'
    const why =
      found === undefined
        ? `no lists that clients accept open a sum of fewer than ${below}, colluders counted`
        : 'clients accept lists that open it, and cannot notice'
    return { attack: 'equivocation', what, colluders: c, clients: n, opened: found?.opened.length ?? null, why }
  })
}

interface Trial {
  readonly primitives: Primitives
  readonly protocol: SumProtocol
}

/** A server's day with these guests: the sum, or the reason why there is none. */
function table({ primitives, protocol }: Trial) {
  const { server, policy, neighbours } = protocol
  const run = primitives.random(16)
  const side = server === 'malicious' ? checkedSeat(primitives, policy) : secureSeat(primitives)
  return async (guests: readonly Own[], round: number): Promise<Float64Array | string> => {
    const placed = guests.map((own, i) => ({ ...own, place: i + 1 }))
    const common = { seats: seatsHere(placed, side), length, quantisation, primitives, largest: 1 }
    try {
      if (server === 'malicious') {
        const found = await checkedSum({ ...common, policy, run, round, cohort: guests.map(({ id }) => id) })
        return found.sum
      }
      const n = guests.length
      const graph = policy.variant === 'pairs' ? everyPair(n) : regularGraph(n, neighbours, rng(n))
      return (await secureSum({ ...common, neighbours: graph, threshold: Math.floor((graph[0]!.length + 1) / 2) + 1 }))
        .sum
    } catch (error) {
      // What a client said says more than that too few are left.
      if (error instanceof CheckedAborted) return error.excluded[0]?.reason ?? error.message
      if (error instanceof OverhearError) return error.message
      throw error
    }
  }
}

const updateOf = (draws: Rng): Float64Array => draws.normals(length)

function guest(k: number, enrolment: Bytes): Own {
  const draws = rng('openings').fork('client', k)
  const change = () => updateOf(draws.fork('update'))
  return { id: `client-${k}`, weight: 1, enrolment, change, rounding: () => draws.fork('rounding') }
}

/** Whether numbers are an update, up to rounding by so many. */
const isUpdate = (found: Float64Array, update: Float64Array, by: number): boolean =>
  found.every((x, j) => Math.abs(x - update[j]!) <= (by * 2 * quantisation.clip) / (quantisation.levels - 1))

/** One client among clients that the server plays itself. */
async function sybils(n: number, protocol: SumProtocol, primitives: Primitives): Promise<SumAttack> {
  const play = table({ primitives, protocol })
  const [theirs, own] = [primitives.random(32), primitives.random(32)]
  const guests = Array.from({ length: n }, (_, k) => guest(k, k === 0 ? theirs : own))
  const found = await play(guests, 0)
  const row = {
    attack: 'sybils',
    what: 'fills the cohort with clients of its own',
    colluders: n - 1,
    clients: n,
  } as const
  if (typeof found === 'string') return { ...row, opened: null, why: found }
  for (const { change } of guests.slice(1)) for (const [j, x] of change().entries()) found[j]! -= x
  const opened = isUpdate(found, guests[0]!.change(), n) ? 1 : null
  return {
    ...row,
    opened,
    why: opened === null ? 'what is left of the sum is no update' : 'the sum without its own clients is one update',
  }
}

/** Two sums of the same updates, in one of which one client is missing. */
async function differencing(
  n: number,
  protocol: SumProtocol,
  { primitives, rounds }: { readonly primitives: Primitives; readonly rounds: readonly [number, number] },
): Promise<SumAttack> {
  const play = table({ primitives, protocol })
  const enrolment = primitives.random(32)
  const guests = Array.from({ length: n }, (_, k) => guest(k, enrolment))
  const sums = [await play(guests, rounds[0]), await play(guests.slice(1), rounds[1])]
  const twice = rounds[0] === rounds[1]
  const row = {
    attack: twice ? 'round-asked-twice' : 'cohort-differencing',
    what: twice
      ? 'asks for one round twice, with one client less'
      : 'asks two cohorts that differ in one client, with one model',
    colluders: 0,
    clients: n,
  } as const
  const [all, less] = sums as [Float64Array | string, Float64Array | string]
  const none = [all, less].find((one) => typeof one === 'string')
  if (typeof all === 'string' || typeof less === 'string') return { ...row, opened: null, why: none as string }
  const left = all.map((x, j) => x - less[j]!)
  const opened = isUpdate(left, guests[0]!.change(), 2 * n) ? 1 : null
  return {
    ...row,
    opened,
    why:
      opened === null ? 'the difference of the two sums is no update' : 'the difference of the two sums is one update',
  }
}
