/** How large a step is: the mean over trainings, its interval, and the share of the error that it removes. */

import { studentQuantile } from '../numeric/special/student-t.js'
import { meanOf, squaresAbout } from '../numeric/special/summaries.js'
import type { DrawOptions } from './randomisation.js'
import { drawSums } from './randomisation.js'
import { type Deal, effectOf, weightsOf } from './tables.js'

export interface Effect {
  readonly effect: number
  readonly interval: EffectInterval
  /** The standard deviation of the effect from one set of trainings to the next. */
  readonly deviation: number
  /** The guess's own difference was subtracted, because that narrows the interval. */
  readonly lessGuess: boolean
  /** In each training, in order. */
  readonly each: readonly number[]
}

export interface EffectInterval {
  /** Minus and plus infinity where the candidates are too few to exclude anything. */
  readonly low: number
  readonly high: number
  readonly confidence: number
  /** One training speaks of itself alone; several speak of any like them. */
  readonly of: 'trainings' | 'this-training'
}

/** The effect with its interval: by Student's t from the trainings, from one alone by the inverted test. */
export function effectWithInterval(deals: readonly Deal[], confidence: number, options: DrawOptions): Effect {
  const lessGuess = guessNarrows(deals)
  const used = lessGuess ? deals.map(subtracted) : deals
  const effect = effectOf(used)
  const means = trainingMeans(used)
  if (means.length === 1) {
    const { low, high } = invertedTest(used, confidence, options)
    const interval = { low, high, confidence, of: 'this-training' } as const
    return { effect, interval, deviation: spreadBesideEffect(used, effect), lessGuess, each: means }
  }
  const deviation = Math.sqrt(squaresAbout(means, meanOf(means)) / (means.length - 1) / means.length)
  const half = studentQuantile((1 + confidence) / 2, means.length - 1) * deviation
  const interval = { low: effect - half, high: effect + half, confidence, of: 'trainings' } as const
  return { effect, interval, deviation, lessGuess, each: means }
}

/** What the truth scored in each training, the mean of its deals. */
function trainingMeans(deals: readonly Deal[]): number[] {
  const byTraining = new Map<number, number[]>()
  for (const { training, T } of deals) byTraining.set(training, [...(byTraining.get(training) ?? []), T[0]!])
  return [...byTraining.values()].map(meanOf)
}

/** By the spread over all candidates, so that the choice does not favour the truth's own figures. */
function guessNarrows(deals: readonly Deal[]): boolean {
  if (deals.some(({ guess }) => guess === undefined)) return false
  const squares = (list: readonly Deal[]): number =>
    list.reduce((sum, { T }) => sum + squaresAbout(T, meanOf(T)) / T.length, 0)
  return squares(deals.map(subtracted)) < squares(deals)
}

const subtracted = (deal: Deal): Deal => ({ ...deal, T: deal.T.map((value, k) => value - (deal.guess?.[k] ?? 0)) })

/** The standard deviation over draws of the effect, after what the effect itself adds to the candidates is taken away. */
function spreadBesideEffect(deals: readonly Deal[], effect: number): number {
  const weights = weightsOf(deals)
  let variance = 0
  for (const [u, { T, contrast }] of deals.entries()) {
    const rest = T.map((value, k) => value - effect * contrast[k]!)
    variance += weights[u]! * weights[u]! * (squaresAbout(rest, meanOf(rest)) / rest.length)
  }
  return Math.sqrt(variance)
}

/**
 * The effects that the test would not reject, either way, at half of 1 - confidence. An effect d adds d c[k] to candidate
 * k, c being the contrast; the draw b is at or above the truth once d is taken away where d >= r[b] = (T[0] - T[b]) /
 * (1 - c[b]). So the ends are order statistics of r. Exact for means of per-record scores, near it for areas and maxima.
 */
function invertedTest(deals: readonly Deal[], confidence: number, options: DrawOptions): { low: number; high: number } {
  const weights = weightsOf(deals)
  const weighted = (list: (deal: Deal) => Float64Array): Float64Array[] =>
    deals.map((deal, u) => list(deal).map((value) => weights[u]! * value))
  const [sums, contrasts] = drawSums([weighted(({ T }) => T), weighted(({ contrast }) => contrast)], options) as [
    Float64Array,
    Float64Array,
  ]
  const ratios: number[] = []
  for (let b = 1; b < sums.length; b++) {
    const missing = 1 - contrasts[b]!
    if (missing > 1e-9) ratios.push((sums[0]! - sums[b]!) / missing) // else it is the truth again: above whatever d is
  }
  ratios.sort((a, b) => a - b)
  const again = sums.length - ratios.length // the truth and its like
  // Not rejected: again + #{r <= d} > allowed, and the same from above.
  const allowed = Math.floor(((1 - confidence) / 2) * sums.length * (1 + 1e-12))
  const place = allowed - again
  if (place < 0) return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY }
  return { low: ratios[place]!, high: ratios[ratios.length - 1 - place]! }
}

/**
 * The share of what was left to learn: (record - client) / (1 - client) for scores whose best is 1, and (client - record)
 * / client for errors, whose best is 0. Undefined where nothing was left.
 */
export function errorRemoved({ from, to, best }: { from: number; to: number; best: number }): number | undefined {
  return best === from ? undefined : (to - from) / (best - from)
}
