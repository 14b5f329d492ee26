/** Limited-memory BFGS with a strong Wolfe line search. [nocedal2006] Algs. 7.4 and 7.5 */

import { addScaledInto, dot } from '../linalg/vector.js'
import { kernelPairs } from './kernel-pairs.js'
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
  /** The past steps stand in kernel memory: faster where they are long, and other bits. */
  readonly inKernels?: boolean
}

/** The last steps of a search, from which it reads the curvature. */
export interface Memory {
  count(): number
  /** d = −H ∇f by the two-loop recursion, H₀ = (sᵀy / yᵀy) I of the latest pair. */
  directionInto(d: Float64Array, gradient: Float64Array): void
  /** s = x_{k+1} − x_k and y = ∇f_{k+1} − ∇f_k, which are copied; the oldest pair goes. */
  keep(s: Float64Array, y: Float64Array, products: { readonly sy: number; readonly yy: number }): void
  forget(): void
  release(): void
}

export interface LbfgsState {
  readonly memory: Memory
  readonly direction: Float64Array
  readonly s: Float64Array
  readonly y: Float64Array
}

/** Least cosine between step and change of gradient for the pair to be kept; a smaller one says nothing but rounding. */
const leastCurvature = 1e-14

export function lbfgs(options: LbfgsOptions = {}): Method<LbfgsState> {
  const { memory: most = 10, lineSearch = {}, fixedStep, inKernels = false } = options
  requireCount('memory', most, 0)
  if (fixedStep !== undefined) requireNumber('fixedStep', fixedStep, { above: 0 })
  return {
    name: 'lbfgs',
    init: (size) => ({
      memory: (inKernels ? kernelPairs : plainPairs)(size, most),
      direction: new Float64Array(size),
      s: new Float64Array(size),
      y: new Float64Array(size),
    }),
    release: ({ memory }) => memory.release(),
    advanceInto(to, from, { state, objective }) {
      if (from.gradientNorm === 0) return 'stalled'
      const d = state.direction
      state.memory.directionInto(d, from.gradient)
      if (!(dot(d, from.gradient) < 0)) forget(state, from)
      let failure = moveInto(to, from, { state, objective, lineSearch, fixedStep })
      if (failure !== undefined && fixedStep === undefined && state.memory.count() > 0) {
        forget(state, from)
        failure = moveInto(to, from, { state, objective, lineSearch, fixedStep })
      }
      if (failure === undefined) remember(state, { to, from })
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
  const firstStep = state.memory.count() > 0 ? 1 : Math.min(1, 1 / from.gradientNorm)
  if (fixedStep !== undefined) {
    phi(fixedStep * firstStep)
    return finite ? undefined : 'non-finite'
  }
  const result = strongWolfe(phi, { value: from.value, slope: dot(from.gradient, d) }, { ...lineSearch, firstStep })
  if (result.found) return undefined
  return result.reason === 'non-finite' ? 'non-finite' : 'stalled'
}

interface Pair {
  readonly s: Float64Array
  readonly y: Float64Array
  rho: number // 1 / sᵀy
}

/** The plain memory, which defines what kernels do. */
function plainPairs(size: number, most: number): Memory {
  const pairs: Pair[] = [] // oldest first
  const spare: Pair[] = []
  return {
    count: () => pairs.length,
    directionInto: (d, gradient) => directionInto(d, gradient, pairs),
    forget: () => void spare.push(...pairs.splice(0)),
    keep(s, y, { sy }) {
      const pair = spare.pop() ?? { s: new Float64Array(size), y: new Float64Array(size), rho: 0 }
      pair.s.set(s)
      pair.y.set(y)
      pair.rho = 1 / sy
      pairs.push(pair)
      if (pairs.length > most) spare.push(pairs.shift()!)
    },
    release() {},
  }
}

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

function forget({ memory, direction }: LbfgsState, from: Point): void {
  memory.forget()
  memory.directionInto(direction, from.gradient)
}

function remember({ memory, s, y }: LbfgsState, { to, from }: { readonly to: Point; readonly from: Point }): void {
  let [sy, ss, yy] = [0, 0, 0]
  for (let j = 0; j < s.length; j++) {
    const step = to.x[j]! - from.x[j]!
    const change = to.gradient[j]! - from.gradient[j]!
    s[j] = step
    y[j] = change
    sy += step * change
    ss += step * step
    yy += change * change
  }
  const lengths = Math.sqrt(ss) * Math.sqrt(yy)
  if (!(sy > leastCurvature * lengths) || !Number.isFinite(1 / sy)) return
  memory.keep(s, y, { sy, yy })
}
