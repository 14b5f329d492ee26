/** Sensitive columns of some rows drawn anew, and what each value of them adds to a planted label. */
import { type Column, columnOf, levelsOf, type NumberColumn, type Table, wordAt } from '../../data/table.js'
import type { Rng } from '../../numeric/random/rng.js'
import { meanOf } from '../../numeric/special/summaries.js'

/** A column of numbers with more values than these is continuous. */
const mostLevels = 20

export interface Redrawing {
  /** Rows that get other values. */
  readonly rows: Int32Array
  /** Rows whose labels say how the column goes with them now, and those labels. */
  readonly seen: Int32Array
  labelOf(row: number): number
  readonly rng: Rng
}

/** The table with one column drawn anew, independently of everything else, and what a row's new value is worth. */
export interface Redrawn {
  readonly table: Table
  worthOf(row: number): number
}

/**
 * Every value is as likely as any other, so that there is as much to find as there can be. A value is worth the opposite of
 * what it goes with now: whoever guesses by what is known of other people guesses wrong.
 */
export function redrawnSecret(table: Table, name: string, redrawing: Redrawing): Redrawn {
  const column = columnOf(table, name)
  const levels = levelsOf(column)
  const made =
    column.kind === 'number' && levels.length > mostLevels
      ? continuous(column, redrawing)
      : discrete(column, levels, redrawing)
  const columns = table.columns.map((one) => (one.name === name ? made.column : one))
  return { table: { ...table, columns }, worthOf: made.worthOf }
}

interface Made {
  readonly column: Column
  worthOf(row: number): number
}

function discrete(column: Column, levels: readonly string[], { rows, seen, labelOf, rng }: Redrawing): Made {
  const all = meanOf(Array.from(seen, labelOf))
  const known = new Map(
    levels.map((level) => {
      const labels = Array.from(seen)
        .filter((row) => wordAt(column, row) === level)
        .map(labelOf)
      return [level, labels.length === 0 ? all : meanOf(labels)] as const
    }),
  )
  // Ranks in place of the means themselves: values that hardly differ in what they go with now are as far apart as others.
  const ordered = [...levels].sort((a, b) => known.get(b)! - known.get(a)! || (a < b ? -1 : 1))
  const worth = new Map(ordered.map((level, rank) => [level, rank]))
  const drawn = new Map(Array.from(rows, (row) => [row, levels[rng.integer(levels.length)]!]))
  return {
    column: withValues(column, drawn),
    worthOf: (row) => worth.get(drawn.get(row) ?? wordAt(column, row) ?? '') ?? 0,
  }
}

function withValues(column: Column, drawn: ReadonlyMap<number, string>): Column {
  if (column.kind === 'number') {
    const values = column.values.slice()
    for (const [row, level] of drawn) values[row] = Number(level)
    return { ...column, values }
  }
  const codes = column.codes.slice()
  for (const [row, level] of drawn) codes[row] = column.words.indexOf(level)
  return { ...column, codes }
}

function continuous({ name, values }: NumberColumn, { rows, seen, labelOf, rng }: Redrawing): Made {
  const pairs = Array.from(seen, (row) => [values[row]!, labelOf(row)] as const).filter(([x]) => !Number.isNaN(x))
  const centre = meanOf(pairs.map(([x]) => x))
  const label = meanOf(pairs.map(([, y]) => y))
  const together = pairs.reduce((sum, [x, y]) => sum + (x - centre) * (y - label), 0)
  const redrawn = values.slice()
  for (const row of rows) redrawn[row] = pairs[rng.integer(pairs.length)]![0]
  return {
    column: { kind: 'number', name, values: redrawn },
    worthOf: (row) => (together > 0 ? -redrawn[row]! : redrawn[row]!),
  }
}
