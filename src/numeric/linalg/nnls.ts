/** Non-negative least squares: argmin ‖A x − b‖ over x >= 0, exactly, by active sets. */
import { totalOf } from '../special/summaries.js'
import { type ActiveSetResult, activeSet } from './active-set.js'
import { requireFinite } from './linalg-input.js'
import { columnsOf, type Matrix, matrix } from './matrix.js'
import { columnNorms, columnOf, multiplyTransposedVector, requireVector, residual } from './matrix-vector.js'
import { leastSquaresQr } from './qr.js'
import { dot, norm } from './vector.js'

export interface NonNegativeSolution extends ActiveSetResult {
  readonly residualNormSq: number // ‖A x − b‖²
}

/** An error says so when `maxIterations` minimisations (default 10 n + 10) do not suffice. */
export function nnls(A: Matrix, b: Float64Array, options: { maxIterations?: number } = {}): NonNegativeSolution {
  requireFinite(A)
  requireVector(b, { length: A.rows })
  const n = A.cols
  // Columns of unit norm: gains are then cosines, and small columns are no worse off. A zero column stays at zero.
  const norms = columnNorms(A)
  const scaled = matrix(
    A.rows,
    n,
    A.data.map((a, i) => (norms[i % n] === 0 ? 0 : a / norms[i % n]!)),
  )
  const size = norm(b)
  const result = activeSet({
    size: n,
    start: { x: new Float64Array(n), free: [] },
    minimise: (free) => {
      const { X, rank } = leastSquaresQr(columnsOf(scaled, free), columnOf(b))
      return rank < free.length ? undefined : X.data
    },
    gains: (x) => {
      const scale = size + totalOf(x)
      return multiplyTransposedVector(scaled, residual(scaled, x, b)).map((w) => (w === 0 ? 0 : w / scale))
    },
    noise: 4 * Math.max(A.rows, n) * Number.EPSILON,
    maxIterations: options.maxIterations ?? 10 * n + 10,
  })
  const x = result.x.map((value, j) => (value === 0 ? 0 : value / norms[j]!))
  const r = residual(A, x, b)
  return { ...result, x, residualNormSq: dot(r, r) }
}
