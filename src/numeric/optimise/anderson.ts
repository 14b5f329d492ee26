/** Anderson acceleration of a fixed-point iteration x ← g(x): type II, damped, with a Tikhonov term. [walker2011] */
import { OverhearError } from '../../errors.js'
import { matrix } from '../linalg/matrix.js'
import { leastSquaresQr } from '../linalg/qr.js'
import { norm } from '../linalg/vector.js'
import {
  type FirstOrder,
  firstOrder,
  type Minimum,
  minimise,
  requireCount,
  requireNumber,
  requireSameSize,
  type Stop,
} from './optimiser.js'

export interface AndersonOptions {
  /** How many past differences are combined; 0 is the plain (damped) iteration. */
  readonly memory?: number
  /** Share β of the residual that is added, 1 for none of it held back. */
  readonly damping?: number
  /** Weight λ on the coefficients, once every column has length 1: a number without unit. */
  readonly regularisation?: number
}

export interface AndersonState {
  readonly x: Float64Array // the previous point and its residual
  readonly f: Float64Array
  readonly differences: { readonly dx: Float64Array; readonly df: Float64Array; readonly dfNorm: number }[] // oldest first
  steps: number
}

/**
 * With f = g(x) − x and the differences ΔX, ΔF of the last points:
 *   γ = argmin ‖f − ΔF γ‖² + λ ‖diag(‖ΔF_j‖) γ‖²,   x ← x + β f − (ΔX + β ΔF) γ.
 * departs: λ weighs the scaled coefficients, since columns shrink by orders of magnitude as the iteration converges.
 * Driven like any first-order method; its gradient is x − g(x), so sgd with rate 1 is the plain iteration.
 */
export function anderson(options: AndersonOptions = {}): FirstOrder<AndersonState> {
  const { memory = 5, damping: beta = 1, regularisation: lambda = 1e-14 } = options
  requireCount('memory', memory, 0)
  requireNumber('damping', beta, { above: 0, max: 1 })
  requireNumber('regularisation', lambda, { min: 0 })
  return firstOrder<AndersonState>({
    name: 'anderson',
    init: (size) => ({ x: new Float64Array(size), f: new Float64Array(size), differences: [], steps: 0 }),
    stepInto(x, gradient, state) {
      requireSameSize(x, gradient, state.x.length)
      if (state.steps > 0 && memory > 0) remember(x, gradient, { state, memory })
      state.steps++
      for (let j = 0; j < x.length; j++) {
        state.x[j] = x[j]!
        state.f[j] = -gradient[j]!
        x[j]! += beta * state.f[j]!
      }
      const gamma = coefficients(state, lambda)
      for (const [i, { dx, df }] of state.differences.entries()) {
        for (let j = 0; j < x.length; j++) x[j]! -= gamma[i]! * (dx[j]! + beta * df[j]!)
      }
    },
  })
}

/** A map's image may be a buffer that the next call overwrites. */
export type FixedPointMap = (x: Float64Array) => Float64Array

/** Iterates towards g(x) = x. In the result, and to the stopping rules, value and gradient norm are both ‖x − g(x)‖. */
export function fixedPoint<State>(
  method: FirstOrder<State>,
  map: FixedPointMap,
  x0: Float64Array,
  stop: Stop,
): Minimum {
  const residual = new Float64Array(x0.length)
  return minimise(
    method,
    (x) => {
      const image = map(x)
      if (image.length !== x.length) {
        throw new OverhearError(
          'E_SHAPE',
          `the map sends ${x.length} entries to ${image.length}`,
          'it must keep the size',
        )
      }
      for (let j = 0; j < x.length; j++) residual[j] = x[j]! - image[j]!
      return { value: norm(residual), gradient: residual }
    },
    x0,
    stop,
  )
}

function remember(
  x: Float64Array,
  gradient: Float64Array,
  { state, memory }: { readonly state: AndersonState; readonly memory: number },
): void {
  const { differences } = state
  const dx = x.map((value, j) => value - state.x[j]!)
  const df = gradient.map((value, j) => -value - state.f[j]!)
  const dfNorm = norm(df)
  // A residual that did not change, or by too much for a double, says nothing of the map's slope.
  if (!(dfNorm > 0 && Number.isFinite(dfNorm) && Number.isFinite(norm(dx)))) return
  differences.push({ dx, df, dfNorm })
  if (differences.length > memory) differences.shift()
}

/** γ by QR of [ΔF scaled; √λ I]. */
function coefficients({ differences, f }: AndersonState, lambda: number): Float64Array {
  const k = differences.length
  if (k === 0) return new Float64Array(0)
  const n = f.length
  const A = matrix(n + k, k)
  const b = matrix(n + k, 1)
  b.data.set(f)
  for (const [i, { df, dfNorm }] of differences.entries()) {
    for (let j = 0; j < n; j++) A.data[j * k + i] = df[j]! / dfNorm
    A.data[(n + i) * k + i] = Math.sqrt(lambda)
  }
  return leastSquaresQr(A, b).X.data.map((scaled, i) => scaled / differences[i]!.dfNorm)
}
