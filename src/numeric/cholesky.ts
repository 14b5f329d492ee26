/** Cholesky factorisation of symmetric positive definite matrices, and solving with it. */
import { OverhearError } from '../errors.js'
import { requireFinite, requireRows, requireSquare, requireSymmetric } from './linalg-input.js'
import { type Matrix, matrix } from './matrix.js'

/** Lower L with L Lᵀ = A, read from A's lower triangle. An error names the first pivot that is not positive. */
export function cholesky(A: Matrix): Matrix {
  requireFinite(A)
  requireSymmetric(A)
  const n = A.rows
  const L = matrix(n, n)
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      let sum = A.data[i * n + j]!
      for (let p = 0; p < j; p++) sum -= L.data[i * n + p]! * L.data[j * n + p]!
      if (i === j && !(sum > 0)) throw notPositive(j, sum)
      L.data[i * n + j] = i === j ? Math.sqrt(sum) : sum / L.data[j * n + j]!
    }
  }
  return L
}

function notPositive(pivot: number, value: number): OverhearError {
  return new OverhearError(
    'E_VALUE',
    `A is not positive definite: pivot ${pivot} is ${value}`,
    'add to the diagonal, or use symmetricEigen or lu',
  )
}

/** X with L Lᵀ X = B, for L from `cholesky`. */
export function choleskySolve(L: Matrix, B: Matrix): Matrix {
  requireSquare(L, 'L')
  requireFinite(L, 'L')
  requireRows(B, L.rows)
  requireFinite(B, 'B')
  const { rows: n } = L
  const k = B.cols
  const X = matrix(n, k, B.data.slice())
  for (let i = 0; i < n; i++) {
    for (let p = 0; p < i; p++) subtractRow(X, { to: i, from: p, factor: L.data[i * n + p]! })
    for (let c = 0; c < k; c++) X.data[i * k + c]! /= L.data[i * n + i]!
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let p = i + 1; p < n; p++) subtractRow(X, { to: i, from: p, factor: L.data[p * n + i]! })
    for (let c = 0; c < k; c++) X.data[i * k + c]! /= L.data[i * n + i]!
  }
  return X
}

function subtractRow(X: Matrix, { to, from, factor }: { to: number; from: number; factor: number }): void {
  for (let c = 0; c < X.cols; c++) X.data[to * X.cols + c]! -= factor * X.data[from * X.cols + c]!
}
