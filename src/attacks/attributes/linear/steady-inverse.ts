/** The inverse of a Gram matrix's factor when rounding has cost it its last positive pivots. */
import { OverhearError } from '../../../errors.js'
import { cholesky, lowerInverse } from '../../../numeric/linalg/cholesky.js'
import { matrix } from '../../../numeric/linalg/matrix.js'

/**
 * X with A^-1 = X^T X. Exact fits make entries so large that rounding exceeds the prior: then the diagonal is raised.
 * undefined: A is far from positive definite.
 */
export function steadyInverse(A: Float64Array, N: number): Float64Array | undefined {
  let largest = 1e-300
  for (let i = 0; i < N; i++) largest = Math.max(largest, A[i * N + i]!)
  const raised = A.slice()
  for (let share = 1e-15; ; share *= 10) {
    try {
      return lowerInverse(cholesky(matrix(N, N, raised))).data
    } catch (error) {
      if (!(error instanceof OverhearError) || error.code !== 'E_VALUE') throw error
      if (share > 1e-6) return undefined
      for (let i = 0; i < N; i++) raised[i * N + i]! = A[i * N + i]! + share * largest
    }
  }
}
