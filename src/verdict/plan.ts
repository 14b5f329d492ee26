/** What a test could find, told before anything is trained: levels, looks, least p, and about the least area seen. */
import { normalQuantile } from '../numeric/special/normal-quantile.js'
import { type LookOptions, planLooks, type StratumPlan } from './looks.js'
import { combinations, type DrawOptions, leastP, repeatsToReach } from './randomisation.js'

export interface PlannedStratum extends StratumPlan {
  /** The least p that any outcome of all trainings could reach. */
  readonly leastP: number
  /** Why no outcome could be rejected, or null. */
  readonly untested: Untested | null
}

export interface Untested {
  readonly reason: 'too-few-repeats' | 'too-few-draws' | 'no-look-yet'
  /** How many trainings it takes, of the same kind. */
  readonly repeats: number
}

/** For each stratum the numbers of candidates of the deals of one training: two targets of 200 candidates are [200, 200]. */
export function planTest(
  strata: ReadonlyMap<string, readonly number[]>,
  options: LookOptions & Omit<DrawOptions, 'rng'>,
): Map<string, PlannedStratum> {
  const leastAfter = (sizes: readonly number[]) => (trainings: number) =>
    leastP(
      Array.from({ length: trainings }, () => combinations(sizes)),
      options,
    )
  const plans = planLooks(new Map([...strata].map(([name, sizes]) => [name, leastAfter(sizes)])), options)
  return new Map(
    [...plans].map(([name, plan]) => {
      const sizes = strata.get(name)!
      const least = leastAfter(sizes)(options.trainings)
      return [name, { ...plan, leastP: least, untested: whyUntested(plan, sizes, options.trainings) }]
    }),
  )
}

/** A stratum without looks has too few repeats; too few draws where the repeats would do. */
export function whyUntested(
  { level, looks }: StratumPlan,
  sizesOfOneTraining: readonly number[],
  trainings: number,
): Untested | null {
  if (looks.length > 0) return null
  const repeats = repeatsToReach(level, sizesOfOneTraining)
  return { reason: repeats <= trainings ? 'too-few-draws' : 'too-few-repeats', repeats }
}

/**
 * About the least effect on an area under the curve that will be seen with power 0.8, were nothing known but the numbers
 * of records: (z(1 - level) + z(0.8)) sqrt(v / S), v the sum over areas of (m + n + 1) / (12 m n), the variance of each
 * where nothing is learned. Members have one area (trained against held back); an attribute has two, on either half.
 */
export function leastAreaPlanned({
  areas,
  trainings,
  level,
}: {
  readonly areas: readonly { readonly positive: number; readonly negative: number }[]
  readonly trainings: number
  /** After the correction for rows: the stratum's level over the number of its rows, which is careful. */
  readonly level: number
}): number {
  let variance = 0
  for (const { positive: m, negative: n } of areas) variance += (m + n + 1) / (12 * m * n)
  return (normalQuantile(1 - level) + normalQuantile(0.8)) * Math.sqrt(variance / trainings)
}
