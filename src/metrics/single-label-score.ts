/** Grades one label, or the mean label of a batch: the absolute error, against auxiliary data alone. */
import { OverhearError } from '../errors.js'
import { meanOf } from '../numeric/special/summaries.js'
import { batchLabels, type Known, metric } from './grading.js'
import { naiveGuesses, noAuxiliary } from './naive-labels.js'
import { finiteNumbers, meanAbsoluteError } from './number-lists.js'
import { type Guess, type Score, scoreOf } from './score.js'

export const label = metric('label', 'the label of a single record', async (claim, graded) => {
  const labels = await batchLabels(claim, graded)
  if (claim.values !== undefined && claim.values.length === labels.length) {
    const score = scoreNumber(claim.value, meanOf(labels), graded.known)
    const each = meanAbsoluteError(finiteNumbers(claim.values, 'values'), labels)
    return { ...score, also: { ...score.also, eachLabelMAE: each } }
  }
  if (labels.length !== 1) {
    const found = `one label is claimed, the batch of round ${claim.round}, client "${claim.client}" has ${labels.length}`
    throw new OverhearError('E_SHAPE', found, 'the label of a single-record update is graded')
  }
  return scoreNumber(claim.value, labels[0]!, graded.known)
})

export const labelMean = metric('label-mean', 'the mean label of a batch', async (claim, graded) =>
  scoreNumber(claim.value, meanOf(await batchLabels(claim, graded)), graded.known),
)

function scoreNumber(claimed: number, truth: number, known: Known): Score {
  finiteNumbers([claimed], 'value')
  const also: Record<string, number> = { truth }
  const guesses = naiveGuesses(known).map(({ key, words, values }): Guess => {
    also[key] = Math.abs(meanOf(values) - truth)
    return { words, value: also[key] }
  })
  const value = Math.abs(claimed - truth)
  return scoreOf({ metric: 'MAE', value, better: 'lower', guesses, noGuess: noAuxiliary, also })
}
