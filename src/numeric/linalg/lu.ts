/** LU with partial pivoting: linear systems and determinants. */
import { OverhearError } from '../../errors.js'
import { log } from '../special/elementary-functions.js'
import type { DenseKernels } from './dense-kernels.js'
import { requireFinite, requireRows, requireSquare } from './linalg-input.js'
import { type Matrix, matrix } from './matrix.js'
import { openWorkspace, put, putMatrix, roomBytes, take, takeInts } from './workspace.js'

export interface Lu {
  readonly L: Matrix // [m, r] unit lower trapezoidal, r = min(m, n)
  readonly U: Matrix // [r, n] upper trapezoidal
  readonly permutation: Int32Array // A[permutation, :] = L U
  readonly sign: 1 | -1 // of the permutation
}

/** In each column the entry of largest magnitude is the pivot (ties: the first); a column of zeros is passed over. */
export function lu(A: Matrix): Lu {
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

interface Packed {
  readonly kernels: DenseKernels
  readonly at: number // the factors in the workspace
  readonly packed: Float64Array // and out of it: L below the diagonal, U on and above it
  readonly permutation: Int32Array
  readonly sign: 1 | -1
}

function factor(A: Matrix): Packed {
  const { rows: m, cols: n } = A
  const kernels = openWorkspace()
  const { at } = putMatrix(A)
  const order = roomBytes(4 * m)
  const sign = kernels.factorLu(at, m, n, order) > 0 ? 1 : -1
  return { kernels, at, packed: take(at, m * n), permutation: takeInts(order, m), sign }
}

/** X with A X = B. An exactly zero pivot is an error; how many digits of X to trust is `estimateCondition`'s business. */
export function solve(A: Matrix, B: Matrix): Matrix {
  requireSquare(A)
  requireRows(B, A.rows)
  requireFinite(B, 'B')
  const { kernels, at, packed, permutation } = factor(A)
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
  const rows = new Float64Array(n * k)
  for (let i = 0; i < n; i++) rows.set(B.data.subarray(permutation[i]! * k, (permutation[i]! + 1) * k), i * k)
  const x = put(rows)
  kernels.solveTriangular(at, n, 1, n, x, k, 0, 1)
  kernels.solveTriangular(at, n, 1, n, x, k, 1, 0)
  return matrix(n, k, take(x, n * k))
}

/** sign * exp(logAbs): the product itself overflows early. A singular matrix has sign 0 and logAbs -Infinity. */
export function determinant(A: Matrix): { sign: -1 | 0 | 1; logAbs: number } {
  requireSquare(A)
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
