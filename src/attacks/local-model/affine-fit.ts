/**
 * The affine map between what a client receives and what it descends, Delta = W (theta - theta*), from messages; its zero
 * is the model that the client would train alone. Centred and scaled, by SVD and QR: never by normal equations.
 */
import { conditionNumber } from '../../numeric/linalg/condition.js'
import { leastSquares } from '../../numeric/linalg/least-squares.js'
import { columnAt, type Matrix, matrix, multiply, rowOf, transpose } from '../../numeric/linalg/matrix.js'
import { numericalRank } from '../../numeric/linalg/pseudo-inverse.js'
import { svd } from '../../numeric/linalg/svd.js'
import { totalLeastSquares } from '../../numeric/linalg/total-least-squares.js'
import { norm } from '../../numeric/linalg/vector.js'
import { totalOf } from '../../numeric/special/summaries.js'
import { Inapplicable } from '../attack.js'

/**
 * direct: Delta on [theta, -1] ([lmra] Obs. 1); inverse: theta on [Delta, 1] ([aia] Alg. 3); tls: errors on both sides.
 */
export type Form = 'direct' | 'inverse' | 'tls'

export interface Pairs {
  readonly theta: Matrix // [n, d]
  readonly descent: Matrix // [n, d]
}

export interface AffineFit {
  readonly optimum: Float64Array
  /** W^-1 [d, d], or its pseudo-inverse below full rank: what turns an error of Delta into one of the optimum. */
  readonly inverse: Matrix
  /** Directions of the model space that the messages tell apart, of d. */
  readonly rank: number
  /** Directions in which the client moves at all: where it does not, it has no optimum of its own. */
  readonly rankOfMap: number
  readonly conditionOfMap: number
  /** |lambda|: the optimum is the combination sum lambda_i theta_i, sum lambda_i = 1, whose descents cancel. */
  readonly amplification: number
  /** [n, d]: W^-1 times what each message misses the map by. */
  readonly misses: Matrix
  readonly weights: Float64Array // sum to 1
}

/** The design as the papers have it, a column of ones beside the models (direct) or the descents (inverse). */
export function designOf({ theta, descent }: Pairs, form: Form): Matrix {
  const from = form === 'inverse' ? descent : theta
  const { rows: n, cols: d } = from
  const A = matrix(n, d + 1)
  for (let i = 0; i < n; i++) {
    A.data.set(rowOf(from, i), i * (d + 1))
    A.data[i * (d + 1) + d] = form === 'inverse' ? 1 : -1
  }
  return A
}

export interface FitOptions {
  readonly form: Form
  /** One per message; equal unless told. */
  readonly weights?: Float64Array
}

export function fitAffine(pairs: Pairs, { form, weights: given }: FitOptions): AffineFit {
  const n = pairs.theta.rows
  const sum = given && totalOf(given)
  const weights = given === undefined ? new Float64Array(n).fill(1 / n) : given.map((w) => w / sum!)
  const centred = { theta: centre(pairs.theta, weights), descent: centre(pairs.descent, weights), weights }
  return { direct: fitDirect, inverse: fitInverse, tls: fitTotal }[form](centred)
}

interface Centred {
  readonly mean: Float64Array
  /** Rows less the mean, times sqrt(weight); each column divided by its norm, which stands in `scale`. */
  readonly rows: Matrix
  readonly scale: Float64Array
  /** Singular values below this times the largest are rounding. */
  readonly tolerance: number
}

interface CentredPairs {
  readonly theta: Centred
  readonly descent: Centred
  readonly weights: Float64Array
}

