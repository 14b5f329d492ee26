/** Condition numbers: exact from singular values, estimated from a triangular factor, and for batches. */
import { internal, OverhearError } from '../../errors.js'
import { log } from '../special/elementary-functions.js'
import { requireFinite } from './linalg-input.js'
import { type Matrix, matrix, transpose } from './matrix.js'
import { factorQr } from './qr.js'
import { singularValues } from './svd.js'
import { openWorkspace, put, putMatrix, room, roomBytes, take } from './workspace.js'

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
 * A cheap stand-in for `conditionNumber`: QR, then a few power and inverse steps on R. Never above the true value but for
 * rounding; on everything tried at least a third of it.
 */
export function estimateCondition(A: Matrix): number {
  const tall = A.rows >= A.cols ? A : transpose(A)
  if (tall.cols === 0) return 1
  const kernels = openWorkspace()
  const f = factorQr(kernels, tall, { ...putMatrix(tall), pivot: false })
  return kernels.estimateTriangle(f.R, 1, f.ld, f.n, 10, room(2 * f.n))
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
  if (size === 0) return new Float64Array(count).fill(1)
  const out = new Float64Array(count)
  const chunk = Math.max(1, Math.floor(chunkDoubles / size))
  for (let first = 0; first < count; first += chunk) {
    const now = Math.min(chunk, count - first)
    const kernels = openWorkspace()
    const from = put(batch.subarray(first * size, (first + now) * size))
    const to = room(now)
    const stop = kernels.conditionBatch(to, from, now, rows, cols, roomBytes(kernels.batchRoom(rows, cols)))
    if (stop >= 0) refuse(batch, { b: first + stop, rows, cols })
    if (stop < -1) throw internal(`the singular values of matrix ${first - 2 - stop} did not converge`)
    out.set(take(to, now), first)
  }
  return out
}

const chunkDoubles = 1 << 16 // what is copied in at a time

function refuse(batch: Float64Array, { b, rows, cols }: { b: number; rows: number; cols: number }): void {
  requireFinite(matrix(rows, cols, batch.subarray(b * rows * cols, (b + 1) * rows * cols)), `matrix ${b}`)
}
