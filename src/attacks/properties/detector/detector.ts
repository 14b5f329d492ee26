/** One round's detector M_r: an affine feature of an update, trained, chosen and measured on three separate parts. */
import { OverhearError } from '../../../errors.js'
import { firstNonFinite } from '../../../numeric/linalg/vector.js'
import { softplus } from '../../../numeric/special/elementary-functions.js'
import { overlapOfNormals } from '../../../numeric/special/overlap-of-normals.js'
import { type Affine, affineFeatures } from './affine-features.js'
import { gramLogistic } from './gram-logistic.js'
import { gram, weightedRows } from './row-gram.js'
import { type TrainingRows, trainingRows } from './training-rows.js'

/** f+ and f-: what the feature of one client is like with and without the property, and how often each was measured. */
export interface FeatureShape {
  readonly plusMean: number
  readonly plusStd: number
  readonly minusMean: number
  readonly minusStd: number
  readonly measured: number
  /** v_r = 1 - OVL(f+, f-). */
  readonly v: number
}

/** g(u) = a . u + c, above 0 for the property. */
export interface Detector extends Affine {
  readonly shape: FeatureShape
  readonly penalty: number
}

export interface DetectorOptions {
  /** Updates of each class. */
  readonly pairs: number
  /** The least deviation of a coordinate, as a share of the mean deviation. */
  readonly floor: number
  /** Which part of the training updates is used: one of several detectors on parts of their own. */
  readonly fold?: { readonly index: number; readonly of: number }
  /** Bytes of training updates kept at once; 256 MB unless told. Beyond it they are simulated again. */
  readonly maxBytes?: number
}

/** The i-th made-up update of a class: the same numbers whenever it is asked for. The next one may overwrite it. */
export type Simulate = (having: boolean, index: number) => Float64Array

/** From much to little; each is tried, and the one of least loss on the second part is taken. */
const penalties = [10, 1, 0.1, 0.01, 0.001]
const usualBytes = 256 * 1024 * 1024

/** How many updates of each class train, choose and measure. */
export function parts(pairs: number): { readonly train: number; readonly choose: number; readonly measure: number } {
  const measure = Math.max(3, Math.round(0.3 * pairs))
  const choose = Math.max(2, Math.round(0.2 * pairs))
  return { train: pairs - measure - choose, choose, measure }
}

/**
 * [prolin] Section 5.2.1-2.
 * departs: the published code chooses and measures on one part, which makes f+ and f- look further apart than they are.
 */
export function trainDetector(simulate: Simulate, options: DetectorOptions): Detector {
  const { pairs, floor, fold = { index: 0, of: 1 }, maxBytes = usualBytes } = options
  const { train, choose, measure } = parts(pairs)
  const made = (having: boolean, index: number): Float64Array => finite(simulate(having, index))
  const own = Array.from({ length: train }, (_, i) => i).filter((i) => i % fold.of === fold.index)
  if (own.length < 2) {
    throw new OverhearError('E_VALUE', `${pairs} pairs for ${fold.of} features`, `${4 * fold.of + 5} pairs would do`)
  }
  const positive = own.flatMap(() => [true, false])
  const rows = trainingRows((k) => made(positive[k]!, own[k >> 1]!), { count: positive.length, floor, maxBytes })
  const candidates = fitted(rows, positive)
  rows.release()
  const features = affineFeatures(candidates)
  const losses = candidates.map(() => 0)
  for (let i = train; i < train + choose; i++) {
    for (const having of [true, false]) {
      for (const [f, g] of features.of(made(having, i)).entries()) losses[f]! += softplus(having ? -g : g)
    }
  }
  const least = losses.reduce((best, loss, f) => (loss < losses[best]! ? f : best), 0)
  const measured = (having: boolean): Float64Array =>
    Float64Array.from({ length: measure }, (_, i) => features.of(made(having, train + choose + i))[least]!)
  const shape = shapeOf(measured(true), measured(false))
  features.release()
  return { ...candidates[least]!, shape }
}

/** An affine feature for every penalty: a . u + c = sum over k of beta_k (z_k . z(u)) + intercept. */
function fitted(rows: TrainingRows, positive: readonly boolean[]): readonly Omit<Detector, 'shape'>[] {
  const fits = gramLogistic(gram(rows), positive, penalties)
  const sums = weightedRows(
    rows,
    fits.map(({ beta }) => beta),
  )
  const { mean, scale } = rows
  return fits.map(({ intercept, penalty }, f) => {
    const a = sums[f]!
    let c = intercept
    for (let j = 0; j < a.length; j++) {
      a[j] = a[j]! / scale[j]! / scale[j]!
      c -= a[j]! * mean[j]!
    }
    return { a, c, penalty }
  })
}

function finite(update: Float64Array): Float64Array {
  const bad = firstNonFinite(update)
  if (bad < 0) return update
  const found = `a simulated client's update holds ${update[bad]} at ${bad}`
  throw new OverhearError('E_NON_FINITE', found, 'training diverges from this model: use earlier rounds')
}

/** t_r: of a feature of which nobody says whether its client has the property. */
export function deviationOf({ plusMean, minusMean, plusStd: p, minusStd: m }: FeatureShape): number {
  const half = (plusMean - minusMean) / 2
  return Math.sqrt(half * half + (p * p + m * m) / 2)
}

/** Normal f+ and f-. A deviation of (next to) 0, as of free riders who return nothing, is lifted a little. */
export function shapeOf(plus: Float64Array, minus: Float64Array): FeatureShape {
  const [p, m] = [momentsOf(plus), momentsOf(minus)]
  const least = 1e-3 * (Math.abs(p.mean - m.mean) + p.std + m.std) + 1e-100
  const [plusStd, minusStd] = [Math.max(p.std, least), Math.max(m.std, least)]
  const { overlap } = overlapOfNormals({ mean1: p.mean, std1: plusStd, mean2: m.mean, std2: minusStd })
  const v = Math.max(0, 1 - overlap)
  return { plusMean: p.mean, plusStd, minusMean: m.mean, minusStd, measured: minus.length, v }
}

/** f+ of a client that acts in a share of the rounds only: the mean and deviation of the mixture with f-. */
export function nowAndThen(shape: FeatureShape, acting: number): FeatureShape {
  if (acting === 1) return shape
  const { plusMean, plusStd: p, minusMean, minusStd: m } = shape
  const gap = plusMean - minusMean
  const mean = minusMean + acting * gap
  const std = Math.sqrt(acting * p * p + (1 - acting) * m * m + acting * (1 - acting) * gap * gap)
  const { overlap } = overlapOfNormals({ mean1: mean, std1: std, mean2: minusMean, std2: m })
  return { ...shape, plusMean: mean, plusStd: std, v: Math.max(0, 1 - overlap) }
}

function momentsOf(values: Float64Array): { readonly mean: number; readonly std: number } {
  const n = values.length
  let mean = 0
  for (const x of values) mean += x / n
  let squares = 0
  for (const x of values) squares += (x - mean) * (x - mean)
  return { mean, std: Math.sqrt(squares / (n - 1)) }
}
