/** The least effect that would have been seen: by how much a row must be moved for the test to reject it, with power 0.8. */
import { normalQuantile } from '../numeric/special/normal-quantile.js'
import { studentQuantile } from '../numeric/special/student-t.js'
import { meanOf } from '../numeric/special/summaries.js'
import { type DrawOptions, drawSums, reaches } from './randomisation.js'
import type { StratumDraws } from './step-down.js'
import { type Deal, effectOf, placed, type Row, weightsOf } from './tables.js'

const POWER = 0.8
const STEPS = 40

/**
 * For each row of a stratum the least observed effect that the first step of max-T would reject at the level. A row is
 * moved by x times its contrast, T[k] + x c[k], studentised anew and compared with its own draws and with the largest of
 * the other rows; x is found by halving. Infinite where no effect would be rejected.
 */
export function leastRejected(
  rows: readonly Row[],
  { rows: drawn, places }: StratumDraws,
  { level, ...options }: DrawOptions & { readonly level: number },
): number[] {
  const N = drawn[0]?.z.length ?? 0
  const largest = new Float64Array(N).fill(Number.NEGATIVE_INFINITY)
  const second = new Float64Array(N).fill(Number.NEGATIVE_INFINITY)
  const holder = new Int32Array(N).fill(-1)
  for (const [i, { z, constant, tolerance }] of drawn.entries()) {
    if (constant) continue
    for (let b = 0; b < N; b++) {
      const value = z[b]! + tolerance
      if (value > largest[b]!) {
        second[b] = largest[b]!
        largest[b] = value
        holder[b] = i
      } else if (value > second[b]!) second[b] = value
    }
  }
  return rows.map(({ deals }, i) => {
    const others = largest.map((value, b) => (holder[b] === i ? second[b]! : value))
    others[0] = Number.NEGATIVE_INFINITY // the truth's draw counts once, whatever the others do
    return (
      effectOf(deals) + leastMove(deals, { sizes: places.sizes, own: places.ofRow[i]! }, { others, level, ...options })
    )
  })
}

/** The least x, to about the twelfth digit of the spread. */
function leastMove(
  deals: readonly Deal[],
  { sizes, own }: { readonly sizes: readonly number[]; readonly own: readonly (number | undefined)[] },
  { others, ...options }: DrawOptions & { readonly level: number; readonly others: Float64Array },
): number {
  const parts = centredParts(deals)
  const values = [placed(parts.T, own), placed(parts.contrast, own)]
  const [s, c] = drawSums(values, options, sizes) as [Float64Array, Float64Array]
  const rejected = (x: number): boolean => {
    const scale = Math.sqrt(Math.max(0, parts.varT + 2 * x * parts.covariance + x * x * parts.varContrast))
    if (!(scale > 1e-12 * parts.unit)) return false
    const least = (s[0]! + x * c[0]!) / scale - 1e-9
    let atLeast = 0
    for (let b = 0; b < s.length; b++) if ((s[b]! + x * c[b]!) / scale >= least || others[b]! >= least) atLeast++
    return reaches(atLeast / s.length, options.level)
  }
  let step = parts.unit
  if (!(step > 0)) return Number.POSITIVE_INFINITY
  let above = 0
  while (!rejected(above)) {
    above += step
    step *= 2
    if (step > 1e9 * parts.unit) return Number.POSITIVE_INFINITY
  }
  let below = above
  step = parts.unit
  while (rejected(below) && step < 1e9 * parts.unit) {
    below -= step
    step *= 2
  }
  for (let i = 0; i < STEPS; i++) {
    const middle = (below + above) / 2
    if (rejected(middle)) above = middle
    else below = middle
  }
  return above
}

/** Scores and contrasts by deal, weighted and centred, and their variances over draws. */
function centredParts(deals: readonly Deal[]) {
  const weights = weightsOf(deals)
  const centred = (values: Float64Array, u: number): Float64Array => {
    const mean = meanOf(values)
    return values.map((value) => weights[u]! * (value - mean))
  }
  const T = deals.map((deal, u) => centred(deal.T, u))
  const contrast = deals.map((deal, u) => centred(deal.contrast, u))
  const together = (a: readonly Float64Array[], b: readonly Float64Array[]): number =>
    a.reduce((sum, values, u) => sum + values.reduce((total, x, k) => total + x * b[u]![k]!, 0) / values.length, 0)
  const [varT, varContrast, covariance] = [together(T, T), together(contrast, contrast), together(T, contrast)]
  // The spread beside the effect, or that of a unit effect where there is none.
  const rest = varContrast > 0 ? varT - (covariance * covariance) / varContrast : varT
  const unit = Math.sqrt(Math.max(rest, 1e-12 * varT)) || 0
  return { T, contrast, varT, varContrast, covariance, unit }
}

/**
 * The least effect that would have been seen: the effect whose estimate lies above the least rejected one in 80 of 100
 * sets of trainings. `deviation` is the estimate's own, from `trainings` trainings.
 */
export function leastSeen(rejected: number, deviation: number, trainings: number): number {
  const quantile = trainings > 1 ? studentQuantile(POWER, trainings - 1) : normalQuantile(POWER)
  return rejected + quantile * deviation
}
