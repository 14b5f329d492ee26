/** Quantiles of Student's t, by the inverse of the incomplete beta function. */
import { OverhearError } from '../../errors.js'
import { incompleteBetaQuantile } from './beta.js'

/** The t with P(T <= t) = p for `freedom` degrees of freedom. */
export function studentQuantile(p: number, freedom: number): number {
  if (!(p > 0 && p < 1)) throw new OverhearError('E_VALUE', `t quantile of p = ${p}`, 'p must lie between 0 and 1')
  if (!(freedom > 0)) {
    throw new OverhearError('E_VALUE', `t quantile with ${freedom} degrees of freedom`, 'they must be above 0')
  }
  if (p < 0.5) return -studentQuantile(1 - p, freedom)
  // T^2 / (T^2 + n) is Beta(1/2, n/2); each end of it is taken from the side on which it is small.
  if (p < 0.75) {
    const y = incompleteBetaQuantile(2 * p - 1, { a: 0.5, b: freedom / 2 })
    return Math.sqrt((freedom * y) / (1 - y))
  }
  const x = incompleteBetaQuantile(2 * (1 - p), { a: freedom / 2, b: 0.5 })
  return Math.sqrt((freedom * (1 - x)) / x)
}
