/** Grades an attribute: AUC or R2, against constants and the best predictor from public columns. */

import type { AttributeClaim } from '../attacks/claim.js'
import { columnAt, type Matrix, perRecord } from '../numeric/linalg/matrix.js'
import { meanOf } from '../numeric/special/summaries.js'
import type { Table } from '../transcript/encoded-table.js'
import type { Sensitive } from '../transcript/knowledge-file.js'
import { columnsOfAttribute, levelsOf } from './attribute-levels.js'
import { type LevelGuess, scoreCategories } from './categories.js'
import { claimedScore } from './cells/category-cell.js'
import { type Known, metric, needed, publicRecords, recordsOf } from './grading.js'
import { impliedFrequencies } from './implied-frequency.js'
import { argmax, tally } from './number-lists.js'
import { type NumberGuess, scoreQuantities } from './numbers-score.js'
import { likeliest, type PublicInputs, predictNumbers, predictProbabilities, publicInputs } from './public-only.js'
import { rankedFigures } from './ranked-figures.js'
import { type Score, scoreOf } from './score.js'
import type { NamedColumn } from './threshold.js'

type Levelled = Extract<Sensitive, { readonly kind: 'binary' | 'categorical' }>
type Continuous = Extract<Sensitive, { readonly kind: 'continuous' }>

export const attribute = metric('attribute', 'a sensitive attribute of every record', async (claim, graded) => {
  const { known } = graded
  const [sensitive, table] = needed(
    [`sensitive.${claim.name}`, known.sensitive?.find(({ name }) => name === claim.name)],
    [`clients.${claim.client}`, await recordsOf(claim.client, graded)],
  )
  const [columns] = needed([`clients.${claim.client}.${claim.name}`, columnsOfAttribute(table, sensitive)])
  publicRecords(known, table)
  const truth: True = { table, columns, known }
  return sensitive.kind === 'continuous'
    ? scoreContinuous(claim, sensitive, truth)
    : scoreLevels(claim, sensitive, truth)
})

interface True {
  readonly table: Table
  /** Where the attribute stands in it. */
  readonly columns: readonly number[]
  readonly known: Known
}

/** By AUC: a bad threshold is not missing information. Accuracies, those of the guesses among them, stand beside it. */
function scoreLevels(claim: AttributeClaim, sensitive: Levelled, { table, columns, known }: True): Score {
  const { values, words } = sensitive
  const levels = values.length
  const truth = levelsOf(table, columns, values)
  const guesses = [...impliedGuess(sensitive), ...auxiliaryLevels(sensitive, known)]
  const { value, interval, chance, also, notes, perRecord } = scoreCategories({
    name: 'values',
    claimed: claim.values,
    confidence: claim.confidence,
    levels,
    words,
    truth,
    guesses,
    columns: publicColumns(table, known),
  })
  const claimed = Int32Array.from(claim.values)
  const sure = Float64Array.from(claimed, (_, i) => claim.confidence?.[i] ?? 1)
  const task = { truth, levels, claimed, sure, score: claimedScore(claimed, sure, levels) }
  const ranked = rankedFigures(task)
  const learned = guesses.flatMap(({ words: by, probabilities: P }) =>
    P === undefined
      ? []
      : [{ words: by, value: rankedFigures({ ...task, score: (level) => columnAt(P, level) }).value }],
  )
  return scoreOf({
    metric: 'auc',
    ...ranked,
    accuracy: value,
    better: 'higher',
    // Constants order nobody.
    guesses: [
      { words: guesses.find((one) => one.probabilities === undefined)?.words ?? 'one value for all', value: 0.5 },
      ...learned,
    ],
    also: {
      ...also,
      ...(interval !== null && { lowAccuracy: interval[0], highAccuracy: interval[1] }),
      ...(chance !== null && { chanceAccuracy: chance }),
      ...(learned[0] !== undefined && { publicOnlyAUC: learned[0].value }),
    },
    notes,
    perRecord: perRecord!,
    ...(levels <= mostConfused && {
      confusion: { values: namesOf(sensitive), counts: confused(claimed, truth, levels) },
    }),
  })
}

/** A table of more values than this is nothing to look at. */
const mostConfused = 20

const namesOf = ({ values, words }: Levelled): string[] => values.map((_, level) => words?.[level] ?? String(level))

