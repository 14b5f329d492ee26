/** Weighted ridge regression, by QR of the stacked system: the normal equations would square the condition number. */
import { OverhearError } from '../../errors.js'
import { leastSquares } from './least-squares.js'
import { requireFinite } from './linalg-input.js'
import { type Matrix, matrix } from './matrix.js'
import { columnOf, requireVector, residual } from './matrix-vector.js'
import { qr } from './qr.js'
import { solveUpperTransposed } from './triangular.js'
import { dot } from './vector.js'

export interface RidgeOptions {
  readonly lambda: number // weight of ‖x‖²
  readonly weights?: Float64Array // v, one for each row, 1 unless told
}

export interface RidgeResult {
  readonly x: Float64Array
  readonly misfitSq: number // Σ_r v_r (b_r − A_r x)²
  readonly normSq: number // ‖x‖²
  readonly objective: number // misfitSq + lambda normSq
  readonly minimumNorm: boolean // true: lambda is (as good as) 0 and A lacks rank, so this is the shortest of many
}

/** x = argmin Σ_r v_r (b_r − A_r x)² + λ ‖x‖². */
export function ridge(A: Matrix, b: Float64Array, { lambda, weights }: RidgeOptions): RidgeResult {
  requireFinite(A)
  requireVector(b, { length: A.rows })
  if (!(lambda >= 0 && lambda < Number.POSITIVE_INFINITY)) {
    throw new OverhearError('E_VALUE', `ridge with lambda ${lambda}`, 'it must be 0 or above, and finite')
  }
  const v = weights ?? new Float64Array(A.rows).fill(1)
  requireVector(v, { length: A.rows, name: 'weights' })
  const negative = v.findIndex((weight) => weight < 0)
  if (negative >= 0)
    throw new OverhearError('E_VALUE', `weights[${negative}] is ${v[negative]}`, 'it must be 0 or above')

  const { x, minimumNorm } = solveScaled(rowsTimesRoot(A, v), rowsTimesRoot(columnOf(b), v).data, lambda)
  const r = residual(A, x, b)
  let misfitSq = 0
  for (let i = 0; i < r.length; i++) misfitSq += v[i]! * r[i]! * r[i]!
  const normSq = dot(x, x)
  return { x, misfitSq, normSq, objective: misfitSq + lambda * normSq, minimumNorm }
}

function rowsTimesRoot(A: Matrix, v: Float64Array): Matrix {
  return matrix(
    A.rows,
    A.cols,
    A.data.map((a, i) => a * Math.sqrt(v[Math.floor(i / A.cols)]!)),
  )
}

function solveScaled(A: Matrix, b: Float64Array, lambda: number): { x: Float64Array; minimumNorm: boolean } {
  if (lambda > 0 && A.cols > A.rows) {
    const x = solveWide(A, b, lambda)
    if (x !== undefined) return { x, minimumNorm: false }
  }
  const { rows: m, cols: n } = A
  const extra = lambda > 0 ? n : 0
  const stacked = matrix(m + extra, n)
  stacked.data.set(A.data)
  for (let j = 0; j < extra; j++) stacked.data[(m + j) * n + j] = Math.sqrt(lambda)
  const right = new Float64Array(m + extra)
  right.set(b)
  const { X, minimumNorm } = leastSquares(stacked, columnOf(right))
  return { x: X.data, minimumNorm }
}

/**
 * For fewer rows than columns: with [Aᵀ; √λ I] = [P; S] R it is x = Aᵀ (A Aᵀ + λ I)⁻¹ b = P R⁻ᵀ b, a factorisation of m
 * columns in place of n. Undefined when λ is too small to make R regular.
 */
function solveWide(A: Matrix, b: Float64Array, lambda: number): Float64Array | undefined {
  const { rows: m, cols: n } = A
  const stacked = matrix(n + m, m)
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) stacked.data[j * m + i] = A.data[i * n + j]!
    stacked.data[(n + i) * m + i] = Math.sqrt(lambda)
  }
  const { Q, R } = qr(stacked)
  let [least, most] = [Number.POSITIVE_INFINITY, 0]
  for (let i = 0; i < m; i++) {
    least = Math.min(least, R.data[i * m + i]!)
    most = Math.max(most, R.data[i * m + i]!)
  }
  if (!(least > (n + m) * Number.EPSILON * most)) return undefined
  const y = solveUpperTransposed(R, columnOf(b)).data
  const x = new Float64Array(n)
  for (let j = 0; j < n; j++) for (let i = 0; i < m; i++) x[j]! += Q.data[j * m + i]! * y[i]!
  return x
}
