/** What could be claimed without hearing a message, made ready to be graded like any claim. Never in hindsight. */
import { rowOf } from '../../numeric/linalg/matrix.js'
import { meanOf, meanPerRecord } from '../../numeric/special/summaries.js'
import { type Asked, orMissing } from '../grading.js'
import { bestMultiset, expectedMatches } from '../multiset.js'
import { meansByMetaclass } from '../naive-labels.js'
import { places } from '../number-lists.js'
import { proportionsOf } from '../proportions.js'
import { distanceSq, meanRecord } from '../records-score.js'
import { auxiliaryModel } from './auxiliary-model.js'
import { labelCountsCell, metaclassCountsCell } from './counts-cell.js'
import { multisetCell, trueClasses } from './labels-cell.js'
import { meanCell, metaclassMeansCell } from './means-cell.js'
import { modelCell } from './model-cell.js'
import { attributeGuesses, type CellGuess, labelGuesses } from './public-guesses.js'
import { distanceCell } from './records-cell.js'

/** What is asked: the kind of claim, the attribute's name, and the number of records where it is about a batch. */
export interface Guessed {
  readonly kind: string
  readonly name: string | null
  readonly batchSize?: number | undefined
}

/**
 * The guesses that can be made, each graded like a claim; of equals the first is the most informed. None for members
 * (0.5 by construction), for claims about clients, and where nothing is known to guess from. The federation's global
 * model is a message and no guess.
 */
export function guessesFor(question: Guessed, asked: Asked): readonly CellGuess[] {
  const found = orMissing(() => byKind(question, asked))
  return 'missing' in found ? [] : found
}

function byKind({ kind, name, batchSize }: Guessed, asked: Asked): readonly CellGuess[] {
  switch (kind) {
    case 'attribute':
      return name === null ? [] : attributeGuesses(name, asked)
    case 'labels':
      return batchSize === undefined ? labelGuesses(asked) : batchGuesses(batchSize, asked)
    case 'model':
      return modelGuesses(asked)
    case 'label':
    case 'label-mean':
      return meanGuesses(asked)
    case 'metaclass-means':
      return metaclassMeansGuesses(asked)
    case 'metaclass-counts':
      return metaclassCountGuesses(asked)
    case 'label-counts':
      return labelCountGuesses(asked)
    case 'records':
      return recordGuesses(asked)
    default:
      return []
  }
}

/** Labels of a batch: what one does best to name who knows the proportions; lots are drawn for equals, on average. */
function batchGuesses(K: number, asked: Asked): CellGuess[] {
  const { truth, classes } = trueClasses(asked)
  const { pi, words } = proportionsOf(asked.known, 'labels', classes)
  const best = bestMultiset(pi, K)
  const matched = (k: Float64Array) => ({ ...expectedMatches(best, k), ofLabels: K })
  return [
    { words: `the best ${K} labels by ${words}`, gradable: multisetCell({ truth, classes, once: false, matched }) },
    {
      words: `the classes among the best ${K} labels by ${words}`,
      gradable: multisetCell({ truth, classes, once: true, matched }),
    },
  ]
}

function modelGuesses(asked: Asked): CellGuess[] {
  const { auxiliary, functions } = asked.known
  if (functions === undefined || auxiliary === undefined) return []
  const theta = auxiliaryModel(functions, auxiliary)
  if (theta === undefined) return []
  return [{ words: `a ${functions.model.kind} model fitted to auxiliary data`, gradable: modelCell({ theta }, asked) }]
}

/** The labels of the auxiliary data, one each. */
function auxiliaryLabels({ known: { auxiliary } }: Asked): Float64Array | undefined {
  const labels = auxiliary?.labels
  return labels !== undefined && labels.length > 0 ? labels : undefined
}

function meanGuesses(asked: Asked): CellGuess[] {
  const labels = auxiliaryLabels(asked)
  if (labels === undefined) return []
  const gradable = meanCell({ value: meanOf(labels) }, asked)
  return [{ words: 'the mean label of the auxiliary data', gradable }]
}

function metaclassMeansGuesses(asked: Asked): CellGuess[] {
  const { metaclasses, auxiliary } = asked.known
  const labels = auxiliaryLabels(asked)
  const groups = auxiliary?.metaclasses
  if (metaclasses === undefined || groups === undefined || labels === undefined) return []
  if (labels.length % groups.length !== 0) return []
  const count = metaclasses.length
  const of = Float64Array.from(places(groups, 'auxiliary metaclass', count))
  const gradable = metaclassMeansCell(
    { values: meansByMetaclass(meanPerRecord(labels, groups.length), of, count) },
    asked,
  )
  return [{ words: 'the mean labels of the auxiliary data, per metaclass', gradable }]
}

function metaclassCountGuesses(asked: Asked): CellGuess[] {
  const count = asked.known.metaclasses?.length
  if (count === undefined) return []
  const { pi, words } = proportionsOf(asked.known, 'metaclasses', count)
  return [{ words: `K times ${words}`, gradable: metaclassCountsCell({ values: pi }, asked) }]
}

function labelCountGuesses(asked: Asked): CellGuess[] {
  const { classes } = trueClasses(asked)
  const { pi, words } = proportionsOf(asked.known, 'labels', classes)
  const known = { ...asked.known, classes }
  return [{ words: `K times ${words}`, gradable: labelCountsCell({ counts: pi }, { ...asked, known }) }]
}

function recordGuesses({ table, known }: Asked): CellGuess[] {
  const X = table.features
  const centre = meanRecord(known, X.cols)
  if (centre === undefined) return []
  const errorsSq = Float64Array.from({ length: X.rows }, (_, i) => distanceSq(rowOf(X, i), centre))
  const gradable = distanceCell(X, (rows) => (i) => errorsSq[rows[i]!]!)
  return [{ words: 'the mean record of the auxiliary data', gradable }]
}
