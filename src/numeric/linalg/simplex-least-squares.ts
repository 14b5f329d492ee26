/** Least squares over shares: argmin ‖A x − b‖ over x >= 0 with a given sum, exactly, by active sets. */
import { OverhearError } from '../../errors.js'
import { rangeOf, totalOf } from '../special/summaries.js'
import { type ActiveSetResult, activeSet } from './active-set.js'
import { requireFinite } from './linalg-input.js'
import { type Matrix, matrix } from './matrix.js'
import { columnNorms, columnOf, multiplyTransposedVector, requireVector, residual } from './matrix-vector.js'
import { leastSquaresQr } from './qr.js'
import { dot, norm } from './vector.js'

export interface SimplexSolution extends ActiveSetResult {
  readonly residualNormSq: number // ‖A x − b‖²
}

export interface SimplexOptions {
  readonly total: number // what x sums to
  readonly maxIterations?: number // minimisations before it is an error, 10 n + 10 unless told
}

export function simplexLeastSquares(A: Matrix, b: Float64Array, options: SimplexOptions): SimplexSolution {
  requireFinite(A)
  requireVector(b, { length: A.rows })
  const { total } = options
  const n = A.cols
  if (!(total >= 0 && total < Number.POSITIVE_INFINITY) || (n === 0 && total > 0)) {
    throw new OverhearError('E_VALUE', `${n} shares that sum to ${total}`, 'the total must be 0 or above, and finite')
  }
  if (total === 0) {
    return { x: new Float64Array(n), free: [], iterations: 0, kktViolation: 0, residualNormSq: dot(b, b) }
  }
  const norms = columnNorms(A)
  const largestNorm = Math.max(0, rangeOf(norms).max)
  const size = norm(b)
  const first = nearestVertex(A, b, total)
  const start = new Float64Array(n)
  start[first] = total
  const result = activeSet({
    size: n,
    start: { x: start, free: [first] },
    minimise: (free) => onSum(A, b, { free, total }),
    gains: (x) => {
      // At the optimum w = Aᵀ(b − A x) is one and the same number μ on all free variables, and no larger elsewhere.
      const w = multiplyTransposedVector(A, residual(A, x, b))
      const mu = dot(w, x) / total
      const scale = largestNorm * (size + dot(norms, x))
      return w.map((value) => (value === mu ? 0 : (value - mu) / scale))
    },
    noise: 4 * Math.max(A.rows, n) * Number.EPSILON,
    maxIterations: options.maxIterations ?? 10 * n + 10,
  })
  const r = residual(A, result.x, b)
  return { ...result, residualNormSq: dot(r, r) }
}

/** The column k for which total * a_k comes nearest to b; ties: the first. */
function nearestVertex(A: Matrix, b: Float64Array, total: number): number {
  const distances = new Float64Array(A.cols)
  for (let i = 0; i < A.rows; i++) {
    for (let j = 0; j < A.cols; j++) {
      const miss = total * A.data[i * A.cols + j]! - b[i]!
      distances[j]! += miss * miss
    }
  }
  let best = 0
  for (let j = 1; j < A.cols; j++) if (distances[j]! < distances[best]!) best = j
  return best
}

/** The least-squares x on these variables alone with the given sum, sign free: the first is eliminated. */
function onSum(
  A: Matrix,
  b: Float64Array,
  { free, total }: { free: readonly number[]; total: number },
): Float64Array | undefined {
  const first = free[0]!
  const others = free.length - 1
  const differences = matrix(A.rows, others)
  const right = new Float64Array(A.rows)
  for (let i = 0; i < A.rows; i++) {
    const base = A.data[i * A.cols + first]!
    right[i] = b[i]! - total * base
    for (let j = 0; j < others; j++) differences.data[i * others + j] = A.data[i * A.cols + free[j + 1]!]! - base
  }
  const { X, rank } = leastSquaresQr(differences, columnOf(right))
  if (rank < others) return undefined
  const z = new Float64Array(free.length)
  z.set(X.data, 1)
  z[0] = total - totalOf(X.data)
  return z
}
