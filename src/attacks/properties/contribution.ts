/** How much each client's updates help, under secure aggregation: its part of what the sums teach. */
import type { SparseMatrix } from '../../numeric/linalg/sparse.js'
import { claimed, defineAttack } from '../attack.js'
import { measuringVariance } from './best-linear-prediction.js'
import { featureSums, type PropertyView } from './detector/feature-sums.js'
import { toldSums } from './participation/told-turns.js'
import { rowSums } from './participation-matrix.js'
import { detectorParams, propertyNeeds } from './property-attack.js'
import { strangersRounds } from './property-controls.js'
import { separability } from './separable-clients.js'
import { shrunkShares } from './shrunk-shares.js'
import { sumsOf } from './usable-sums.js'

export const contribution = defineAttack({
  id: 'contribution',
  effort: 5,
  title: "How much each client's updates help, from sums alone",
  paper: 'prolin',
  where: 'Section 7, future work; docs/property-inference.md',
  target: 'contribution',
  beyond: true,
  needs: propertyNeeds,
  uses: ['participation', 'turnCounts', 'sampleCounts'],
  params: detectorParams,
  /**
   * Detectors tell updates of clients that train as they should from those of clients whose labels are wrong: of what an
   * update does, that is the part that teaches. In units in which the first have 1 and the second 0 on the mean,
   * features can be compared over rounds, and each client's part of the sums is its contribution.
   */
  async run(given, { params, rng, tick, derive }) {
    const keys = [...propertyNeeds, 'participation', 'turnCounts', 'sampleCounts'] as const
    const { view, warnings } = await toldSums<PropertyView>(given, keys, { rng, tick: () => tick(0, 1) })
    const { pairs, records, floor, maxNorm, features: count } = params
    const sums = sumsOf(view, params.rounds)
    const { ids, A, rounds } = sums
    const made = { property: 'mislabelled', pairs, records, floor, maxNorm, riding: 'any' } as const
    const options = { ...made, features: count, joined: true }
    const [features] = await featureSums(view, sums, options, { rng: rng.fork('detectors'), tick, derive })
    const weights = rowSums(A)
    const y = new Float64Array(rounds.length)
    const noise = new Float64Array(rounds.length)
    for (const [r, shape] of features!.shapes.entries()) {
      const { plusMean, minusMean, minusStd } = shape
      // A detector that learned nothing has no unit: its round is all noise.
      const unit = Math.max(plusMean - minusMean, 1e-3 * minusStd)
      y[r] = (weights[r]! * plusMean - features!.G[r]!) / unit
      const variance = squaredSum(A, r) * minusStd * minusStd + measuringVariance(weights[r]!, shape)
      noise[r] = Math.sqrt(variance) / unit
    }
    const { x, common, ratio } = shrunkShares(A, y, noise)
    const { rank, inseparable } = separability(A)
    return claimed(
      { kind: 'contribution', clients: ids.map((id, i) => ({ id, score: x[i]! })) },
      {
        warnings: [...warnings, ...doubtsOf(inseparable.length, ratio)],
        details: {
          rounds: rounds.length,
          clients: ids.length,
          rank,
          common,
          noiseRatio: ratio,
          inseparable: inseparable.map((i) => ids[i]!),
        },
      },
    )
  },
  plant: { none: 'true contributions come from training without a client: the truth holds none to plant' },
  shuffle: strangersRounds,
})

/** What to hold against shares; the ratio is that of noise to differences between clients. */
export function doubtsOf(inseparable: number, ratio: number): string[] {
  const doubts: string[] = []
  if (inseparable > 0) doubts.push(`${inseparable} clients cannot be told apart by these rounds`)
  if (ratio >= 300) doubts.push('the sums hardly show that clients differ')
  return doubts
}

/** Sum of the squares of a row of A. */
function squaredSum({ rowStart, value }: SparseMatrix, r: number): number {
  let sum = 0
  for (let p = rowStart[r]!; p < rowStart[r + 1]!; p++) sum += value[p]! * value[p]!
  return sum
}
