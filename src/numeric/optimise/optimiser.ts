/** What every optimiser here shares: objectives, points, methods, stopping rules and the one loop that runs them. */
import { OverhearError } from '../../errors.js'
import { firstNonFinite, norm } from '../linalg/vector.js'

export interface Evaluation {
  readonly value: number
  readonly gradient: Float64Array
}

/** The gradient may be a buffer that the next call overwrites: whoever keeps it copies it. `x` must not be changed. */
export type Objective = (x: Float64Array) => Evaluation

/** A place and what the objective says of it; the arrays belong to the loop. */
export interface Point {
  readonly x: Float64Array
  readonly gradient: Float64Array
  value: number
  gradientNorm: number
}

/** `stalled`: no lower point could be found from here, though the gradient is not zero. */
export type Failure = 'non-finite' | 'stalled'

/** A way to get from one point to the next. */
export interface Method<State> {
  readonly name: string
  init(size: number): State
  /** Writes the next point, evaluated, and the state; a failure leaves `from` as the place to report. */
  advanceInto(
    to: Point,
    from: Point,
    context: { readonly state: State; readonly objective: Objective },
  ): Failure | undefined
  /** Gives back what a state holds beside plain memory. */
  release?(state: State): void
}

/** A method that needs one gradient a step and nothing else, so that it can also be driven by hand. */
export interface FirstOrder<State> extends Method<State> {
  /** Moves `x` by one step and updates `state`. */
  stepInto(x: Float64Array, gradient: Float64Array, state: State): void
}

export interface Progress {
  readonly iteration: number
  readonly value: number
  readonly gradientNorm: number
}

export interface Stop {
  readonly maxIterations: number
  /** Stop once the Euclidean norm of the gradient is at most this; without it the norm is not looked at. */
  readonly gradientTolerance?: number
  /** An iteration counts as a gain if the value falls below the best by more than this times max(1, |best|). */
  readonly valueTolerance?: number
  /** Stop after this many iterations on end without a gain (1 if only `valueTolerance` is given). */
  readonly patience?: number
  /** Stop once so many iterations lowered the value by less than this. */
  readonly leastGain?: { readonly over: number; readonly by: number }
  /** Asked after every iteration, the start included; true stops. */
  readonly aborted?: (progress: Progress) => boolean
  /** Which point to return: the last (default) or the one of least value. */
  readonly keep?: 'last' | 'best'
  /** Also return the value after each iteration, the start first. */
  readonly history?: boolean
}

export type StopReason = 'gradient' | 'value' | 'iterations' | 'aborted' | Failure

export interface Minimum {
  readonly x: Float64Array
  readonly value: number
  readonly gradientNorm: number
  readonly iterations: number
  readonly reason: StopReason
  readonly history?: readonly number[]
}

/**
 * Runs a method until a stopping rule holds. A value or gradient that is not finite stops with `non-finite` and the last
 * point that was; only if the start itself has none is the start returned with the value it gave.
 */
export function minimise<State>(method: Method<State>, objective: Objective, x0: Float64Array, stop: Stop): Minimum {
  checkStart(x0)
  checkStop(stop)
  const state = method.init(x0.length)
  const rules = stoppingRules(stop)
  let here = emptyPoint(x0.length)
  let next = emptyPoint(x0.length)
  const best = stop.keep === 'best' ? emptyPoint(x0.length) : undefined
  const history: number[] = []
  here.x.set(x0)
  let reason: StopReason | undefined = evaluateInto(here, objective) ? undefined : 'non-finite'
  let iterations = 0
  for (;;) {
    if (stop.history) history.push(here.value)
    if (best && (iterations === 0 || here.value < best.value)) copyInto(best, here)
    reason ??= rules(here, iterations)
    if (reason !== undefined) break
    const failure = method.advanceInto(next, here, { state, objective })
    if (failure !== undefined) {
      reason = failure === 'stalled' && here.gradientNorm === 0 ? 'gradient' : failure
      break
    }
    const last = here
    here = next
    next = last
    iterations++
  }
  // Where the objective threw, the collector does it.
  method.release?.(state)
  const { x, value, gradientNorm } = best ?? here
  return { x, value, gradientNorm, iterations, reason, ...(stop.history ? { history } : {}) }
}

/** Makes a method of a step that needs only the gradient. */
export function firstOrder<State>(parts: {
  readonly name: string
  readonly init: (size: number) => State
  readonly stepInto: (x: Float64Array, gradient: Float64Array, state: State) => void
}): FirstOrder<State> {
  return {
    ...parts,
    advanceInto(to, from, { state, objective }) {
      to.x.set(from.x)
      parts.stepInto(to.x, from.gradient, state)
      return evaluateInto(to, objective) ? undefined : 'non-finite'
    },
  }
}

/** The same method with every step brought back into a set, for instance a box: `projectInto` overwrites its argument. */
export function projected<State>(method: FirstOrder<State>, projectInto: (x: Float64Array) => void): FirstOrder<State> {
  return firstOrder({
    name: `projected ${method.name}`,
    init: (size) => method.init(size),
    stepInto(x, gradient, state) {
      method.stepInto(x, gradient, state)
      projectInto(x)
    },
  })
}

