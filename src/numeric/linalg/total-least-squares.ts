/** Total least squares: errors in A as well as in B. */
import { OverhearError } from '../../errors.js'
import { requireFinite, requireRows } from './linalg-input.js'
import { solve } from './lu.js'
import { type Matrix, matrix, rowOf, transpose } from './matrix.js'
import { svd } from './svd.js'

export interface TotalLeastSquares {
  readonly X: Matrix // [n, number of right-hand sides]
  readonly correctionNormSq: number // ‖[E F]‖² of the smallest change with (A + E) X = B + F
  /** (σ_n − σ_{n+1}) / σ_n of [A B]: at 0 the solution is not unique, near 0 it hangs on the rounding. */
  readonly gap: number
}

/**
 * X with (A + E) X = B + F for the smallest ‖[E F]‖ (Frobenius): X = −V₁₂ V₂₂⁻¹ of [A B] = U S Vᵀ (Golub and Van Loan
 * 1980). All columns count alike, so bring them to the scale of their errors first.
 */
export function totalLeastSquares(A: Matrix, B: Matrix): TotalLeastSquares {
  requireFinite(A)
  requireRows(B, A.rows)
  requireFinite(B, 'B')
  const { rows: m, cols: n } = A
  const k = B.cols
  const joined = matrix(Math.max(m, n + k), n + k) // rows of zeros below, so that V comes out square
  for (let i = 0; i < m; i++) {
    joined.data.set(rowOf(A, i), i * (n + k))
    joined.data.set(rowOf(B, i), i * (n + k) + n)
  }
  const { s, V } = svd(joined)
  const V12 = matrix(n, k)
  const V22 = matrix(k, k)
  for (let i = 0; i < n + k; i++) {
    const row = V.data.subarray(i * (n + k) + n, (i + 1) * (n + k))
    if (i < n) V12.data.set(row, i * k)
    else V22.data.set(row, (i - n) * k)
  }
  requireRegular(V22)
  const X = transpose(solve(transpose(V22), transpose(V12)))
  X.data.forEach((value, i) => {
    X.data[i] = -value
  })
  const dropped = s.subarray(n)
  const correctionNormSq = dropped.reduce((sum, sigma) => sum + sigma * sigma, 0)
  const above = n === 0 ? 0 : s[n - 1]!
  return { X, correctionNormSq, gap: k === 0 ? 1 : above === 0 ? 0 : (above - s[n]!) / above }
}

/** V₂₂ is a block of an orthogonal matrix; when it is singular the smallest correction does not reach any X. */
function requireRegular(V22: Matrix): void {
  const s = svd(V22).s
  if (s.length === 0 || s[s.length - 1]! > 1e-13) return
  throw new OverhearError(
    'E_VALUE',
    'no total least squares solution exists: the nearest compatible system does not involve B',
    'drop dependent columns of A, or use leastSquares',
  )
}
