/** The same sum of squares for many records of two values: conjugate gradients over those that are free, products by factors. */
import { dot } from '../../../numeric/linalg/vector.js'
import type { Problem } from './linear-problem.js'
import type { Descent, DescentOptions } from './projected-gradient.js'
import type { Factors } from './record-columns.js'
import { inMetric } from './residual-metric.js'
import { type Pass, ratesOf } from './weighted-squares.js'

/** Products with Q at most, and in a row before the free ones are chosen anew. */
const [mostProducts, inARow] = [120, 25]
/** Rounds from which it is learned what the metric takes of each column. */
const metricRounds = 6
/** Conjugate gradients end once the slope over the free ones has fallen to this share. */
const fall = 0.03

/**
 * Shares at a bound whose slope points outwards stay there; over the others steps are conjugate, as long as they can be: a
 * step that meets a bound ends there for those who meet it, and the free ones are chosen anew. Ends when no share would move
 * further than the tolerance by itself.
 */
export function descendBoxes(
  problem: Problem,
  pass: Pass,
  options: DescentOptions & { readonly factors: Factors },
): Descent {
  const { factors, tolerance = 1e-4, maxIterations = mostProducts, tick } = options
  const { N } = factors.layout
  const diagonal = diagonalOf(problem, pass, factors)
  const p = options.start?.slice() ?? new Float64Array(N).fill(0.5)
  const Q = quadraticOf(problem, pass, factors)
  let g = Q.slope(p)
  let products = 0
  let settled = false
  while (products < maxIterations && !settled) {
    tick?.(products, maxIterations)
    const free = freeOf(p, g)
    settled = furthestOf(p, g, diagonal) <= tolerance
    if (settled) break
    const { steps, image } = conjugate({ p, g, diagonal, free }, Q.times, Math.min(inARow, maxIterations - products))
    products += steps
    g = image
  }
  // What conjugate steps kept up by recurrence is computed once more.
  g = Q.slope(p)
  return { p, gradient: g, diagonal, iterations: products, settled: furthestOf(p, g, diagonal) <= tolerance }
}

const freeOf = (p: Float64Array, g: Float64Array): Uint8Array =>
  Uint8Array.from(p, (x, i) => Number(!((x <= 0 && g[i]! >= 0) || (x >= 1 && g[i]! <= 0))))

/** How far some share would go by itself. */
function furthestOf(p: Float64Array, g: Float64Array, diagonal: Float64Array): number {
  let most = 0
  for (let i = 0; i < p.length; i++) {
    if (!(diagonal[i]! > 0)) continue
    const to = Math.min(1, Math.max(0, p[i]! - g[i]! / diagonal[i]!))
    most = Math.max(most, Math.abs(to - p[i]!))
  }
  return most
}

interface Standing {
  readonly p: Float64Array
  readonly g: Float64Array
  readonly diagonal: Float64Array
  readonly free: Uint8Array
}

/** Moves p; gives the slope where it ends. */
function conjugate({ p, g, diagonal, free }: Standing, times: (d: Float64Array) => Float64Array, most: number) {
  const N = p.length
  const slope = g.slice()
  const scaled = (): Float64Array => slope.map((x, i) => (free[i] === 1 && diagonal[i]! > 0 ? -x / diagonal[i]! : 0))
  let z = scaled()
  let d = z.slice()
  let size = -dot(slope, z)
  const least = fall * fall * size
  let steps = 0
  while (steps < most && size > least && size > 0) {
    const image = times(d)
    steps++
    const bend = dot(d, image)
    if (!(bend > 0)) break
    const full = size / bend
    // As far as the first bound, or past it with those who meet it left behind.
    let reach = Number.POSITIVE_INFINITY
    for (let i = 0; i < N; i++) {
      if (d[i]! > 0) reach = Math.min(reach, (1 - p[i]!) / d[i]!)
      else if (d[i]! < 0) reach = Math.min(reach, -p[i]! / d[i]!)
    }
    if (full <= reach) {
      for (let i = 0; i < N; i++) {
        p[i]! += full * d[i]!
        slope[i]! += full * image[i]!
      }
      z = scaled()
      const after = -dot(slope, z)
      const by = after / size
      d = d.map((x, i) => z[i]! + by * x)
      size = after
      continue
    }
    const bent = projected({ p, slope, d, image, full }, times)
    return { steps: steps + bent.steps, image: bent.slope }
  }
  return { steps, image: slope }
}

