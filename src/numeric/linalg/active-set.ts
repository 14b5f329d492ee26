/** The active-set loop of Lawson and Hanson: a convex objective over x >= 0, one variable let free at a time. */
import { OverhearError } from '../../errors.js'

export interface ActiveSetProblem {
  readonly size: number
  readonly start: { readonly x: Float64Array; readonly free: readonly number[] }
  /** The minimiser when only these variables may differ from zero, in their order; undefined: they are dependent. */
  minimise(free: readonly number[]): Float64Array | undefined
  /** How much each variable would gain by growing, on a scale where rounding stays below `noise`. */
  gains(x: Float64Array): Float64Array
  readonly noise: number
  readonly maxIterations: number
}

export interface ActiveSetResult {
  readonly x: Float64Array
  readonly free: readonly number[] // the variables above zero, ascending
  readonly iterations: number // minimisations made
  readonly kktViolation: number // largest gain of a variable at zero or size of it at a free one; rounding: below `noise`
}

export function activeSet(problem: ActiveSetProblem): ActiveSetResult {
  const { size, noise, maxIterations } = problem
  let x: Float64Array = problem.start.x.slice()
  let free = [...problem.start.free]
  let iterations = 0
  const minimise = (variables: readonly number[]): Float64Array | undefined => {
    if (++iterations > maxIterations) throw tooLong(maxIterations, size)
    return problem.minimise(variables)
  }
  const refused = new Set<number>()
  for (;;) {
    const gains = problem.gains(x)
    const next = mostGainful(gains, free, refused)
    if (next < 0 || gains[next]! <= noise) {
      return { x, free: free.sort((i, j) => i - j), iterations, kktViolation: violation(gains, x) }
    }
    const z = minimise([...free, next])
    if (z === undefined || !(z[free.length]! > 0)) {
      refused.add(next) // its gain was rounding: in exact arithmetic it would have grown
      continue
    }
    refused.clear()
    ;({ x, free } = descend({ x, free: [...free, next], z, minimise }))
  }
}

interface Descent {
  readonly x: Float64Array
  readonly free: readonly number[]
  readonly z: Float64Array
  minimise(free: readonly number[]): Float64Array | undefined
}

/** Goes from x towards the minimiser z of the free variables; those that reach zero on the way are fixed there. */
function descend({ x: from, free: freeAtFirst, z: target, minimise }: Descent): { x: Float64Array; free: number[] } {
  const x = from.slice()
  let free = [...freeAtFirst]
  let z = target
  for (;;) {
    let step = 1
    let blocking = -1
    for (const [i, j] of free.entries()) {
      if (z[i]! > 0) continue
      const ratio = x[j]! / (x[j]! - z[i]!)
      if (blocking < 0 || ratio < step) [step, blocking] = [ratio, j]
    }
    for (const [i, j] of free.entries()) x[j]! += step * (z[i]! - x[j]!)
    if (blocking < 0) return { x, free }
    x[blocking] = 0
    for (const j of free) if (!(x[j]! > 0)) x[j] = 0
    free = free.filter((j) => x[j]! > 0)
    const again = minimise(free)
    if (again === undefined) return { x, free }
    z = again
  }
}

/** The variable at zero, not refused before, that gains most; -1 for none. */
function mostGainful(gains: Float64Array, free: readonly number[], refused: ReadonlySet<number>): number {
  const passed = new Set([...free, ...refused])
  let best = -1
  for (let j = 0; j < gains.length; j++) {
    if (!passed.has(j) && (best < 0 || gains[j]! > gains[best]!)) best = j
  }
  return best
}

function violation(gains: Float64Array, x: Float64Array): number {
  let worst = 0
  for (let j = 0; j < x.length; j++) worst = Math.max(worst, x[j]! > 0 ? Math.abs(gains[j]!) : gains[j]!)
  return worst
}

function tooLong(limit: number, size: number): OverhearError {
  return new OverhearError(
    'E_VALUE',
    `no optimum of ${size} variables within ${limit} minimisations`,
    'raise maxIterations, or look for columns that differ by rounding only',
  )
}
