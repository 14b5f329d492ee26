/** Householder QR: plain, column-pivoted with a numerical rank, and least squares that never forms Q. */
import { OverhearError } from '../../errors.js'
import type { DenseKernels } from './dense-kernels.js'
import { powerOfTwo, requireRows, scaleExponent, timesPowerInto } from './linalg-input.js'
import { type Matrix, matrix } from './matrix.js'
import { openWorkspace, padded, putMatrix, room, roomBytes, take, takeInts } from './workspace.js'

/** The factorisation as it lies in the workspace, of A * 2^exponent. */
export interface FactoredQr {
  readonly kernels: DenseKernels
  readonly m: number
  readonly n: number
  readonly ld: number
  readonly exponent: number
  readonly R: number // n columns
  readonly reflectors: number // min(m, n) columns
  readonly tau: number
  readonly order: number // 0 when not pivoted
}

/** Factors in an opened workspace a matrix that `putMatrix` has put there. */
export function factorQr(
  kernels: DenseKernels,
  { rows: m, cols: n }: Matrix,
  { at, size, pivot }: { at: number; size: number; pivot: boolean },
): FactoredQr {
  const ld = padded(m)
  const r = Math.min(m, n)
  const exponent = scaleExponent(size)
  const R = room(n * ld)
  const reflectors = room(r * ld)
  const tau = room(r)
  const order = pivot ? roomBytes(4 * n) : 0
  kernels.loadColumns(R, ld, at, m, n, powerOfTwo(exponent))
  kernels.factorQr(R, ld, m, n, reflectors, tau, order, room(workFor(n)))
  return { kernels, m, n, ld, exponent, R, reflectors, tau, order }
}

const workFor = (count: number): number => count + 32 * (32 + 2 * count)

/** Q [m, r] and R [r, n], with signs that make R's diagonal non-negative. */
function explicit(f: FactoredQr): { Q: Matrix; R: Matrix } {
  const { kernels, m, n, ld } = f
  const r = Math.min(m, n)
  const out = room(r * Math.max(m, n))
  kernels.storeColumns(out, f.R, ld, r, n)
  const R = timesPowerInto(take(out, r * n), -f.exponent)
  const Q = room(r * ld)
  kernels.unitColumns(Q, ld, r)
  kernels.applyQ(Q, r, ld, f.reflectors, f.tau, r, 0, 1, room(workFor(r)))
  for (let k = 0; k < r; k++) {
    if (R[k * n + k]! >= 0) continue
    for (let j = k; j < n; j++) R[k * n + j] = -R[k * n + j]!
    kernels.scaleColumn(Q + 8 * k * ld, ld, -1)
  }
  kernels.storeColumns(out, Q, ld, m, r)
  return { Q: matrix(m, r, take(out, m * r)), R: matrix(r, n, R) }
}

/** A = Q R with r = min(m, n): Q [m, r] has orthonormal columns, R [r, n] is upper triangular with a diagonal >= 0. */
export function qr(A: Matrix): { Q: Matrix; R: Matrix } {
  const kernels = openWorkspace()
  return explicit(factorQr(kernels, A, { ...putMatrix(A), pivot: false }))
}

export interface PivotedQr {
  readonly Q: Matrix // [m, r], r = min(m, n)
  readonly R: Matrix // [r, n], diagonal >= 0 and not increasing but for rounding
  readonly permutation: Int32Array // A[:, permutation] = Q R
  readonly rank: number // leading entries of R's diagonal above tolerance * R[0, 0]
}

/**
 * Column-pivoted QR. `tolerance` is relative to the largest column norm (which is R[0, 0]); by default
 * max(m, n) * 2^-52. R keeps its small entries: only `rank` says where they stop counting.
 */
export function qrPivoted(A: Matrix, options: { tolerance?: number } = {}): PivotedQr {
  const tolerance = options.tolerance ?? Math.max(A.rows, A.cols) * Number.EPSILON
  if (!(tolerance >= 0 && tolerance < 1)) {
    throw new OverhearError('E_VALUE', `tolerance is ${tolerance}`, 'it is a fraction of the largest column: 0 to 1')
  }
  const kernels = openWorkspace()
  const f = factorQr(kernels, A, { ...putMatrix(A), pivot: true })
  const permutation = takeInts(f.order, A.cols)
  const rank = rankOf(diagonal(f), tolerance)
  return { ...explicit(f), permutation, rank }
}

