/** Grades labels: those of a batch as a multiset (iAcc, cAcc), or one per record (accuracy; MAE for a regression). */

import type { LabelsClaim } from '../attacks/claim.js'
import { rowOf } from '../numeric/linalg/matrix.js'
import { meanOf } from '../numeric/special/summaries.js'
import type { Table } from '../transcript/encoded-table.js'
import { type LevelGuess, scoreCategories } from './categories.js'
import { batchLabels, type Grading, metric, needed, publicRecords, recordsOf } from './grading.js'
import { bestMultiset, expectedMatches, likeliestClasses } from './multiset.js'
import { argmax, places, tally } from './number-lists.js'
import { type NumberGuess, scoreQuantities } from './numbers-score.js'
import { proportionsOf } from './proportions.js'
import { type PublicInputs, predictLevels, predictNumbers, publicInputs } from './public-only.js'
import { type Score, scoreOf } from './score.js'

export const labels = metric('labels', 'the labels of a batch or of known records', (claim, graded) => {
  const { round } = claim
  return round === undefined ? scoreEach(claim, graded) : scoreBatch({ ...claim, round }, graded)
})

async function scoreBatch(claim: LabelsClaim & { readonly round: number }, graded: Grading): Promise<Score> {
  const { known } = graded
  const column = await batchLabels(claim, graded)
  const claimed = places(claim.labels, 'labels', known.classes ?? MOST)
  const truth = places(column, `label of client "${claim.client}"`, known.classes ?? MOST)
  const classes = known.classes ?? 1 + largest(truth, known.auxiliary?.labels ?? [])
  const k = tally(truth, classes)
  const { pi, words } = proportionsOf(known, 'labels', classes)
  const K = known.batchSize ?? truth.length
  const chance = expectedMatches(bestMultiset(pi, K), k)
  const found = matches(claimed, k)
  const present = k.filter((count) => count > 0).length
  const distinct = new Set(claimed).size
  // departs: divided by the claimed number if that is larger, so that claiming more than K does not pay.
  const iAcc = found.labels / Math.max(truth.length, claimed.length)
  const also = {
    cAcc: found.classes / present,
    chanceCAcc: chance.classes / present,
    ...(distinct > 0 && { classPrecision: found.classes / distinct }),
  }
  if (claim.once) {
    const guess = expectedMatches(likeliestClasses(pi, distinct), k)
    return scoreOf({
      // [labels] Table 3.2: the share of the classes that were found. To name more of them helps the guesser too.
      metric: 'cAcc',
      value: also.cAcc,
      better: 'higher',
      also: { iAcc, ...also },
      guesses: [{ words: `the ${distinct} likeliest classes by ${words}`, value: guess.classes / present }],
    })
  }
  return scoreOf({
    // The share of the labels that were found, each as often as it occurs.
    metric: 'iAcc',
    value: iAcc,
    better: 'higher',
    also,
    guesses: [{ words: `the best ${K} labels by ${words}`, value: chance.labels / Math.max(truth.length, K) }],
  })
}

const MOST = 0x7fffffff

function largest(...lists: readonly ArrayLike<number>[]): number {
  let most = 0
  for (const list of lists) for (let i = 0; i < list.length; i++) most = Math.max(most, list[i]!)
  return most
}

/** Labels in common, each as often as both have it, and classes in common. */
function matches(claimed: Int32Array, k: Float64Array): { labels: number; classes: number } {
  const left = k.slice()
  let labels = 0
  for (const label of claimed) {
    if (!(left[label]! > 0)) continue
    left[label]! -= 1
    labels++
  }
  return { labels, classes: left.filter((rest, c) => rest < k[c]!).length }
}

async function scoreEach(claim: LabelsClaim, graded: Grading): Promise<Score> {
  const { known } = graded
  const [table] = needed([`clients.${claim.client}`, await recordsOf(claim.client, graded)])
  const [truth] = needed([`clients.${claim.client}.label`, table.labels])
  const records = publicRecords(known, table)
  const guesser: Guesser = { graded, records, inputs: labelInputs(graded, records) }
  const task = { name: 'labels', claimed: claim.labels }
  if (known.classes === undefined) return scoreQuantities({ ...task, truth, primary: 'MAE', guesses: numbers(guesser) })
  const levels = known.classes
  return scoreCategories({
    ...task,
    levels,
    truth: places(truth, `label of client "${claim.client}"`, levels),
    guesses: classes(guesser, levels),
  })
}

interface Guesser {
  readonly graded: Grading
  readonly records: Table | undefined
  /** Columns to learn the label from, when there are labelled auxiliary data. */
  readonly inputs: PublicInputs | undefined
}

function labelInputs({ known: { auxiliary } }: Grading, records: Table | undefined): PublicInputs | undefined {
  if (records === undefined || auxiliary?.labels === undefined || auxiliary.labels.length === 0) return undefined
  return publicInputs(auxiliary, records, { hidden: [], label: false })
}

const trained = 'trained on auxiliary data'
const byGlobal = { key: 'lastGlobal', words: "the last global model's predictions" }

function numbers({ graded: { known }, records, inputs }: Guesser): NumberGuess[] {
  const own = known.auxiliary?.labels
  const found: NumberGuess[] = []
  if (own !== undefined && own.length > 0) {
    found.push({ key: 'auxiliaryMean', words: 'the mean label of the auxiliary data', numbers: meanOf(own) })
    if (inputs !== undefined) {
      const words = `ridge regression on the public columns, ${trained}`
      found.push({ key: 'publicOnly', words, numbers: predictNumbers(inputs, own) })
    }
  }
  const outputs = globalOutputs(known, records)
  return outputs?.cols === 1 ? [...found, { ...byGlobal, numbers: outputs.data }] : found
}

function classes({ graded: { known }, records, inputs }: Guesser, count: number): LevelGuess[] {
  const own = known.auxiliary?.labels
  const found: LevelGuess[] = []
  if (own !== undefined && own.length > 0) {
    const levels = places(own, 'auxiliary labels', count)
    const words = 'the majority class of the auxiliary data'
    found.push({ key: 'majorityOfAuxiliary', words, levels: argmax(tally(levels, count)) })
    if (inputs !== undefined) {
      const learned = `softmax regression on the public columns, ${trained}`
      found.push({ key: 'publicOnly', words: learned, levels: predictLevels(inputs, levels, count) })
    }
  }
  const outputs = globalOutputs(known, records)
  if (outputs === undefined) return found
  const { rows, cols, data } = outputs
  const levels = Int32Array.from({ length: rows }, (_, i) =>
    cols === 1 ? Number(data[i]! > 0.5) : argmax(rowOf(outputs, i)),
  )
  return [...found, { ...byGlobal, levels }]
}

/** What the last global model says of the records; undefined when it or a whole record is not known. */
function globalOutputs({ functions, lastGlobal }: Grading['known'], records: Table | undefined) {
  if (functions === undefined || lastGlobal === undefined || records === undefined) return undefined
  if (records.features.cols !== functions.model.inputs || !records.features.data.every(Number.isFinite))
    return undefined
  return functions.predict(lastGlobal, records.features)
}
