/** Whether the sums look as the detectors say they should: what a claim built on them is worth. */
import { meanOf } from '../../../numeric/special/summaries.js'
import type { Detail } from '../../attack.js'
import type { FeatureRound } from '../../workings.js'
import { measuringVariance } from '../best-linear-prediction.js'
import { rowSums } from '../participation-matrix.js'
import type { FeatureSums } from './feature-sums.js'

/** Sums this much further from both hypotheses than their deviation are not what the detectors know. */
const strange = 10

export interface Fit {
  readonly details: Readonly<Record<string, Detail>>
  readonly warnings: readonly string[]
}

/**
 * overlap: of f+ and f- by round. misfit: the mean over rounds of the squared distance of G_r from the nearest sum that
 * any set of clients could give, in units of its variance; about 1 or less when the made-up clients are like the real ones.
 */
export function fitOf({ A, G, shapes }: FeatureSums): Fit {
  const weights = rowSums(A)
  let misfit = 0
  for (const [r, shape] of shapes.entries()) {
    const { plusMean, minusMean, plusStd, minusStd } = shape
    const [none, all] = [weights[r]! * minusMean, weights[r]! * plusMean]
    const outside = Math.max(Math.min(none, all) - G[r]!, G[r]! - Math.max(none, all), 0)
    let variance = measuringVariance(weights[r]!, shape)
    const spread = Math.max(plusStd, minusStd)
    for (let p = A.rowStart[r]!; p < A.rowStart[r + 1]!; p++) variance += A.value[p]! * A.value[p]! * spread * spread
    misfit += (outside * outside) / variance / shapes.length
  }
  const overlaps = shapes.map(({ v }) => Math.round((1 - v) * 1e4) / 1e4)
  const mean = meanOf(overlaps)
  const warnings: string[] = []
  if (mean > 0.8) warnings.push(`the detectors hardly see the property: mean overlap ${mean.toFixed(2)}; raise pairs`)
  if (misfit > strange) {
    warnings.push(`the sums lie far from anything the made-up clients return (misfit ${misfit.toFixed(1)})`)
  }
  return { details: { overlap: overlaps, meanOverlap: mean, misfit }, warnings }
}

/** So many rounds are told of at most, evenly spread. */
const mostTold = 60

/** How the features of made-up clients with and without the property lie in each round, and what was heard there. */
export function featureRounds({ A, G, shapes }: FeatureSums, rounds: readonly number[]): FeatureRound[] {
  const weights = rowSums(A)
  const every = Math.ceil(shapes.length / mostTold)
  return shapes.flatMap(({ plusMean, plusStd, minusMean, minusStd, v }, r) =>
    r % every !== 0
      ? []
      : [
          {
            round: rounds[r]!,
            having: { mean: short(plusMean), deviation: short(plusStd) },
            lacking: { mean: short(minusMean), deviation: short(minusStd) },
            overlap: short(1 - v),
            heard: short(G[r]! / weights[r]!),
          },
        ],
  )
}

/** As many digits as a figure shows. */
const short = (x: number): number => Number(x.toPrecision(5))
