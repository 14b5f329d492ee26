/** Comma-separated values as RFC 4180 has them: quotes, line ends of either kind, every row as long as the first. */
import { OverhearError } from '../errors.js'
import { distinct } from './validate.js'

export interface CsvOptions {
  /** Names the file in errors. */
  readonly where: string
  /** What stands between cells: one character. */
  readonly delimiter?: string
  /** How many cells a row has where no header line says it. */
  readonly width?: number | undefined
  /** Lines before the first row. */
  readonly skip?: number
}

export interface CsvReader {
  /** The rows that are whole after this piece of the text, the header first; to be taken before the next piece. */
  read(piece: string, last?: boolean): Generator<readonly string[]>
}

const [LF, CR, QUOTE, BOM] = [0x0a, 0x0d, 0x22, 0xfeff]
/** A quote that is open for longer was forgotten: the rest of a large file must not be read into memory for it. */
const longestOpen = 1 << 24

/** The rows of a CSV text one by one, the header first. */
export function csvRows(text: string, where: string): Generator<readonly string[]> {
  return csvReader({ where }).read(text, true)
}

interface State {
  readonly where: string
  readonly delimiter: string
  /** What a row of another length is told. */
  readonly hint: string
  width: number | undefined
  /** Lines that are still to be passed over. */
  skip: number
  /** The line at which the next row begins. */
  line: number
  begun: boolean
  /** What the last piece cut off. */
  pending: string
  /** Characters before another try: twice what was in vain, so that a long cell is not read over and over. */
  wanted: number
}

/** Reads a text that comes in pieces; what a piece cuts off is kept for the next. */
export function csvReader({ where, delimiter = ',', width, skip = 0 }: CsvOptions): CsvReader {
  const hint = width === undefined ? 'the header has' : 'needed:'
  const state: State = { where, delimiter, hint, width, skip, line: 1, begun: false, pending: '', wanted: 0 }
  return { read: (piece, last = false) => rowsOf(state, piece, last) }
}

function* rowsOf(state: State, piece: string, last: boolean): Generator<readonly string[]> {
  const text = state.pending + piece
  state.pending = text
  if (!last && text.length < state.wanted) return
  let start = firstRow(state, text) // of the row; all before it is done with
  while (start < text.length && state.skip === 0) {
    const row = rowAt(text, { start, last, state })
    if (row === undefined) break // the row may go on in the next piece
    const { cells, end, line } = row
    const empty = cells.length === 1 && cells[0] === '' && text.charCodeAt(start) !== QUOTE
    const first = state.line
    start = end + 1
    state.line = line + 1
    // An empty line holds no row, unless there is one column: then it is an empty cell.
    if (empty && state.width !== 1) continue
    checkWidth(state, cells, first)
    yield cells
  }
  state.pending = text.slice(start)
  state.wanted = 2 * state.pending.length
}

/** Where the first row begins, behind a byte order mark and the lines to pass over. */
function firstRow(state: State, text: string): number {
  let start = !state.begun && text.charCodeAt(0) === BOM ? 1 : 0
  state.begun ||= text.length > 0
  for (let end = 0; state.skip > 0; state.skip--, state.line++, start = end + 1) {
    end = text.indexOf('\n', start)
    if (end < 0) break
  }
  return start
}

interface RowPlace {
  readonly start: number
  readonly last: boolean
  readonly state: State
}

interface Row {
  readonly cells: string[]
  /** Where its line ends. */
  readonly end: number
  /** The line at which it ends. */
  readonly line: number
}

/** The row at `start`; undefined where the text ends before it may. */
function rowAt(text: string, { start, last, state }: RowPlace): Row | undefined {
  const comma = state.delimiter.charCodeAt(0)
  const cells: string[] = []
  let at = start
  let line = state.line // at which `at` is
  for (;;) {
    const quoted = text.charCodeAt(at) === QUOTE
    const end = quoted ? closing(text, at) : plainEnd(text, at, comma)
    if (quoted && end < 0 && (last || text.length - at > longestOpen)) {
      const todo = 'close it; a quote inside of quotes is written twice'
      throw fault(state, line, 'opens a quote that is never closed', todo)
    }
    if (quoted && (end < 0 || (end + 1 === text.length && !last))) return undefined // a second quote may follow
    if (quoted) {
      const value = text.slice(at + 1, end)
      cells.push(value.includes('"') ? value.replaceAll('""', '"') : value)
      for (let i = value.indexOf('\n'); i >= 0; i = value.indexOf('\n', i + 1)) line++
    } else cells.push(text.slice(at, end))
    at = quoted ? end + 1 : end
    if (!quoted && text.charCodeAt(at) === QUOTE) {
      const todo = 'put all of the cell in quotes, with no space before, and write those inside twice'
      throw fault(state, line, 'has a quote inside a cell that begins without one', todo)
    }
    if (text.charCodeAt(at) !== comma) break
    at++
  }
  const returned = text.charCodeAt(at) === CR
  if (returned) at++
  if (at === text.length && !last) return undefined
  if (at < text.length && text.charCodeAt(at) !== LF) {
    throw returned
      ? fault(
          state,
          line,
          'holds a carriage return without a line feed',
          'end lines by a line feed, with or without it',
        )
      : fault(state, line, 'goes on after a closing quote', `${JSON.stringify(state.delimiter)} is needed there`)
  }
  return { cells, end: at, line }
}

/** Where a cell ends that begins without a quote. */
function plainEnd(text: string, start: number, comma: number): number {
  for (let end = start; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code === comma || code === LF || code === CR || code === QUOTE) return end
  }
  return text.length
}

/** The first row says how long all are, unless that is known. */
function checkWidth(state: State, cells: readonly string[], line: number): void {
  if (state.width === undefined) checkNames(cells, state.where)
  state.width ??= cells.length
  if (cells.length === state.width) return
  throw new OverhearError(
    'E_SHAPE',
    `${state.where}: line ${line} has ${cells.length} cells`,
    `${state.hint} ${state.width}`,
  )
}

function fault({ where }: State, line: number, found: string, todo: string): OverhearError {
  return new OverhearError('E_INPUT', `${where}: line ${line} ${found}`, todo)
}

/** Where the quote is closed that opens at `start`; -1 where it is not. */
function closing(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && text.charCodeAt(end + 1) === QUOTE) end = text.indexOf('"', end + 2)
  return end
}

/** Refuses a header with an empty name or with one that stands there twice. */
export function checkNames(names: readonly string[], where: string): void {
  const empty = names.indexOf('')
  if (empty >= 0) {
    const found = `${where}: column ${empty + 1} of ${names.length} has no name in the header`
    throw new OverhearError('E_INPUT', found, 'name it')
  }
  distinct(names, { key: 'the header', where })
}
