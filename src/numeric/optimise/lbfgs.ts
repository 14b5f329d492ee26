/** Limited-memory BFGS with a strong Wolfe line search. [nocedal2006] Algs. 7.4 and 7.5 */

import { addScaledInto, dot } from '../linalg/vector.js'
import { type LineSearchOptions, strongWolfe } from './line-search.js'
import {
  evaluateInto,
  type Failure,
  type Method,
  type Objective,
  type Point,
  requireCount,
  requireNumber,
} from './optimiser.js'

export interface LbfgsOptions {
  /** How many past steps the curvature is read from. */
  readonly memory?: number
  readonly lineSearch?: Omit<LineSearchOptions, 'firstStep'>
  /** No line search: every step is this times the direction, as published attacks have it. */
  readonly fixedStep?: number
}

interface Pair {
  readonly s: Float64Array // x_{k+1} − x_k
  readonly y: Float64Array // ∇f_{k+1} − ∇f_k
  rho: number // 1 / sᵀy
}

export interface LbfgsState {
  readonly pairs: Pair[] // oldest first
  readonly spare: Pair[]
  readonly direction: Float64Array
}

/** Least cosine between step and change of gradient for the pair to be kept; a smaller one says nothing but rounding. */
const leastCurvature = 1e-14

export function lbfgs(options: LbfgsOptions = {}): Method<LbfgsState> {
  const { memory = 10, lineSearch = {}, fixedStep } = options
  requireCount('memory', memory, 0)
  if (fixedStep !== undefined) requireNumber('fixedStep', fixedStep, { above: 0 })
  return {
    name: 'lbfgs',
    init: (size) => ({ pairs: [], spare: [], direction: new Float64Array(size) }),
    advanceInto(to, from, { state, objective }) {
      if (from.gradientNorm === 0) return 'stalled'
      const d = state.direction
      directionInto(d, from.gradient, state.pairs)
      if (!(dot(d, from.gradient) < 0)) forget(state, from)
      let failure = moveInto(to, from, { state, objective, lineSearch, fixedStep })
      if (failure !== undefined && fixedStep === undefined && state.pairs.length > 0) {
        forget(state, from)
        failure = moveInto(to, from, { state, objective, lineSearch, fixedStep })
      }
      if (failure === undefined) remember(state, { to, from, memory })
      return failure
    },
  }
}

interface Move {
  readonly state: LbfgsState
  readonly objective: Objective
  readonly lineSearch: LineSearchOptions
  readonly fixedStep: number | undefined
}

function moveInto(to: Point, from: Point, { state, objective, lineSearch, fixedStep }: Move): Failure | undefined {
  const d = state.direction
  let finite = false
  const phi = (step: number) => {
    for (let j = 0; j < d.length; j++) to.x[j] = from.x[j]! + step * d[j]!
    finite = evaluateInto(to, objective)
    return { value: finite ? to.value : Number.NaN, slope: dot(to.gradient, d) }
  }
  // Without curvature the direction has the gradient's length, which says nothing of how far to go.
  const firstStep = state.pairs.length > 0 ? 1 : Math.min(1, 1 / from.gradientNorm)
  if (fixedStep !== undefined) {
    phi(fixedStep * firstStep)
    return finite ? undefined : 'non-finite'
  }
  const result = strongWolfe(phi, { value: from.value, slope: dot(from.gradient, d) }, { ...lineSearch, firstStep })
  if (result.found) return undefined
  return result.reason === 'non-finite' ? 'non-finite' : 'stalled'
}

/** d = −H ∇f by the two-loop recursion, H₀ = (sᵀy / yᵀy) I of the latest pair. */
function directionInto(d: Float64Array, gradient: Float64Array, pairs: readonly Pair[]): void {
  for (let j = 0; j < d.length; j++) d[j] = -gradient[j]!
  const latest = pairs.at(-1)
  if (latest === undefined) return
  const alpha = new Float64Array(pairs.length)
  let along = dot(latest.s, d)
  for (let i = pairs.length - 1; i > 0; i--) {
    alpha[i] = pairs[i]!.rho * along
    along = addedDot(d, -alpha[i]!, pairs[i]!.y, pairs[i - 1]!.s)
  }
  const first = pairs[0]!
  alpha[0] = first.rho * along
  addScaledInto(d, first.y, -alpha[0]!)
  const gamma = 1 / (latest.rho * dot(latest.y, latest.y))
  along = 0
  for (let j = 0; j < d.length; j++) {
    d[j]! *= gamma
    along += first.y[j]! * d[j]!
  }
  for (let i = 0; i + 1 < pairs.length; i++) {
    along = addedDot(d, alpha[i]! - pairs[i]!.rho * along, pairs[i]!.s, pairs[i + 1]!.y)
  }
  addScaledInto(d, latest.s, alpha[pairs.length - 1]! - latest.rho * along)
}

/** Adds `by` times `from` to d, and returns the product of `along` and the new d: one pass, as fast as the sum alone. */
function addedDot(d: Float64Array, by: number, from: Float64Array, along: Float64Array): number {
  let sum = 0
  for (let j = 0; j < d.length; j++) {
    const moved = d[j]! + by * from[j]!
    d[j] = moved
    sum += along[j]! * moved
  }
  return sum
}

function forget(state: LbfgsState, from: Point): void {
  state.spare.push(...state.pairs.splice(0))
  directionInto(state.direction, from.gradient, [])
}

function remember(
  state: LbfgsState,
  { to, from, memory }: { readonly to: Point; readonly from: Point; readonly memory: number },
): void {
  if (memory === 0) return
  const size = to.x.length
  const pair = state.spare.pop() ?? { s: new Float64Array(size), y: new Float64Array(size), rho: 0 }
  let [sy, ss, yy] = [0, 0, 0]
  for (let j = 0; j < size; j++) {
    const s = to.x[j]! - from.x[j]!
    const y = to.gradient[j]! - from.gradient[j]!
    pair.s[j] = s
    pair.y[j] = y
    sy += s * y
    ss += s * s
    yy += y * y
  }
  const lengths = Math.sqrt(ss) * Math.sqrt(yy)
  if (!(sy > leastCurvature * lengths) || !Number.isFinite(1 / sy)) {
    state.spare.push(pair)
    return
  }
  pair.rho = 1 / sy
  state.pairs.push(pair)
  if (state.pairs.length > memory) state.spare.push(state.pairs.shift()!)
}
