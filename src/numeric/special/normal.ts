/** The normal distribution: density, distribution function and their logarithms, good far into both tails. */
import { OverhearError } from '../../errors.js'
import { log, log1p } from './elementary-functions.js'
import { erf, expMinusSquare, scaledErfc } from './erf.js'

export interface NormalShape {
  readonly mean?: number
  readonly std?: number
}

const sqrtTwoPi = 2.5066282746310007
const halfLogTwoPi = 0.9189385332046728
/** Where the lower tail stops being a probability to take a logarithm of and becomes a decay with a factor. */
const tailFrom = -1

export function normalPdf(x: number, shape: NormalShape = {}): number {
  return expMinusSquare(standardised(x, shape), 0.5) / (sqrtTwoPi * (shape.std ?? 1))
}

export function normalLogPdf(x: number, shape: NormalShape = {}): number {
  const z = standardised(x, shape)
  return -0.5 * z * z - halfLogTwoPi - log(shape.std ?? 1)
}

/** P(X <= x). For the upper tail ask for the lower one of the mirror image: a difference from 1 has no digits. */
export function normalCdf(x: number, shape: NormalShape = {}): number {
  const z = standardised(x, shape)
  if (z > 0) return 1 - lowerTail(-z)
  return lowerTail(z)
}

/** log P(X <= x): finite wherever x^2 is. */
export function normalLogCdf(x: number, shape: NormalShape = {}): number {
  const z = standardised(x, shape)
  if (z < tailFrom) return log(0.5 * scaledErfc(-z * Math.SQRT1_2)) - 0.5 * z * z
  if (z > 0) return log1p(-lowerTail(-z))
  return log(lowerTail(z))
}

export interface Interval {
  readonly low: number
  readonly high: number
  readonly width?: number // high - low, for a caller who knows it better than the difference does
}

/** P(low < Z < high) for the standard normal: relative accuracy for narrow intervals and in the tails. */
export function normalIntervalProb({ low, high, width = high - low }: Interval): number {
  if (!(low <= high)) throw new OverhearError('E_VALUE', `interval from ${low} to ${high}`, 'low must not exceed high')
  if (low > 0) return normalIntervalProb({ low: -high, high: -low, width })
  if (high > 0) return 0.5 * (erf(high * Math.SQRT1_2) + erf(-low * Math.SQRT1_2))
  if (width * (1 - low) < 0.5) return quadrature(low, width)
  return lowerTail(high) - lowerTail(low)
}

function standardised(x: number, { mean = 0, std = 1 }: NormalShape): number {
  if (!(std > 0)) throw new OverhearError('E_VALUE', `a normal distribution with std ${std}`, 'std must be above 0')
  return (x - mean) / std
}

/** P(Z < z) for z <= 0. */
function lowerTail(z: number): number {
  return 0.5 * expMinusSquare(z, 0.5) * scaledErfc(-z * Math.SQRT1_2)
}

// Gauss-Legendre nodes and weights of order 8 on [-1, 1], one half.
const nodes = [0.18343464249564981, 0.525532409916329, 0.7966664774136267, 0.9602898564975363]
const weights = [0.362683783378362, 0.31370664587788727, 0.22238103445337448, 0.10122853629037626]

/** The density integrated over a stretch on which it hardly bends. */
function quadrature(low: number, width: number): number {
  const half = 0.5 * width
  const middle = low + half
  let sum = 0
  for (let i = 0; i < nodes.length; i++) {
    const step = half * nodes[i]!
    sum += weights[i]! * (expMinusSquare(middle + step, 0.5) + expMinusSquare(middle - step, 0.5))
  }
  return (sum * half) / sqrtTwoPi
}
