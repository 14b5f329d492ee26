/** A dataset: the table as people wrote it with the way to encode it, and what comes out for chosen rows. */
import { OverhearError } from '../errors.js'
import type { Matrix } from '../numeric/linalg/matrix.js'
import type { SparseMatrix } from '../numeric/linalg/sparse.js'
import { type Sensitive, sensitiveOf } from './decode.js'
import { type Encoder, encodeDense, encodeSparse, fitEncoder, outputNames, type Rule } from './encoder.js'
import { encodePixels, type FittedPixels, fitPixels, type Pixels } from './pixels.js'
import type { Records } from './records.js'
import { columnOf, pickColumns, type Table, takeRows } from './table.js'

export type Task = 'regression' | 'classification'

/** Everything before encoding. Its table serves partitions and the way back to words; images stand beside it. */
export interface Source {
  readonly name: string
  readonly task: Task
  readonly table: Table
  /** The label, or the first of several. */
  readonly label: Rule
  /** Further labels of a regression, in the order of a model's outputs. */
  readonly moreLabels?: readonly Rule[]
  /** Whether the label was scaled for the training's sake alone: figures are told in its own unit. */
  readonly labelScaled?: boolean
  /** What one unit of the label is, such as "dollars". */
  readonly labelUnit?: string
  /** Columns of the table that become features; none for images. */
  readonly rules: readonly Rule[]
  readonly pixels?: Pixels
  /** Columns that a person would rather keep to themselves; each has a rule. */
  readonly sensitive: readonly string[]
  /** The column whose groups label attacks tell apart. */
  readonly metaclass?: string
  /** The column that says whose row it is, where the data come with clients of their own. */
  readonly client?: string
  /** The column that names the rows in reports. */
  readonly id?: string
}

/** What was learned from the fitted rows: plain data. */
export interface FittedSource {
  readonly encoder: Encoder
  readonly pixels?: FittedPixels
  readonly label: Encoder
}

export interface FeatureColumn {
  readonly name: string
  /** The column of the table that it came from. */
  readonly from: string
  /** The level that it stands for, in a one-hot encoding. */
  readonly level?: string
}

/** Encoded rows with the meaning of each column. */
export interface Dataset {
  readonly name: string
  readonly task: Task
  readonly records: Records
  readonly columns: readonly FeatureColumn[]
  readonly label: {
    readonly name: string
    /** The names of all labels of a record. */
    readonly names: readonly string[]
    readonly unit?: string
    readonly words: readonly string[]
  }
  readonly sensitive: readonly Sensitive[]
  readonly fitted: FittedSource
}

export interface SparseRecords {
  readonly features: SparseMatrix
  readonly labels: Float64Array
}

/** The rules of all labels. */
const labelRules = ({ label, moreLabels = [] }: Pick<Source, 'label' | 'moreLabels'>): readonly Rule[] => [
  label,
  ...moreLabels,
]

/** Fits the encoders on the given rows (all unless told), and on no others. */
export function fitSource(source: Source, rows?: ArrayLike<number>): FittedSource {
  const labels = labelRules(source)
  const used = [...labels, ...source.rules].map(({ column }) => column)
  const whole = pickColumns(source.table, [...new Set(used)])
  const table = rows === undefined ? whole : takeRows(whole, rows)
  const label = fitEncoder(labels, table)
  const wide = label.rules.find(({ outputs }) => outputs.length !== 1)
  if (wide !== undefined) {
    throw new OverhearError('E_INPUT', `the label "${wide.column}" becomes several columns`, 'encode it as one')
  }
  const encoder = fitEncoder(source.rules, table)
  return source.pixels === undefined
    ? { encoder, label }
    : { encoder, label, pixels: fitPixels(source.pixels, rows ?? source.table.rows) }
}

export interface Choice {
  /** The rows to encode, in order; all unless told. */
  readonly rows?: ArrayLike<number>
  /** The rows the encoders learn from, or what they have learned already; the encoded rows unless told. */
  readonly fit?: ArrayLike<number> | FittedSource
}

const isFitted = (fit: ArrayLike<number> | FittedSource): fit is FittedSource => 'encoder' in fit

