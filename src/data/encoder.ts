/** From words and numbers to what a model reads, and back: fitted on some rows, kept as plain data. */
import { OverhearError } from '../errors.js'
import { type Matrix, matrix } from '../numeric/linalg/matrix.js'
import type { SparseMatrix } from '../numeric/linalg/sparse.js'
import { columnScales, type Scaling } from '../numeric/special/column-scales.js'
import { log, log1p } from '../numeric/special/elementary-functions.js'
import { asWords, type Column, columnOf, levelsOf, numbersOf, some, type Table, wordAt } from './table.js'

/** How one column of a table becomes one or more columns of features. */
export interface Rule {
  readonly column: string
  /** `number` as it stands, `log`, `log1p` = log(x + 1), `one-hot` a column a level, `codes` the number of the level. */
  readonly encode: 'number' | 'log' | 'log1p' | 'one-hot' | 'codes'
  /** Applied to every resulting column, dummies too; `none` unless told. */
  readonly scale?: Scaling
  /** one-hot: whether the first level is the one without a column; `first` unless told. */
  readonly drop?: 'first' | 'none'
  /** one-hot and codes: the levels in order; else those of the fitted rows, sorted. */
  readonly levels?: readonly string[]
  /** one-hot: a level that was not there when fitting is an error, or (`ignore`) a row of zeros. */
  readonly unseen?: 'error' | 'ignore'
}

/** One column of features: encoded = (raw - shift) / scale. */
export interface FittedOutput {
  readonly name: string
  readonly shift: number
  readonly scale: number
}

export interface FittedRule {
  readonly column: string
  readonly encode: Rule['encode']
  readonly drop: 'first' | 'none'
  readonly unseen: 'error' | 'ignore'
  readonly levels: readonly string[] // none for numbers
  readonly range: readonly [number, number] // of the encoded first column, over the fitted rows
  readonly outputs: readonly FittedOutput[]
}

/** Plain data: JSON gives it back as it was. */
export interface Encoder {
  readonly rules: readonly FittedRule[]
}

/** Learns levels, means and ranges from the given rows and from no others. */
export function fitEncoder(rules: readonly Rule[], table: Table): Encoder {
  if (table.rows === 0) throw new OverhearError('E_SHAPE', 'an encoder was given 0 rows to fit', 'at least 1 is needed')
  const fitted = rules.map((rule) => fitRule(rule, table))
  const names = fitted.flatMap(({ outputs }) => outputs.map(({ name }) => name))
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new OverhearError('E_INPUT', `two encoded columns are called "${twice}"`)
  return { rules: fitted }
}

function fitRule(rule: Rule, table: Table): FittedRule {
  const { encode, drop = 'first', unseen = 'error', scale = 'none' } = rule
  const column = columnOf(table, rule.column)
  const categorical = encode === 'one-hot' || encode === 'codes'
  const levels = categorical ? (rule.levels ?? levelsOf(column)) : []
  const kept = encode === 'one-hot' && drop === 'first' ? levels.slice(1) : levels
  const names = encode === 'one-hot' ? kept.map((level) => `${rule.column}_${level}`) : [rule.column]
  const plain = names.map((name) => ({ name, shift: 0, scale: 1 }))
  const base = { column: rule.column, encode, drop, unseen, levels, outputs: plain }
  if (scale === 'none' && categorical) return { ...base, range: [0, encode === 'codes' ? levels.length - 1 : 1] }
  const raw = names.map(() => new Float64Array(table.rows))
  visit(base, column, (row, output, value) => {
    raw[output]![row] = value
  })
  const scales = columnScales(raw, scale)
  const outputs = names.map((name, j) => ({ name, shift: scales[j]!.shift, scale: scales[j]!.scale }))
  const first = scales[0]
  const encoded = (x: number): number => (x - first!.shift) / first!.scale
  return { ...base, outputs, range: first === undefined ? [0, 0] : [encoded(first.min), encoded(first.max)] }
}

type Unranged = Omit<FittedRule, 'range'>

