/** Grades counts per class or metaclass: MAE and attack success rate, against K times auxiliary proportions. */
import { totalOf } from '../numeric/special/summaries.js'
import { inClaimedGroups } from './cells/claimed-clusters.js'
import { batchOf, type Grading, metric, needed } from './grading.js'
import { finiteNumbers, meanAbsoluteError, places, tally } from './number-lists.js'
import { type Proportions, proportionsOf } from './proportions.js'
import { type Score, scoreOf } from './score.js'

export const metaclassCounts = metric(
  'metaclass-counts',
  'how many records of each metaclass',
  async (claim, graded) => {
    const { table, known } = inClaimedGroups(claim, { table: await batchOf(claim, graded), known: graded.known })
    const [column] = needed([`clients.${claim.client}.metaclass`, table.metaclasses])
    const count = known.metaclasses?.length ?? claim.values.length
    const truth = { column, name: `metaclass of client "${claim.client}"` }
    return scoreCounts(finiteNumbers(claim.values, 'values', count), truth, {
      ...{ ...graded, known },
      proportions: proportionsOf(known, 'metaclasses', count),
    })
  },
)

export const labelCounts = metric('label-counts', 'how many records of each class', async (claim, graded) => {
  const { labels } = await batchOf(claim, graded)
  const [column] = needed([`clients.${claim.client}.label`, labels])
  const count = graded.known.classes ?? claim.counts.length
  const truth = { column, name: `label of client "${claim.client}"` }
  return scoreCounts(finiteNumbers(claim.counts, 'counts', count), truth, {
    ...graded,
    proportions: proportionsOf(graded.known, 'labels', count),
  })
})

function scoreCounts(
  claimed: Float64Array,
  { column, name }: { column: Float64Array; name: string },
  { known, proportions: { pi, words } }: Grading & { proportions: Proportions },
): Score {
  const k = tally(places(column, name, claimed.length), claimed.length)
  const K = known.batchSize ?? column.length
  const guess = pi.map((share) => K * share)
  return scoreOf({
    metric: 'MAE',
    value: meanAbsoluteError(claimed, k),
    better: 'lower',
    guesses: [{ words: `K times ${words}`, value: meanAbsoluteError(guess, k) }],
    also: { ASR: successRate(claimed, k), chanceASR: successRate(guess, k) },
  })
}

/** [labels] 6.5: the records that are matched, sum of min(k, claimed), as a share of K. */
// departs: divided by the claimed number if that is larger, so that claiming more than K does not pay; below 0 counts as 0.
export function successRate(claimed: ArrayLike<number>, k: Float64Array): number {
  let [matched, all] = [0, 0]
  for (let i = 0; i < k.length; i++) {
    const positive = Math.max(0, claimed[i]!)
    matched += Math.min(positive, k[i]!)
    all += positive
  }
  return matched / Math.max(all, totalOf(k))
}
