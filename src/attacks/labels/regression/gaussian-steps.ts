/** Small steps of Gaussian conditioning: covariances put together from parts, evidence, and averages over a grid. */
import { OverhearError } from '../../../errors.js'
import { cholesky, choleskySolve } from '../../../numeric/linalg/cholesky.js'
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import { columnOf } from '../../../numeric/linalg/matrix-vector.js'
import { dot } from '../../../numeric/linalg/vector.js'
import { exp, log } from '../../../numeric/special/elementary-functions.js'
import { totalOf } from '../../../numeric/special/summaries.js'

/** B += scale * C. */
export function addMatrixInto(B: Matrix, C: Matrix, scale: number): void {
  for (let q = 0; q < B.data.length; q++) B.data[q]! += scale * C.data[q]!
}

/** B += scale * u u^T. */
export function addOuterInto(B: Matrix, u: Float64Array, scale: number): void {
  const m = u.length
  for (let a = 0; a < m; a++) {
    const by = scale * u[a]!
    if (by === 0) continue
    for (let b = 0; b < m; b++) B.data[a * m + b]! += by * u[b]!
  }
}

export function traceOf({ rows, data }: Matrix): number {
  let sum = 0
  for (let a = 0; a < rows; a++) sum += data[a * rows + a]!
  return sum
}

export interface Conditioned {
  /** S^-1 r. */
  readonly weights: Float64Array
  /** -1/2 (r^T S^-1 r + log det S). */
  readonly logEvidence: number
  /** S^-1 applied to other columns. */
  solve(B: Matrix): Matrix
}

/** r ~ N(0, S). S gets a last grain of its own size on the diagonal where rounding has made it indefinite. */
export function conditioned(S: Matrix, r: Float64Array): Conditioned {
  const m = S.rows
  const L = factorOf(S)
  const weights = choleskySolve(L, columnOf(r)).data
  let logDet = 0
  for (let a = 0; a < m; a++) logDet += 2 * log(L.data[a * m + a]!)
  return { weights, logEvidence: -0.5 * (dot(r, weights) + logDet), solve: (B) => choleskySolve(L, B) }
}

function factorOf(S: Matrix): Matrix {
  const trace = traceOf(S)
  const grain = trace > 0 ? trace / S.rows : 1
  for (const share of [0, 1e-14, 1e-12, 1e-9, 1e-6]) {
    const T = matrix(S.rows, S.rows, S.data.slice())
    for (let a = 0; a < S.rows; a++) T.data[a * S.rows + a]! += share * grain
    try {
      return cholesky(T)
    } catch (error) {
      if (!(error instanceof OverhearError) || error.code !== 'E_VALUE') throw error
    }
  }
  throw new OverhearError('E_VALUE', `a covariance of ${S.rows} numbers is not positive definite`)
}

/** One way to see the data: what it estimates, how surely, and how well it explains them. */
export interface Hypothesis {
  readonly means: Float64Array
  readonly variances: Float64Array
  readonly logEvidence: number
}

/** The mixture of all hypotheses, each weighted by its evidence: means, variances, and the place of the best. */
export function averaged(hypotheses: readonly Hypothesis[]): {
  readonly means: Float64Array
  readonly variances: Float64Array
  readonly best: number
} {
  let best = 0
  for (const [i, one] of hypotheses.entries()) if (one.logEvidence > hypotheses[best]!.logEvidence) best = i
  const weights = hypotheses.map((one) => exp(one.logEvidence - hypotheses[best]!.logEvidence))
  const total = totalOf(weights)
  const n = hypotheses[0]!.means.length
  const means = new Float64Array(n)
  const variances = new Float64Array(n)
  for (const [i, { means: x, variances: v }] of hypotheses.entries()) {
    for (let c = 0; c < n; c++) {
      means[c]! += (weights[i]! * x[c]!) / total
      variances[c]! += (weights[i]! * (v[c]! + x[c]! * x[c]!)) / total
    }
  }
  return { means, variances: variances.map((v, c) => Math.max(0, v - means[c]! * means[c]!)), best }
}

/** `points` numbers from `from` to `to` in geometric progression. */
export function geometric(from: number, to: number, points: number): number[] {
  const step = (log(to) - log(from)) / (points - 1)
  return Array.from({ length: points }, (_, i) => exp(log(from) + i * step))
}