/** Calls `put` with each value before scaling; one-hot: only with the ones. */
function visit(rule: Unranged, column: Column, put: (row: number, output: number, value: number) => void): void {
  if (rule.encode === 'one-hot' || rule.encode === 'codes') visitLevels(rule, column, put)
  else {
    const values = numbersOf({ rows: 0, columns: [column] }, column.name)
    const change = { number: (x: number) => x, log, log1p }[rule.encode]
    for (let i = 0; i < values.length; i++) {
      const value = change(values[i]!)
      if (!Number.isFinite(value)) {
        const what = `column "${column.name}", row ${i}: ${rule.encode} of ${values[i]} is ${value}`
        throw new OverhearError('E_NON_FINITE', what, 'drop such rows or choose another encoding')
      }
      put(i, 0, value)
    }
  }
}

function visitLevels(rule: Unranged, column: Column, put: (row: number, output: number, value: number) => void): void {
  const { codes, words } = asWords(column)
  const levelOf = new Map(rule.levels.map((level, i) => [level, i]))
  const places = words.map((word) => levelOf.get(word) ?? -1)
  const dropped = rule.encode === 'one-hot' && rule.drop === 'first' ? 1 : 0
  const ignore = rule.encode === 'one-hot' && rule.unseen === 'ignore'
  for (let i = 0; i < codes.length; i++) {
    const place = codes[i]! < 0 ? -1 : places[codes[i]!]!
    if (place < 0) {
      if (ignore) continue
      const found = wordAt(column, i)
      const what = found === undefined ? 'a missing value' : `"${found}"`
      throw new OverhearError('E_VALUE', `column "${column.name}", row ${i}: ${what}`, `known: ${some(rule.levels)}`)
    }
    if (rule.encode === 'codes') put(i, 0, place)
    else if (place >= dropped) put(i, place - dropped, 1)
  }
}

/** The encoded columns, in order. */
export function outputNames(encoder: Encoder): string[] {
  return encoder.rules.flatMap(({ outputs }) => outputs.map(({ name }) => name))
}

/** Every row of the table, encoded. */
export function encodeDense(encoder: Encoder, table: Table): Matrix {
  const cols = outputNames(encoder).length
  const X = matrix(table.rows, cols)
  let at = 0
  for (const rule of encoder.rules) {
    const start = at
    const { outputs } = rule
    outputs.forEach(({ shift, scale }, j) => {
      if (shift !== 0) for (let i = 0; i < table.rows; i++) X.data[i * cols + start + j] = -shift / scale
    })
    visit(rule, columnOf(table, rule.column), (row, output, value) => {
      const { shift, scale } = outputs[output]!
      X.data[row * cols + start + output] = (value - shift) / scale
    })
    at += outputs.length
  }
  return X
}

/** The same without its zeros: one-hot columns that are not shifted cost one entry a row together. */
export function encodeSparse(encoder: Encoder, table: Table): SparseMatrix {
  const n = table.rows
  const parts: { rows: Int32Array; columns: Int32Array; values: Float64Array; length: number }[] = []
  const rowStart = new Int32Array(n + 1)
  let start = 0
  for (const rule of encoder.rules) {
    const { outputs } = rule
    const wide = outputs.length > 1 && outputs.some(({ shift }) => shift !== 0)
    const most = wide ? n * outputs.length : n
    const part = {
      rows: new Int32Array(most),
      columns: new Int32Array(most),
      values: new Float64Array(most),
      length: 0,
    }
    const push = (row: number, output: number, value: number): void => {
      if (value === 0) return
      part.rows[part.length] = row
      part.columns[part.length] = start + output
      part.values[part.length++] = value
      rowStart[row + 1]!++
    }
    const column = columnOf(table, rule.column)
    if (outputs.some(({ shift }) => shift !== 0) && rule.encode === 'one-hot') {
      const dense = encodeDense({ rules: [rule] }, table)
      for (let i = 0; i < n; i++) for (let j = 0; j < dense.cols; j++) push(i, j, dense.data[i * dense.cols + j]!)
    } else {
      visit(rule, column, (row, j, value) => push(row, j, (value - outputs[j]!.shift) / outputs[j]!.scale))
    }
    parts.push(part)
    start += outputs.length
  }
  for (let i = 0; i < n; i++) rowStart[i + 1]! += rowStart[i]!
  const next = rowStart.slice()
  const column = new Int32Array(rowStart[n]!)
  const value = new Float64Array(rowStart[n]!)
  for (const part of parts) {
    for (let p = 0; p < part.length; p++) {
      const at = next[part.rows[p]!]!++
      column[at] = part.columns[p]!
      value[at] = part.values[p]!
    }
  }
  return { rows: n, cols: start, rowStart, column, value }
}
