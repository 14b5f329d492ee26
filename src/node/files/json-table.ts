/** A JSON file (also .gz) as a table: a list of objects, or one object a line. */
import type { TableOptions } from '../../data/dataset-entry.js'
import { type Column, type Table, tableOf, wordColumn } from '../../data/table.js'
import { OverhearError } from '../../errors.js'
import { checkNames } from '../../transcript/csv.js'
import { parseJson } from '../../transcript/json.js'
import { pieces, wordOf } from './csv-table.js'
import { tableLimits } from './table-limits.js'

type Cell = string | number | null

/** Columns in the order in which their names first appear; what an object does not say is missing there. */
export async function readJson(path: string, { words = [], missing }: TableOptions): Promise<Table> {
  let text = ''
  for await (const piece of pieces(path)) text += piece
  const columns = new Map<string, Cell[]>()
  let rows = 0
  const limits = tableLimits(path)
  for (const record of recordsOf(text, path)) {
    limits.rows(rows + 1, columns.size)
    if (typeof record !== 'object' || record === null || Array.isArray(record)) {
      throw new OverhearError('E_INPUT', `${path}: record ${rows + 1} is no object`, 'names and values are needed')
    }
    for (const [name, value] of Object.entries(record)) {
      const cells = columns.get(name) ?? []
      if (cells.length === 0) columns.set(name, cells)
      while (cells.length < rows) cells.push(null)
      cells.push(cellOf(value, () => `${path}: record ${rows + 1}, ${JSON.stringify(name)}`))
    }
    rows++
  }
  checkNames([...columns.keys()], path)
  const table = [...columns].map(([name, cells]): Column => {
    while (cells.length < rows) cells.push(null)
    const numeric = cells.some((cell) => cell !== null) && cells.every((cell) => typeof cell !== 'string')
    if (numeric && !words.includes(name)) {
      return { kind: 'number', name, values: Float64Array.from(cells, (cell) => (cell as number | null) ?? Number.NaN) }
    }
    return wordColumn(
      name,
      cells.map((cell) => (cell === null ? null : wordOf(String(cell), missing))),
    )
  })
  return tableOf(table, rows)
}

function* recordsOf(text: string, path: string): Generator<unknown> {
  if (/^\s*\[/.test(text)) {
    yield* parseJson(text, path) as unknown[]
    return
  }
  const lines = text.split('\n')
  for (let i = 0; i < lines.length; i++) {
    if (lines[i]!.trim() !== '') yield parseJson(lines[i]!, `${path}: line ${i + 1}`)
  }
}

function cellOf(value: unknown, where: () => string): Cell {
  if (value === null || typeof value === 'number' || typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  const found = `${where()} holds ${Array.isArray(value) ? 'a list' : 'an object'}`
  throw new OverhearError('E_INPUT', found, 'a number, a word, true, false or null is needed')
}