interface Bent {
  readonly p: Float64Array
  readonly slope: Float64Array
  readonly d: Float64Array
  readonly image: Float64Array
  readonly full: number
}

/** The whole step cut off at the bounds, halved until the quadratic falls enough; at worst a step as far as the first bound. */
function projected({ p, slope, d, full }: Bent, times: (d: Float64Array) => Float64Array) {
  let steps = 0
  for (let length = full; ; length /= 4) {
    const by = d.map((x, i) => Math.min(1, Math.max(0, p[i]! + length * x)) - p[i]!)
    const image = times(by)
    steps++
    const down = dot(slope, by)
    if (down + dot(by, image) / 2 <= 0.1 * Math.min(0, down) || steps > 8) {
      for (let i = 0; i < p.length; i++) p[i] = Math.min(1, Math.max(0, p[i]! + by[i]!))
      return { steps, slope: slope.map((x, i) => x + image[i]!) }
    }
  }
}

/** Q p - b and Q d, by two products with factors a round. */
function quadraticOf(problem: Problem, pass: Pass, factors: Factors) {
  const { rounds, samples, rate } = problem
  const used = { ...problem, rounds: pass.rounds.map((t) => rounds[t]!) }
  const weights = pass.rounds.map((t) => pass.weights[t]!)
  const zeros = used.rounds.map(() => new Float64Array(factors.layout.size))
  const offsets = pass.rounds.map((t) => pass.offsets[t]!)
  const directions = factors.directions(1)
  const sumsOf = (d: Float64Array, whole: boolean): Float64Array[] =>
    used.rounds.map(({ at }) => {
      const columns = factors.at(at)
      const [sum] = factors.sums(columns, [d])
      if (whole) for (let j = 0; j < sum!.length; j++) sum![j]! += columns.base[j]!
      return sum!
    })
  /** sum of w D^T M (sum + offset - rho tau); without the constant parts the image of a direction. */
  const back = (d: Float64Array, whole: boolean): Float64Array => {
    const sums = sumsOf(d, whole)
    const own = { ...pass, weights, offsets: whole ? offsets : zeros }
    const rates = !whole && rate === 'known' ? weights.map(() => 0) : ratesOf(used, sums, own)
    const left = sums.map((sum, t) => {
      const [{ mean }, offset, by] = [used.rounds[t]!, own.offsets[t]!, rates[t]! * samples]
      return sum.map((x, j) => x + offset[j]! - by * mean[j]!)
    })
    const turned = inMetric(pass.metric, left)
    const out = new Float64Array(factors.layout.N)
    for (const [t, { at }] of used.rounds.entries()) {
      directions.set(0, turned[t]!)
      const products = factors.along(factors.at(at), directions)
      for (let i = 0; i < out.length; i++) out[i]! += weights[t]! * products[i]!
    }
    return out
  }
  return { slope: (p: Float64Array) => back(p, true), times: (d: Float64Array) => back(d, false) }
}

/** Sums of w d^T M d; what the metric takes of each is learned from some of the rounds. */
function diagonalOf({ rounds }: Problem, { rounds: places, weights, metric }: Pass, factors: Factors): Float64Array {
  const { N } = factors.layout
  const [whole, some, taken] = [new Float64Array(N), new Float64Array(N), new Float64Array(N)]
  const K = metric.directions.length
  const directions = K === 0 ? undefined : factors.directions(K, metric.directions)
  const step = Math.ceil(places.length / metricRounds)
  for (const [at, t] of places.entries()) {
    const columns = factors.at(rounds[t]!.at)
    const squares = factors.squares(columns)
    for (let i = 0; i < N; i++) whole[i]! += weights[t]! * squares[i]!
    if (directions === undefined || at % step !== 0) continue
    const z = factors.along(columns, directions)
    for (let i = 0; i < N; i++) {
      let sum = 0
      for (let k = 0; k < K; k++) sum += metric.damping[k]! * z[i * K + k]! * z[i * K + k]!
      some[i]! += weights[t]! * squares[i]!
      taken[i]! += weights[t]! * sum
    }
  }
  return whole.map((x, i) => (some[i]! > 0 ? x * Math.max(1e-6, 1 - taken[i]! / some[i]!) : x))
}
