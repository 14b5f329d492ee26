/** Systems whose matrix is diagonal plus low rank, at the price of the low rank (Woodbury 1950). */
import { OverhearError } from '../../errors.js'
import { requireFinite, requireRows } from './linalg-input.js'
import { solve } from './lu.js'
import { identity, type Matrix, matrix, multiply, transpose } from './matrix.js'
import { requireVector } from './matrix-vector.js'

/** D + U C V. */
export interface DiagonalPlusLowRank {
  readonly diagonal: Float64Array // n, none zero
  readonly U: Matrix // [n, k]
  readonly C?: Matrix // [k, k], the identity unless told; may be singular
  readonly V?: Matrix // [k, n], Uᵀ unless told
}

/**
 * X with (D + U C V) X = B: X = D⁻¹B − D⁻¹U (I + C V D⁻¹U)⁻¹ C V D⁻¹B, once more on what is then left of B. An error if
 * the small matrix is singular, which it is when the whole is.
 */
export function woodburySolve(system: DiagonalPlusLowRank, B: Matrix): Matrix {
  const { diagonal, U } = system
  const n = diagonal.length
  const k = U.cols
  const C = system.C ?? identity(k)
  const V = system.V ?? transpose(U)
  requireVector(diagonal, { length: n, name: 'diagonal' })
  const zero = diagonal.indexOf(0)
  if (zero >= 0) throw new OverhearError('E_VALUE', `diagonal[${zero}] is 0`, 'no entry may be; use solve')
  requireShape(U, { name: 'U', rows: n, cols: k })
  requireShape(C, { name: 'C', rows: k, cols: k })
  requireShape(V, { name: 'V', rows: k, cols: n })
  requireRows(B, n)
  requireFinite(B, 'B')

  const DU = dividedRows(U, diagonal)
  const CV = multiply(C, V)
  const small = multiply(CV, DU)
  for (let i = 0; i < k; i++) small.data[i * k + i]! += 1
  const apply = (right: Matrix): Matrix => {
    const X = dividedRows(right, diagonal)
    return minus(X, multiply(DU, solve(small, multiply(CV, X))))
  }
  const X = apply(B)
  const product = multiply(U, multiply(CV, X))
  for (let i = 0; i < X.data.length; i++) product.data[i]! += diagonal[Math.floor(i / X.cols)]! * X.data[i]!
  const correction = apply(minus(B, product))
  return matrix(
    n,
    B.cols,
    X.data.map((value, i) => value + correction.data[i]!),
  )
}

function requireShape(A: Matrix, { name, rows, cols }: { name: string; rows: number; cols: number }): void {
  if (A.rows !== rows || A.cols !== cols) {
    throw new OverhearError('E_SHAPE', `${name} is ${A.rows} x ${A.cols}`, `it must be ${rows} x ${cols}`)
  }
  requireFinite(A, name)
}

function dividedRows(A: Matrix, by: Float64Array): Matrix {
  return matrix(
    A.rows,
    A.cols,
    A.data.map((a, i) => a / by[Math.floor(i / A.cols)]!),
  )
}

function minus(A: Matrix, B: Matrix): Matrix {
  return matrix(
    A.rows,
    A.cols,
    A.data.map((a, i) => a - B.data[i]!),
  )
}
