/** Tikhonov regularisation from one SVD: solutions, L-curve and cross-validation for a whole grid of weights at once. */
import { OverhearError } from '../../errors.js'
import { exp, log } from '../special/elementary-functions.js'
import { type Matrix, matrix } from './matrix.js'
import { requireVector } from './matrix-vector.js'
import { numericalRank } from './pseudo-inverse.js'
import { svd } from './svd.js'

/** A x ≈ b as its singular value decomposition sees it, cut at the numerical rank. */
export interface DiagonalProblem {
  readonly rows: number
  readonly s: Float64Array // σ, descending, all above max(m, n) * 2^-52 of the first
  readonly V: Matrix // [n, min(m, n)]; the first s.length columns count
  readonly c: Float64Array // Uᵀb
  readonly outsideSq: number // ‖b − U Uᵀb‖², which no x reduces
}

/** One point of the curve; beta is the weight of ‖x‖². */
export interface TikhonovPoint {
  readonly beta: number
  readonly misfitSq: number // ‖A x − b‖²
  readonly normSq: number // ‖x‖²
  readonly logMisfit: number // log ‖A x − b‖
  readonly logNorm: number // log ‖x‖
  /** d log misfit / d log norm = −β ‖x‖² / ‖A x − b‖². */
  readonly slope: number
  /** Of the curve (log misfit, log norm) as β grows; the corner of the L is where it is largest. */
  readonly curvature: number
  readonly degreesOfFreedom: number // Σ σ² / (σ² + β), the trace of the matrix that takes b to A x
  readonly gcv: number // m ‖A x − b‖² / (m − degreesOfFreedom)²
}

export function diagonalise(A: Matrix, b: Float64Array): DiagonalProblem {
  requireVector(b, { length: A.rows })
  const { U, s, V } = svd(A)
  const rank = numericalRank(s, Math.max(A.rows, A.cols) * Number.EPSILON)
  const r = s.length
  const c = new Float64Array(rank)
  for (let i = 0; i < A.rows; i++) for (let p = 0; p < rank; p++) c[p]! += U.data[i * r + p]! * b[i]!
  let outsideSq = 0
  for (let i = 0; i < A.rows; i++) {
    let rest = b[i]!
    for (let p = 0; p < rank; p++) rest -= U.data[i * r + p]! * c[p]!
    outsideSq += rest * rest
  }
  return { rows: A.rows, s: s.slice(0, rank), V, c, outsideSq: rank === A.rows ? 0 : outsideSq }
}

/** x(β) = argmin ‖A x − b‖² + β ‖x‖² = Σ σ / (σ² + β) (uᵀb) v; β = 0 gives the pseudo-inverse's. */
export function tikhonovSolution(problem: DiagonalProblem, beta: number): Float64Array {
  requireBeta(beta)
  const { s, c } = problem
  return combine(
    problem,
    s.map((sigma, p) => (sigma / (sigma * sigma + beta)) * c[p]!),
  )
}

export function tikhonovPoint(problem: DiagonalProblem, beta: number): TikhonovPoint {
  requireBeta(beta)
  const { rows: m, s, c, outsideSq } = problem
  let rho = outsideSq
  let eta = 0
  let dEta = 0 // −dη/dβ
  let freedom = 0
  let left = m - s.length // m − freedom, without the cancellation
  for (let p = 0; p < s.length; p++) {
    const sigmaSq = s[p]! * s[p]!
    const bottom = sigmaSq + beta
    const weight = c[p]! / bottom
    rho += beta * weight * (beta * weight)
    eta += sigmaSq * weight * weight
    dEta += (2 * sigmaSq * weight * weight) / bottom
    freedom += sigmaSq / bottom
    left += beta / bottom
  }
  // With dρ/dβ = −β dη/dβ the second derivatives drop out of the curvature of (½ log ρ, ½ log η), which leaves
  // 2 (g / d) (1 − d (1 + g)) / (1 + g²)^(3/2), g = β η / ρ, d = −d log η / d log β.
  const g = (beta * eta) / rho
  const turn = 1 - ((beta * dEta) / eta) * (1 + g)
  const size = 1 + g * g
  return {
    beta,
    misfitSq: rho,
    normSq: eta,
    logMisfit: 0.5 * log(rho),
    logNorm: 0.5 * log(eta),
    slope: -g,
    curvature: (2 * (eta / rho) * (eta / dEta) * turn) / (size * Math.sqrt(size)),
    degreesOfFreedom: freedom,
    gcv: left === 0 ? Number.POSITIVE_INFINITY : (m * rho) / (left * left),
  }
}

export interface TikhonovGrid {
  readonly from?: number // smallest β / σ₁², 1e-12 unless told
  readonly to?: number // largest, 1e4 unless told
  readonly points?: number // 161 unless told
}

/** Weights in geometric progression, from `from` to `to` times the square of the largest singular value. */
export function tikhonovBetas({ s }: DiagonalProblem, grid: TikhonovGrid = {}): Float64Array {
  const { from = 1e-12, to = 1e4, points = 161 } = grid
  if (!(from > 0 && to > from && to < Number.POSITIVE_INFINITY && Number.isInteger(points) && points >= 2)) {
    throw new OverhearError(
      'E_VALUE',
      `a grid of ${points} points from ${from} to ${to}`,
      'it needs 2 points or more and 0 < from < to',
    )
  }
  const first = log(from) + 2 * log(s[0] ?? 1)
  const step = (log(to) - log(from)) / (points - 1)
  return Float64Array.from({ length: points }, (_, i) => exp(first + step * i))
}

/** The curve over all weights, in their order. */
export function tikhonovCurve(problem: DiagonalProblem, betas: ArrayLike<number>): TikhonovPoint[] {
  return Array.from(betas, (beta) => tikhonovPoint(problem, beta))
}

/** x(β) for all weights, one in each row: [betas.length, n]. */
export function tikhonovSolutions(problem: DiagonalProblem, betas: ArrayLike<number>): Matrix {
  const X = matrix(betas.length, problem.V.rows)
  for (let i = 0; i < betas.length; i++) X.data.set(tikhonovSolution(problem, betas[i]!), i * X.cols)
  return X
}

/** Σ over p of y_p v_p. */
export function combine({ V }: DiagonalProblem, y: Float64Array): Float64Array {
  const x = new Float64Array(V.rows)
  for (let j = 0; j < V.rows; j++) for (let p = 0; p < y.length; p++) x[j]! += V.data[j * V.cols + p]! * y[p]!
  return x
}

function requireBeta(beta: number): void {
  if (beta >= 0 && beta < Number.POSITIVE_INFINITY) return
  throw new OverhearError('E_VALUE', `a Tikhonov weight of ${beta}`, 'beta must be 0 or above, and finite')
}
