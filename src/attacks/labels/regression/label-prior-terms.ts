/**
 * Covariances of a gradient and of the mean errors of metaclasses under e = m_i + h . (a - abar) + c_i + r, in four parts:
 * what is there anyhow, and what grows with the squares of t (c_i ~ N(0, t^2)), tau (h ~ N(0, tau^2 I + w w^T)) and v
 * (r ~ N(0, v^2)). With p_i = k_i / K
 *   grad = sum_i p_i e_i (1, abar_i) + W h + drift, W = sum_i p_i Cov_i(a),
 * where W h is the covariance of error and embedding inside the metaclasses, which [labels] Eq. (4.8) leaves out, and the
 * drift is that of a batch's own embeddings: sum_i (p_i^2 e_i^2 (1/k_i + 1/n_i) + (p_i / K) var_i(e)) Cov_i(a).
 */
import { type Matrix, matrix, multiply, transpose } from '../../../numeric/linalg/matrix.js'
import { multiplyVector } from '../../../numeric/linalg/matrix-vector.js'
import { dot } from '../../../numeric/linalg/vector.js'
import { totalOf } from '../../../numeric/special/summaries.js'
import { addMatrixInto, addOuterInto, traceOf } from './gaussian-steps.js'
import { meanRow, scatterOf } from './metaclass-groups.js'

export interface PriorShape {
  readonly embeddings: Matrix // of auxiliary records
  /** The last layer, laid out as an embedding. */
  readonly w: Float64Array
  /** Auxiliary rows of the metaclasses that are in the batch. */
  readonly rows: readonly (readonly number[])[]
  /** Their numbers of records in the batch. */
  readonly counts: readonly number[]
}

type Four<T> = readonly [T, T, T, T]

export interface PriorParts {
  readonly gradient: Four<Matrix> // [m, m]
  readonly cross: Four<Matrix> // [m, N]
  readonly own: Four<Float64Array> // variances of the N errors
  /** Of `gradient`, what is noise. */
  readonly drift: Four<Matrix>
  /** p_i (1, abar_i). */
  readonly columns: readonly Float64Array[]
  /** Total variance of an embedding. */
  readonly spread: number
  /** Variance of an embedding inside each metaclass, and of the prediction w . a there. */
  readonly within: readonly number[]
  readonly counts: readonly number[]
  readonly predicted: readonly number[]
}

/** `centre` holds the m_i. */
export function partsOf(shape: PriorShape, centre: Float64Array): PriorParts {
  const spots = spotsOf(shape)
  const { counts, columns, offsets, within, distances, spread, covariances } = spots
  const { w } = shape
  const [m, N] = [w.length, counts.length]
  const T = linearMap(spots)
  const Tw = multiplyVector(T, w)
  const drift = driftOf(spots, centre)
  const gradient = drift.map((part) => matrix(m, m, part.data.slice())) as unknown as Four<Matrix>
  addOuterInto(gradient[0], Tw, 1)
  addMatrixInto(gradient[2], multiply(T, transpose(T)), 1)
  for (const [c, column] of columns.entries()) {
    addOuterInto(gradient[1], column, 1)
    addOuterInto(gradient[2], column, within[c]! / counts[c]!)
    addOuterInto(gradient[3], column, 1 / counts[c]!)
  }
  const along = offsets.map((offset) => dot(offset, w))
  const through = offsets.map((offset) => multiplyVector(T, offset))
  return {
    gradient,
    drift,
    columns,
    spread,
    within,
    counts,
    predicted: covariances.map((C) => dot(w, multiplyVector(C, w))),
    cross: [
      besides(m, N, (a, c) => Tw[a]! * along[c]!),
      besides(m, N, (a, c) => columns[c]![a]!),
      besides(m, N, (a, c) => (columns[c]![a]! * within[c]!) / counts[c]! + through[c]![a]!),
      besides(m, N, (a, c) => columns[c]![a]! / counts[c]!),
    ],
    own: [
      Float64Array.from(along, (by) => by * by),
      new Float64Array(N).fill(1),
      Float64Array.from(distances, (d, c) => d + within[c]! / counts[c]!),
      Float64Array.from(counts, (k) => 1 / k),
    ],
  }
}

/** Where the metaclasses lie, and how far their embeddings spread. */
function spotsOf({ embeddings, rows, counts }: PriorShape) {
  const m = embeddings.cols
  const K = totalOf(counts)
  const p = counts.map((k) => k / K)
  const means = rows.map((own) => meanRow(embeddings, own))
  const covariances = rows.map((own, c) => covarianceOf(embeddings, own, means[c]!))
  const middle = new Float64Array(m)
  for (const [c, mean] of means.entries()) for (let a = 0; a < m; a++) middle[a]! += p[c]! * mean[a]!
  const offsets = means.map((mean) => mean.map((x, a) => x - middle[a]!)) // abar_i - abar
  const columns = means.map((mean, c) => mean.map((x) => p[c]! * x))
  const within = covariances.map(traceOf)
  const distances = offsets.map((offset) => dot(offset, offset))
  const spread = p.reduce((sum, share, c) => sum + share * (within[c]! + distances[c]!), 0)
  const sizes = rows.map((own) => own.length)
  return { m, K, p, counts, sizes, covariances, offsets, columns, within, distances, spread }
}
type Spots = ReturnType<typeof spotsOf>

/** T h is what a linear part adds to the gradient: through the metaclasses' means, and inside them. */
function linearMap({ m, p, counts, columns, offsets, covariances }: Spots): Matrix {
  const T = matrix(m, m)
  for (const [c, column] of columns.entries()) {
    for (let a = 0; a < m; a++) for (let b = 0; b < m; b++) T.data[a * m + b]! += column[a]! * offsets[c]![b]!
    addMatrixInto(T, covariances[c]!, (p[c]! * Math.max(0, counts[c]! - 1)) / counts[c]!)
  }
  return T
}

function driftOf(
  { m, K, p, counts, sizes, covariances, within, distances }: Spots,
  centre: Float64Array,
): Four<Matrix> {
  const drift: Four<Matrix> = [matrix(m, m), matrix(m, m), matrix(m, m), matrix(m, m)]
  for (const [c, C] of covariances.entries()) {
    const k = counts[c]!
    const apart = p[c]! * p[c]! * (1 / k + 1 / sizes[c]!)
    addMatrixInto(drift[0], C, apart * centre[c]! * centre[c]!)
    addMatrixInto(drift[1], C, apart)
    addMatrixInto(drift[2], C, apart * (within[c]! / k + distances[c]!) + (p[c]! / K) * within[c]!)
    addMatrixInto(drift[3], C, apart / k + p[c]! / K)
  }
  // A grain of noise in every direction but the bias's, whose entry is exact.
  const grain = (1e-6 * traceOf(drift[0])) / m
  for (let a = 1; a < m; a++) drift[0].data[a * m + a]! += grain
  return drift
}

function besides(m: number, N: number, entry: (a: number, c: number) => number): Matrix {
  const B = matrix(m, N)
  for (let a = 0; a < m; a++) for (let c = 0; c < N; c++) B.data[a * N + c] = entry(a, c)
  return B
}

function covarianceOf(points: Matrix, rows: readonly number[], mean: Float64Array): Matrix {
  const { cols: m } = points
  const left = Math.max(1, rows.length - 1)
  return matrix(
    m,
    m,
    scatterOf(points, rows, mean).data.map((x) => x / left),
  )
}
