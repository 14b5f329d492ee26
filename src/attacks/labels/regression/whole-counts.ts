/** Numbers of records as they must be: not negative, of the right sum, whole. */
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import { simplexLeastSquares } from '../../../numeric/linalg/simplex-least-squares.js'
import { totalOf } from '../../../numeric/special/summaries.js'
import type { Solved } from './metaclass-solvers.js'

/** Negative numbers become 0, the rest is scaled to the sum. */
export function clipped(counts: Float64Array, K: number): Float64Array {
  const positive = counts.map((k) => Math.max(0, k))
  const total = totalOf(positive)
  return total > 0 ? positive.map((k) => (k * K) / total) : positive.fill(K / positive.length)
}

/** argmin |A x - b|^2 + beta |x|^2 over x >= 0 that sum to K, in the units in which the system was solved. */
export function onSimplex({ scaled, beta }: Solved, K: number): Float64Array {
  const { A, b, columns } = scaled
  // x_j = y_j / column_j: the sum is of x, so the columns go back to their own units.
  const n = A.cols
  const rows = beta > 0 ? A.rows + n : A.rows
  const B: Matrix = matrix(rows, n)
  const right = new Float64Array(rows)
  right.set(b)
  for (let i = 0; i < A.rows; i++) for (let j = 0; j < n; j++) B.data[i * n + j] = A.data[i * n + j]! * columns[j]!
  if (beta > 0) for (let j = 0; j < n; j++) B.data[(A.rows + j) * n + j] = Math.sqrt(beta) * columns[j]!
  return simplexLeastSquares(B, right, { total: K }).x
}

/** Whole numbers near these with the sum K: each rounded down, the largest remainders up. */
export function wholeCounts(counts: Float64Array, K: number): Float64Array {
  const down = counts.map(Math.floor)
  const left = Math.round(K) - totalOf(down)
  const order = Array.from(counts.keys()).sort((a, b) => counts[b]! - down[b]! - (counts[a]! - down[a]!))
  for (let i = 0; i < left; i++) down[order[i % order.length]!]!++
  return down
}
