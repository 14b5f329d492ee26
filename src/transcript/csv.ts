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

/** Reads a text that comes in pieces; what a piece cuts off is kept for the next. */
export function csvReader({ where, delimiter = ',', width, skip = 0 }: CsvOptions): CsvReader {
  const comma = delimiter.charCodeAt(0)
  const hint = width === undefined ? 'the header has' : 'needed:'
  let pending = ''
  let wanted = 0 // characters before another try: twice what was in vain, so that a long cell is not read over and over
  let begun = false
  let line = 1
  const fault = (at: number, found: string, todo: string): OverhearError =>
    new OverhearError('E_INPUT', `${where}: line ${at} ${found}`, todo)

  function* read(piece: string, last = false): Generator<readonly string[]> {
    pending += piece
    if (!last && pending.length < wanted) return
    const text = pending
    const n = text.length
    let start = !begun && text.charCodeAt(0) === BOM ? 1 : 0 // of the row; all before it is done with
    begun ||= n > 0
    for (let end = 0; skip > 0; skip--, line++, start = end + 1) {
      end = text.indexOf('\n', start)
      if (end < 0) break
    }
    rows: while (start < n && skip === 0) {
      const cells: string[] = []
      let at = start
      let next = line // the line at which `at` is
      for (;;) {
        if (text.charCodeAt(at) === QUOTE) {
          const end = closing(text, at)
          if (end < 0 && (last || n - at > longestOpen)) {
            throw fault(
              next,
              'opens a quote that is never closed',
              'close it; a quote inside of quotes is written twice',
            )
          }
          if (end < 0 || (end + 1 === n && !last)) break rows // a second quote may follow
          const value = text.slice(at + 1, end)
          cells.push(value.includes('"') ? value.replaceAll('""', '"') : value)
          for (let i = value.indexOf('\n'); i >= 0; i = value.indexOf('\n', i + 1)) next++
          at = end + 1
        } else {
          let end = at
          for (; end < n; end++) {
            const code = text.charCodeAt(end)
            if (code === comma || code === LF || code === CR || code === QUOTE) break
          }
          cells.push(text.slice(at, end))
          at = end
          if (text.charCodeAt(at) === QUOTE) {
            const todo = 'put all of the cell in quotes, with no space before, and write those inside twice'
            throw fault(next, 'has a quote inside a cell that begins without one', todo)
          }
        }
        if (text.charCodeAt(at) !== comma) break
        at++
      }
      const returned = text.charCodeAt(at) === CR
      if (returned) at++
      if (at === n && !last) break // the line may go on
      if (at < n && text.charCodeAt(at) !== LF) {
        throw returned
          ? fault(next, 'holds a carriage return without a line feed', 'end lines by a line feed, with or without it')
          : fault(next, 'goes on after a closing quote', `${JSON.stringify(delimiter)} is needed there`)
      }
      const empty = cells.length === 1 && cells[0] === '' && text.charCodeAt(start) !== QUOTE
      const first = line
      start = at + 1
      line = next + 1
      // An empty line holds no row, unless there is one column: then it is an empty cell.
      if (empty && width !== 1) continue
      if (width === undefined) checkNames(cells, where)
      width ??= cells.length
      if (cells.length !== width) {
        throw new OverhearError('E_SHAPE', `${where}: line ${first} has ${cells.length} cells`, `${hint} ${width}`)
      }
      yield cells
    }
    pending = text.slice(start)
    wanted = 2 * pending.length
  }
  return { read }
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
