/** The same sum of squares for many records: gradients in place of a Gram matrix, accelerated and projected. */

import { dot } from '../../../numeric/linalg/vector.js'
import { rangeOf } from '../../../numeric/special/summaries.js'
import { allShares, type Problem } from './linear-problem.js'
import { applyMetric } from './residual-metric.js'
import { type Pass, ratesOf } from './weighted-squares.js'

export interface Descent {
  readonly p: Float64Array
  readonly gradient: Float64Array
  /** Estimates of Q's diagonal: what the messages resolve of each unknown by itself. */
  readonly diagonal: Float64Array
  readonly iterations: number
  readonly settled: boolean
}

export interface DescentOptions {
  readonly start?: Float64Array | undefined
  /** A quadratic on top: 1/2 sum precision p^2 - linear p. */
  readonly precision?: Float64Array | undefined
  readonly linear?: Float64Array | undefined
  readonly maxIterations?: number
  readonly tolerance?: number
  readonly tick?: ((done: number, total: number) => void) | undefined
}

/** Minimises over the simplices; every iteration is one weighted gradient and one product with it a round. */
export function descend(problem: Problem, pass: Pass, options: DescentOptions = {}): Descent {
  const { records: n, values } = problem.gradients
  const N = n * (values - 1)
  const { maxIterations = 150, tolerance = 1e-4, precision, linear, tick } = options
  const slope = (p: Float64Array): Float64Array => {
    const g = slopeAt(problem, pass, p)
    if (precision !== undefined) for (let i = 0; i < N; i++) g[i]! += precision[i]! * p[i]!
    if (linear !== undefined) for (let i = 0; i < N; i++) g[i]! -= linear[i]!
    return g
  }
  const diagonal = diagonalOf(problem, pass)
  if (precision !== undefined) for (let i = 0; i < N; i++) diagonal[i]! += precision[i]!
  const scale = scalesOf(diagonal, n)
  const L = 1.05 * largestOf(slope, scale)
  // [beck2009]: x the point, z the point ahead of it.
  let x = options.start?.slice() ?? new Float64Array(N).fill(1 / values)
  let z = x.slice()
  let momentum = 1
  let iterations = 0
  let furthest = Number.POSITIVE_INFINITY
  while (iterations < maxIterations && furthest > tolerance) {
    tick?.(iterations, maxIterations)
    const g = slope(z)
    const next = z.map((v, i) => v - g[i]! / (L * scale[i]!))
    projectInto(next, n)
    let uphill = 0
    furthest = 0
    for (let i = 0; i < N; i++) {
      uphill += (z[i]! - next[i]!) * scale[i]! * (next[i]! - x[i]!)
      furthest = Math.max(furthest, Math.abs(next[i]! - x[i]!))
    }
    const after = uphill > 0 ? 1 : (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2
    const ahead = uphill > 0 ? 0 : (momentum - 1) / after
    const before = x
    z = next.map((v, i) => v + ahead * (v - before[i]!))
    x = next
    momentum = after
    iterations++
  }
  return { p: x, gradient: slope(x), diagonal, iterations, settled: furthest <= tolerance }
}

/** -sum of w D^T M r. */
function slopeAt(problem: Problem, pass: Pass, p: Float64Array): Float64Array {
  const { rounds, gradients, samples } = problem
  const { records: n, values } = gradients
  const shares = allShares(p, n)
  const sums = rounds.map(({ at }, t) => (pass.rounds.includes(t) ? gradients.weighted(at, shares) : undefined))
  const used = { ...problem, rounds: pass.rounds.map((t) => rounds[t]!) }
  const kept = <T>(list: readonly T[]): T[] => pass.rounds.map((t) => list[t]!)
  const own = { ...pass, weights: kept(pass.weights), offsets: kept(pass.offsets) }
  const rates = ratesOf(used, kept(sums) as Float64Array[], own)
  const g = new Float64Array(n * (values - 1))
  for (const [k, t] of pass.rounds.entries()) {
    const { at, mean } = rounds[t]!
    const [sum, offset] = [sums[t]!, pass.offsets[t]!]
    const r = mean.map((x, j) => rates[k]! * samples * x - offset[j]! - sum[j]!)
    const products = gradients.along(at, applyMetric(pass.metric, r))
    for (let i = 0; i < g.length; i++) g[i]! -= pass.weights[t]! * (products[n + i]! - products[i % n]!)
  }
  return g
}

/** Sums of w |d|^2, from up to four of the rounds; one for models without factors. */
function diagonalOf({ rounds, factors, gradients }: Problem, { rounds: places, weights }: Pass): Float64Array {
  const N = gradients.records * (gradients.values - 1)
  const out = new Float64Array(N)
  if (factors === undefined) return out.fill(1)
  const some = places.filter((_, k) => k % Math.ceil(places.length / 4) === 0)
  const share = places.reduce((sum, t) => sum + weights[t]!, 0) / some.reduce((sum, t) => sum + weights[t]!, 0)
  for (const t of some) {
    const squares = factors.squares(factors.at(rounds[t]!.at))
    for (let i = 0; i < N; i++) out[i]! += share * weights[t]! * squares[i]!
  }
  return out
}

/** One scale a record, so that its simplex stays one; never so small that a step explodes. */
function scalesOf(diagonal: Float64Array, n: number): Float64Array {
  const floor = 1e-6 * Math.max(1e-300, rangeOf(diagonal).max)
  return diagonal.map((_, at) => {
    let most = floor
    for (let c = at % n; c < diagonal.length; c += n) most = Math.max(most, diagonal[c]!)
    return most
  })
}

/** The largest eigenvalue of the scaled quadratic, by powers. */
function largestOf(slope: (p: Float64Array) => Float64Array, scale: Float64Array): number {
  const N = scale.length
  const origin = slope(new Float64Array(N))
  let v = Float64Array.from({ length: N }, (_, i) => 1 + (i % 7) / 7)
  let value = 0
  for (let k = 0; k < 12; k++) {
    const size = Math.sqrt(dot(v, v))
    const x = v.map((one, i) => one / (size * Math.sqrt(scale[i]!)))
    const image = slope(x)
    v = image.map((one, i) => (one - origin[i]!) / Math.sqrt(scale[i]!))
    value = Math.sqrt(dot(v, v))
    if (!(value > 0)) return 1
  }
  return value
}

/** Each record's shares to the nearest point with none below 0 and a sum of at most 1. */
function projectInto(p: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) {
    let sum = 0
    for (let c = i; c < p.length; c += n) {
      p[c] = Math.max(0, p[c]!)
      sum += p[c]!
    }
    if (sum <= 1) continue
    const own: number[] = []
    for (let c = i; c < p.length; c += n) own.push(p[c]!)
    own.sort((a, b) => b - a)
    let [taken, tau] = [0, 0]
    for (const [k, x] of own.entries()) {
      taken += x
      const level = (taken - 1) / (k + 1)
      if (x > level) tau = level
    }
    for (let c = i; c < p.length; c += n) p[c] = Math.max(0, p[c]! - tau)
  }
}
