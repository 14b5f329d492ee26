/** Sparse matrices in compressed rows, and what iterative solvers need of any matrix. */
import { OverhearError } from '../../errors.js'
import { requireFinite } from './linalg-input.js'
import { type Matrix, matrix } from './matrix.js'
import { multiplyTransposedVector, multiplyVector, requireVector } from './matrix-vector.js'

/** Row i holds the entries rowStart[i] .. rowStart[i + 1] − 1 of `column` (ascending within a row) and `value`. */
export interface SparseMatrix {
  readonly rows: number
  readonly cols: number
  readonly rowStart: Int32Array // rows + 1
  readonly column: Int32Array
  readonly value: Float64Array
}

export type Triplet = readonly [row: number, column: number, value: number]

/** Duplicates add up, in the order given; entries that are zero are not stored. */
export function sparseFromTriplets(
  { rows, cols }: { readonly rows: number; readonly cols: number },
  triplets: readonly Triplet[],
): SparseMatrix {
  for (const [i, j, value] of triplets) {
    if (!(Number.isInteger(i) && Number.isInteger(j) && i >= 0 && i < rows && j >= 0 && j < cols)) {
      throw new OverhearError('E_SHAPE', `entry [${i}, ${j}] of a ${rows} x ${cols} matrix`, 'it lies outside')
    }
    if (!Number.isFinite(value)) {
      throw new OverhearError('E_NON_FINITE', `entry [${i}, ${j}] is ${value}`, 'every entry must be finite')
    }
  }
  const order = triplets.map((_, t) => t)
  order.sort((s, t) => triplets[s]![0] - triplets[t]![0] || triplets[s]![1] - triplets[t]![1])
  const kept: { i: number; j: number; sum: number }[] = []
  for (const t of order) {
    const [i, j, value] = triplets[t]!
    const last = kept.at(-1)
    if (last !== undefined && last.i === i && last.j === j) last.sum += value
    else kept.push({ i, j, sum: value })
  }
  const entries = kept.filter(({ sum }) => sum !== 0)
  const rowStart = new Int32Array(rows + 1)
  for (const { i } of entries) rowStart[i + 1]!++
  for (let i = 0; i < rows; i++) rowStart[i + 1]! += rowStart[i]!
  return {
    rows,
    cols,
    rowStart,
    column: Int32Array.from(entries, ({ j }) => j),
    value: Float64Array.from(entries, ({ sum }) => sum),
  }
}

export function sparseFromDense(A: Matrix): SparseMatrix {
  const triplets: Triplet[] = []
  for (let i = 0; i < A.data.length; i++) {
    if (A.data[i] !== 0) triplets.push([Math.floor(i / A.cols), i % A.cols, A.data[i]!])
  }
  return sparseFromTriplets(A, triplets)
}

export function denseFromSparse(A: SparseMatrix): Matrix {
  const D = matrix(A.rows, A.cols)
  for (let i = 0; i < A.rows; i++) {
    for (let p = A.rowStart[i]!; p < A.rowStart[i + 1]!; p++) D.data[i * A.cols + A.column[p]!] = A.value[p]!
  }
  return D
}

/** A x. */
export function sparseMultiply(A: SparseMatrix, x: Float64Array): Float64Array {
  requireVector(x, { length: A.cols, name: 'x' })
  const y = new Float64Array(A.rows)
  for (let i = 0; i < A.rows; i++) {
    let sum = 0
    for (let p = A.rowStart[i]!; p < A.rowStart[i + 1]!; p++) sum += A.value[p]! * x[A.column[p]!]!
    y[i] = sum
  }
  return y
}

/** Aᵀ y. */
export function sparseMultiplyTransposed(A: SparseMatrix, y: Float64Array): Float64Array {
  requireVector(y, { length: A.rows, name: 'y' })
  const x = new Float64Array(A.cols)
  for (let i = 0; i < A.rows; i++) {
    const factor = y[i]!
    for (let p = A.rowStart[i]!; p < A.rowStart[i + 1]!; p++) x[A.column[p]!]! += factor * A.value[p]!
  }
  return x
}

/** A matrix known only by what it does to vectors. */
export interface LinearOperator {
  readonly rows: number
  readonly cols: number
  apply(x: Float64Array): Float64Array // A x
  applyTransposed(y: Float64Array): Float64Array // Aᵀ y
}

/** A dense or sparse matrix as an operator; one that is an operator already, itself. */
export function operatorOf(A: Matrix | SparseMatrix | LinearOperator): LinearOperator {
  if ('apply' in A) return A
  const { rows, cols } = A
  if ('rowStart' in A) {
    return { rows, cols, apply: (x) => sparseMultiply(A, x), applyTransposed: (y) => sparseMultiplyTransposed(A, y) }
  }
  requireFinite(A)
  return { rows, cols, apply: (x) => multiplyVector(A, x), applyTransposed: (y) => multiplyTransposedVector(A, y) }
}
