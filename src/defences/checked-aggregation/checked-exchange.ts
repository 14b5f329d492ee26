/** Secure aggregation against a server that may do what it likes: the rounds of a federation under it. */
import type { ExchangeContext, Excluded, Plain, SumExchange } from '../../federation/hooks.js'
import type { Primitives } from '../secure-aggregation/primitives.js'
import type { Quantisation } from '../secure-aggregation/quantise.js'
import { checkedSeat } from './checked-seat.js'
import { CheckedAborted, type CheckedSum, type CheckedSumOptions, checkedSum } from './checked-sum.js'
import type { Exclusion } from './server-state.js'
import type { Step } from './steps.js'
import type { Policy } from './terms.js'

export interface CheckedOptions {
  readonly policy: Policy
  readonly clip: number
  /** null: as many levels as the sum has room for. */
  readonly bits: number | null
  readonly lateProb: number
  readonly primitives: Primitives
  onSum?(sum: CheckedSum & { readonly round: number; readonly clipped: number }): void
  tap?: NonNullable<CheckedSumOptions['tap']>
}

export function checkedExchange(options: CheckedOptions): SumExchange {
  const { policy, primitives, onSum, tap } = options
  const run = primitives.random(16)
  return {
    client: checkedSeat(primitives, policy),
    policy: { ...policy } as Plain,
    async serve(context) {
      const { round, invited, length, seats } = context
      const cohort = invited.map(({ id }) => id)
      // Of the weights the server learns their sum, and this.
      const largest = Math.max(1, ...invited.map(({ weight }) => weight))
      const named = (excluded: readonly Exclusion[]): { excluded?: Excluded[] } => {
        if (excluded.length === 0) return {}
        return { excluded: excluded.map(({ place, ...rest }) => ({ client: cohort[place - 1]!, ...rest })) }
      }
      let found: CheckedSum
      try {
        found = await checkedSum({
          ...{ seats, cohort, policy, run, round, length, largest, primitives },
          quantisation: quantisationFor(cohort.length, options),
          vanish: vanishing(context, options),
          ...(tap !== undefined && { tap }),
        })
      } catch (error) {
        if (error instanceof CheckedAborted) return { aborted: error.message, ...named(error.excluded) }
        throw error
      }
      const { survivors, sum, weightSum } = found
      const clipped = (await seats.leave()).reduce((total, { clipped: own = 0 }) => total + own, 0)
      onSum?.({ ...found, round, clipped })
      return {
        dThetaSum: sum.map((x) => x * largest),
        weightSum,
        notes: { clipped },
        inSum: new Set(survivors.map((place) => cohort[place - 1]!)),
        ...named(found.excluded),
      }
    },
  }
}

const mostLevels = 1 << 30

const twoTo = (bits: number): number => Array.from({ length: bits }).reduce<number>((value) => 2 * value, 1)

/** n (levels - 1) must stay below 2^32. */
function quantisationFor(n: number, { clip, bits }: Pick<CheckedOptions, 'clip' | 'bits'>): Quantisation {
  const levels = bits === null ? Math.min(mostLevels, Math.floor(4_294_967_295 / Math.max(1, n)) + 1) : twoTo(bits)
  return { clip, levels }
}

const early: readonly Step[] = ['keys', 'shares', 'held', 'masked']
const late: readonly Step[] = ['signed', 'reveal']

/** Who vanishes before which message: the dropped before their update, and some others after it. */
function vanishing({ invited, staying, rng }: ExchangeContext, { lateProb }: CheckedOptions): Map<number, Step> {
  const vanish = new Map<number, Step>()
  for (const [i, { id }] of invited.entries()) {
    const own = rng.fork('vanish', id)
    if (i >= staying) vanish.set(i + 1, early[own.integer(early.length)]!)
    else if (lateProb > 0 && own.uniform() < lateProb) vanish.set(i + 1, late[own.integer(late.length)]!)
  }
  return vanish
}
