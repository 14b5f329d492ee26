/**
 * What the messages themselves say of the noise in an affine map. Messages beyond d + 1 leave residuals. And the map of
 * plain steps on squared errors, W = I - (I - (2 eta / m) H)^E, is symmetric, so that with d + 1 messages alone what is not
 * symmetric in the fitted map is noise too: d (d - 1) / 2 equations that nothing was fitted to.
 */
import { type Matrix, matrix, multiply, transpose } from '../../numeric/linalg/matrix.js'
import { numericalRank } from '../../numeric/linalg/pseudo-inverse.js'
import { svd } from '../../numeric/linalg/svd.js'
import { dot } from '../../numeric/linalg/vector.js'
import { exp, power } from '../../numeric/special/elementary-functions.js'
import { normalCdf } from '../../numeric/special/normal.js'
import { unitOfBits } from '../../numeric/special/significant-bits.js'
import type { Fit } from '../claim.js'
import type { Pairs } from './affine-fit.js'
import type { Messages } from './turn-matrices.js'

export interface MapCheck {
  /** The deviation of an entry of a descent from the map; null where nothing tells. */
  readonly noise: number | null
  readonly by: 'other messages' | 'symmetry' | null
  /** Numbers that tell it. */
  readonly freedom: number
  /** Of each message as the others predict it, over what was heard; null with d + 1 messages. */
  readonly misfit: number | null
  /** The misfit over the noise: what a noise of so much would make of it. */
  readonly misfitOfNoise: number
  /** How much of what one message leaves unexplained the next one leaves, too; 0 where they are too few to say. */
  readonly alike: number
  /** The probability of so much where the noise of one turn knows nothing of the next; null with too few. */
  readonly alikeP: number | null
}

/** Fewer say too little. */
const leastFreedom = 3
export const leastSurplus = 10
const unlike = { alike: 0, alikeP: null }

export function checkMap({ theta, descent }: Pairs): MapCheck {
  const [n, d] = [theta.rows, theta.cols]
  const { U, P, centred } = regressed({ theta, descent })
  const rank = U.cols
  const surplus = n - rank - 1
  if (surplus > 0) {
    const rest = residuals(U, centred)
    const left = leftOut(U, rest, descent)
    const serial = surplus < leastSurplus ? unlike : successive(rest)
    return { noise: rms(rest.data, surplus * d), by: 'other messages', freedom: surplus * d, ...left, ...serial }
  }
  const freedom = rank < d ? 0 : (d * (d - 1)) / 2
  const told = freedom >= leastFreedom
  const noise = told ? asymmetry(P, centred) : null
  const by = told ? 'symmetry' : null
  return { noise, by, freedom: told ? freedom : 0, misfit: null, misfitOfNoise: 0, ...unlike }
}

/**
 * How many times the rounding of one number a turn may add: sums over records and local steps. Measured in double and
 * single precision, 3 to 50 parameters, 1 to 20 steps, 30 to 300 records: 0.2 to 2.3.
 */
const leeway = 10

/** Whether rounding explains the noise; null where nothing tells. */
export function roundingExplains({ noise }: MapCheck, { rounding }: Precision): boolean | null {
  return noise === null ? null : noise <= leeway * rounding
}

export type Precision = Pick<Messages, 'rounding' | 'bits'>

const single = 24

/**
 * Numbers of 53 bits may come of training in single precision: a mean of three of them, a share of one. Then the noise is
 * that of single precision, neither more nor much less.
 */
export function precisionBehind({ noise }: MapCheck, { rounding, bits }: Precision): Precision {
  const coarse = rounding * (unitOfBits(single) / unitOfBits(bits))
  const shows = noise !== null && bits > single && noise <= leeway * coarse && noise >= coarse / (2 * leeway)
  return shows ? { rounding: coarse, bits: single } : { rounding, bits }
}

/** Residuals of successive turns that are as much alike as this by luck: once in a thousand. */
export const unlikely = 1e-3

/**
 * Whether what the map leaves unexplained is noise, so that it averages out and tells the error: rounding, or what the
 * protocol states as random, or something unstated that knows nothing from one turn to the next. Else the turns are no
 * affine map, or not the same one in all rounds, and how far its zero lies from the optimum nobody can say.
 */
export function isNoise(check: MapCheck, { rounding, bits, exact }: Assumed & Precision): boolean {
  if (roundingExplains(check, { rounding, bits }) === true) return true
  if (check.alikeP !== null && check.alikeP < unlikely) return false
  return !exact || check.alikeP !== null
}

export const notNoise =
  'what the map leaves unexplained is more than rounding and no noise that is stated: the turns are no affine map (another ' +
  'optimiser, clipping), or not the same one in all rounds (a changed rate); no error can be told'

export interface Assumed {
  /** What rounding may have done to an entry of a descent. */
  readonly rounding: number
  /** Whether the protocol itself says that nothing but rounding is random. */
  readonly exact: boolean
}

/**
 * The check as a claim's `fit`; none with d + 1 messages. Where the protocol says that nothing is random, rounding must
 * explain the residuals: by the chi-squared distribution of their squares, with the most that rounding may do. Where batches
 * or noise are stated their size is anybody's guess, and what is left to test is that the noise of one turn knows nothing
 * of the next.
 */
