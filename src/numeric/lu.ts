/** LU with partial pivoting: linear systems and determinants. */
import { OverhearError } from '../errors.js'
import { requireFinite, requireRows, requireSquare } from './linalg-input.js'
import { type Matrix, matrix } from './matrix.js'
import { log } from './scalar.js'

export interface Lu {
  readonly L: Matrix // [m, r] unit lower trapezoidal, r = min(m, n)
  readonly U: Matrix // [r, n] upper trapezoidal
  readonly permutation: Int32Array // A[permutation, :] = L U
  readonly sign: 1 | -1 // of the permutation
}

/** In each column the entry of largest magnitude is the pivot (ties: the first); a column of zeros is passed over. */
export function lu(A: Matrix): Lu {
  requireFinite(A)
  const { rows: m, cols: n } = A
  const { packed, permutation, sign } = factor(A)
  const r = Math.min(m, n)
  const L = matrix(m, r)
  const U = matrix(r, n)
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      const x = packed[i * n + j]!
      if (j < i && j < r) L.data[i * r + j] = x
      else if (i < r) U.data[i * n + j] = x
    }
    if (i < r) L.data[i * r + i] = 1
  }
  return { L, U, permutation, sign }
}

/** L below the diagonal, U on and above it. */
function factor(A: Matrix): { packed: Float64Array; permutation: Int32Array; sign: 1 | -1 } {
  const { rows: m, cols: n } = A
  const packed = A.data.slice()
  const permutation = Int32Array.from({ length: m }, (_, i) => i)
  let sign: 1 | -1 = 1
  for (let k = 0; k < Math.min(m, n); k++) {
    let best = k
    for (let i = k + 1; i < m; i++) {
      if (Math.abs(packed[i * n + k]!) > Math.abs(packed[best * n + k]!)) best = i
    }
    if (packed[best * n + k] === 0) continue
    if (best !== k) {
      const row = packed.slice(k * n, (k + 1) * n)
      packed.copyWithin(k * n, best * n, (best + 1) * n)
      packed.set(row, best * n)
      const moved = permutation[k]!
      permutation[k] = permutation[best]!
      permutation[best] = moved
      sign = sign === 1 ? -1 : 1
    }
    for (let i = k + 1; i < m; i++) {
      const l = packed[i * n + k]! / packed[k * n + k]!
      packed[i * n + k] = l
      for (let j = k + 1; j < n; j++) packed[i * n + j]! -= l * packed[k * n + j]!
    }
  }
  return { packed, permutation, sign }
}

/** X with A X = B. An exactly zero pivot is an error; how many digits of X to trust is `estimateCondition`'s business. */
export function solve(A: Matrix, B: Matrix): Matrix {
  requireSquare(A)
  requireFinite(A)
  requireRows(B, A.rows)
  requireFinite(B, 'B')
  const { packed, permutation } = factor(A)
  const n = A.rows
  const k = B.cols
  for (let i = 0; i < n; i++) {
    if (packed[i * n + i] === 0) {
      throw new OverhearError(
        'E_VALUE',
        `A is singular: no pivot is left in column ${i}`,
        'use leastSquaresQr or svd for deficient systems',
      )
    }
  }
  const X = matrix(n, k)
  for (let i = 0; i < n; i++) {
    for (let c = 0; c < k; c++) {
      let sum = B.data[permutation[i]! * k + c]!
      for (let p = 0; p < i; p++) sum -= packed[i * n + p]! * X.data[p * k + c]!
      X.data[i * k + c] = sum
    }
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let c = 0; c < k; c++) {
      let sum = X.data[i * k + c]!
      for (let p = i + 1; p < n; p++) sum -= packed[i * n + p]! * X.data[p * k + c]!
      X.data[i * k + c] = sum / packed[i * n + i]!
    }
  }
  return X
}

/** sign * exp(logAbs): the product itself overflows early. A singular matrix has sign 0 and logAbs -Infinity. */
export function determinant(A: Matrix): { sign: -1 | 0 | 1; logAbs: number } {
  requireSquare(A)
  requireFinite(A)
  const { packed, sign: swaps } = factor(A)
  let sign: -1 | 0 | 1 = swaps
  let logAbs = 0
  for (let i = 0; i < A.rows; i++) {
    const pivot = packed[i * A.rows + i]!
    if (pivot === 0) return { sign: 0, logAbs: Number.NEGATIVE_INFINITY }
    if (pivot < 0) sign = sign === 1 ? -1 : 1
    logAbs += log(Math.abs(pivot))
  }
  return { sign, logAbs }
}
