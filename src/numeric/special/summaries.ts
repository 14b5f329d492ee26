/** Sums, means, spreads and ranges of lists of numbers, each taken from the first to the last: their bits depend on it. */

/** A loop that meets one kind of list alone is many times faster than one that meets all. */
const doubles = (values: ArrayLike<number>): Float64Array =>
  values instanceof Float64Array ? values : new Float64Array(values)

export function totalOf(values: ArrayLike<number>): number {
  const x = doubles(values)
  let sum = 0
  for (let i = 0; i < x.length; i++) sum += x[i]!
  return sum
}

/** NaN for none. */
export function meanOf(values: ArrayLike<number>): number {
  return totalOf(values) / values.length
}

/** One number a record: of several that lie record by record their mean. One each are given back as they are. */
export function meanPerRecord(values: Float64Array, records: number): Float64Array {
  const each = records === 0 ? 1 : values.length / records
  if (each === 1) return values
  return Float64Array.from({ length: records }, (_, i) => meanOf(values.subarray(i * each, (i + 1) * each)))
}

/** The sum of (x - centre)^2. */
export function squaresAbout(values: ArrayLike<number>, centre: number): number {
  const x = doubles(values)
  let sum = 0
  for (let i = 0; i < x.length; i++) sum += (x[i]! - centre) * (x[i]! - centre)
  return sum
}

/** Squares about the mean over n, or over another divisor, as n - 1. */
export function varianceOf(values: ArrayLike<number>, divisor = values.length): number {
  return squaresAbout(values, meanOf(values)) / divisor
}

/** The middle value, or the mean of the two in the middle. */
export function medianOf(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort()
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}

/** The least and the largest value: infinities for none, NaN if there is one. */
export function rangeOf(values: ArrayLike<number>): { readonly min: number; readonly max: number } {
  const x = doubles(values)
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (let i = 0; i < x.length; i++) {
    min = Math.min(min, x[i]!)
    max = Math.max(max, x[i]!)
  }
  return { min, max }
}

/** The largest |x|: 0 for none, NaN if there is one. */
export function largestMagnitude(values: ArrayLike<number>): number {
  const x = doubles(values)
  let largest = 0
  for (let i = 0; i < x.length; i++) largest = Math.max(largest, Math.abs(x[i]!))
  return largest
}
