/** Secure aggregation against a server that keeps to the protocol and is curious: the rounds of a federation under it. */
import { internal, OverhearError } from '../../errors.js'
import type { ExchangeContext, SumExchange } from '../../federation/hooks.js'
import { aborted, SumAborted } from './aborted.js'
import { everyPair, type Neighbours, regularGraph } from './mask-graph.js'
import type { Primitives } from './primitives.js'
import { checkRange, type Quantisation } from './quantise.js'
import { secureSeat } from './secure-seat.js'
import { type Phase, type SecureSum, type SecureSumOptions, secureSum } from './secure-sum.js'
import { leastInSum } from './sum-server.js'
import { checkClients } from './wire-messages.js'

export interface CuriousOptions {
  readonly variant: 'pairs' | 'graph'
  readonly neighbours: number
  readonly threshold: number
  readonly lateProb: number
  readonly quantisation: Quantisation
  readonly primitives: Primitives
  onSum?(sum: SecureSum & { readonly round: number; readonly clipped: number }): void
  tap?: NonNullable<SecureSumOptions['tap']>
}

export function curiousExchange(options: CuriousOptions): SumExchange {
  const { quantisation, primitives, onSum, tap } = options
  return {
    client: secureSeat(primitives),
    async serve(context) {
      const { round, invited, staying, length, seats } = context
      checkClients(invited.length)
      checkRange(quantisation, invited.length)
      const neighbours = graphOf(invited.length, options, context)
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
          vanish: vanishing(context, options),
          threshold: thresholdOf(options.threshold, (neighbours[0]?.length ?? 0) + 1),
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
  }
}

const graphOf = (n: number, { variant, neighbours }: CuriousOptions, { rng }: ExchangeContext): Neighbours =>
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
function vanishing({ invited, staying, rng }: ExchangeContext, { lateProb }: CuriousOptions): Map<number, Phase> {
  const early: readonly Phase[] = ['keys', 'shares', 'masked']
  const vanish = new Map<number, Phase>()
  for (const [i, { id }] of invited.entries()) {
    const own = rng.fork('vanish', id)
    if (i >= staying) vanish.set(i + 1, early[own.integer(early.length)]!)
    else if (lateProb > 0 && own.uniform() < lateProb) vanish.set(i + 1, 'reveal')
  }
  return vanish
}
