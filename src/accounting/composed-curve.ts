/**
 * delta as a function of epsilon for many steps: the losses of one step are put on a grid from above and from below, tilted by
 * e^(theta loss) so that the part that decides lies in the middle, and convolved by Fourier transforms. What transforms, powers
 * and what wraps around may have added or taken is bounded and counted against either side.
 */
import { exp, log1p } from '../numeric/special/elementary-functions.js'
import { type ComplexArray, conjugatePlace, fourier, inverseFourier } from '../numeric/special/fourier.js'
import type { GridLoss } from './loss-grid.js'
import { logPeak, momentsAt, type Repeated, shiftFor, tailBeyond } from './loss-moments.js'

/** Two compositions of the same steps, one that is too easy to tell apart and one that is too hard. */
export interface BothRepeated {
  readonly upper: readonly Repeated[]
  readonly lower: readonly Repeated[]
}

export interface Curve {
  /** delta(epsilon) at most (of the upper side), or at least (of the lower). */
  deltaAt(epsilon: number): number
  /** Losses between which the curve can be asked. */
  readonly from: number
  readonly to: number
  /** Which side of an epsilon that is looked for errs on the safe side. */
  readonly safe: 'above' | 'below'
}

export interface CurveOptions {
  readonly h: number
  readonly theta: number
  /** At most so many numbers are transformed. */
  readonly most: number
}

const unit = 1.1102230246251565e-16

export function composedCurves(
  both: BothRepeated,
  { h, theta, most }: CurveOptions,
): { upper: Curve; lower: Curve } | undefined {
  const { mean, variance } = momentsAt(both.upper, theta, h)
  const centre = Math.round(mean / h)
  let n = 64
  const width = 8 * Math.sqrt(variance)
  while (n * h < width) n *= 2
  const beyond = {
    upper: tailBeyond(both.upper, { theta, centre: centre * h, h }),
    lower: tailBeyond(both.lower, { theta, centre: centre * h, h }),
  }
  const wrapped = () => ({ upper: beyond.upper((n / 2 - 1) * h), lower: beyond.lower((n / 2 - 1) * h) })
  let lost = wrapped()
  while (n <= most && Math.max(lost.upper, lost.lower) > 1e-7) {
    n *= 2
    lost = wrapped()
  }
  if (n > most) return undefined
  const { sums, error } = convolved(both, { n, theta, h })
  // Place j of the transform is loss j h modulo n h: here from centre - n / 2 on.
  const first = centre - n / 2
  const ordered = (values: Float64Array): Float64Array => {
    const out = new Float64Array(n)
    for (let j = 0; j < n; j++) out[j] = values[(((first + j) % n) + n) % n]!
    return out
  }
  const shape = { first, h, theta, centre }
  return {
    upper: curveOf(both.upper, ordered(sums.re), { ...shape, sign: 1, error: lost.upper + error }),
    lower: curveOf(both.lower, ordered(sums.im), { ...shape, sign: -1, error: lost.lower + error }),
  }
}

interface Transform {
  readonly n: number
  readonly theta: number
  readonly h: number
}

/** Both tilted distributions of the sum, as real and imaginary part, and a bound on the sum of errors in either. */
function convolved(both: BothRepeated, { n, theta, h }: Transform): { sums: ComplexArray; error: number } {
  const up = ones(n)
  const low = ones(n)
  const weight = new Float64Array(n) // sum over parts of steps over |phi|, for the error of a power
  let powers = 0
  for (const [i, { loss, steps }] of both.upper.entries()) {
    const x = { re: new Float64Array(n), im: new Float64Array(n) }
    folded(x.re, loss, { n, theta, h })
    folded(x.im, both.lower[i]!.loss, { n, theta, h })
    fourier(x)
    powers += steps
    const { re, im } = x
    for (let f = 0; f < n; f++) {
      const g = conjugatePlace(f)
      if (g < f) continue
      // x = a + i b with a, b real sequences: their transforms are the parts of X_f that are even and odd under conjugation.
      const size = timesPower(up, f, { re: 0.5 * (re[f]! + re[g]!), im: 0.5 * (im[f]! - im[g]!), steps })
      timesPower(low, f, { re: 0.5 * (im[f]! + im[g]!), im: 0.5 * (re[g]! - re[f]!), steps })
      weight[f]! += steps / Math.max(size, steps > 1 ? 1e-9 : unit)
    }
  }
  const gamma = 8 * unit * (31 - Math.clz32(n) + 1)
  let error = n * negligible
  for (let f = 0; f < n; f++) {
    const g = conjugatePlace(f)
    if (g < f) continue
    const ar = up.re[f]!
    const ai = up.im[f]!
    const br = low.re[f]!
    const bi = low.im[f]!
    const size = Math.sqrt(Math.max(ar * ar + ai * ai, br * br + bi * bi))
    error += (g === f ? 1 : 2) * (gamma * Math.min(powers, weight[f]! * size) + (5 * unit * powers + gamma) * size)
    up.re[f] = ar - bi
    up.im[f] = ai + br
    up.re[g] = ar + bi
    up.im[g] = br - ai
  }
  inverseFourier(up)
  return { sums: up, error: 2 * error }
}

