/** Limited-memory BFGS with a strong Wolfe line search. [nocedal2006] Algs. 7.4 and 7.5 */

import { dot } from '../linalg/vector.js'
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
import { type Memory, plainPairs } from './plain-pairs.js'

export interface LbfgsOptions {
  /** How many past steps the curvature is read from. */
  readonly memory?: number
  readonly lineSearch?: Omit<LineSearchOptions, 'firstStep'>
  /** No line search: every step is this times the direction, as published attacks have it. */
  readonly fixedStep?: number
  /** The past steps stand in kernel memory: faster where they are long, and other bits. */
  readonly inKernels?: boolean
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
    movedInto(to.x, from.x, { step, d })
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

/** Arrays in names of their own: looked up at every entry, they took half of a search that V8 had not yet compiled well. */
function movedInto(to: Float64Array, from: Float64Array, { step, d }: { step: number; d: Float64Array }): void {
  for (let j = 0; j < d.length; j++) to[j] = from[j]! + step * d[j]!
}

function forget({ memory, direction }: LbfgsState, from: Point): void {
  memory.forget()
  memory.directionInto(direction, from.gradient)
}

function remember({ memory, s, y }: LbfgsState, { to, from }: { readonly to: Point; readonly from: Point }): void {
  let [sy, ss, yy] = [0, 0, 0]
  const [x, before, gradient, gradientBefore] = [to.x, from.x, to.gradient, from.gradient]
  for (let j = 0; j < s.length; j++) {
    const step = x[j]! - before[j]!
    const change = gradient[j]! - gradientBefore[j]!
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
