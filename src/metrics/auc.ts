/** The area under the ROC curve, ties counted half, and its interval. [delong1988] */
import { normalQuantile } from '../numeric/special/normal-quantile.js'
import { varianceOf } from '../numeric/special/summaries.js'
import { midRanks } from './ranks.js'
import type { Interval } from './score.js'

interface Ranked {
  readonly scores: ArrayLike<number>
  readonly positive: ArrayLike<boolean | number>
}

/** The chance that a positive one scores above a negative one. Undefined without both. */
export function auc({ scores, positive }: Ranked): number | undefined {
  const ranks = midRanks(scores)
  let [sum, m] = [0, 0]
  for (let i = 0; i < ranks.length; i++) {
    if (!positive[i]) continue
    sum += ranks[i]!
    m++
  }
  const n = ranks.length - m
  return m === 0 || n === 0 ? undefined : (sum - (m * (m + 1)) / 2) / (m * n)
}

/**
 * DeLong's, cut to 0..1. Undefined with fewer than two of either kind, and where no pair is ordered otherwise than the
 * rest (all right, all wrong, all tied): the estimated variance is then 0, which no sample justifies.
 */
export function aucInterval({ scores, positive }: Ranked, confidence = 0.95): Interval | undefined {
  const area = auc({ scores, positive })
  const all = midRanks(scores)
  const of = (wanted: boolean): number[] => Array.from(all, (_, i) => i).filter((i) => Boolean(positive[i]) === wanted)
  const [ones, zeros] = [of(true), of(false)]
  if (area === undefined || ones.length < 2 || zeros.length < 2) return undefined
  // The share of the other kind that each lies above, from ranks among all and among its own.
  const placements = (own: readonly number[], others: number): number[] => {
    const among = midRanks(own.map((i) => scores[i]!))
    return own.map((i, j) => (all[i]! - among[j]!) / others)
  }
  const [V10, V01] = [placements(ones, zeros.length), placements(zeros, ones.length)]
  const alike = (values: readonly number[]): boolean => values.every((x) => x === values[0])
  if (alike(V10) && alike(V01)) return undefined
  const variance = sampleVariance(V10) / V10.length + sampleVariance(V01) / V01.length
  const reach = normalQuantile((1 + confidence) / 2) * Math.sqrt(variance)
  return [Math.max(0, area - reach), Math.min(1, area + reach)]
}

const sampleVariance = (values: readonly number[]): number => varianceOf(values, values.length - 1)
