/** Epsilon between two bounds, by privacy losses on a grid: both hold whatever the grid, and a finer one brings them together. */
import { OverhearError } from '../errors.js'
import { exp } from '../numeric/special/elementary-functions.js'
import { gaussianDelta, gaussianEpsilon } from './analytic-gaussian.js'
import { type BothRepeated, type Curve, composedCurves } from './composed-curve.js'
import { onGrid, reversed } from './loss-grid.js'
import { logPeak, momentsAt, type Repeated } from './loss-moments.js'
import { fixedSizeRecord, type LossPair, laplaceNoise, removedRecord, replacedRecord } from './loss-pair.js'
import { type Sketch, type Steps, sketchOf } from './loss-sketch.js'
import { checkDelta, checkMechanism, gaussianMuSquared, type Mechanism, type Neighbours } from './mechanism.js'

export interface Bounds {
  readonly lower: number
  readonly upper: number
}

export interface LossOptions {
  readonly neighbours?: Neighbours
  /** How far apart the bounds may be, 5e-4 unless told; they are further apart where the largest grid does not suffice. */
  readonly tolerance?: number
}

/** What one step of each mechanism is dominated by; Gaussian noise on all records is put together, which is exact. */
function stepsOf(mechanisms: readonly Mechanism[], neighbours: Neighbours): { parts: Steps[]; mu: number } {
  let muSquared = 0
  const parts: Steps[] = []
  for (const one of mechanisms) {
    checkMechanism(one, neighbours)
    const gaussian = gaussianMuSquared(one, neighbours)
    if (gaussian !== undefined) muSquared += gaussian
    else if (one.kind === 'laplace') parts.push({ pair: laplaceNoise(one.scale), steps: one.steps })
    else if (one.kind !== 'tree') parts.push({ pair: pairOf(one, neighbours), steps: one.steps })
  }
  return { parts: parts.filter(({ steps }) => steps > 0), mu: Math.sqrt(muSquared) }
}

function pairOf(one: Extract<Mechanism, { sampleRate: number }>, neighbours: Neighbours): LossPair {
  const { noiseMultiplier: sigma, sampleRate: q } = one
  if (one.kind === 'fixed-size') return fixedSizeRecord({ sigma: sigma / 2, q })
  return neighbours === 'replace' ? replacedRecord({ sigma, q }) : removedRecord({ sigma, q })
}

/** Between which two numbers the least epsilon lies for which (epsilon, delta) holds after all mechanisms. */
export function epsilonBounds(mechanisms: readonly Mechanism[], delta: number, options: LossOptions = {}): Bounds {
  const { neighbours = 'add-remove', tolerance = 5e-4 } = options
  checkDelta(delta)
  const { parts, mu } = stepsOf(mechanisms, neighbours)
  if (parts.length === 0) {
    const epsilon = mu === 0 ? 0 : gaussianEpsilon(mu, delta)
    return { lower: epsilon * (1 - 1e-12), upper: epsilon * (1 + 1e-12) }
  }
  const all = withGaussian(parts, mu)
  const sketch = sketchOf(all, delta)
  const wanted = Math.min(tolerance, Math.max(0.01 * sketch.epsilon, 1e-6))
  let best: Bounds = { lower: 0, upper: Number.POSITIVE_INFINITY }
  let finer = 1.5
  let coarser = 1
  let refined = 0
  for (let pass = 0; pass < 12; pass++) {
    const found = boundsAt(all, delta, { sketch, tolerance: wanted / (finer * finer), coarser })
    if (found === undefined) {
      // Bounds that are further apart are better than none.
      if (best.upper < Number.POSITIVE_INFINITY || coarser > 1e4) break
      coarser *= 4
      continue
    }
    best = { lower: Math.max(best.lower, found.lower), upper: Math.min(best.upper, found.upper) }
    const gap = best.upper - best.lower
    if (gap <= tolerance || coarser > 1 || ++refined > 3) break
    finer *= Math.min(4, Math.max(1.3, 1.1 * Math.sqrt(gap / tolerance)))
  }
  if (best.upper < Number.POSITIVE_INFINITY) return best
  throw new OverhearError(
    'E_WORK',
    'the privacy losses of these steps need a larger grid than is allowed',
    'take the Rényi bound, or fewer steps',
  )
}

/** Gaussian noise on all records as one more part. */
function withGaussian(parts: readonly Steps[], mu: number): Steps[] {
  return mu === 0 ? [...parts] : [...parts, { pair: removedRecord({ sigma: 1 / mu, q: 1 }), steps: 1 }]
}

interface At {
  readonly sketch: Sketch
  readonly tolerance: number
  /** By how much the grid is coarser than the tolerance asks for; 1 unless told. */
  readonly coarser?: number
}

const mostTransformed = 1 << 22

function boundsAt(parts: readonly Steps[], delta: number, at: At): Bounds | undefined {
  const { both, h } = gridded(parts, delta, at)
  // A little less than what Rényi's bound is best at: beyond it a single rare step takes over, and the sum becomes wide.
  const theta = 0.6 * at.sketch.theta
  const forward = composedCurves(both, { h, theta, most: mostTransformed })
  if (forward === undefined) return undefined
  let { lower, upper } = boundsOf(forward, delta)
  if (parts.every(({ pair }) => pair.symmetric)) return { lower, upper }
  const back = turned(both, h)
  const infinite = back.upper.reduce((sum, { loss, steps }) => sum + steps * loss.infinite, 0)
  // Chernoff's bound on the other order is mostly enough to see that it asks for less.
  const enough = [1, 2, 4, 8].some((factor) => {
    const steep = factor * theta
    return exp(momentsAt(back.upper, steep, h).logMgf - steep * upper + logPeak(steep)) + infinite <= delta
  })
  if (enough) return { lower, upper }
  const backward = composedCurves(back, { h, theta, most: mostTransformed })
  if (backward === undefined) return undefined
  const other = boundsOf(backward, delta)
  lower = Math.max(lower, other.lower)
  upper = Math.max(upper, other.upper)
  return { lower, upper }
}

