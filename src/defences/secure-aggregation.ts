/** Secure aggregation as a defence: the server learns the sum of a round's updates and never has one of them. */
import { internal, OverhearError } from '../errors.js'
import type { Defence, ExchangeContext } from '../federation/hooks.js'
import { choice, number, readParams, type ValuesOf, whole } from '../params.js'
import { defineDefence } from './defence-entry.js'
import { aborted, SumAborted } from './secure-aggregation/aborted.js'
import { checkDegree, everyPair, type Neighbours, regularGraph } from './secure-aggregation/mask-graph.js'
import { type Primitives, webCrypto } from './secure-aggregation/primitives.js'
import { checkRange } from './secure-aggregation/quantise.js'
import { secureSeat } from './secure-aggregation/secure-seat.js'
import { type Phase, type SecureSum, type SecureSumOptions, secureSum } from './secure-aggregation/secure-sum.js'
import { leastInSum } from './secure-aggregation/sum-server.js'

const params = {
  variant: choice({
    default: 'pairs',
    choices: ['pairs', 'graph'],
    doc: 'masks between every pair of clients, or along a random regular graph (SecAgg+)',
  }),
  neighbours: whole({ default: 32, min: 2, doc: 'variant graph: clients that each one masks with; even' }),
  threshold: number({
    default: 0,
    min: 0,
    max: 1,
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
 * dropped vanish in one of the first three phases. A round in which too few are left has no sum, and the run goes on.
 */
export function secureAggregation({
  primitives = webCrypto(),
  onSum,
  tap,
  ...given
}: SecureAggregationOptions = {}): Defence {
  const values = readParams(params, given, 'defence secure-aggregation')
  const quantisation = { clip: values.clip, levels: 1 << values.bits }
  checkRange(quantisation, 1)
  if (values.variant === 'graph') checkDegree(values.neighbours)
  return {
    name: 'secure-aggregation',
    protocol: { secureAggregation: true },
    exchange: {
      client: secureSeat(primitives),
      async serve(context) {
        const { round, invited, staying, length, seats } = context
        checkRange(quantisation, invited.length)
        const neighbours = graphOf(invited.length, values, context)
        const largest = Math.max(...invited.map(({ weight }) => weight))
        let found: SecureSum
        try {
          if (staying < leastInSum) throw aborted(staying, leastInSum)
          found = await secureSum({
            seats,
            neighbours,
            primitives,
            length,
            largest,
            quantisation,
            vanish: vanishing(context, values),
            threshold: thresholdOf(values.threshold, (neighbours[0]?.length ?? 0) + 1),
            ...(tap !== undefined && { tap }),
          })
        } catch (error) {
          if (error instanceof SumAborted) return { aborted: error.message }
          throw error
        }
        if (found.survivors.length !== staying) {
          throw internal(`${found.survivors.length} updates are in the sum of round ${round}, not ${staying}`)
        }
        const clipped = (await seats.leave()).reduce((sum, { clipped: own = 0 }) => sum + own, 0)
        onSum?.({ ...found, round, clipped })
        return { dThetaSum: found.sum.map((x) => x * largest), notes: { clipped } }
      },
    },
  }
}

const graphOf = (n: number, { variant, neighbours }: ValuesOf<typeof params>, { rng }: ExchangeContext): Neighbours =>
  variant === 'pairs' ? everyPair(n) : regularGraph(n, neighbours, rng.fork('graph'))

/** More than half, so that no secret can be had from two disjoint groups. */
function thresholdOf(share: number, holders: number): number {
  const least = Math.floor(holders / 2) + 1
  const wanted = share === 0 ? least : Math.ceil(share * holders - 1e-9) // 0.55 * 100 is a little more than 55
  if (wanted >= least) return wanted
  const found = `a threshold of ${wanted} for ${holders} holders`
  throw new OverhearError('E_VALUE', found, `at least ${least} are needed: more than half`)
}

/** Who vanishes before which message: the dropped before their update, and some others after it. */
function vanishing(
  { invited, staying, rng }: ExchangeContext,
  { lateProb }: ValuesOf<typeof params>,
): Map<number, Phase> {
  const early: readonly Phase[] = ['keys', 'shares', 'masked']
  const vanish = new Map<number, Phase>()
  for (const [i, { id }] of invited.entries()) {
    const own = rng.fork('vanish', id)
    if (i >= staying) vanish.set(i + 1, early[own.integer(early.length)]!)
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
  clientSide: secureSeat,
})
