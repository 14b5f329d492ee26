/** Each client's expected feature, from the sums alone: (weighted, ridge) least squares on the participation matrix. */
import { leastSquares } from '../../numeric/linalg/least-squares.js'
import { lsqr } from '../../numeric/linalg/lsqr.js'
import { type Matrix, matrix, rowOf } from '../../numeric/linalg/matrix.js'
import { columnOf } from '../../numeric/linalg/matrix-vector.js'
import { ridge } from '../../numeric/linalg/ridge.js'
import { denseFromSparse, type SparseMatrix } from '../../numeric/linalg/sparse.js'
import type { FeatureSums } from './detector/feature-sums.js'
import { firstRows, scaledRows } from './participation-matrix.js'

export interface ExpectedOptions {
  /** v_r; 1 unless told. */
  readonly weights?: Float64Array
  readonly lambda: number
  /** Entries of A above which it stays sparse and is only multiplied with. */
  readonly mostDense?: number
}

const usualDense = 4_000_000

/** [prolin] Eq. (9): argmin over x of sum_r v_r (G_r - A_r x)^2 + lambda ||x||^2; the shortest one if there are many. */
export function expectedFeatures(
  { A, G }: Pick<FeatureSums, 'A' | 'G'>,
  { weights, lambda, mostDense = usualDense }: ExpectedOptions,
): Float64Array {
  if (A.rows * A.cols <= mostDense) {
    const dense = denseFromSparse(A)
    if (lambda === 0 && weights === undefined) return leastSquares(dense, columnOf(G)).X.data
    return ridge(dense, G, { lambda, ...(weights !== undefined && { weights }) }).x
  }
  const root = weights?.map((v) => Math.sqrt(v))
  const b = root === undefined ? G : G.map((g, r) => root[r]! * g)
  return lsqr(root === undefined ? A : scaledRows(A, root), b, { beta: lambda, tolerance: 1e-10 }).x
}

/** The same for several right-hand sides, the rows of `B` [k, n], without weights: one solution a row. */
export function leastSquaresRows(A: SparseMatrix, B: Matrix, { mostDense = usualDense } = {}): Matrix {
  const [k, n, N] = [B.rows, A.rows, A.cols]
  const X = matrix(k, N)
  if (n * N <= mostDense) {
    const right = matrix(n, k)
    for (let i = 0; i < k; i++) for (let r = 0; r < n; r++) right.data[r * k + i] = B.data[i * n + r]!
    const found = leastSquares(denseFromSparse(A), right).X
    for (let i = 0; i < k; i++) for (let j = 0; j < N; j++) X.data[i * N + j] = found.data[j * k + i]!
    return X
  }
  for (let i = 0; i < k; i++) {
    X.data.set(lsqr(A, rowOf(B, i), { tolerance: 1e-10 }).x, i * N)
  }
  return X
}

/** The sums of the first k rounds. */
export function firstRounds({ A, G, shapes }: FeatureSums, k: number): FeatureSums {
  return { A: firstRows(A, k), G: G.slice(0, k), shapes: shapes.slice(0, k) }
}