const ones = (n: number): ComplexArray => ({ re: new Float64Array(n).fill(1), im: new Float64Array(n) })

/** A frequency whose power is smaller than this is left out, and counted as an error. */
const negligible = 1e-24

/** Adds the tilted masses, summing to 1, at their places modulo n. */
function folded(into: Float64Array, loss: GridLoss, { n, theta, h }: Transform): void {
  const { index, mass } = loss
  const shift = shiftFor(loss, theta, h)
  let total = 0
  const w = mass.map((p, i) => p * exp(theta * index[i]! * h - shift))
  for (const one of w) total += one
  for (let i = 0; i < w.length; i++) into[((index[i]! % n) + n) % n]! += w[i]! / total
}

interface Power {
  readonly re: number
  readonly im: number
  readonly steps: number
}

/** product[f] *= (re + i im)^steps, by squaring; returns the size of what is raised. */
function timesPower(product: ComplexArray, f: number, { re, im, steps }: Power): number {
  const squared = re * re + im * im
  // log(x) <= x - 1: where this holds the power is negligible.
  if (0.5 * steps * (squared - 1) < -56) {
    product.re[f] = 0
    product.im[f] = 0
    return Math.sqrt(squared)
  }
  let ar = product.re[f]!
  let ai = product.im[f]!
  let br = re
  let bi = im
  for (let left = steps; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) {
      const real = ar * br - ai * bi
      ai = ar * bi + ai * br
      ar = real
    }
    const real = br * br - bi * bi
    bi = 2 * br * bi
    br = real
  }
  product.re[f] = ar
  product.im[f] = ai
  return Math.sqrt(squared)
}

interface CurveShape {
  readonly first: number
  readonly h: number
  readonly theta: number
  readonly centre: number
  readonly sign: 1 | -1
  readonly error: number
}

/** delta(eps) = E[(1 - e^(eps - y))+] from the tilted probabilities, with suffix sums of e^(-theta y) and e^(-(theta + 1) y). */
function curveOf(parts: readonly Repeated[], tiltedProb: Float64Array, shape: CurveShape): Curve {
  const { first, h, theta, centre, sign, error } = shape
  const n = tiltedProb.length
  const lowest = Math.max(0, Math.ceil(n / 2 - 500 / ((theta + 1) * h)))
  const plain = new Float64Array(n + 1)
  const steeper = new Float64Array(n + 1)
  const [risePlain, riseSteeper] = [exp(theta * h), exp((theta + 1) * h)]
  let [a, b] = [0, 0]
  for (let j = n - 1; j >= lowest; j--) {
    if (j % 64 === 63 || j === n - 1) {
      const y = (first + j - centre) * h
      a = exp(-theta * y)
      b = a * exp(-y)
    } else {
      a *= risePlain
      b *= riseSteeper
    }
    plain[j] = plain[j + 1]! + tiltedProb[j]! * a
    steeper[j] = steeper[j + 1]! + tiltedProb[j]! * b
  }
  const { logMgf } = momentsAt(parts, theta, h)
  const steps = parts.reduce((sum, one) => sum + one.steps, 0)
  // Masses are good to some units over h; infinite losses, in any step, count whole.
  const rounding = steps * ((16 * unit) / h)
  let logFinite = 0
  for (const one of parts) logFinite += one.steps * log1p(-one.loss.infinite)
  const infinite = 1 - exp(logFinite)
  const scale = exp(logMgf - theta * centre * h)
  return {
    from: (first + lowest) * h,
    to: (first + n - 2) * h,
    safe: sign === 1 ? 'above' : 'below',
    deltaAt(epsilon) {
      const at = Math.min(n, Math.max(lowest, Math.floor(epsilon / h) - first + 1))
      const value = scale * (plain[at]! - exp(epsilon - centre * h) * steeper[at]!)
      const doubt = Math.abs(value) * rounding + exp(logMgf - theta * epsilon + logPeak(theta)) * error
      return value + sign * doubt + infinite
    },
  }
}
