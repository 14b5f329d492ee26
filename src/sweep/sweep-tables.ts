/** The results of a sweep as tables: trials, questions, scores, utility, each row with the place of its trial on every axis. */
import { ownColumns, type TableName } from './table-columns.js'
import type { TrialLine } from './trial-line.js'
import type { Row } from './trial-result.js'

function rowsIn(table: TableName, { result, reason }: TrialLine): readonly Row[] {
  if (table !== 'trials') return result?.[table] ?? []
  const { level = null, tested = null, notTested = null } = result ?? {}
  return [{ status: result === null ? 'failed' : 'done', reason, level, tested, notTested }]
}

/** The rows that a trial adds to a table, in the order of its columns. */
export function rowsOf(
  table: TableName,
  line: TrialLine,
  axes: readonly string[],
): (string | number | boolean | null)[][] {
  const place = axes.map((axis) => plain(line.at[axis]))
  return rowsIn(table, line).map((row) => [
    line.id,
    line.seed,
    ...place,
    ...ownColumns[table].map((column) => row[column] ?? null),
  ])
}

/** What is no plain value stands there as JSON. */
function plain(value: unknown): string | number | boolean | null {
  if (value === undefined || value === null) return null
  return typeof value === 'object' ? JSON.stringify(value) : (value as string | number | boolean)
}

/** A line of a CSV file; words that could be taken for more than one cell are quoted. */
export function csvLine(cells: readonly (string | number | boolean | null)[]): string {
  const texts = cells.map((cell) => {
    const text = cell === null ? '' : String(cell)
    return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  })
  return `${texts.join(',')}\n`
}