const turned = ({ upper, lower }: BothRepeated, h: number): BothRepeated => {
  const turn = (list: readonly Repeated[]) => list.map(({ loss, steps }) => ({ loss: reversed(loss, h), steps }))
  return { upper: turn(upper), lower: turn(lower) }
}

function boundsOf({ upper, lower }: { upper: Curve; lower: Curve }, delta: number): Bounds {
  const most = Math.max(0, upper.from, upper.to)
  const high = whereItCrosses(upper, delta, { low: Math.max(0, upper.from), high: most })
  if (high === undefined) return { lower: 0, upper: Number.POSITIVE_INFINITY }
  // Far below the tilt the lower curve knows nothing: it is followed down from the upper bound until it is above delta.
  let gap = 1e-6 * (high + 1e-3)
  while (high - gap > Math.max(0, lower.from) && lower.deltaAt(high - gap) <= delta) gap *= 2
  const low = Math.max(0, lower.from, high - gap)
  return { lower: lower.deltaAt(low) <= delta ? 0 : (whereItCrosses(lower, delta, { low, high }) ?? low), upper: high }
}

/** Where the curve comes down to delta between two places; undefined where it is still above at the end. */
function whereItCrosses(curve: Curve, delta: number, between: { low: number; high: number }): number | undefined {
  let { low, high } = between
  if (curve.deltaAt(low) <= delta) return low
  if (curve.deltaAt(high) > delta) return undefined
  for (let i = 0; i < 60; i++) {
    const middle = 0.5 * (low + high)
    if (curve.deltaAt(middle) > delta) low = middle
    else high = middle
  }
  // The end that is on the safe side: what is asked for is a bound.
  return curve.safe === 'above' ? high : low
}

/** The steps on a grid that should bring the bounds within the tolerance. */
function gridded(
  parts: readonly Steps[],
  delta: number,
  { sketch, tolerance, coarser = 1 }: At,
): { both: BothRepeated; h: number } {
  const { theta, deviations } = sketch
  const steps = parts.reduce((sum, one) => sum + one.steps, 0)
  let h = Math.sqrt((4 * tolerance) / (steps * (theta + 1)))
  for (const deviation of deviations) h = Math.min(h, deviation / 8)
  h *= coarser
  const lattice = parts.find(({ pair }) => pair.lattice !== undefined)?.pair.lattice
  if (lattice !== undefined) h = lattice / Math.ceil(lattice / h)
  const widest = Math.max(h, Math.sqrt(tolerance / (theta + 1)) / 4)
  const sides = parts.map(({ pair, steps: times }) => {
    const { low, high } = pair.range((1e-8 * delta) / steps)
    // Rare losses need no more places than these, however many steps there are.
    const knots = knotsOver({ low, high, h, widest: Math.max(widest, (high - low) / 4e4) })
    return { sides: onGrid(pair, knots, h), times }
  })
  return {
    h,
    both: {
      upper: sides.map(({ sides: { upper: loss }, times }) => ({ loss, steps: times })),
      lower: sides.map(({ sides: { lower: loss }, times }) => ({ loss, steps: times })),
    },
  }
}

interface Span {
  readonly low: number
  readonly high: number
  readonly h: number
  readonly widest: number
}

/** Multiples of h: every one near 0, fewer where losses are large and rare, up to `widest` apart. */
function knotsOver({ low, high, h, widest }: Span): Int32Array {
  const most = Math.max(1, Math.floor(widest / h))
  const side = (end: number): number[] => {
    const last = Math.max(1, Math.ceil(end / h - 1e-9))
    const out: number[] = []
    for (let k = 1; k < last; k += Math.min(most, Math.max(1, Math.floor(k / 200)))) out.push(k)
    return [...out, last]
  }
  return Int32Array.from([
    ...side(-low)
      .map((k) => -k)
      .reverse(),
    0,
    ...side(high),
  ])
}

/** The largest advantage (true less false alarms) of any guess at which of two neighbouring datasets was used, at most. */
export function largestAdvantage(mechanisms: readonly Mechanism[], neighbours: Neighbours = 'add-remove'): Bounds {
  const { parts, mu } = stepsOf(mechanisms, neighbours)
  if (parts.length === 0) {
    const value = gaussianDelta(mu, 0)
    return { lower: value, upper: value }
  }
  const all = withGaussian(parts, mu)
  const rough = sketchOf(all, 0.1)
  const { both, h } = gridded(all, 1e-6, { sketch: { ...rough, theta: 1 }, tolerance: 2e-4 })
  const curves = composedCurves(both, { h, theta: 0, most: mostTransformed })
  if (curves === undefined) return { lower: 0, upper: 1 }
  return { lower: Math.max(0, curves.lower.deltaAt(0)), upper: Math.min(1, curves.upper.deltaAt(0)) }
}
