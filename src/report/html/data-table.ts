/** A table that a report's own script sorts, searches and hands out as CSV; its first rows stand in the page, the rest beside it. */
import { escaped, jsonText } from '../escape.js'
import { meaningOf } from './glossary.js'

/** Words; with a second line, classes or an explanation. The names are short because there may be 40,000 of them. */
export type Cell =
  | string
  | {
      readonly t: string
      /** A second, quieter line. */
      readonly d?: string
      readonly c?: string
      /** What is said where somebody points at it. */
      readonly h?: string
      /** A place of this page that it leads to; of rows that stand in it alone. */
      readonly a?: string
    }

export interface TableOptions {
  readonly id: string
  readonly caption: string
  readonly columns: readonly string[]
  /** Columns of figures, by their places. */
  readonly figures?: readonly number[]
  /** Where its figures stand in the folder of the run. */
  readonly source?: string
}

/** So many rows stand in the page itself. */
const mostDrawn = 60

export const figureCell = (t: string, more: { d?: string; h?: string } = {}): Cell => ({ t, c: 'n', ...more })

export function dataTable(rows: readonly (readonly Cell[])[], options: TableOptions): string {
  const { id, caption, columns, figures = [], source } = options
  if (rows.length === 0) return ''
  const head = columns.map(
    (name, k) => `<th scope="col"${figures.includes(k) ? ' class="n"' : ''}${titleOf(name)}>${escaped(name)}</th>`,
  )
  const body = rows.slice(0, mostDrawn).map((cells) => `<tr>${cells.map(cellHtml).join('')}</tr>`)
  const rest = rows.slice(mostDrawn)
  const more =
    rest.length === 0
      ? ''
      : `<p class="dim">The first ${mostDrawn} of ${rows.length} rows are shown; the report's own script shows the others.</p><script type="application/json" id="${escaped(id)}-rows" data-count="${rest.length}">${jsonText(rest.map((cells) => cells.map(shortened)))}</script>`
  return `<div class="scroll"><table class="data" id="${escaped(id)}"><caption>${escaped(caption)}</caption><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>${more}${source === undefined ? '' : sourceLine(source)}`
}

const titleOf = (name: string): string => {
  const meant = meaningOf(name)
  return meant === null ? '' : ` title="${escaped(meant)}"`
}

/** Where figures stand, for whoever wants to check them; on paper the folder is not at hand. */
const sourceLine = (source: string): string =>
  `<p class="source dim screen">Source: <code>${escaped(source)}</code></p>`

/** What its column says already is not said again. */
function shortened(cell: Cell): Cell {
  if (typeof cell === 'string' || cell.c !== 'n') return cell
  const { c: _, ...rest } = cell
  return Object.keys(rest).length === 1 ? rest.t : rest
}

function cellHtml(cell: Cell): string {
  if (typeof cell === 'string') return `<td>${escaped(cell)}</td>`
  const { t, d, c, h, a } = cell
  const words = a === undefined ? escaped(t) : `<a href="#${escaped(a)}">${escaped(t)}</a>`
  const second = d === undefined || d === '' ? '' : `<br><span class="dim">${escaped(d)}</span>`
  return `<td${c === undefined ? '' : ` class="${escaped(c)}"`}${h === undefined ? '' : ` title="${escaped(h)}"`}>${words}${second}</td>`
}
