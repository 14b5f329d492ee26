/** Noise that clients share: each adds a part to its whole numbers before they are masked, and only the sum of all parts hides anybody. */
import type { Rng } from '../../numeric/random/rng.js'
import { exp } from '../../numeric/special/elementary-functions.js'
import { refused } from './primitives.js'
import type { Quantisation, Quantised } from './quantise.js'

/** What a client holds to, whatever the server says. */
export interface SharedNoise {
  /** C: its change is shortened where it is longer. */
  readonly maxNorm: number
  /** sigma: the sum has noise of at least sigma C. */
  readonly noiseMultiplier: number
  /** No sum has fewer clients: each adds so manieth a part of the variance. */
  readonly sharers: number
}

/** By how much rounding may lengthen a change, as a share of C: what is accounted for. */
export const roundingShare = 0.01
/** The least deviation of a client's part, in steps of the rounding: below, sums of such parts are no longer like one Gaussian. */
const leastDeviation = 4

/** The change as it is sent: clipped. */
export function clippedChange(change: Float64Array, { maxNorm }: SharedNoise): Float64Array {
  let square = 0
  for (const x of change) square += x * x
  const by = maxNorm / Math.sqrt(square)
  return by < 1 ? change.map((x) => by * x) : change
}

/** Adds a client's part to what it has rounded, modulo 2^32; refuses a rounding under which the promise would not hold. */
export function withSharedNoise(
  rounded: Quantised,
  { clip, levels }: Quantisation,
  { noise, rng }: { readonly noise: SharedNoise; readonly rng: Rng },
): Quantised {
  const { maxNorm, noiseMultiplier, sharers } = noise
  if (noiseMultiplier === 0) return rounded
  const step = (2 * clip) / (levels - 1)
  const deviation = (noiseMultiplier * maxNorm) / (step * Math.sqrt(sharers))
  if (deviation < leastDeviation || step * Math.sqrt(rounded.values.length) > roundingShare * maxNorm || clip < maxNorm)
    throw refused(`${levels} levels up to ${clip}: too coarse for noise on changes of ${maxNorm}`)
  return { ...rounded, values: rounded.values.map((x) => x + discreteGaussian(rng, deviation)) }
}

/** [canonne2020] Alg. 3: a whole number x with probability in proportion to e^(-x^2 / (2 deviation^2)), by rejection. */
export function discreteGaussian(rng: Rng, deviation: number): number {
  const scale = Math.floor(deviation) + 1
  const variance = deviation * deviation
  for (;;) {
    const x = discreteLaplace(rng, scale)
    const off = Math.abs(x) - variance / scale
    if (rng.uniform() < exp((-off * off) / (2 * variance))) return x
  }
}

/** [canonne2020] Alg. 2: probability in proportion to e^(-|x| / scale). */
function discreteLaplace(rng: Rng, scale: number): number {
  for (;;) {
    const rest = rng.integer(scale)
    if (rng.uniform() >= exp(-rest / scale)) continue
    let turns = 0
    while (rng.uniform() < 0.36787944117144233) turns++ // 1 / e
    const size = rest + scale * turns
    const negative = rng.integer(2) === 1
    if (!(negative && size === 0)) return negative ? -size : size
  }
}
