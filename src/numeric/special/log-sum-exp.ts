/** Sums of exponentials, in logarithms. */
import { exp, log1p } from './elementary-functions.js'

/** log(exp(a) + exp(b)) without overflow. */
export function logAddExp(a: number, b: number): number {
  const high = Math.max(a, b)
  if (!Number.isFinite(high)) return high // both -inf, one +inf, or a NaN
  return high + log1p(exp(Math.min(a, b) - high))
}

/** log of the sum of exp(value) over all values; -infinity for none. */
export function logSumExp(values: ArrayLike<number>): number {
  let top = -1
  let high = Number.NEGATIVE_INFINITY
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    if (Number.isNaN(value)) return value
    if (value > high) {
      high = value
      top = i
    }
  }
  if (!Number.isFinite(high)) return high
  // The largest term is 1 and stays outside the sum, so that log1p keeps what the others add, however little.
  let others = 0
  let lost = 0
  for (let i = 0; i < values.length; i++) {
    if (i === top) continue
    const term = exp(values[i]! - high) - lost
    const next = others + term
    lost = next - others - term
    others = next
  }
  return high + log1p(others)
}
