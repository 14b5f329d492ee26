/** Secure aggregation as a defence: the server learns the sum of a round's updates and never has one of them. */
import { internal, OverhearError } from '../errors.js'
import type { Defence, ExchangeContext } from '../federation/hooks.js'
import { choice, number, readParams, type ValuesOf, whole } from '../params.js'
import { defineDefence } from './definition.js'
import { everyPair, type Neighbours, regularGraph } from './secure-aggregation/graph.js'
import { type Primitives, webCrypto } from './secure-aggregation/primitives.js'
import { type Phase, type SecureSum, type SecureSumOptions, secureSum } from './secure-aggregation/run.js'
import { secureSeat } from './secure-aggregation/seat.js'

const params = {
  variant: choice({
    default: 'pairs',
    choices: ['pairs', 'graph'],
    doc: 'masks between every pair of clients, or along a random regular graph (SecAgg+)',
  }),
  neighbours: whole({ default: 32, min: 2, doc: 'variant graph: clients that each one masks with; even' }),
  threshold: number({
    ...{ default: 0, min: 0, max: 1 },
    doc: 'share of the holders of a secret that can give it back; 0: just above half',
  }),
  clip: number({ default: 8, min: 0, doc: 'values of an update beyond it are cut off' }),
  bits: whole({ default: 22, min: 1, max: 30, doc: 'an update is rounded to so many bits a value' }),
  lateProb: number({ default: 0, min: 0, max: 1, doc: 'probability that a client vanishes once it sent its update' }),
} as const

export interface SecureAggregationOptions extends Partial<ValuesOf<typeof params>> {
  /** Who does the cryptography of the server, and of clients in the same thread; WebCrypto unless told. */
  readonly primitives?: Primitives
  /** Told of every round: bytes, who was in the sum, and how many values the clients cut off (only they know). */
  onSum?(sum: SecureSum & { readonly round: number; readonly clipped: number }): void
  /** Sees every message between clients and server; may return another in its place. */
  tap?: NonNullable<SecureSumOptions['tap']>
}

/**
 * [bonawitz2017], or with variant graph [bell2020]: in each round the whole protocol runs, on bytes, between the clients
 * where their pool plays them and the server in the thread of the federation. Clients that the federation lists as
 * dropped vanish in one of the first three phases.
 */
export function secureAggregation({
  primitives = webCrypto(),
  onSum,
  tap,
  ...given
}: SecureAggregationOptions = {}): Defence {
  const values = readParams(params, given, 'defence secure-aggregation')
  return {
    name: 'secure-aggregation',
    protocol: { secureAggregation: true },
    exchange: {
      client: secureSeat(primitives),
      async serve(context) {
        const { round, weights, dropped, length, seats, rng } = context
        const ids = [...weights.keys(), ...dropped]
        const neighbours = graphOf(ids.length, values, context)
        const largest = Math.max(...weights.values())
        const found = await secureSum({
          ...{ seats, neighbours, primitives, length, vanish: vanishing(ids, weights.size, values, rng) },
          scales: ids.map((id) => (weights.get(id) ?? 0) / largest),
          threshold: thresholdOf(values.threshold, (neighbours[0]?.length ?? 0) + 1),
          quantisation: { clip: values.clip, levels: 1 << values.bits },
          ...(tap !== undefined && { tap }),
        })
        if (found.survivors.length !== weights.size) {
          throw internal(`${found.survivors.length} updates are in the sum of round ${round}, not ${weights.size}`)
        }
        const notes = await seats.leave()
        onSum?.({ ...found, round, clipped: notes.reduce((sum, { clipped = 0 }) => sum + clipped, 0) })
        return { dThetaSum: found.sum.map((x) => x * largest) }
      },
    },
  }
}

function graphOf(
  n: number,
  { variant, neighbours }: ValuesOf<typeof params>,
  { round, rng }: ExchangeContext,
): Neighbours {
  if (n < 3) {
    const found = `round ${round}: secure aggregation of ${n} clients`
    throw new OverhearError('E_VALUE', found, 'with fewer than 3 a sum gives an update away')
  }
  return variant === 'pairs' ? everyPair(n) : regularGraph(n, neighbours, rng.fork('graph'))
}

/** More than half, so that no secret can be had from two disjoint groups. */
function thresholdOf(share: number, holders: number): number {
  const least = Math.floor(holders / 2) + 1
  const wanted = share === 0 ? least : Math.ceil(share * holders)
  if (wanted >= least) return wanted
  const found = `a threshold of ${wanted} for ${holders} holders`
  throw new OverhearError('E_VALUE', found, `at least ${least} are needed: more than half`)
}

/** Who vanishes before which message: the dropped before their update, and some others after it. */
function vanishing(
  ids: readonly string[],
  present: number,
  { lateProb }: ValuesOf<typeof params>,
  rng: ExchangeContext['rng'],
): Map<number, Phase> {
  const early: readonly Phase[] = ['keys', 'shares', 'masked']
  const vanish = new Map<number, Phase>()
  for (const [i, id] of ids.entries()) {
    const own = rng.fork('vanish', id)
    if (i >= present) vanish.set(i + 1, early[own.integer(early.length)]!)
    else if (lateProb > 0 && own.uniform() < lateProb) vanish.set(i + 1, 'reveal')
  }
  return vanish
}

export const secureAggregationEntry = defineDefence({
  id: 'secure-aggregation',
  title: 'the server learns sums of updates only',
  paper: 'bonawitz2017',
  params,
  create: (values) => secureAggregation(values),
})