function centre({ rows: n, cols: d, data }: Matrix, weights: Float64Array): Centred {
  const mean = new Float64Array(d)
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) mean[j]! += weights[i]! * data[i * d + j]!
  const rows = matrix(n, d)
  const squares = new Float64Array(d)
  const largest = new Float64Array(d)
  for (let i = 0; i < n; i++) {
    const root = Math.sqrt(weights[i]!)
    for (let j = 0; j < d; j++) {
      const x = data[i * d + j]!
      const c = root * (x - mean[j]!)
      rows.data[i * d + j] = c
      squares[j]! += c * c
      largest[j] = Math.max(largest[j]!, Math.abs(x))
    }
  }
  // A spread that rounding explains is none.
  const moves = squares.map((s, j) => (Math.sqrt(s) > n * Number.EPSILON * largest[j]! ? 1 : 0))
  const scale = squares.map((s, j) => (moves[j] === 1 ? Math.sqrt(s) : 1))
  for (let i = 0; i < rows.data.length; i++) rows.data[i] = moves[i % d] === 1 ? rows.data[i]! / scale[i % d]! : 0
  // Differences of numbers that agree in their leading digits keep only the others.
  const cancelled = largest.reduce((worst, x, j) => (moves[j] === 1 ? Math.max(worst, x / scale[j]!) : worst), 1)
  return { mean, rows, scale, tolerance: Math.min(Math.max(n, d) * Number.EPSILON * cancelled, 0.5) }
}

/** Theta_c = U S V^T within the rank; b are coordinates of a model: theta = mean + scale V b, Delta = mean + D b. */
function fitDirect({ theta, descent, weights }: CentredPairs): AffineFit {
  const { U, s, V, rank } = truncated(theta)
  const [n, d] = [theta.rows.rows, theta.rows.cols]
  const shares = multiply(transpose(U), descent.rows) // U^T Delta_c, [rank, d], each column in units of its spread
  const D = transpose(scaleRows(shares, s, -1))
  const right = rightSides(descent)
  const { X, rank: rankOfMap } = rank === 0 ? { X: matrix(0, d + 1), rank: 0 } : leastSquares(D, right)
  const b = columnAt(X, 0)
  const back = scaleRows(V, theta.scale, 1) // [d, rank]
  const found = multiply(back, X)
  const optimum = theta.mean.map((m, j) => m + found.data[j * (d + 1)]!)
  const inverse = withoutFirst(found)
  const fitted = multiply(U, shares)
  const rest = matrix(
    n,
    d,
    descent.rows.data.map((x, i) => (x - fitted.data[i]!) * descent.scale[i % d]!),
  )
  return {
    optimum,
    inverse,
    rank,
    rankOfMap,
    weights,
    conditionOfMap: conditionNumber(D),
    amplification: amplificationOf({ U, along: b.map((x, p) => x / s[p]!), weights }),
    misses: multiply(rest, transpose(inverse)),
  }
}

/** theta = theta* + Delta M^T: the intercept of the regression is the optimum, its slope is W^-1. */
function fitInverse({ theta, descent, weights }: CentredPairs): AffineFit {
  const { U, s, V, rank } = truncated(descent)
  const [n, d] = [theta.rows.rows, theta.rows.cols]
  const unscaled = scaleColumns(theta.rows, theta.scale)
  const shares = multiply(transpose(U), unscaled)
  const M = transpose(multiply(scaleRows(V, descent.scale, -1), scaleRows(shares, s, -1)))
  const b = new Float64Array(rank) // -S^-1 V^T (mean / scale)
  for (let p = 0; p < rank; p++) {
    for (let j = 0; j < d; j++) b[p]! -= (V.data[j * rank + p]! * descent.mean[j]!) / (descent.scale[j]! * s[p]!)
  }
  const optimum = theta.mean.slice()
  for (let p = 0; p < rank; p++) for (let j = 0; j < d; j++) optimum[j]! += b[p]! * shares.data[p * d + j]!
  const fitted = multiply(U, shares)
  const misses = matrix(
    n,
    d,
    unscaled.data.map((x, i) => fitted.data[i]! - x),
  )
  return {
    optimum,
    inverse: M,
    rank,
    rankOfMap: rank,
    misses,
    weights,
    conditionOfMap: conditionNumber(M),
    amplification: amplificationOf({ U, along: b, weights }),
  }
}

