/** Each client's part of noisy sums, shrunk towards what all have in common as far as the sums themselves suggest. */
import { symmetricEigen } from '../../numeric/linalg/eigen.js'
import { matrix, rowOf, transpose } from '../../numeric/linalg/matrix.js'
import { multiplyTransposedVector, multiplyVector } from '../../numeric/linalg/matrix-vector.js'
import { denseFromSparse, type SparseMatrix } from '../../numeric/linalg/sparse.js'
import { dot } from '../../numeric/linalg/vector.js'
import { log } from '../../numeric/special/elementary-functions.js'
import { scaledRows } from './participation-matrix.js'

export interface Shares {
  readonly x: Float64Array
  /** The common mean. */
  readonly common: number
  /** Variance of a round's noise over that between clients; infinite when clients do not seem to differ. */
  readonly ratio: number
}

/** From clients that differ much to clients that are all alike. */
const ratios = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000]

/**
 * y_r = sum over i of A_ri x_i + e_r with x_i ~ N(common, tau^2) and e_r ~ N(0, sigma^2 noise_r^2). The ratio
 * sigma^2 / tau^2 is the one of largest likelihood with the common mean and sigma profiled out.
 */
export function shrunkShares(A: SparseMatrix, y: Float64Array, noise: Float64Array): Shares {
  const n = A.rows
  const root = noise.map((std) => 1 / std)
  const B = denseFromSparse(scaledRows(A, root))
  const z = y.map((v, r) => v * root[r]!)
  const ones = multiplyVector(B, new Float64Array(A.cols).fill(1))
  const K = matrix(n, n)
  for (let r = 0; r < n; r++) {
    const row = rowOf(B, r)
    for (let s = 0; s <= r; s++) {
      const value = dot(row, rowOf(B, s))
      K.data[r * n + s] = value
      K.data[s * n + r] = value
    }
  }
  const { values, vectors } = symmetricEigen(K)
  const turn = transpose(vectors)
  const [a, b] = [multiplyVector(turn, z), multiplyVector(turn, ones)]
  let best = { likelihood: Number.NEGATIVE_INFINITY, ratio: 0, common: 0 }
  for (const ratio of ratios) {
    // Cov = sigma^2 (I + K / ratio), diagonal in these coordinates.
    const weight = values.map((k) => 1 / (1 + Math.max(0, k) / ratio))
    let [ab, bb] = [0, 0]
    for (let r = 0; r < n; r++) {
      ab += weight[r]! * a[r]! * b[r]!
      bb += weight[r]! * b[r]! * b[r]!
    }
    const common = bb > 0 ? ab / bb : 0
    let [squares, logs] = [0, 0]
    for (let r = 0; r < n; r++) {
      const e = a[r]! - common * b[r]!
      squares += weight[r]! * e * e
      logs += log(weight[r]!)
    }
    const likelihood = 0.5 * logs - 0.5 * n * log(squares / n + Number.MIN_VALUE)
    if (likelihood > best.likelihood) best = { likelihood, ratio, common }
  }
  const { ratio, common } = best
  // x = common + Bᵀ (K + ratio I)⁻¹ (z - common B 1)
  const inner = a.map((v, r) => (v - common * b[r]!) / (Math.max(0, values[r]!) + ratio))
  const x = multiplyTransposedVector(B, multiplyVector(vectors, inner)).map((v) => common + v)
  return { x, common, ratio }
}
