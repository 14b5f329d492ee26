/** One number of a trial, by its name: what a search looks at and a page draws, such as "attribute.record". */
import { OverhearError } from '../errors.js'
import type { Row, TrialResult } from './trial-result.js'

interface Field {
  readonly column: string
  /** Of several rows: a step is as bad as its worst, any other figure is a mean. */
  readonly worst: boolean
}

const ofQuestions: Readonly<Record<string, Field>> = {
  record: { column: 'recordStep', worst: true },
  client: { column: 'clientStep', worst: true },
  'record.value': { column: 'record', worst: false },
  'client.value': { column: 'client', worst: false },
  'federation.value': { column: 'federation', worst: false },
  'guess.value': { column: 'guess', worst: false },
  'everybody.value': { column: 'everybody', worst: false },
}
const ofScores: Readonly<Record<string, Field>> = {
  value: { column: 'value', worst: false },
  lift: { column: 'lift', worst: false },
  chance: { column: 'chance', worst: false },
}
const ofUtility: Readonly<Record<string, Field>> = {
  value: { column: 'value', worst: false },
  trainLoss: { column: 'trainLoss', worst: false },
  heldOutLoss: { column: 'heldOutLoss', worst: false },
}

export interface ScoreNames {
  /** Ids of attacks. */
  readonly attacks: readonly string[]
  /** Kinds of questions. */
  readonly kinds: readonly string[]
}

/** How to read a score off a result; null where the result has none. */
export type ScoreReader = (result: TrialResult) => number | null

/** Reads the name of a score: utility.FIELD, a kind of question and FIELD, or an attack and FIELD. */
export function scoreReader(name: string, { attacks, kinds }: ScoreNames): ScoreReader {
  const at = name.indexOf('.')
  const [about, field] = [name.slice(0, Math.max(0, at)), name.slice(at + 1)]
  if (about === 'utility') return overRows(name, ofUtility[field], ({ utility }) => utility)
  if (kinds.includes(about)) {
    return overRows(name, ofQuestions[field], ({ questions }) => questions.filter(({ kind }) => kind === about))
  }
  if (attacks.includes(about)) {
    return overRows(name, ofScores[field], ({ scores }) => scores.filter(({ attack }) => attack === about))
  }
  throw unknownScore(name)
}

function overRows(
  name: string,
  field: Field | undefined,
  rowsOf: (result: TrialResult) => readonly Row[],
): ScoreReader {
  if (field === undefined) throw unknownScore(name)
  return (result) => {
    const values = rowsOf(result)
      .map((row) => row[field.column])
      .filter((value) => typeof value === 'number')
    if (values.length === 0) return null
    return field.worst ? Math.max(...values) : values.reduce((a, b) => a + b, 0) / values.length
  }
}

function unknownScore(name: string): OverhearError {
  const form = [
    `a kind of question and ${Object.keys(ofQuestions).join(', ')}`,
    `an attack and ${Object.keys(ofScores).join(', ')}`,
    `utility and ${Object.keys(ofUtility).join(', ')}`,
  ].join('; or ')
  return new OverhearError('E_INPUT', `the score "${name}" is none`, `${form}; such as attribute.record`)
}