export function fitOfCheck(check: MapCheck, { rounding, exact }: Assumed): { readonly fit?: Fit } {
  const { misfit, misfitOfNoise, noise, freedom, alikeP } = check
  if (misfit === null || noise === null) return {}
  const most = exact ? leeway * rounding : noise
  const p = exact ? chiSquaredTail(freedom * squared(noise / most), freedom) : (alikeP ?? 1)
  return { fit: { misfit, expected: most * misfitOfNoise, p } }
}

const squared = (x: number): number => x * x

/** The probability that chi-squared is larger, by the cube root of Wilson and Hilferty (1931): to about 0.001. */
export function chiSquaredTail(x: number, freedom: number): number {
  if (!(x > 0)) return 1
  if (x === Number.POSITIVE_INFINITY) return 0
  const spread = 2 / (9 * freedom)
  return 1 - normalCdf((power(x / freedom, 1 / 3) - (1 - spread)) / Math.sqrt(spread))
}

/** Models less their mean as U S V^T, columns in units of their spread; P = theta_c^+, and descents less their mean. */
function regressed({ theta, descent }: Pairs): { U: Matrix; P: Matrix; centred: Matrix } {
  const [n, d] = [theta.rows, theta.cols]
  const X = lessMean(theta)
  const scale = new Float64Array(d)
  for (let i = 0; i < X.data.length; i++) scale[i % d]! += squared(X.data[i]!)
  scale.forEach((s, j) => {
    scale[j] = Math.sqrt(s) || 1
  })
  const { U, s, V } = svd(
    matrix(
      n,
      d,
      X.data.map((x, i) => x / scale[i % d]!),
    ),
  )
  const rank = s[0] === 0 ? 0 : numericalRank(s, Math.max(n, d) * Number.EPSILON)
  const kept = matrix(n, rank)
  for (let i = 0; i < n; i++) for (let p = 0; p < rank; p++) kept.data[i * rank + p] = U.data[i * s.length + p]!
  const back = matrix(d, rank)
  for (let j = 0; j < d; j++) {
    for (let p = 0; p < rank; p++) back.data[j * rank + p] = V.data[j * s.length + p]! / (s[p]! * scale[j]!)
  }
  return { U: kept, P: multiply(back, transpose(kept)), centred: lessMean(descent) }
}

function lessMean({ rows: n, cols: d, data }: Matrix): Matrix {
  const mean = new Float64Array(d)
  for (let i = 0; i < data.length; i++) mean[i % d]! += data[i]! / n
  return matrix(
    n,
    d,
    data.map((x, i) => x - mean[i % d]!),
  )
}

function residuals(U: Matrix, centred: Matrix): Matrix {
  const fitted = multiply(U, multiply(transpose(U), centred))
  return matrix(
    centred.rows,
    centred.cols,
    centred.data.map((x, i) => x - fitted.data[i]!),
  )
}

const rms = (values: Float64Array, freedom: number): number => Math.sqrt(dot(values, values) / freedom)

/** Each message by the map through the others: its residual over 1 - h_i. Those that stand alone predict nothing. */
function leftOut(U: Matrix, rest: Matrix, heard: Matrix): Pick<MapCheck, 'misfit' | 'misfitOfNoise'> {
  const [n, d] = [rest.rows, rest.cols]
  let [missed, explained, size] = [0, 0, 0]
  for (let i = 0; i < n; i++) {
    const u = U.data.subarray(i * U.cols, (i + 1) * U.cols)
    const left = 1 - 1 / n - dot(u, u)
    if (!(left > 1e-8)) continue
    const r = rest.data.subarray(i * d, (i + 1) * d)
    const y = heard.data.subarray(i * d, (i + 1) * d)
    missed += dot(r, r) / squared(left)
    explained += d / left
    size += dot(y, y)
  }
  const unit = Math.sqrt(size) || 1
  return { misfit: Math.sqrt(missed) / unit, misfitOfNoise: Math.sqrt(explained) / unit }
}

/**
 * Noise that is as likely to point one way as the other makes the sum of the products r_i r_(i+1) one of random signs, which
 * exceeds z times the root of their squares with a probability of exp(-z^2 / 2) at most (Hoeffding 1963).
 */
export function successive(rest: Matrix): Pick<MapCheck, 'alike' | 'alikeP'> {
  const [n, d] = [rest.rows, rest.cols]
  const at = (i: number): Float64Array => rest.data.subarray(i * d, (i + 1) * d)
  let [sum, squares] = [0, 0]
  for (let i = 1; i < n; i++) {
    const product = dot(at(i), at(i - 1))
    sum += product
    squares += squared(product)
  }
  const z = squares === 0 ? 0 : Math.max(0, sum) / Math.sqrt(squares)
  return { alike: sum / (dot(rest.data, rest.data) || 1), alikeP: exp(-squared(z) / 2) }
}

/** W^T = P Delta_c: an error of deviation s on the descents makes W_jk - W_kj one of s^2 (|P_j|^2 + |P_k|^2). */
function asymmetry(P: Matrix, centred: Matrix): number {
  const W = multiply(P, centred)
  const d = W.rows
  const sizes = Float64Array.from({ length: d }, (_, j) => {
    const row = P.data.subarray(j * P.cols, (j + 1) * P.cols)
    return dot(row, row)
  })
  let sum = 0
  for (let j = 0; j < d; j++) {
    for (let k = 0; k < j; k++) sum += squared(W.data[j * d + k]! - W.data[k * d + j]!) / (sizes[j]! + sizes[k]!)
  }
  return Math.sqrt(sum / ((d * (d - 1)) / 2))
}
