/** In what precision numbers were sent, told from the numbers alone: a transcript's floats are read as doubles. */

export interface Precision {
  readonly name: 'f64' | 'f32' | 'f16' | 'bf16'
  /** Half a unit in the last place of 1. */
  readonly rounding: number
}

// `splitter` is 2^(53 - bits) + 1 for a significand of so many bits: 8, 11 and 24.
const precisions: readonly (Precision & { readonly splitter: number; readonly enough: number })[] = [
  // Short numbers are common by chance; a handful of them proves nothing.
  { name: 'bf16', splitter: 35184372088833, rounding: 1 / 256, enough: 32 },
  { name: 'f16', splitter: 4398046511105, rounding: 1 / 2048, enough: 32 },
  { name: 'f32', splitter: 536870913, rounding: 1 / 16777216, enough: 1 },
]
const double: Precision = { name: 'f64', rounding: Number.EPSILON / 2 }

/** The shortest format whose significand holds every value exactly. */
export function precisionOf(values: Float64Array): Precision {
  const some = values.reduce((n, v) => n + (v === 0 ? 0 : 1), 0)
  for (const { splitter, enough, name, rounding } of precisions) {
    if (some >= enough && values.every((v) => shortened(v, splitter) === v)) return { name, rounding }
  }
  return double
}

/** v rounded to fewer bits (Veltkamp's splitting). */
function shortened(v: number, splitter: number): number {
  const size = Math.abs(v)
  if (size === 0) return 0
  // Beyond these the splitting would overflow or lose bits; no shorter format reaches there.
  if (!(size > 1e-280 && size < 1e280)) return Number.NaN
  const c = v * splitter
  return c - (c - v)
}
