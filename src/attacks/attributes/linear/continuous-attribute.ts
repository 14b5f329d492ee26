/** A continuous attribute from messages: gradients made linear in it round the last estimate, over ever smaller intervals. */
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import { dot } from '../../../numeric/linalg/vector.js'
import { meanOf, rangeOf } from '../../../numeric/special/summaries.js'
import type { Belief } from '../search-values.js'
import { fillInto, type Unknown } from '../unknown-columns.js'
import { sharesOf } from './coordinate-descent.js'
import type { Settings, SharesInput } from './discrete-attribute.js'
import { variancesOf } from './gaussian-posterior.js'
import { type Problem, problemOf, releaseProblem } from './linear-problem.js'
import { sumsOf } from './message-residuals.js'
import { solveExactly } from './one-step-shares.js'
import { descend } from './projected-gradient.js'
import { metricOf, plainMetric, squaresIn } from './residual-metric.js'
import { assemble, type Pass, ratesOf } from './weighted-squares.js'

/** Intervals as shares of half the range, wide ones first: a secant over much of the range sees past kinks. */
const widths = [1, 0.5, 0.5, 0.25, 0.25, 0.25, 0.12, 0.12, 0.12, 0.06, 0.06, 0.03, 0.03, 0.01, 0.01, 0.001, 0.0001]
const mostInverted = 1000

type RangeInput = Omit<SharesInput, 'attributes' | 'evidence'> & { readonly attribute: Unknown }
interface Ranged {
  readonly belief: Belief
  readonly misfit: number
}

/**
 * Rounds from which on halves of them are asked apart, and by how much less they disagree than the whole is off, as far as they
 * have what turns hide in common (chosen on twelve small worlds, seeds 1 and 2: 0.9 to 2.1 times 1.5).
 */
const [leastHalved, wider] = [4, 2.5]

/**
 * What the messages say, with standard errors that are no smaller than what halves of the messages disagree by: the equations
 * know nothing of the drift within turns, nor of values between two kinks that were taken for others.
 */
export function attributeRange(input: RangeInput, settings: Settings): Ranged {
  const whole = estimated(input, settings)
  const { rounds } = input.turns
  if (rounds.length < leastHalved || input.exact) return whole
  const halves = [0, 1].map((k) => {
    const turns = { ...input.turns, rounds: rounds.filter((_, t) => t % 2 === k) }
    return estimated({ ...input, turns }, settings).belief.values
  })
  const { values, confidence } = whole.belief
  const widest = widestOf(input.attribute)
  const apart = meanOf(
    Array.from(values, (_, i) => ((halves[0]![i]! - halves[1]![i]!) * (halves[0]![i]! - halves[1]![i]!)) / 4),
  )
  const errors = Float64Array.from(values, (_, i) => {
    const own = (halves[0]![i]! - halves[1]![i]!) / 2
    return Math.max(confidence![i]!, Math.min(widest, wider * Math.sqrt((apart + own * own) / 2)))
  })
  return { ...whole, belief: { values, confidence: errors } }
}

/**
 * Each step puts two values round the estimate, low and high, and asks for the share of high: a secant of the gradient
 * over the interval, which is halved until it is a derivative. Exact for gradients that are linear in the attribute.
 */
function estimated(input: RangeInput, { directions, tick }: Settings): Ranged {
  const { attribute, known, exact } = input
  const { sensitive, places } = attribute
  if (sensitive.kind !== 'continuous') throw new TypeError('internal: a continuous attribute is needed')
  const [least, most] = sensitive.range
  const n = known.known.rows
  const prior = priorOf(sensitive.range)
  let values = new Float64Array(n).fill(prior.mean)
  let metric = plainMetric
  let weights: readonly number[] | undefined
  let misfit = 0
  let ending: { problem: Problem; half: number } | undefined
  for (const [step, width] of widths.entries()) {
    tick(step, widths.length)
    const half = (width * (most - least)) / 2
    const low = values.map((v) => Math.min(Math.max(v - half, least), most - 2 * half))
    const at = (by: number): Matrix => {
      const features = matrix(n, known.known.cols, known.known.data.slice())
      fillInto(features, attribute, (i) => low[i]! + by)
      return features
    }
    const candidates = { records: n, features: [at(0), at(2 * half)], labels: known.labels }
    if (ending !== undefined) releaseProblem(ending.problem)
    const problem = problemOf({ ...input, candidates, places })
    problem.factors?.keep(problem.rounds.map(({ at: point }) => point))
    const pass: Pass = {
      rounds: problem.rounds.map((_, t) => t),
      weights: weights ?? problem.rounds.map(({ mean }) => 1 / Math.max(dot(mean, mean), 1e-300)),
      metric,
      offsets: problem.rounds.map(() => new Float64Array(problem.gradients.size)),
    }
    const start = values.map((v, i) => (v - low[i]!) / (2 * half))
    const shrinks = weights === undefined ? undefined : { ...prior, low, width: 2 * half }
    const p = (exact ? bySystem(problem) : undefined) ?? shareOfHigh(problem, pass, { start, shrinks })
    values = p.map((share, i) => low[i]! + 2 * half * share)
    prior.mean = meanOf(values)
    const left = leftOver(problem, pass, p)
    metric = metricOf(left.residuals, directions)
    weights = squaresIn(metric, left.residuals).map((square) => problem.gradients.size / Math.max(square, 1e-300))
    misfit = left.misfit
    ending = { problem, half }
  }
  const deviations = deviationsOf(ending!.problem, { weights: weights!, metric })
  releaseProblem(ending!.problem)
  const widest = widestOf(attribute)
  const confidence = deviations.map((d) => Math.min(widest, 2 * ending!.half * d))
  return { belief: { values, confidence }, misfit }
}

