/** Grades mean labels per metaclass: MAE over those present, against the means of auxiliary data. */
import { OverhearError } from '../errors.js'
import { meanPerRecord } from '../numeric/special/summaries.js'
import { inClaimedGroups } from './cells/claimed-clusters.js'
import { batchOf, metric, needed } from './grading.js'
import { meansByMetaclass, naiveGuesses, noAuxiliary } from './naive-labels.js'
import { meanAbsoluteError, places, tally } from './number-lists.js'
import { type Guess, scoreOf } from './score.js'

/** Metaclasses without a record have no mean and are left out; those of which nothing is claimed too, and counted. */
export const metaclassMeans = metric('metaclass-means', 'mean labels of metaclasses', async (claim, graded) => {
  const asked = { table: await batchOf(claim, graded), known: graded.known }
  const { table: batch, known } = inClaimedGroups(claim, asked)
  const [labels, metaclassColumn] = needed(
    [`clients.${claim.client}.label`, batch.labels],
    [`clients.${claim.client}.metaclass`, batch.metaclasses],
  )
  const count = known.metaclasses?.length ?? claim.values.length
  if (claim.values.length !== count) {
    throw new OverhearError('E_SHAPE', `values holds ${claim.values.length} means`, `there are ${count} metaclasses`)
  }
  const counts = tally(places(metaclassColumn, `metaclass of client "${claim.client}"`, count), count)
  const means = meansByMetaclass(meanPerRecord(labels, batch.features.rows), metaclassColumn, count)
  const present = Array.from(counts, (_, c) => c).filter((c) => counts[c]! > 0)
  const claimed = present.filter((c) => !Number.isNaN(claim.values[c]))
  const infinite = claimed.find((c) => !Number.isFinite(claim.values[c]))
  if (infinite !== undefined)
    throw new OverhearError('E_NON_FINITE', `values[${infinite}] is ${claim.values[infinite]}`)
  if (claimed.length === 0) {
    throw new OverhearError('E_VALUE', 'nothing is claimed of any metaclass that is present', 'NaN claims nothing')
  }
  const pick = (values: ArrayLike<number>): Float64Array => Float64Array.from(claimed, (c) => values[c]!)
  const truth = pick(means)
  const also: Record<string, number> = { present: present.length, claimed: claimed.length }
  const guesses = naiveGuesses(known).flatMap(({ key, words, values }): Guess[] => {
    const groups = known.auxiliary?.metaclasses
    if (groups === undefined) return []
    const guess = pick(meansByMetaclass(values, Float64Array.from(places(groups, 'auxiliary metaclass', count)), count))
    also[key] = meanAbsoluteError(guess, truth)
    return [{ words: `${words}, per metaclass`, value: also[key] }]
  })
  return scoreOf({
    metric: 'MAE',
    value: meanAbsoluteError(pick(claim.values), truth),
    better: 'lower',
    guesses,
    noGuess: `${noAuxiliary}, or they have no metaclass`,
    also,
    notes:
      claimed.length < present.length ? [`${present.length - claimed.length} metaclasses present are not claimed`] : [],
  })
})