function fittedFor(source: Source, { rows, fit }: Choice): FittedSource {
  if (fit !== undefined && isFitted(fit)) return fit
  return fitSource(source, fit ?? rows)
}

/** The dataset of the chosen rows. */
export function encodeSource(source: Source, choice: Choice = {}): Dataset {
  const fitted = fittedFor(source, choice)
  const table = choice.rows === undefined ? source.table : takeRows(source.table, choice.rows)
  const features = featuresOf(source, fitted, choice, table)
  return {
    name: source.name,
    task: source.task,
    records: { features, labels: encodeDense(fitted.label, table).data },
    columns: featureColumns(fitted),
    label: {
      name: source.label.column,
      names: labelRules(source).map(({ column }) => column),
      words: fitted.label.rules[0]!.levels,
      ...(source.labelUnit === undefined ? {} : { unit: source.labelUnit }),
    },
    sensitive: source.sensitive.map((name) => sensitiveOf(fitted.encoder, name)),
    fitted,
  }
}

function featuresOf(source: Source, fitted: FittedSource, { rows }: Choice, table: Table): Matrix {
  if (source.pixels === undefined) return encodeDense(fitted.encoder, table)
  return encodePixels(source.pixels, fitted.pixels!, rows ?? source.table.rows)
}

/** The same rows with features that keep only what is not zero; images are not offered so. */
export function encodeSourceSparse(source: Source, choice: Choice = {}): SparseRecords {
  if (source.pixels !== undefined) {
    throw new OverhearError('E_INPUT', `dataset "${source.name}" holds images`, 'encode it densely')
  }
  const fitted = fittedFor(source, choice)
  const table = choice.rows === undefined ? source.table : takeRows(source.table, choice.rows)
  return { features: encodeSparse(fitted.encoder, table), labels: encodeDense(fitted.label, table).data }
}

function featureColumns({ encoder, pixels }: FittedSource): FeatureColumn[] {
  if (pixels !== undefined) {
    const [channels, height, width] = pixels.shape
    return Array.from({ length: channels * height * width }, (_, j) => ({ name: `pixel_${j}`, from: 'pixels' }))
  }
  return encoder.rules.flatMap((rule) =>
    rule.outputs.map(({ name }, j): FeatureColumn => {
      if (rule.encode !== 'one-hot') return { name, from: rule.column }
      return { name, from: rule.column, level: rule.levels[j + (rule.drop === 'first' ? 1 : 0)]! }
    }),
  )
}

/** How many features the rows get. */
export function inputsOf(fitted: FittedSource): number {
  return fitted.pixels === undefined ? outputNames(fitted.encoder).length : featureColumns(fitted).length
}

/** Checks a source once, where it is made: every rule has its column, every sensitive column its rule. */
export function checkedSource(source: Source): Source {
  const labels = labelRules(source).map(({ column }) => column)
  for (const name of labels) columnOf(source.table, name)
  checkLabels(source, labels)
  for (const { column } of source.rules) {
    columnOf(source.table, column)
    if (labels.includes(column)) {
      throw new OverhearError('E_INPUT', `dataset "${source.name}": the label "${column}" is also a feature`)
    }
  }
  const ruled = new Set(source.rules.map(({ column }) => column))
  for (const name of source.sensitive) {
    if (!ruled.has(name)) {
      const known = `known: ${[...ruled].join(', ')}`
      throw new OverhearError('E_INPUT', `dataset "${source.name}": sensitive column "${name}" is no feature`, known)
    }
  }
  for (const name of [source.metaclass, source.client, source.id]) if (name !== undefined) columnOf(source.table, name)
  return source
}

function checkLabels({ name, task }: Source, labels: readonly string[]): void {
  const where = `dataset "${name}": labels ${labels.join(', ')}`
  if (new Set(labels).size < labels.length) throw new OverhearError('E_INPUT', `${where} hold one twice`, 'keep one')
  if (labels.length > 1 && task === 'classification') {
    throw new OverhearError('E_INPUT', `${where} are several, of classes`, 'a classification has one label')
  }
}