/** Magnitudes on R's diagonal, of the scaled matrix. */
function diagonal({ R, ld, m, n }: FactoredQr): Float64Array {
  const d = new Float64Array(Math.min(m, n))
  for (let k = 0; k < d.length; k++) d[k] = Math.abs(take(R + 8 * (k * ld + k), 1)[0]!)
  return d
}

function rankOf(diagonal: Float64Array, tolerance: number): number {
  let rank = 0
  while (rank < diagonal.length && diagonal[rank]! > tolerance * diagonal[0]!) rank++
  return rank
}

export interface LeastSquares {
  readonly X: Matrix // [n, number of right-hand sides]
  readonly rank: number
  readonly residualNormSq: Float64Array // ‖A x − b‖² of each right-hand side
}

/**
 * X that minimises ‖A X − B‖ column by column. With rank n it is the only one. With rank < n (always so when m < n) X
 * is still finite and still a minimiser, but one of many: the columns beyond the rank in pivoted order get zeros, which
 * is not the solution of least norm. Nothing is thrown: look at `rank`, which is that of `qrPivoted`.
 */
export function leastSquaresQr(A: Matrix, B: Matrix): LeastSquares {
  requireRows(B, A.rows)
  const { rows: m, cols: n } = A
  const kernels = openWorkspace()
  const a = putMatrix(A)
  const b = putMatrix(B, 'B')
  const tolerance = Math.max(m, n) * Number.EPSILON
  if (m >= n && n > 0) {
    const f = factorQr(kernels, A, { ...a, pivot: false })
    // The estimate may be a few times too small: only a clear margin spares the pivoted factorisation.
    const condition = kernels.estimateTriangle(f.R, 1, f.ld, n, 3, room(2 * n))
    if (condition * tolerance < 0.01) return solveFactored(f, { ...b, k: B.cols, rank: n })
  }
  const f = factorQr(kernels, A, { ...a, pivot: true })
  return solveFactored(f, { ...b, k: B.cols, rank: rankOf(diagonal(f), tolerance) })
}

function solveFactored(
  f: FactoredQr,
  { at, size, k, rank }: { at: number; size: number; k: number; rank: number },
): LeastSquares {
  const { kernels, m, n, ld } = f
  const exponent = scaleExponent(size)
  const C = room(k * ld)
  kernels.loadColumns(C, ld, at, m, k, powerOfTwo(exponent))
  kernels.applyQ(C, k, ld, f.reflectors, f.tau, Math.min(m, n), 1, 0, room(workFor(k)))
  const x = room(rank * k)
  kernels.storeColumns(x, C, ld, rank, k)
  kernels.solveTriangular(f.R, 1, ld, rank, x, k, 1, 0)
  const solved = timesPowerInto(take(x, rank * k), f.exponent - exponent)
  const X = f.order === 0 ? solved : scatterRows(solved, { permutation: takeInts(f.order, n), rank, k })
  const residualNormSq = new Float64Array(k)
  for (let c = 0; c < k; c++) {
    const tail = take(C + 8 * (c * ld + rank), m - rank)
    let sum = 0
    for (let i = 0; i < tail.length; i++) sum += tail[i]! * tail[i]!
    residualNormSq[c] = sum
  }
  return { X: matrix(n, k, X), rank, residualNormSq: timesPowerInto(residualNormSq, -2 * exponent) }
}

/** Row i goes to row permutation[i]; the rows that get none are zero. */
function scatterRows(
  rows: Float64Array,
  { permutation, rank, k }: { permutation: Int32Array; rank: number; k: number },
): Float64Array {
  const X = new Float64Array(permutation.length * k)
  for (let i = 0; i < rank; i++) X.set(rows.subarray(i * k, (i + 1) * k), permutation[i]! * k)
  return X
}
