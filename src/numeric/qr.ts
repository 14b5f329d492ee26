/** Householder QR: plain, column-pivoted with a numerical rank, and least squares that never forms Q. */
import { largest, requireFinite, requireRows, times, unitScale } from './linalg-input.js'
import { referenceQr, referenceQrPivoted } from './linalg-reference.js'
import { type Matrix, matrix, multiply, transpose } from './matrix.js'

/** A = Q R with r = min(m, n): Q [m, r] has orthonormal columns, R [r, n] is upper triangular with a diagonal >= 0. */
export function qr(A: Matrix): { Q: Matrix; R: Matrix } {
  requireFinite(A)
  const scale = unitScale(largest(A.data))
  const { Q, R } = referenceQr(matrix(A.rows, A.cols, times(A.data, scale)))
  return { Q, R: matrix(R.rows, R.cols, times(R.data, 1 / scale)) }
}

export interface PivotedQr {
  readonly Q: Matrix // [m, r], r = min(m, n)
  readonly R: Matrix // [r, n], diagonal >= 0 and not increasing
  readonly permutation: Int32Array // A[:, permutation] = Q R
  readonly rank: number // diagonal entries of R above tolerance * R[0, 0]
}

/**
 * Column-pivoted QR. `tolerance` is relative to the largest column norm (which is R[0, 0]); by default
 * max(m, n) * 2^-52. R keeps its small entries: only `rank` says where they stop counting.
 */
export function qrPivoted(A: Matrix, options: { tolerance?: number } = {}): PivotedQr {
  requireFinite(A)
  const scale = unitScale(largest(A.data))
  const { Q, R, permutation } = referenceQrPivoted(matrix(A.rows, A.cols, times(A.data, scale)))
  const tolerance = options.tolerance ?? Math.max(A.rows, A.cols) * Number.EPSILON
  let rank = 0
  while (rank < R.rows && R.data[rank * R.cols + rank]! > tolerance * R.data[0]!) rank++
  return { Q, R: matrix(R.rows, R.cols, times(R.data, 1 / scale)), permutation, rank }
}

export interface LeastSquares {
  readonly X: Matrix // [n, number of right-hand sides]
  readonly rank: number
  readonly residualNormSq: Float64Array // ‖A x − b‖² of each right-hand side
}

/**
 * X that minimises ‖A X − B‖ column by column. With rank n it is the only one. With rank < n (always so when m < n) X
 * is still finite and still a minimiser, but one of many: the columns beyond the rank in pivoted order get zeros, which
 * is not the solution of least norm. Nothing is thrown: look at `rank`.
 */
export function leastSquaresQr(A: Matrix, B: Matrix): LeastSquares {
  requireFinite(A)
  requireRows(B, A.rows)
  requireFinite(B, 'B')
  const { Q, R, permutation, rank } = qrPivoted(A)
  const n = A.cols
  const C = multiply(transpose(Q), B)
  const X = matrix(n, B.cols)
  for (let c = 0; c < B.cols; c++) {
    for (let i = rank - 1; i >= 0; i--) {
      let sum = C.data[i * B.cols + c]!
      for (let j = i + 1; j < rank; j++) sum -= R.data[i * n + j]! * X.data[permutation[j]! * B.cols + c]!
      X.data[permutation[i]! * B.cols + c] = sum / R.data[i * n + i]!
    }
  }
  const fit = multiply(A, X)
  const residualNormSq = new Float64Array(B.cols)
  for (let i = 0; i < B.data.length; i++) {
    const miss = B.data[i]! - fit.data[i]!
    residualNormSq[i % B.cols]! += miss * miss
  }
  return { X, rank, residualNormSq }
}
