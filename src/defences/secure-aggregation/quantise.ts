/** Numbers as whole ones that can be masked and summed modulo 2^32, and back. */
import { OverhearError } from '../../errors.js'
import type { Rng } from '../../numeric/random/rng.js'

/** Values from -clip to clip become 0 to levels - 1. */
export interface Quantisation {
  readonly clip: number
  readonly levels: number
}

const modulus = 4294967296

/** Refuses more participants than the modulus can hold: their sum would wrap and mean nothing. */
export function checkRange({ clip, levels }: Quantisation, participants: number): void {
  if (!(clip > 0 && clip < Number.POSITIVE_INFINITY)) {
    throw new OverhearError('E_VALUE', `clip is ${clip}`, 'a positive number is needed')
  }
  if (!(Number.isInteger(levels) && levels >= 2)) {
    throw new OverhearError('E_VALUE', `levels is ${levels}`, 'a whole number of at least 2 is needed')
  }
  if (participants * (levels - 1) < modulus) return
  const most = Math.ceil(modulus / (levels - 1)) - 1
  const found = `${participants} participants of ${levels} levels each do not fit in sums modulo 2^32`
  throw new OverhearError('E_VALUE', found, `at most ${most} do; take fewer levels`)
}

/** How many values were cut off is the client's own knowledge. */
export interface Quantised {
  readonly values: Uint32Array<ArrayBuffer>
  readonly clipped: number
}

/** The nearest level; values are multiplied by `scale` first. */
export function quantise(x: Float64Array, quantisation: Quantisation, scale = 1): Quantised {
  return rounded(x, quantisation, { scale, up: () => 0.5 })
}

/**
 * One of the two levels beside the value, the nearer one the likelier, so that the expected level is the value itself.
 * With f the way from the lower one, in steps of 2 clip / (levels - 1), the variance is f (1 - f) steps^2: at most
 * step^2 / 4 for each client, and the errors of clients and coordinates are independent.
 */
export function quantiseAtRandom(
  x: Float64Array,
  quantisation: Quantisation,
  { scale, rng }: { readonly scale: number; readonly rng: Rng },
): Quantised {
  const draws = rng.uniforms(x.length)
  return rounded(x, quantisation, { scale, up: (j) => draws[j]! })
}

interface Rounding {
  readonly scale: number
  /** What is added before the fraction is cut off. */
  up(j: number): number
}

function rounded(x: Float64Array, { clip, levels }: Quantisation, { scale, up }: Rounding): Quantised {
  const values = new Uint32Array(x.length)
  const step = (2 * clip) / (levels - 1)
  let clipped = 0
  for (let j = 0; j < x.length; j++) {
    const v = scale * x[j]!
    if (!Number.isFinite(v)) {
      throw new OverhearError('E_NON_FINITE', `an update holds ${x[j]} at ${j}`, 'it cannot be aggregated')
    }
    if (v > clip || v < -clip) clipped++
    values[j] = Math.min(levels - 1, Math.floor((Math.min(Math.max(v, -clip), clip) + clip) / step + up(j)))
  }
  return { values, clipped }
}

/** The sum of what `participants` clients quantised; each is off by at most half a level. */
export function dequantiseSum(sum: Uint32Array, { clip, levels }: Quantisation, participants: number): Float64Array {
  const step = (2 * clip) / (levels - 1)
  return Float64Array.from(sum, (q) => q * step - participants * clip)
}
