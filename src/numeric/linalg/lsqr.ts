/** Least squares by matrix-vector products alone, for large or sparse systems: LSQR (Paige and Saunders 1982). */
import { OverhearError } from '../../errors.js'
import type { Matrix } from './matrix.js'
import { requireVector } from './matrix-vector.js'
import { type LinearOperator, operatorOf, type SparseMatrix } from './sparse.js'
import { addScaledInto, norm } from './vector.js'

export interface LsqrOptions {
  readonly beta?: number // weight of ‖x‖², 0 unless told
  readonly tolerance?: number // relative accuracy of A and b, 1e-12 unless told
  readonly conditionLimit?: number // stop when the estimate passes it, 1e14 unless told
  readonly maxIterations?: number // 4 n + 40 unless told
}

/**
 * Why it stopped. 'consistent': A x = b within the tolerance; 'least-squares': x minimises within it; 'condition': more
 * steps would fit noise; 'iterations': x is not there yet.
 */
export type LsqrStop = 'consistent' | 'least-squares' | 'condition' | 'iterations'

export interface LsqrResult {
  readonly x: Float64Array
  readonly stop: LsqrStop
  readonly iterations: number
  readonly residualNorm: number // sqrt(‖b − A x‖² + β ‖x‖²), as the recurrence has it
  readonly conditionEstimate: number
}

/** argmin ‖A x − b‖² + β ‖x‖², from x = 0; the shortest one if there are many. */
export function lsqr(
  A: Matrix | SparseMatrix | LinearOperator,
  b: Float64Array,
  { beta = 0, tolerance = 1e-12, conditionLimit = 1e14, maxIterations = 4 * A.cols + 40 }: LsqrOptions = {},
): LsqrResult {
  const operator = operatorOf(A)
  requireVector(b, { length: A.rows })
  if (!(beta >= 0 && beta < Number.POSITIVE_INFINITY && tolerance >= 0)) {
    throw new OverhearError('E_VALUE', `lsqr with beta ${beta}, tolerance ${tolerance}`, 'both must be 0 or above')
  }
  const state = begin(operator, b, Math.sqrt(beta))
  const target = norm(b)
  const result = (stop: LsqrStop, iterations: number): LsqrResult => ({
    x: state.x,
    stop,
    iterations,
    residualNorm: state.residualNorm,
    conditionEstimate: Math.max(1, state.sizeA * Math.sqrt(state.inverseSq)),
  })
  if (target === 0) return result('consistent', 0)
  if (state.alpha === 0) return result('least-squares', 0)
  for (let iteration = 1; iteration <= maxIterations; iteration++) {
    advance(state, operator)
    const { residualNorm, gradientNorm, sizeA } = state
    if (residualNorm <= tolerance * (target + sizeA * norm(state.x))) return result('consistent', iteration)
    if (gradientNorm <= tolerance * sizeA * residualNorm) return result('least-squares', iteration)
    if (sizeA * Math.sqrt(state.inverseSq) > conditionLimit) return result('condition', iteration)
  }
  return result('iterations', maxIterations)
}

/** Letters as in the paper, but `alpha` and `b` for its α and β; D is the root of the damping. */
interface State {
  readonly x: Float64Array
  readonly u: Float64Array
  readonly v: Float64Array
  readonly w: Float64Array
  readonly D: number
  alpha: number
  rhoBar: number
  phiBar: number
  dampedSq: number // part of the residual that the damping makes
  residualNorm: number
  gradientNorm: number // ‖Aᵀr − β x‖
  sizeA: number // Frobenius norm of what was seen of [A; √β I]
  inverseSq: number // squared norm of its inverse, likewise
}

function begin(A: LinearOperator, b: Float64Array, D: number): State {
  const u = b.slice()
  const size = normalise(u)
  const v = A.applyTransposed(u)
  const alpha = normalise(v)
  return {
    x: new Float64Array(A.cols),
    u,
    v,
    w: v.slice(),
    D,
    alpha,
    rhoBar: alpha,
    phiBar: size,
    dampedSq: 0,
    residualNorm: size,
    gradientNorm: alpha * size,
    sizeA: 0,
    inverseSq: 0,
  }
}

function advance(state: State, A: LinearOperator): void {
  const { x, u, v, w, D } = state
  // Bidiagonalisation: b u ← A v − α u, α v ← Aᵀu − b v.
  replace(u, A.apply(v), state.alpha)
  const b = normalise(u)
  state.sizeA = Math.sqrt(state.sizeA * state.sizeA + state.alpha * state.alpha + b * b + D * D)
  let alpha = 0
  if (b > 0) {
    replace(v, A.applyTransposed(u), b)
    alpha = normalise(v)
  }
  // One rotation takes the damping away, one the subdiagonal.
  const damped = Math.sqrt(state.rhoBar * state.rhoBar + D * D)
  const psi = (D / damped) * state.phiBar
  const phiDamped = (state.rhoBar / damped) * state.phiBar
  const rho = Math.sqrt(damped * damped + b * b)
  const cosine = damped / rho
  const sine = b / rho
  const phi = cosine * phiDamped
  addScaledInto(x, w, phi / rho)
  const step = norm(w) / rho
  state.inverseSq += step * step
  for (let j = 0; j < w.length; j++) w[j] = v[j]! - ((sine * alpha) / rho) * w[j]!
  state.alpha = alpha
  state.rhoBar = -cosine * alpha
  state.phiBar = sine * phiDamped
  state.dampedSq += psi * psi
  state.residualNorm = Math.sqrt(state.phiBar * state.phiBar + state.dampedSq)
  state.gradientNorm = alpha * Math.abs(sine * phi)
}

/** old ← fresh − factor old. */
function replace(old: Float64Array, fresh: Float64Array, factor: number): void {
  for (let i = 0; i < old.length; i++) old[i] = fresh[i]! - factor * old[i]!
}

/** Scales to unit length and gives the length back; zero stays zero. */
function normalise(a: Float64Array): number {
  const size = norm(a)
  if (size > 0) for (let i = 0; i < a.length; i++) a[i]! /= size
  return size
}
