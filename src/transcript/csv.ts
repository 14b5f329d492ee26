/** Comma-separated values: quotes, line ends of either kind, one header line. */
import { OverhearError } from '../errors.js'

/** The rows of a CSV text one by one, the header first; every row has as many cells as the header. */
export function* csvRows(text: string, where: string): Generator<readonly string[]> {
  let at = text.startsWith('\ufeff') ? 1 : 0
  let width: number | undefined
  for (let row = 1; at < text.length; row++) {
    const cells: string[] = []
    for (;;) {
      const cell = text[at] === '"' ? quoted(text, at, `${where}: row ${row}`) : plain(text, at)
      cells.push(cell.value)
      at = cell.end
      if (text[at] !== ',') break
      at++
    }
    if (text[at] === '\r') at++
    if (at < text.length && text[at] !== '\n') {
      throw new OverhearError(
        'E_INPUT',
        `${where}: row ${row} goes on after a closing quote`,
        'a comma is needed there',
      )
    }
    at++
    // An empty line holds no row, unless there is one column: then it is an empty cell.
    if (cells.length === 1 && cells[0] === '' && width !== 1) continue
    width ??= cells.length
    if (cells.length !== width) {
      throw new OverhearError('E_SHAPE', `${where}: row ${row} has ${cells.length} cells`, `the header has ${width}`)
    }
    yield cells
  }
}

interface Cell {
  readonly value: string
  readonly end: number
}

function plain(text: string, start: number): Cell {
  let end = start
  while (end < text.length && text[end] !== ',' && text[end] !== '\n') end++
  const trimmed = text[end - 1] === '\r' && end > start && text[end] !== ',' ? end - 1 : end
  return { value: text.slice(start, trimmed), end: trimmed }
}

function quoted(text: string, start: number, where: string): Cell {
  let end = start + 1
  for (;;) {
    end = text.indexOf('"', end)
    if (end < 0) throw new OverhearError('E_INPUT', `${where} opens a quote that is never closed`)
    if (text[end + 1] !== '"') break
    end += 2
  }
  return { value: text.slice(start + 1, end).replaceAll('""', '"'), end: end + 1 }
}
