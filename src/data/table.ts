/** Rows as people wrote them: named columns of numbers or of words, before any encoding. */
import { lookup, OverhearError } from '../errors.js'

/** NaN stands for a missing number. */
export interface NumberColumn {
  readonly kind: 'number'
  readonly name: string
  readonly values: Float64Array
}

/** Words by number: row i says words[codes[i]]; -1 stands for a missing word. */
export interface WordColumn {
  readonly kind: 'word'
  readonly name: string
  readonly codes: Int32Array
  readonly words: readonly string[]
}

export type Column = NumberColumn | WordColumn

export interface Table {
  readonly rows: number
  readonly columns: readonly Column[]
}

export function numberColumn(name: string, values: ArrayLike<number>): NumberColumn {
  return { kind: 'number', name, values: values instanceof Float64Array ? values : Float64Array.from(values) }
}

/** Words are numbered in the order in which they first appear; null is a missing one. */
export function wordColumn(name: string, values: readonly (string | null)[]): WordColumn {
  const numbers = new Map<string, number>()
  const codes = new Int32Array(values.length)
  for (let i = 0; i < values.length; i++) {
    const word = values[i]!
    if (word === null) {
      codes[i] = -1
      continue
    }
    const code = numbers.get(word) ?? numbers.size
    if (code === numbers.size) numbers.set(word, code)
    codes[i] = code
  }
  return { kind: 'word', name, codes, words: [...numbers.keys()] }
}

function lengthOf(column: Column): number {
  return column.kind === 'number' ? column.values.length : column.codes.length
}

/** Checks that columns have the same length and different names; `rows` is needed only for a table without columns. */
export function tableOf(columns: readonly Column[], rows = columns[0] === undefined ? 0 : lengthOf(columns[0])): Table {
  const seen = new Set<string>()
  for (const column of columns) {
    if (seen.has(column.name)) throw new OverhearError('E_INPUT', `two columns are called "${column.name}"`)
    seen.add(column.name)
    const length = lengthOf(column)
    if (length !== rows) {
      throw new OverhearError('E_SHAPE', `column "${column.name}" has ${length} rows`, `the table has ${rows}`)
    }
  }
  return { rows, columns }
}

export function columnOf(table: Table, name: string): Column {
  const byName = Object.fromEntries(table.columns.map((column) => [column.name, column]))
  return lookup(byName, name, 'column')
}

/** A column that must hold numbers. */
export function numbersOf(table: Table, name: string): Float64Array {
  const column = columnOf(table, name)
  if (column.kind === 'number') return column.values
  throw new OverhearError('E_INPUT', `column "${name}" holds words (${some(column.words)})`, 'numbers are needed')
}

/** The word of a row, numbers written out; undefined when missing. */
export function wordAt(column: Column, row: number): string | undefined {
  if (column.kind === 'word') return column.words[column.codes[row]!]
  const x = column.values[row]!
  return Number.isNaN(x) ? undefined : String(x)
}

/** Each word a column holds, numbers written out: numbers by size, words by their UTF-16 units. */
export function levelsOf(column: Column): string[] {
  if (column.kind === 'number') {
    const present = new Set(column.values)
    return [...present]
      .filter((x) => !Number.isNaN(x))
      .sort((a, b) => a - b)
      .map(String)
  }
  const present = new Set(column.codes)
  return column.words.filter((_, code) => present.has(code)).sort()
}

/** The column as words, whatever it holds. */
export function asWords(column: Column): WordColumn {
  if (column.kind === 'word') return column
  const words = levelsOf(column)
  const codeOf = new Map(words.map((word, code) => [Number(word), code]))
  return { kind: 'word', name: column.name, codes: Int32Array.from(column.values, (x) => codeOf.get(x) ?? -1), words }
}

