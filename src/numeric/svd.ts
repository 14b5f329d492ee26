/** Singular value decomposition, thin. */
import { largest, requireFinite, times, unitScale } from './linalg-input.js'
import { referenceSvd } from './linalg-reference.js'
import { type Matrix, matrix } from './matrix.js'

export interface Svd {
  readonly U: Matrix // [m, r], r = min(m, n)
  readonly s: Float64Array // r values, descending
  readonly V: Matrix // [n, r]
}

/** A = U diag(s) Vᵀ. Columns of U and V that belong to zero singular values are still orthonormal. */
export function svd(A: Matrix): Svd {
  requireFinite(A)
  const scale = unitScale(largest(A.data))
  const { U, s, V } = referenceSvd(matrix(A.rows, A.cols, times(A.data, scale)))
  return { U, s: times(s, 1 / scale), V }
}

/** The min(m, n) singular values, descending. */
export function singularValues(A: Matrix): Float64Array {
  return svd(A).s
}
