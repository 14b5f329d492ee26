/** Cholesky factorisation of symmetric positive definite matrices, and solving with it. */
import { OverhearError } from '../../errors.js'
import { requireRows, requireSquare, requireSymmetric } from './linalg-input.js'
import { type Matrix, matrix } from './matrix.js'
import { openWorkspace, put, putMatrix, take } from './workspace.js'

/** Lower L with L Lᵀ = A, read from A's lower triangle. An error names the first pivot that is not positive. */
export function cholesky(A: Matrix): Matrix {
  const n = A.rows
  const kernels = openWorkspace()
  const { at } = putMatrix(A)
  requireSymmetric(A)
  const stop = kernels.factorCholesky(at, n)
  const L = take(at, n * n)
  if (stop >= 0) {
    throw new OverhearError(
      'E_VALUE',
      `A is not positive definite: pivot ${stop} is ${L[stop * n + stop]!}`,
      'add to the diagonal, or use symmetricEigen or lu',
    )
  }
  for (let i = 0; i < n; i++) L.fill(0, i * n + i + 1, (i + 1) * n)
  return matrix(n, n, L)
}

/** X with L Lᵀ X = B, for L from `cholesky`. */
export function choleskySolve(L: Matrix, B: Matrix): Matrix {
  requireSquare(L, 'L')
  requireRows(B, L.rows)
  const n = L.rows
  for (let i = 0; i < n; i++) {
    if (L.data[i * n + i] === 0) {
      throw new OverhearError('E_VALUE', `L[${i}, ${i}] is 0`, 'L must be a factor that cholesky gave')
    }
  }
  const kernels = openWorkspace()
  const { at } = putMatrix(L, 'L')
  const { at: x } = putMatrix(B, 'B')
  kernels.solveTriangular(at, n, 1, n, x, B.cols, 0, 0)
  kernels.solveTriangular(at, 1, n, n, x, B.cols, 1, 0)
  return matrix(n, B.cols, take(x, n * B.cols))
}

/** Columns of an inverse that are solved for together. */
const block = 96

/** L⁻¹, for L from `cholesky`; the sums of squares of its columns are the diagonal of (L Lᵀ)⁻¹. */
export function lowerInverse(L: Matrix): Matrix {
  requireSquare(L, 'L')
  const n = L.rows
  const X = matrix(n, n)
  const kernels = openWorkspace()
  const { at } = putMatrix(L, 'L')
  for (let from = 0; from < n; from += block) {
    // Above its diagonal a column is zero: only the trailing part of L is needed.
    const [size, cols] = [n - from, Math.min(block, n - from)]
    const unit = new Float64Array(size * cols)
    for (let j = 0; j < cols; j++) unit[j * cols + j] = 1
    const x = put(unit)
    kernels.solveTriangular(at + 8 * (from * n + from), n, 1, size, x, cols, 0, 0)
    const solved = take(x, size * cols)
    for (let i = 0; i < size; i++) X.data.set(solved.subarray(i * cols, (i + 1) * cols), (from + i) * n + from)
  }
  return X
}
