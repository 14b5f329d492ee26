/** Grades how much each client is believed to contribute: the rank correlation with leaving it out. */
import { distinctIds, lacks, metric, needed } from './grading.js'
import { finiteNumbers } from './number-lists.js'
import { rankCorrelation } from './ranks.js'
import { scoreOf } from './score.js'

/** Over the clients of the claim. A claim that says the same of all has no order and scores 0. */
export const contribution = metric('contribution', 'how much each client adds', (claim, graded) => {
  const [truth] = needed(['contribution', graded.contribution])
  const ids = distinctIds(claim.clients)
  const claimed = finiteNumbers(
    claim.clients.map(({ score }) => score),
    'score',
  )
  const absent = [...ids].filter((id) => !truth.has(id))
  if (absent.length > 0) lacks(...absent.map((id) => `contribution.${id}`))
  const actual = finiteNumbers(
    [...ids].map((id) => truth.get(id)!),
    'contribution',
  )
  if (actual.every((value) => value === actual[0])) lacks('contribution that differs between clients')
  return scoreOf({
    metric: 'rank correlation',
    value: rankCorrelation(claimed, actual) ?? 0,
    better: 'higher',
    guesses: [{ words: 'a random order, on average', value: 0 }],
  })
})
