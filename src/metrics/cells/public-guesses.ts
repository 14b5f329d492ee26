/** Guesses of one value per record from what is public of it, learned from auxiliary data, as probabilities. */
import type { Matrix } from '../../numeric/linalg/matrix.js'
import { columnAt } from '../../numeric/linalg/matrix.js'
import { medianOf } from '../../numeric/special/summaries.js'
import type { Table } from '../../transcript/encoded-table.js'
import { columnsOfAttribute, levelsOf } from '../attribute-levels.js'
import type { Asked } from '../grading.js'
import { impliedFrequencies } from '../implied-frequency.js'
import { argmax, places, tally } from '../number-lists.js'
import { likeliest, type PublicInputs, predictNumbers, predictProbabilities, publicInputs } from '../public-only.js'
import { trueAttribute } from './attribute-cell.js'
import { categoryCell } from './category-cell.js'
import type { Gradable } from './gradable.js'
import { trueLabels } from './labels-cell.js'
import { numberCell } from './number-cell.js'

/** A claim that needs no message, in words and ready to be graded. */
export interface CellGuess {
  readonly words: string
  readonly gradable: Gradable
}

export function attributeGuesses(name: string, asked: Asked): CellGuess[] {
  const own = trueAttribute(name, asked)
  const { sensitive } = own
  const auxiliary = filled(asked.known.auxiliary)
  const columns = auxiliary && columnsOfAttribute(auxiliary, sensitive)
  const inputs = auxiliary && columns && inputsOf(asked, auxiliary, { label: true })
  if (own.kind === 'numbers') {
    const seen = auxiliary && columns && columnAt(auxiliary.features, columns[0]!)
    return numberGuesses(own.truth, seen, inputs)
  }
  const { values } = own.sensitive
  return levelGuesses({
    truth: own.truth,
    levels: values.length,
    seen: auxiliary && columns && levelsOf(auxiliary, columns, values),
    inputs,
    implied: impliedFrequencies(values),
  })
}

export function labelGuesses(asked: Asked): CellGuess[] {
  const { known, table } = asked
  const truth = trueLabels(asked)
  const auxiliary = filled(known.auxiliary)
  const seen = auxiliary?.labels
  const inputs = auxiliary && seen && inputsOf(asked, auxiliary, { label: false })
  if (truth.length !== table.features.rows || (seen && seen.length !== auxiliary.features.rows)) return []
  const levels = known.classes
  if (levels === undefined) return numberGuesses(truth, seen, inputs)
  return levelGuesses({
    truth: places(truth, 'label of the records', levels),
    levels,
    seen: seen && places(seen, 'auxiliary labels', levels),
    inputs,
    implied: undefined,
  })
}

const filled = (auxiliary: Table | undefined): Table | undefined =>
  auxiliary === undefined || auxiliary.features.rows === 0 ? undefined : auxiliary

interface Inputs {
  readonly from: string
  readonly columns: PublicInputs
}

/** What is public of the records that were asked about: what a guesser is told of records at all, and nothing hidden. */
function inputsOf({ table, known }: Asked, auxiliary: Table, { label }: { label: boolean }): Inputs | undefined {
  const { records, sensitive = [] } = known
  if (records === undefined) return undefined
  const told = records.columns.filter((_, j) => columnAt(records.features, j).every(Number.isFinite))
  const secret = new Set(sensitive.flatMap((one) => one.columns))
  const hidden = table.columns.filter((name) => secret.has(name) || !told.includes(name))
  const labelled = label && records.labels !== undefined && auxiliary.labels !== undefined
  const columns = publicInputs(auxiliary, table, { hidden, label: labelled })
  return columns && { columns, from: labelled ? 'public columns and the label' : 'public columns' }
}

interface Levels {
  readonly truth: Int32Array
  readonly levels: number
  /** Those of the auxiliary data. */
  readonly seen: Int32Array | undefined
  readonly inputs: Inputs | undefined
  /** Frequencies that the encoding gives away. */
  readonly implied: Float64Array | undefined
}

function levelGuesses({ truth, levels, seen, inputs, implied }: Levels): CellGuess[] {
  const found: CellGuess[] = []
  if (seen !== undefined && inputs !== undefined) {
    const P = predictProbabilities(inputs.columns, seen, levels)
    const words = `softmax regression on the ${inputs.from}, trained on auxiliary data`
    found.push({ words, gradable: probabilityCell(P, truth, levels) })
  }
  const constant = (words: string, p: Float64Array): CellGuess => ({ words, gradable: priorCell(p, truth) })
  if (seen !== undefined) {
    const p = tally(seen, levels).map((count) => count / seen.length)
    found.push(constant('the majority class of the auxiliary data', p))
  }
  if (implied !== undefined) {
    found.push(constant('the majority class by the frequency that the standardised encoding reveals', implied))
  }
  if (found.length > 0) return found
  return [constant('one value for all, as nothing to guess from is known', new Float64Array(levels).fill(1 / levels))]
}

/** Probabilities of every value, graded as a claim of the likeliest. */
function probabilityCell(P: Matrix, truth: Int32Array, levels: number): Gradable {
  const claimed = likeliest(P)
  const sure = Float64Array.from(claimed, (level, i) => P.data[i * P.cols + level]!)
  return categoryCell({ claimed, truth, levels, sure, score: (level) => columnAt(P, level) })
}

/** The same probabilities for everybody: they order nobody. */
function priorCell(p: Float64Array, truth: Int32Array): Gradable {
  const level = argmax(p)
  const all = (value: number): Float64Array => new Float64Array(truth.length).fill(value)
  return categoryCell({
    claimed: new Int32Array(truth.length).fill(level),
    truth,
    levels: p.length,
    sure: all(Math.max(0, Math.min(1, p[level]!))),
    score: (one) => all(p[one]!),
  })
}

function numberGuesses(truth: Float64Array, seen: Float64Array | undefined, inputs: Inputs | undefined): CellGuess[] {
  if (seen === undefined) return []
  const constant = numberCell(new Float64Array(truth.length).fill(medianOf(seen)), truth)
  const found = [{ words: 'the median of the auxiliary data', gradable: constant }]
  if (inputs === undefined) return found
  const words = `ridge regression on the ${inputs.from}, trained on auxiliary data`
  return [{ words, gradable: numberCell(predictNumbers(inputs.columns, seen), truth) }, ...found]
}