function confused(claimed: Int32Array, truth: Int32Array, levels: number): number[][] {
  const counts = Array.from({ length: levels }, () => new Array<number>(levels).fill(0))
  for (const [i, level] of truth.entries()) counts[level]![claimed[i]!]! += 1
  return counts
}

function impliedGuess({ values }: Levelled): LearnedGuess[] {
  const p = impliedFrequencies(values)
  if (p === undefined) return []
  const words = 'the majority class by the frequency that the standardised encoding reveals'
  return [{ key: 'majorityImplied', words, levels: argmax(p) }]
}

/** A guess of levels, with the probabilities behind it where they differ between records. */
interface LearnedGuess extends LevelGuess {
  readonly probabilities?: Matrix
}

function auxiliaryLevels(sensitive: Levelled, known: Known): LearnedGuess[] {
  const source = auxiliaryOf(sensitive, known)
  if (source === undefined) return []
  const count = sensitive.values.length
  const levels = levelsOf(source.auxiliary, source.columns, sensitive.values)
  const majority: LevelGuess = {
    key: 'majorityOfAuxiliary',
    words: 'the majority class of the auxiliary data',
    levels: argmax(tally(levels, count)),
  }
  if (source.inputs === undefined) return [majority]
  const words = `softmax regression on the ${source.from}, trained on auxiliary data`
  const P = predictProbabilities(source.inputs, levels, count)
  return [majority, { key: 'publicOnly', words, levels: likeliest(P), probabilities: P }]
}

function scoreContinuous(claim: AttributeClaim, sensitive: Continuous, { table, columns, known }: True): Score {
  return scoreQuantities({
    name: 'values',
    claimed: claim.values,
    standardErrors: claim.confidence,
    primary: 'R2',
    truth: columnAt(table.features, columns[0]!),
    guesses: auxiliaryNumbers(sensitive, known),
  })
}

function auxiliaryNumbers(sensitive: Continuous, known: Known): NumberGuess[] {
  const source = auxiliaryOf(sensitive, known)
  if (source === undefined) return []
  const numbers = columnAt(source.auxiliary.features, source.columns[0]!)
  const constant: NumberGuess = {
    key: 'meanOfAuxiliary',
    words: 'the mean of the auxiliary data',
    numbers: meanOf(numbers),
  }
  if (source.inputs === undefined) return [constant]
  const words = `ridge regression on the ${source.from}, trained on auxiliary data`
  return [constant, { key: 'publicOnly', words, numbers: predictNumbers(source.inputs, numbers) }]
}

interface Auxiliary {
  readonly auxiliary: Table
  readonly columns: readonly number[]
  /** Undefined when the guesser does not have the records, or no column varies. */
  readonly inputs: PublicInputs | undefined
  readonly from: string
}

/** The auxiliary data, if they hold the attribute. */
function auxiliaryOf(sensitive: Sensitive, { auxiliary, records, sensitive: all = [] }: Known): Auxiliary | undefined {
  if (auxiliary === undefined || auxiliary.features.rows === 0) return undefined
  const columns = columnsOfAttribute(auxiliary, sensitive)
  if (columns === undefined) return undefined
  const hidden = [...all, sensitive].flatMap((one) => one.columns)
  const inputs = records === undefined ? undefined : publicInputs(auxiliary, records, { hidden, label: true })
  const labelled = auxiliary.labels !== undefined && records?.labels !== undefined
  return { auxiliary, columns, inputs, from: labelled ? 'public columns and the label' : 'public columns' }
}

/** What "label > c" may look at: every column that is not sensitive, and the label. */
function publicColumns({ columns, features, labels }: Table, { sensitive = [] }: Known): NamedColumn[] {
  const hidden = new Set(sensitive.flatMap((one) => one.columns))
  const open = columns.flatMap((name, j) => (hidden.has(name) ? [] : [{ name, values: columnAt(features, j) }]))
  if (labels === undefined) return open
  const Y = perRecord(labels, features.rows)
  const name = (j: number): string => (Y.cols === 1 ? 'label' : `label ${j + 1}`)
  return [...Array.from({ length: Y.cols }, (_, j) => ({ name: name(j), values: columnAt(Y, j) })), ...open]
}