/** Both sides scaled to one spread, so that errors are shared in proportion to it. */
function fitTotal({ theta, descent, weights }: CentredPairs): AffineFit {
  const { U, s, V, rank } = truncated(theta)
  const d = theta.rows.cols
  if (rank < d) {
    const why = `the messages tell ${rank} of ${d} directions apart: total least squares has no only solution`
    throw new Inapplicable(['affinely independent models'], why)
  }
  const { X } = totalLeastSquares(theta.rows, descent.rows)
  const { X: unscaled, rank: rankOfMap } = leastSquares(transpose(X), rightSides(descent))
  const solved = scaleRows(unscaled, theta.scale, 1)
  const inverse = withoutFirst(solved)
  const step = columnAt(solved, 0)
  const along = new Float64Array(rank)
  for (let p = 0; p < rank; p++) {
    for (let j = 0; j < d; j++) along[p]! += (V.data[j * rank + p]! * step[j]!) / (theta.scale[j]! * s[p]!)
  }
  const fitted = multiply(theta.rows, X)
  const rest = matrix(
    descent.rows.rows,
    d,
    descent.rows.data.map((x, i) => (x - fitted.data[i]!) * descent.scale[i % d]!),
  )
  return {
    optimum: theta.mean.map((m, j) => m + step[j]!),
    inverse,
    rank,
    rankOfMap,
    weights,
    conditionOfMap: conditionNumber(X),
    amplification: amplificationOf({ U, along, weights }),
    misses: multiply(rest, transpose(inverse)),
  }
}

/** [-mean, I] in units of the spread: what W's inverse is applied to. */
function rightSides({ mean, scale }: Centred): Matrix {
  const d = mean.length
  const right = matrix(d, d + 1)
  for (let j = 0; j < d; j++) {
    right.data[j * (d + 1)] = -mean[j]! / scale[j]!
    right.data[j * (d + 1) + j + 1] = 1 / scale[j]!
  }
  return right
}

/** The part of the SVD that is not rounding. */
function truncated({ rows, tolerance }: Centred): { U: Matrix; s: Float64Array; V: Matrix; rank: number } {
  const { U, s, V } = svd(rows)
  const rank = s[0] === 0 ? 0 : numericalRank(s, tolerance)
  return { U: leading(U, rank), s: s.slice(0, rank), V: leading(V, rank), rank }
}

function leading({ rows, cols, data }: Matrix, count: number): Matrix {
  const kept = matrix(rows, count)
  for (let i = 0; i < rows; i++) kept.data.set(data.subarray(i * cols, i * cols + count), i * count)
  return kept
}

/** lambda_i = w_i + sqrt(w_i) (U along)_i, its norm relative to weights that are all alike. */
function amplificationOf({ U, along, weights }: { U: Matrix; along: Float64Array; weights: Float64Array }): number {
  const n = weights.length
  const lambda = new Float64Array(n)
  for (let i = 0; i < n; i++) {
    let sum = Math.sqrt(weights[i]!)
    for (let p = 0; p < along.length; p++) sum += U.data[i * along.length + p]! * along[p]!
    lambda[i] = sum / Math.sqrt(n)
  }
  return norm(lambda)
}

function withoutFirst({ rows, cols, data }: Matrix): Matrix {
  const rest = matrix(rows, cols - 1)
  for (let i = 0; i < rows; i++) rest.data.set(data.subarray(i * cols + 1, (i + 1) * cols), i * (cols - 1))
  return rest
}

const scaleColumns = ({ rows, cols, data }: Matrix, by: Float64Array): Matrix =>
  matrix(
    rows,
    cols,
    data.map((x, i) => x * by[i % cols]!),
  )

/** Row i times by[i], or divided by it. */
function scaleRows({ rows, cols, data }: Matrix, by: Float64Array, power: 1 | -1): Matrix {
  const scaled = data.map((x, i) => {
    const f = by[Math.floor(i / cols)]!
    return power === 1 ? x * f : x / f
  })
  return matrix(rows, cols, scaled)
}
