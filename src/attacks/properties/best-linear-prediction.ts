/** Best linear prediction of who has the property: the posterior's mean if everything were normal, in closed form. */
import { cholesky, choleskySolve } from '../../numeric/linalg/cholesky.js'
import { lsqr } from '../../numeric/linalg/lsqr.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { columnOf } from '../../numeric/linalg/matrix-vector.js'
import type { SparseMatrix } from '../../numeric/linalg/sparse.js'
import { log, sigmoid } from '../../numeric/special/elementary-functions.js'
import type { FeatureShape } from './detector/detector.js'
import type { FeatureSums } from './detector/feature-sums.js'
import { rowSums, scaledRows } from './participation-matrix.js'

/** N above which the system is solved by products alone. */
const mostDense = 1000

/**
 * Variance of G_r that no client's features explain: f- was measured on m updates, so that its mean is off by
 * std / sqrt(m), and this error enters once for every participant.
 */
export function measuringVariance(weight: number, { minusStd: s, measured: m }: FeatureShape): number {
  return (weight * weight * s * s) / m
}

export interface Blup {
  /** The best linear prediction of c_i: near 0 or 1, and now and then outside. */
  readonly q: Float64Array
  /** P(c_i = 1 | q_i). */
  readonly probability: Float64Array
}

/**
 * With B = diag(mu+ - mu-) A and c of mean phi, variance phi (1 - phi):
 *   q = phi + (BᵀD⁻¹B + I / (phi (1 - phi)))⁻¹ BᵀD⁻¹ (G - A mu- - phi B 1).
 */
export function blup({ A, G, shapes }: FeatureSums, phi: number): Blup {
  const delta = Float64Array.from(shapes, ({ plusMean, minusMean }) => plusMean - minusMean)
  const root = new Float64Array(A.rows) // D^-1/2
  const weights = rowSums(A)
  for (const [r, shape] of shapes.entries()) {
    const spread = phi * shape.plusStd * shape.plusStd + (1 - phi) * shape.minusStd * shape.minusStd
    let D = measuringVariance(weights[r]!, shape)
    for (let p = A.rowStart[r]!; p < A.rowStart[r + 1]!; p++) D += A.value[p]! * A.value[p]! * spread
    root[r] = 1 / Math.sqrt(D)
  }
  const B = scaledRows(
    A,
    root.map((d, r) => d * delta[r]!),
  )
  const z = G.map((g, r) => root[r]! * (g - weights[r]! * (shapes[r]!.minusMean + phi * delta[r]!)))
  const lambda = 1 / (phi * (1 - phi))
  const q = solve(B, z, lambda).map((x) => phi + x)
  const left = leftVariance(B, lambda)
  return { q, probability: q.map((x, i) => calibrated(x, phi, left[i]! * lambda)) }
}

/**
 * Variance of c_i that is left once the sums are known. What the others leave unexplained is noise to client i:
 *   1/t_i = lambda + sum over r of B_ri^2 / (1 + sum over j != i of B_rj^2 t_j), solved by repetition.
 */
function leftVariance(B: SparseMatrix, lambda: number): Float64Array {
  let t = new Float64Array(B.cols).fill(1 / lambda)
  for (let turn = 0; turn < 30; turn++) {
    const precision = new Float64Array(B.cols).fill(lambda)
    for (let r = 0; r < B.rows; r++) {
      let all = 1
      for (let p = B.rowStart[r]!; p < B.rowStart[r + 1]!; p++) all += B.value[p]! * B.value[p]! * t[B.column[p]!]!
      for (let p = B.rowStart[r]!; p < B.rowStart[r + 1]!; p++) {
        const square = B.value[p]! * B.value[p]!
        precision[B.column[p]!]! += square / (all - square * t[B.column[p]!]!)
      }
    }
    t = precision.map((x) => 1 / x)
  }
  return t
}

/**
 * q given c is normal about phi + (c - phi) k with variance k (1 - k) phi (1 - phi), where 1 - k is the share of the
 * variance that is left; a prediction is shrunk, so that its own value would be too timid a probability.
 */
function calibrated(q: number, phi: number, left: number): number {
  const k = Math.min(Math.max(1 - left, 1e-12), 1 - 1e-12)
  const variance = k * (1 - k) * phi * (1 - phi)
  const [having, lacking] = [q - phi - (1 - phi) * k, q - phi + phi * k]
  return sigmoid((lacking * lacking - having * having) / (2 * variance) + log(phi / (1 - phi)))
}

/** (BᵀB + lambda I)⁻¹ Bᵀz; lambda is at least 4, so that nothing is lost by forming BᵀB. */
function solve(B: SparseMatrix, z: Float64Array, lambda: number): Float64Array {
  const N = B.cols
  if (N > mostDense) return lsqr(B, z, { beta: lambda, tolerance: 1e-10 }).x
  const M = matrix(N, N)
  const right = new Float64Array(N)
  for (let i = 0; i < N; i++) M.data[i * N + i] = lambda
  for (let r = 0; r < B.rows; r++) {
    for (let p = B.rowStart[r]!; p < B.rowStart[r + 1]!; p++) {
      right[B.column[p]!]! += B.value[p]! * z[r]!
      for (let q = B.rowStart[r]!; q < B.rowStart[r + 1]!; q++) {
        M.data[B.column[p]! * N + B.column[q]!]! += B.value[p]! * B.value[q]!
      }
    }
  }
  return choleskySolve(cholesky(M), columnOf(right)).data
}
