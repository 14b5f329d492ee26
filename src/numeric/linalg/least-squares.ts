/** Least squares for any shape and rank: the only solution where there is one, else the shortest, and which it was. */
import { OverhearError } from '../../errors.js'
import { estimateCondition, trustedDigits } from './condition.js'
import { requireFinite, requireRows } from './linalg-input.js'
import { type Matrix, matrix, multiply, rowOf, transpose } from './matrix.js'
import { leastSquaresQr, qr, qrPivoted } from './qr.js'
import { solveUpper, solveUpperTransposed } from './triangular.js'

export interface LeastSquaresResult {
  readonly X: Matrix // [n, number of right-hand sides]
  readonly rank: number
  readonly conditionEstimate: number // of the part of A within the rank; at most a few times too low
  readonly trustedDigits: number // decimal digits of X that this condition leaves
  readonly residualNormSq: Float64Array // ‖A x − b‖² of each right-hand side
  readonly minimumNorm: boolean // true: rank < n, so many X fit equally well and this is the shortest
}

/**
 * X that minimises ‖A X − B‖ column by column, by QR. What lies below `tolerance` times the largest column norm counts
 * as zero (default max(m, n) * 2^-52): give columns one unit first if theirs differ by many orders.
 */
export function leastSquares(A: Matrix, B: Matrix, options: { tolerance?: number } = {}): LeastSquaresResult {
  requireTolerance(options.tolerance)
  if (options.tolerance === undefined && A.cols <= A.rows) {
    const { X, rank, residualNormSq } = leastSquaresQr(A, B)
    if (rank === A.cols) return described({ X, rank, residualNormSq, conditionEstimate: estimateCondition(A) })
  }
  return byPivots(A, B, options)
}

function described(found: Omit<LeastSquaresResult, 'trustedDigits' | 'minimumNorm'>): LeastSquaresResult {
  const { X, rank, conditionEstimate } = found
  return { ...found, trustedDigits: trustedDigits(conditionEstimate), minimumNorm: rank < X.rows }
}

function byPivots(A: Matrix, B: Matrix, options: { tolerance?: number }): LeastSquaresResult {
  requireRows(B, A.rows)
  requireFinite(B, 'B')
  const n = A.cols
  const k = B.cols
  const { Q, R, permutation, rank } = qrPivoted(A, options)
  const C = multiply(transpose(Q), B)
  const Y = rank === n ? solveUpper(R, C, rank) : shortest(R, C, rank)
  const X = matrix(n, k)
  for (let i = 0; i < n; i++) X.data.set(rowOf(Y, i), permutation[i]! * k)
  const conditionEstimate = rank === 0 ? 1 : R.data[0]! / R.data[(rank - 1) * n + rank - 1]!
  return described({ X, rank, conditionEstimate, residualNormSq: misfitSq(A, X, B) })
}

export function requireTolerance(tolerance: number | undefined): void {
  if (tolerance === undefined || (tolerance >= 0 && tolerance < 1)) return
  throw new OverhearError('E_VALUE', `a tolerance of ${tolerance}`, 'it is relative, from 0 to below 1')
}

/** The shortest Y with R[:rank, :] Y = C: with Rᵀ = Z T it is Z T⁻ᵀ C. */
function shortest(R: Matrix, C: Matrix, rank: number): Matrix {
  const kept = matrix(rank, R.cols, R.data.slice(0, rank * R.cols))
  const { Q: Z, R: T } = qr(transpose(kept))
  return multiply(Z, solveUpperTransposed(T, C, rank))
}

function misfitSq(A: Matrix, X: Matrix, B: Matrix): Float64Array {
  const fit = multiply(A, X)
  const sums = new Float64Array(B.cols)
  for (let i = 0; i < B.data.length; i++) {
    const miss = B.data[i]! - fit.data[i]!
    sums[i % B.cols]! += miss * miss
  }
  return sums
}
