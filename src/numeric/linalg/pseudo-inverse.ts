/** The Moore-Penrose inverse. */
import { requireTolerance } from './least-squares.js'
import { type Matrix, matrix } from './matrix.js'
import { svd } from './svd.js'

export interface PseudoInverse {
  readonly inverse: Matrix // [n, m]
  readonly rank: number
  readonly conditionNumber: number // of the part that was inverted, 1 for rank 0
}

/**
 * A⁺ = V diag(1 / s) Uᵀ over the singular values above `tolerance` times the largest (default max(m, n) * 2^-52). To
 * solve one system `leastSquares` is cheaper and as short.
 */
export function pseudoInverse(A: Matrix, options: { tolerance?: number } = {}): PseudoInverse {
  requireTolerance(options.tolerance)
  const { U, s, V } = svd(A)
  const rank = numericalRank(s, options.tolerance ?? Math.max(A.rows, A.cols) * Number.EPSILON)
  const { rows: m, cols: n } = A
  const r = s.length
  const inverse = matrix(n, m)
  for (let j = 0; j < n; j++) {
    for (let p = 0; p < rank; p++) {
      const factor = V.data[j * r + p]! / s[p]!
      for (let i = 0; i < m; i++) inverse.data[j * m + i]! += factor * U.data[i * r + p]!
    }
  }
  return { inverse, rank, conditionNumber: rank === 0 ? 1 : s[0]! / s[rank - 1]! }
}

/** How many of the singular values, descending, lie above `tolerance` times the first. */
export function numericalRank(s: Float64Array, tolerance: number): number {
  let rank = 0
  while (rank < s.length && s[rank]! > tolerance * s[0]!) rank++
  return rank
}
