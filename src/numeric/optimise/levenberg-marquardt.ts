/** Nonlinear least squares: Levenberg-Marquardt with column scaling, each damped system solved by QR. */
import { OverhearError } from '../../errors.js'
import { type Matrix, matrix } from '../linalg/matrix.js'
import { leastSquaresQr } from '../linalg/qr.js'
import { firstNonFinite, norm } from '../linalg/vector.js'
import { type Method, type Minimum, minimise, type Point, requireNumber, type Stop } from './optimiser.js'

/** r(x) and its Jacobian, [residuals, parameters]. */
export interface SquaresProblem {
  residual(x: Float64Array): Float64Array
  jacobian(x: Float64Array): Matrix
}

export interface LevenbergMarquardtOptions extends Stop {
  /** First λ, relative to the squared column norms of the Jacobian. */
  readonly damping?: number
}

interface State {
  r: Float64Array
  J: Matrix
  lambda: number
  growth: number // what λ is multiplied by at the next failure
  readonly scale: Float64Array // largest norm that each column of J has had
}

/** Trials for one step: λ grows by 2, 4, 8, ..., so that twenty of them exhaust any double. */
const maxTrials = 40

/**
 * Minimises ½ ‖r(x)‖², which is the value; the gradient is Jᵀr. Each step solves [J; √λ D] δ ≈ [−r; 0] by QR with D the
 * column norms ([more1978]), and λ follows the gain ratio ([nielsen1999]). A Jacobian without full rank is fine: the
 * damping picks a step, and where the minimum is a valley, some point of it is found. Without a tolerance the run ends as
 * `stalled`, where no step lowers the value any more.
 */
export function levenbergMarquardt(
  problem: SquaresProblem,
  x0: Float64Array,
  options: LevenbergMarquardtOptions,
): Minimum & { readonly residual: Float64Array } {
  const { damping = 1e-3 } = options
  requireNumber('damping', damping, { above: 0 })
  const n = x0.length
  const state: State = {
    r: new Float64Array(0),
    J: matrix(0, n),
    lambda: damping,
    growth: 2,
    scale: new Float64Array(n),
  }
  const method: Method<State> = {
    name: 'levenberg-marquardt',
    init: () => state,
    advanceInto: (to, from) => advanceInto(to, from, { state, problem }),
  }
  const start = (x: Float64Array) => {
    const r = problem.residual(x)
    linearise(state, r, problem.jacobian(x))
    return { value: halfSquares(r), gradient: slopes(state) }
  }
  const minimum = minimise(method, start, x0, options)
  return { ...minimum, residual: Float64Array.from(problem.residual(minimum.x)) }
}

function advanceInto(
  to: Point,
  from: Point,
  { state, problem }: { readonly state: State; readonly problem: SquaresProblem },
): 'stalled' | 'non-finite' | undefined {
  if (from.gradientNorm === 0) return 'stalled'
  let sawFinite = false
  for (let trial = 0; trial < maxTrials && Number.isFinite(state.lambda); trial++) {
    const { step, promised } = dampedStep(state)
    let moved = false
    for (let j = 0; j < step.length; j++) {
      to.x[j] = from.x[j]! + step[j]!
      moved ||= to.x[j] !== from.x[j]
    }
    if (!moved) break // what is left to gain is below the rounding of x
    const r = problem.residual(to.x)
    const finite = firstNonFinite(r) < 0 && Number.isFinite(halfSquares(r))
    sawFinite ||= finite
    const gain = finite ? fall(state.r, r) / promised : -1
    if (gain > 1e-4) {
      const c = 2 * gain - 1
      state.lambda *= Math.max(1 / 3, 1 - c * c * c)
      state.growth = 2
      linearise(state, r, problem.jacobian(to.x))
      to.value = halfSquares(r)
      to.gradient.set(slopes(state))
      to.gradientNorm = norm(to.gradient)
      return firstNonFinite(to.gradient) < 0 ? undefined : 'non-finite'
    }
    state.lambda *= state.growth
    state.growth *= 2
  }
  return sawFinite ? 'stalled' : 'non-finite'
}

/** δ, and the fall ½‖Jδ‖² + λ‖Dδ‖² that the linear model promises of it. */
function dampedStep({ r, J, lambda, scale }: State): { step: Float64Array; promised: number } {
  const { rows: m, cols: n } = J
  const A = matrix(m + n, n)
  const b = matrix(m + n, 1)
  A.data.set(J.data)
  for (let i = 0; i < m; i++) b.data[i] = -r[i]!
  for (let j = 0; j < n; j++) A.data[(m + j) * n + j] = Math.sqrt(lambda) * scale[j]!
  const step = leastSquaresQr(A, b).X.data
  let linear = 0
  for (let i = 0; i < m; i++) {
    let sum = 0
    for (let j = 0; j < n; j++) sum += J.data[i * n + j]! * step[j]!
    linear += sum * sum
  }
  let damped = 0
  for (let j = 0; j < n; j++) damped += scale[j]! * step[j]! * (scale[j]! * step[j]!)
  return { step, promised: 0.5 * linear + lambda * damped }
}

/** Takes the residual and Jacobian at a new point, and widens the column scales. Copies: they may be buffers. */
function linearise(state: State, r: Float64Array, J: Matrix): void {
  const n = state.scale.length
  if (J.cols !== n || J.rows !== r.length) {
    throw new OverhearError(
      'E_SHAPE',
      `the Jacobian is ${J.rows} x ${J.cols}`,
      `it must be ${r.length} x ${n}: residuals by parameters`,
    )
  }
  state.r = Float64Array.from(r)
  state.J = matrix(J.rows, n, Float64Array.from(J.data))
  for (let j = 0; j < n; j++) {
    let squares = 0
    for (let i = 0; i < J.rows; i++) squares += J.data[i * n + j]! * J.data[i * n + j]!
    state.scale[j] = Math.max(state.scale[j]!, Math.sqrt(squares))
  }
  // A parameter that no residual has felt yet must still be held: any scale does.
  for (let j = 0; j < n; j++) if (state.scale[j] === 0) state.scale[j] = 1
}

/** Jᵀr */
function slopes({ r, J }: State): Float64Array {
  const gradient = new Float64Array(J.cols)
  for (let i = 0; i < J.rows; i++) {
    for (let j = 0; j < J.cols; j++) gradient[j]! += J.data[i * J.cols + j]! * r[i]!
  }
  return gradient
}

function halfSquares(r: Float64Array): number {
  let squares = 0
  for (let i = 0; i < r.length; i++) squares += r[i]! * r[i]!
  return 0.5 * squares
}

/** ½‖a‖² − ½‖b‖² from the differences, which keeps digits when both are nearly the same. */
function fall(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) * (a[i]! + b[i]!)
  return 0.5 * sum
}