/** The error of the middle of the range. */
const widestOf = ({ sensitive }: Unknown): number =>
  sensitive.kind === 'continuous' ? (sensitive.range[1] - sensitive.range[0]) / Math.sqrt(12) : 0

/** From one step on all records, by QR. */
function bySystem(problem: Problem): Float64Array | undefined {
  if (problem.samples !== problem.candidates.records) return undefined
  return solveExactly(problem)?.p.map((x) => Math.min(1, Math.max(0, x)))
}

interface Prior {
  mean: number
  readonly variance: number
}

/**
 * What is known of a value beforehand: columns that stand round 0 and reach beyond 1 were standardised, others may be anything
 * in their range. The mean is learned as estimates come in: all messages together tell it far better than any record.
 */
export function priorOf([least, most]: readonly [number, number]): Prior {
  const standardised = least < 0 && most > 0 && Math.max(-least, most) >= 1 && most - least <= 30
  const spread = (most - least) / Math.sqrt(12)
  return standardised ? { mean: 0, variance: 1 } : { mean: (least + most) / 2, variance: spread * spread }
}

interface Within {
  readonly start: Float64Array
  /** The prior over low + width p, once weights are in units of noise. */
  readonly shrinks: (Prior & { readonly low: Float64Array; readonly width: number }) | undefined
}

function shareOfHigh(problem: Problem, pass: Pass, { start, shrinks }: Within): Float64Array {
  const { factors, gram, gradients } = problem
  const precision = shrinks && new Float64Array(start.length).fill((shrinks.width * shrinks.width) / shrinks.variance)
  const linear = shrinks?.low.map((low) => ((shrinks.mean - low) * shrinks.width) / shrinks.variance)
  // Rounds err alike: all of them together count as one.
  const T = pass.rounds.length
  if (factors === undefined || gram === undefined) {
    const once = shrinks === undefined ? pass : { ...pass, weights: pass.weights.map((w) => w / T) }
    return descend(problem, once, { start, precision, linear }).p
  }
  const { Q, b } = assemble(problem, pass, { factors, gram })
  if (precision !== undefined && linear !== undefined) {
    for (let at = 0; at < Q.length; at++) Q[at]! /= T
    for (let i = 0; i < b.length; i++) {
      b[i] = b[i]! / T + linear[i]!
      Q[i * (b.length + 1)]! += precision[i]!
    }
  }
  return sharesOf({ Q, b, records: gradients.records }, { start }).p
}

/** Standard errors of the shares; rounds err alike, so that all of them together count as one. */
function deviationsOf(problem: Problem, { weights, metric }: Pick<Pass, 'weights' | 'metric'>): Float64Array {
  const { factors, gram, gradients, rounds } = problem
  const N = gradients.records
  if (factors === undefined || gram === undefined || N > mostInverted) return new Float64Array(N).fill(1e300)
  const offsets = rounds.map(() => new Float64Array(gradients.size))
  const T = rounds.length
  const pass = { rounds: rounds.map((_, t) => t), weights: weights.map((w) => w / T), metric, offsets }
  const { Q } = assemble(problem, pass, { factors, gram })
  const least = 1e-12 * Math.max(1e-300, rangeOf(Q).max)
  const variance = variancesOf(Q, N, () => least)
  if (variance === undefined) return new Float64Array(N).fill(1e300)
  return variance.map(Math.sqrt)
}

function leftOver(problem: Problem, pass: Pass, p: Float64Array) {
  const { rounds, samples } = problem
  const sums = sumsOf(problem, p)
  const rates = ratesOf(problem, sums, pass)
  const residuals = rounds.map(({ mean }, t) => mean.map((x, j) => rates[t]! * samples * x - sums[t]![j]!))
  const parts = residuals.map((r, t) => {
    const message = rates[t]! * samples
    return Math.sqrt(dot(r, r) / Math.max(dot(rounds[t]!.mean, rounds[t]!.mean) * message * message, 1e-300))
  })
  return { residuals, misfit: meanOf(parts) }
}
