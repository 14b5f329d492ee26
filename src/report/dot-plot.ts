/** One line per attack: where chance is, where the attack is, and its interval, on the scale from chance to perfection. */
import { liftOf, type Score } from '../metrics/score.js'
import { escaped, point } from './escape.js'
import type { Row } from './result-rows.js'

const width = 780
const left = 300
const right = 20
const step = 22

/** Where a value of the metric lies between chance (0) and perfection (1). */
function lifted(score: Score, value: number): number {
  return (score.chance === null ? null : liftOf({ value, chance: score.chance, better: score.better })) ?? 0
}

export function dotPlot(rows: readonly Row[]): string {
  const shown = rows.flatMap((row) =>
    row.score !== null && row.score.lift !== null && row.result.sameAs === undefined ? [{ row, score: row.score }] : [],
  )
  if (shown.length === 0) return ''
  const height = step * (shown.length + 2)
  // What is worse than chance by more than half the scale is drawn at the edge.
  const x = (lift: number): number => left + ((Math.min(1, Math.max(-0.5, lift)) + 0.5) / 1.5) * (width - left - right)
  const lines = shown.map(({ row, score }, i) => {
    const y = step * (i + 1)
    const name = `${row.result.model === null ? '' : `${row.result.model}: `}${row.attack}, ${row.what}`
    const ends = score.interval?.map((value) => x(lifted(score, value)))
    const whisker =
      ends === undefined
        ? ''
        : `<line x1="${point(Math.min(...ends))}" x2="${point(Math.max(...ends))}" y1="${y}" y2="${y}" stroke="currentColor" stroke-width="2"/>`
    // What an oracle or a broken attack found is no finding: its dot is hollow.
    const fill = row.note === '' ? 'currentColor' : 'var(--paper)" stroke="currentColor" stroke-width="2'
    const dot = `<circle cx="${point(x(score.lift!))}" cy="${y}" r="5" fill="${fill}"/>`
    return `<g><title>${escaped(`${name}: ${row.value}, chance ${row.chance}`)}</title><text x="0" y="${y + 4}" font-size="12">${escaped(short(name))}</text>${whisker}${dot}</g>`
  })
  const axis = [
    [0, 'chance'],
    [1, 'everything'],
  ].map(([at, word]) => {
    const px = point(x(Number(at)))
    return `<line x1="${px}" x2="${px}" y1="6" y2="${height - step}" stroke="var(--line)"/><text class="dim" x="${px}" y="${height - 6}" font-size="12" text-anchor="middle">${word}</text>`
  })
  return `<svg viewBox="0 0 ${width + 40} ${height}" role="img" aria-label="lift over chance by attack">${axis.join('')}${lines.join('')}</svg>`
}

const short = (name: string): string => (name.length > 46 ? `${name.slice(0, 45)}…` : name)