/** The named rows, in the order named. */
export function takeRows(table: Table, rows: ArrayLike<number>): Table {
  const n = rows.length
  for (let i = 0; i < n; i++) {
    const row = rows[i]!
    if (!(Number.isInteger(row) && row >= 0 && row < table.rows)) {
      throw new OverhearError('E_VALUE', `row ${row} was asked for`, `the table has ${table.rows} rows`)
    }
  }
  const columns = table.columns.map((column): Column => {
    if (column.kind === 'number') {
      const values = new Float64Array(n)
      for (let i = 0; i < n; i++) values[i] = column.values[rows[i]!]!
      return { ...column, values }
    }
    const codes = new Int32Array(n)
    for (let i = 0; i < n; i++) codes[i] = column.codes[rows[i]!]!
    return { ...column, codes }
  })
  return { rows: n, columns }
}

/** The rows for which `keep` holds. */
export function rowsWhere(table: Table, keep: (row: number) => boolean): Int32Array {
  const kept: number[] = []
  for (let i = 0; i < table.rows; i++) if (keep(i)) kept.push(i)
  return Int32Array.from(kept)
}

/** Rows in which none of the columns (all unless named) is missing. */
export function completeRows(table: Table, names?: readonly string[]): Int32Array {
  const columns = names === undefined ? table.columns : names.map((name) => columnOf(table, name))
  return rowsWhere(table, (i) => columns.every((column) => !isMissing(column, i)))
}

/** Whether a cell holds nothing. */
export function isMissing(column: Column, row: number): boolean {
  return column.kind === 'number' ? Number.isNaN(column.values[row]!) : column.codes[row]! < 0
}

/** The first of each set of rows that agree in every column; missing agrees with missing. */
export function distinctRows({ rows: n, columns }: Table): Int32Array {
  const cells = columns.map((column) => (column.kind === 'number' ? column.values : column.codes))
  const hash = rowHashes(n, cells)
  const same = (i: number, j: number): boolean =>
    cells.every((x) => x[i] === x[j] || (Number.isNaN(x[i]!) && Number.isNaN(x[j]!)))
  const last = new Map<number, number>() // of the kept rows of a hash; `before` leads to the others
  const before = new Int32Array(n)
  const kept: number[] = []
  for (let i = 0; i < n; i++) {
    const top = last.get(hash[i]!) ?? -1
    let j = top
    while (j >= 0 && !same(i, j)) j = before[j]!
    if (j >= 0) continue
    before[i] = top
    last.set(hash[i]!, i)
    kept.push(i)
  }
  return Int32Array.from(kept)
}

function rowHashes(n: number, cells: readonly ArrayLike<number>[]): Int32Array {
  const hash = new Int32Array(n)
  const word = new Float64Array(1)
  const halves = new Int32Array(word.buffer)
  for (const values of cells) {
    for (let i = 0; i < n; i++) {
      const x = values[i]!
      word[0] = Number.isNaN(x) ? 0 : x + 0 // 0 for -0; NaN may have any bits
      const mixed = Math.imul(hash[i]! ^ halves[0]!, 0x85ebca6b) ^ halves[1]!
      hash[i] = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35)
    }
  }
  return hash
}

/** The table with some columns put in place of those of the same name, or added at the end. */
export function withColumns(table: Table, columns: readonly Column[]): Table {
  const fresh = new Map(columns.map((column) => [column.name, column]))
  const kept = table.columns.map((column) => fresh.get(column.name) ?? column)
  const names = new Set(table.columns.map(({ name }) => name))
  return tableOf([...kept, ...columns.filter(({ name }) => !names.has(name))], table.rows)
}

/** The named columns, in that order. */
export function pickColumns(table: Table, names: readonly string[]): Table {
  return tableOf(
    names.map((name) => columnOf(table, name)),
    table.rows,
  )
}

/** A word column with each word replaced; words that become equal become one, null makes them missing. */
export function mapWords(column: Column, change: (word: string) => string | null): WordColumn {
  const { name, codes, words } = asWords(column)
  const changed = wordColumn(name, words.map(change))
  return { ...changed, codes: codes.map((code) => (code < 0 ? -1 : changed.codes[code]!)) }
}

/** A few of many words, for a message. */
export function some(words: readonly string[]): string {
  const shown = words.slice(0, 12).map((word) => JSON.stringify(word))
  return words.length > 12 ? `${shown.join(', ')} and ${words.length - 12} more` : shown.join(', ')
}
