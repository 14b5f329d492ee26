/** The linear system behind iLRG: class embeddings, the probabilities they give, and the counts that explain the bias. */
import { type LeastSquaresResult, leastSquares } from '../../numeric/least-squares.js'
import { type Matrix, matrix } from '../../numeric/matrix.js'
import { multiplyTransposedVector } from '../../numeric/matrix-vector.js'
import { dot } from '../../numeric/vector.js'
import type { Layer } from './class-head.js'
import { probabilities } from './reference-gradients.js'

/** The gradient of a last layer with a bias, and how many records it is of. */
export interface BiasedGradient {
  readonly gradW: Matrix // [n, m]
  readonly gradB: Float64Array // [n]
  readonly recordCount: number // K
}

/** Below this share of the largest entry, a bias gradient is rounding and its row says nothing of an embedding. */
const tiny = 1e-12

/**
 * One embedding for all records, fitted to gradW_i = gradB_i a over the rows, and drawn towards 0 as far as the misfit
 * makes it noise (the positive-part James-Stein rule): with equal numbers of every class it is noise throughout.
 */
export function commonEmbedding({ gradW, gradB }: BiasedGradient): Float64Array {
  const { rows: n, cols: m, data } = gradW
  const scale = dot(gradB, gradB)
  if (scale === 0) return new Float64Array(m) // entries whose squares underflow
  const a = multiplyTransposedVector(gradW, gradB).map((v) => v / scale)
  let misfitSq = 0
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      const miss = data[i * m + j]! - gradB[i]! * a[j]!
      misfitSq += miss * miss
    }
  }
  const noiseVar = misfitSq / ((n - 1) * scale) // of a, summed over its m entries
  const kept = Math.max(0, 1 - noiseVar / Math.max(dot(a, a), Number.MIN_VALUE))
  return a.map((v) => kept * v)
}

/** [labels] Eq. (3.19): row j is gradW_j / gradB_j. departs: where gradB_j is rounding, the common embedding stands in. */
export function classEmbeddings(gradient: BiasedGradient): Matrix {
  const { gradW, gradB } = gradient
  const { rows: n, cols: m, data } = gradW
  const common = commonEmbedding(gradient)
  const least = tiny * gradB.reduce((most, v) => Math.max(most, Math.abs(v)), 0)
  const E = matrix(n, m)
  for (let j = 0; j < n; j++) {
    const clear = Math.abs(gradB[j]!) > least
    for (let f = 0; f < m; f++) E.data[j * m + f] = clear ? data[j * m + f]! / gradB[j]! : common[f]!
  }
  return E
}

/**
 * Ours. Row j of the gradient also holds what the other classes' records put there: with probabilities pi that are nearly
 * the same for all, gradW_j = pi_j a - kappa_j a_j for the mean embedding a and the share kappa_j = pi_j - gradB_j. Hence
 * a_j = a - (gradW_j - gradB_j a) / kappa_j, which has no pole where a class has its expected share (gradB_j = 0).
 */
export function splitEmbeddings(gradient: BiasedGradient, layer: Layer): Matrix {
  const { gradW, gradB, recordCount: K } = gradient
  const { rows: n, cols: m, data } = gradW
  const a = commonEmbedding(gradient)
  const pi = probabilities(matrix(1, m, a), layer).data
  const E = matrix(n, m)
  for (let j = 0; j < n; j++) {
    const kappa = Math.max(pi[j]! - gradB[j]!, 0.5 / K)
    for (let f = 0; f < m; f++) E.data[j * m + f] = a[f]! - (data[j * m + f]! - gradB[j]! * a[f]!) / kappa
  }
  return E
}

/** [labels] Eq. (3.21): sum k = K and (P - I) k = K gradB, column j of P being softmax(W a_j + b). */
export function solveCounts(embeddings: Matrix, layer: Layer, gradient: BiasedGradient): LeastSquaresResult {
  const { gradB, recordCount: K } = gradient
  const n = gradB.length
  const P = probabilities(embeddings, layer).data // row j: the column of the paper
  const A = matrix(n + 1, n)
  const y = matrix(n + 1, 1)
  A.data.fill(1, 0, n)
  y.data[0] = K
  for (let i = 0; i < n; i++) {
    y.data[i + 1] = K * gradB[i]!
    for (let j = 0; j < n; j++) A.data[(i + 1) * n + j] = P[j * n + i]! - (i === j ? 1 : 0)
  }
  return leastSquares(A, y)
}

/** Whole numbers from 0 that sum to `total`: each rounded, then those that were rounded furthest moved by one. */
export function roundedTo(total: number, real: Float64Array): Int32Array {
  const counts = Int32Array.from(real, (v) => Math.min(total, Math.round(Math.max(0, v))))
  let excess = counts.reduce((sum, k) => sum + k, 0) - total
  while (excess !== 0) {
    const sign = Math.sign(excess)
    let furthest = -1
    let most = Number.NEGATIVE_INFINITY
    for (const [i, k] of counts.entries()) {
      const error = sign * (k - real[i]!)
      if (error > most && (sign < 0 || k > 0)) {
        furthest = i
        most = error
      }
    }
    counts[furthest]! -= sign
    excess -= sign
  }
  return counts
}
