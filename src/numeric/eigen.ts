/** Eigenvalues and eigenvectors of symmetric matrices. */
import { largest, requireFinite, requireSymmetric, times, unitScale } from './linalg-input.js'
import { referenceSymmetricEigen } from './linalg-reference.js'
import { type Matrix, matrix } from './matrix.js'

export interface SymmetricEigen {
  readonly values: Float64Array // ascending
  readonly vectors: Matrix // [n, n], column j belongs to values[j]
}

/** A = V diag(values) Vᵀ. Triangles that differ by rounding are averaged; a larger difference is refused. */
export function symmetricEigen(A: Matrix): SymmetricEigen {
  requireFinite(A)
  requireSymmetric(A)
  const n = A.rows
  const scale = unitScale(largest(A.data))
  const M = matrix(n, n, times(A.data, scale))
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const mean = 0.5 * (M.data[i * n + j]! + M.data[j * n + i]!)
      M.data[i * n + j] = mean
      M.data[j * n + i] = mean
    }
  }
  const { values, vectors } = referenceSymmetricEigen(M)
  return { values: times(values, 1 / scale), vectors }
}