/** Evaluates `point.x` into the rest of the point; false if anything there is not finite. */
export function evaluateInto(point: Point, objective: Objective): boolean {
  const { value, gradient } = objective(point.x)
  if (gradient.length !== point.x.length) {
    throw new OverhearError('E_SHAPE', `the gradient has ${gradient.length} entries at a point of ${point.x.length}`)
  }
  point.gradient.set(gradient)
  point.value = value
  point.gradientNorm = norm(gradient)
  // A norm that is finite has seen finite entries alone.
  const finite = Number.isFinite(point.gradientNorm) || firstNonFinite(point.gradient) < 0
  return finite && Number.isFinite(value) && firstNonFinite(point.x) < 0
}

export function emptyPoint(size: number): Point {
  return { x: new Float64Array(size), gradient: new Float64Array(size), value: Number.NaN, gradientNorm: Number.NaN }
}

/** What is told of the best point in the end, which its gradient is no part of. */
function copyInto(to: Point, from: Point): void {
  to.x.set(from.x)
  to.value = from.value
  to.gradientNorm = from.gradientNorm
}

/** The rules as one question with a memory, asked once for each iteration. */
function stoppingRules(stop: Stop): (here: Point, iteration: number) => StopReason | undefined {
  const { maxIterations, gradientTolerance, valueTolerance = 0, leastGain, aborted } = stop
  const patience = stop.patience ?? (stop.valueTolerance === undefined ? Number.POSITIVE_INFINITY : 1)
  let best = Number.POSITIVE_INFINITY
  let idle = 0
  let lowest = Number.POSITIVE_INFINITY
  /** The least value after each of the last iterations, that of `over` before where the next one will stand. */
  const past = new Float64Array(leastGain?.over ?? 0)
  const gainsLittle = (value: number, iteration: number): boolean => {
    if (leastGain === undefined) return false
    const at = iteration % leastGain.over
    lowest = Math.min(lowest, value)
    const little = iteration >= leastGain.over && past[at]! - lowest < leastGain.by
    past[at] = lowest
    return little
  }
  return ({ value, gradientNorm }, iteration) => {
    const gain = iteration === 0 || value < best - valueTolerance * Math.max(1, Math.abs(best))
    idle = gain ? 0 : idle + 1
    if (gain) best = value
    if (gradientTolerance !== undefined && gradientNorm <= gradientTolerance) return 'gradient'
    if (aborted?.({ iteration, value, gradientNorm })) return 'aborted'
    if (gainsLittle(value, iteration) || idle >= patience) return 'value'
    return iteration >= maxIterations ? 'iterations' : undefined
  }
}

function checkStart(x0: Float64Array): void {
  const at = firstNonFinite(x0)
  if (at >= 0)
    throw new OverhearError('E_NON_FINITE', `entry ${at} of the start is ${x0[at]}`, 'start from finite numbers')
}

function checkStop({ maxIterations, gradientTolerance, valueTolerance, patience, leastGain }: Stop): void {
  requireCount('maxIterations', maxIterations, 0)
  if (patience !== undefined) requireCount('patience', patience, 1)
  if (gradientTolerance !== undefined) requireNumber('gradientTolerance', gradientTolerance, { min: 0 })
  if (valueTolerance !== undefined) requireNumber('valueTolerance', valueTolerance, { min: 0 })
  if (leastGain === undefined) return
  requireCount('leastGain.over', leastGain.over, 1)
  requireNumber('leastGain.by', leastGain.by, { min: 0 })
}

export function requireCount(name: string, value: number, min: number): void {
  if (Number.isInteger(value) && value >= min) return
  throw new OverhearError('E_VALUE', `${name} is ${value}`, `it is a whole number of at least ${min}`)
}

/** Bounds are included unless named `above` or `below`. */
export function requireNumber(
  name: string,
  value: number,
  bounds: { readonly min?: number; readonly above?: number; readonly below?: number; readonly max?: number },
): void {
  const { min, above, below, max } = bounds
  const inside =
    Number.isFinite(value) &&
    (min === undefined || value >= min) &&
    (above === undefined || value > above) &&
    (below === undefined || value < below) &&
    (max === undefined || value <= max)
  if (inside) return
  const words = Object.entries({ 'at least': min, above, below, 'at most': max })
  const allowed = words.filter(([, bound]) => bound !== undefined).map(([word, bound]) => `${word} ${bound}`)
  throw new OverhearError('E_VALUE', `${name} is ${value}`, `it must be ${['finite', ...allowed].join(', ')}`)
}

/** Vectors that a step brings together must be as long as each other: a slip of the calling code. */
export function requireSameSize(x: Float64Array, gradient: Float64Array, size: number): void {
  if (x.length === size && gradient.length === size) return
  throw new OverhearError(
    'E_SHAPE',
    `a step over ${size} entries was given a point of ${x.length} and a gradient of ${gradient.length}`,
    'call init with the size of the point',
  )
}
