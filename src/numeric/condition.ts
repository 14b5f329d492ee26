/** Condition numbers: exact from singular values, estimated from a triangular factor, and for batches. */
import { OverhearError } from '../errors.js'
import { type Matrix, matrix } from './matrix.js'
import { qrPivoted } from './qr.js'
import { log } from './scalar.js'
import { singularValues } from './svd.js'

/**
 * Largest over smallest singular value, of min(m, n). Infinity when the smallest comes out as zero; above 1 / 2^-52 the
 * matrix is singular to working precision and the figure only says so. 1 for a matrix without rows or columns.
 */
export function conditionNumber(A: Matrix): number {
  return ratio(singularValues(A))
}

function ratio(s: Float64Array): number {
  if (s.length === 0) return 1
  const least = s[s.length - 1]!
  return least === 0 ? Number.POSITIVE_INFINITY : s[0]! / least
}

/**
 * A cheap stand-in for `conditionNumber`: |R[0, 0] / R[r-1, r-1]| of the pivoted QR. Never above the true value but for
 * rounding, and in practice at most 10 times below it.
 */
export function estimateCondition(A: Matrix): number {
  const { R } = qrPivoted(A)
  const r = R.rows
  if (r === 0 || R.cols === 0) return 1
  const least = R.data[(r - 1) * R.cols + r - 1]!
  return least === 0 ? Number.POSITIVE_INFINITY : R.data[0]! / least
}

/** Decimal digits that survive solving with a matrix of this condition: -log10(condition * 2^-52), from 0 to 15. */
export function trustedDigits(condition: number): number {
  const digits = -log(condition * Number.EPSILON) / Math.LN10
  return Math.min(Math.max(Math.floor(digits), 0), 15)
}

export interface BatchShape {
  readonly count: number
  readonly rows: number
  readonly cols: number
}

/** `conditionNumber` of each of `count` matrices stored one after the other: batch is [count, rows, cols] row-major. */
export function conditionNumbers(batch: Float64Array, options: BatchShape): Float64Array {
  const { count, rows, cols } = options
  const size = rows * cols
  if (batch.length !== count * size) {
    throw new OverhearError(
      'E_SHAPE',
      `a batch of ${count} matrices of ${rows} x ${cols} was given ${batch.length} values`,
      `it needs ${count * size}`,
    )
  }
  return Float64Array.from({ length: count }, (_, b) =>
    conditionNumber(matrix(rows, cols, batch.subarray(b * size, (b + 1) * size))),
  )
}
