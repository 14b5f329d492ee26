/** The linear system behind iLRG: class embeddings, the probabilities they give, and the counts that explain the bias. */
import { OverhearError } from '../../../errors.js'
import { leastSquares } from '../../../numeric/linalg/least-squares.js'
import { solve } from '../../../numeric/linalg/lu.js'
import { type Matrix, matrix, rowOf } from '../../../numeric/linalg/matrix.js'
import { multiplyTransposedVector } from '../../../numeric/linalg/matrix-vector.js'
import { dot, norm } from '../../../numeric/linalg/vector.js'
import { largestMagnitude, meanOf, totalOf } from '../../../numeric/special/summaries.js'
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
function commonEmbedding({ gradW, gradB }: BiasedGradient): Float64Array {
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
  const least = tiny * largestMagnitude(gradB)
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

export interface SolvedCounts {
  /** k before it is made whole. */
  readonly unrounded: Float64Array
  readonly counts: Int32Array
  /** A lower bound on the condition number of the square system, in the maximum norm; Infinity for a singular one. */
  readonly conditionAtLeast: number
  /** Many k fit; this is the shortest. */
  readonly minimumNorm: boolean
  /** How far the weights' gradient is from that of `counts` records at these embeddings, relative to its length. */
  readonly misfit: number
}

/** Counts beyond this many times K are those of a singular system. */
const absurd = 1e3

/**
 * [labels] Eq. (3.21): sum k = K and (P - I) k = K gradB, column j of P being softmax(W a_j + b). The columns of P - I sum
 * to zero, so that the n + 1 equations are (P - I + 11ᵀ / n) k = K (gradB - its mean) + K / n: what is left of gradB is
 * the residual of the pseudo-inverse, which serves only where this square system is singular.
 */
export function solveCounts(embeddings: Matrix, layer: Layer, gradient: BiasedGradient): SolvedCounts {
  const { gradB, recordCount: K } = gradient
  const n = gradB.length
  const P = probabilities(embeddings, layer).data // row j: the column of the paper
  const mean = meanOf(gradB)
  const A = matrix(n, n)
  const y = new Float64Array(n)
  for (let i = 0; i < n; i++) {
    y[i] = K * (gradB[i]! - mean + 1 / n)
    for (let j = 0; j < n; j++) A.data[i * n + j] = P[j * n + i]! + 1 / n
    A.data[i * n + i]! -= 1
  }
  const { k: unrounded, ...how } = solved(A, y, absurd * K)
  const counts = roundedTo(K, unrounded)
  return { unrounded, counts, ...how, misfit: misfitOf(counts, { embeddings, P, gradient }) }
}

interface Solution {
  readonly k: Float64Array
  readonly minimumNorm: boolean
  readonly conditionAtLeast: number
}

/** Beside y, vectors of signs are solved for: the longest answer bounds the inverse from below at no further cost. */
function solved(A: Matrix, y: Float64Array, most: number): Solution {
  const n = y.length
  const signs = 3
  const Y = matrix(n, 1 + signs)
  for (let i = 0; i < n; i++) {
    Y.data[i * Y.cols] = y[i]!
    for (let v = 0; v < signs; v++) Y.data[i * Y.cols + 1 + v] = (i >> v) & 1 ? -1 : 1
  }
  try {
    const X = solve(A, Y)
    const k = y.map((_, i) => X.data[i * X.cols]!)
    const inverse = X.data.reduce((largest, v, at) => (at % X.cols === 0 ? largest : Math.max(largest, Math.abs(v))), 0)
    const conditionAtLeast = largestRowSum(A) * inverse
    if (k.every((v) => Math.abs(v) <= most)) return { k, minimumNorm: false, conditionAtLeast }
  } catch (error) {
    if (!(error instanceof OverhearError)) throw error // a pivot of zero
  }
  const { X, minimumNorm } = leastSquares(A, matrix(n, 1, y), { tolerance: 1 / most })
  return { k: X.data, minimumNorm, conditionAtLeast: Number.POSITIVE_INFINITY }
}

function largestRowSum({ rows, cols, data }: Matrix): number {
  let largest = 0
  for (let i = 0; i < rows; i++) {
    let sum = 0
    for (let j = 0; j < cols; j++) sum += Math.abs(data[i * cols + j]!)
    largest = Math.max(largest, sum)
  }
  return largest
}

interface Explanation {
  readonly embeddings: Matrix
  readonly P: Float64Array
  readonly gradient: BiasedGradient
}

/** gradW against (1/K) sum over j of k_j (P_j - e_j) a_jᵀ. */
function misfitOf(counts: Int32Array, { embeddings, P, gradient }: Explanation): number {
  const { gradW, recordCount: K } = gradient
  const { rows: n, cols: m } = gradW
  const left = gradW.data.slice()
  for (const [j, k] of counts.entries()) {
    if (k === 0) continue
    const a = rowOf(embeddings, j)
    for (let i = 0; i < n; i++) {
      const by = (k / K) * (P[j * n + i]! - (i === j ? 1 : 0))
      for (let f = 0; f < m; f++) left[i * m + f]! -= by * a[f]!
    }
  }
  const size = norm(gradW.data)
  return size === 0 ? 0 : norm(left) / size
}

/** Whole numbers from 0 that sum to `total`: each rounded, then those that were rounded furthest moved by one. */
export function roundedTo(total: number, real: Float64Array): Int32Array {
  const counts = Int32Array.from(real, (v) => Math.min(total, Math.round(Math.max(0, v))))
  let excess = totalOf(counts) - total
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
