/**
 * Singular value decomposition, thin. Up to 32 rows or columns, whichever are fewer: pivoted QR and one-sided Jacobi, where a
 * small value keeps its relative accuracy when rows or columns (the fewer) differ in scale alone, down to 1e-137 of the
 * largest. Beyond: a bidiagonal matrix, divided and conquered, where each value is good to a few 2^-52 of the largest.
 */
import { internal } from '../../errors.js'
import { powerOfTwo, scaleExponent, timesPowerInto } from './linalg-input.js'
import { type Matrix, matrix } from './matrix.js'
import { openWorkspace, padded, putMatrix, room, roomBytes, take } from './workspace.js'

export interface Svd {
  readonly U: Matrix // [m, r], r = min(m, n)
  readonly s: Float64Array // r values, descending
  readonly V: Matrix // [n, r]
}

/** A = U diag(s) Vᵀ. Columns of U and V that belong to zero singular values are still orthonormal. */
export function svd(A: Matrix): Svd {
  const tall = A.rows >= A.cols
  const [m, n] = tall ? [A.rows, A.cols] : [A.cols, A.rows]
  const { kernels, s, left, right } = decompose(A, true)
  const out = room(m * n)
  const unpack = (columns: number, rows: number): Matrix => {
    kernels.storeColumns(out, columns, padded(rows), rows, n)
    return matrix(rows, n, take(out, rows * n))
  }
  const U = unpack(left, m)
  const V = unpack(right, n)
  return tall ? { U, s, V } : { U: V, s, V: U }
}

/** The min(m, n) singular values, descending. */
export function singularValues(A: Matrix): Float64Array {
  return decompose(A, false).s
}

/** Of A, or of its transpose when that is the taller; the vectors stay in the workspace as columns. */
function decompose(A: Matrix, vectors: boolean) {
  const tall = A.rows >= A.cols
  const [m, n] = tall ? [A.rows, A.cols] : [A.cols, A.rows]
  const kernels = openWorkspace()
  const { at, size } = putMatrix(A)
  const exponent = scaleExponent(size, kernels.wantedExponent(n))
  const ld = padded(m)
  const columns = room(n * ld)
  if (tall) kernels.loadColumns(columns, ld, at, m, n, powerOfTwo(exponent))
  else kernels.loadRows(columns, ld, at, m, n, powerOfTwo(exponent))
  const left = vectors ? room(n * ld) : 0
  const right = vectors ? room(n * padded(n)) : 0
  const values = room(n)
  const work = roomBytes(kernels.decomposeRoom(m, n))
  if (kernels.decompose(left, values, right, columns, ld, m, n, work) < 0) {
    throw internal(`the singular values of a ${A.rows} x ${A.cols} matrix did not converge`)
  }
  return { kernels, s: timesPowerInto(take(values, n), -exponent), left, right }
}
