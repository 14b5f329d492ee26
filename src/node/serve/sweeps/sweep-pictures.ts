/** What pictures of a sweep are drawn from: columns of its trials, and means along axes. */
import type { z } from 'zod'
import type { ColumnsAnswer, columnsRequest, Multiple, MultiplesAnswer, multiplesRequest } from '../../../api/sweeps.js'
import { OverhearError } from '../../../errors.js'
import type { Column, SweepIndex } from './sweep-index.js'

/** Lines that are drawn, places of an axis that are told apart, and pictures of one answer. */
const [mostDrawn, mostPlaces, mostPanels] = [10_000, 40, 24]

function chosen(columns: readonly Column[], k: number, what: string): Column {
  const found = columns[k]
  if (found !== undefined) return found
  throw new OverhearError('E_UNKNOWN_NAME', `the sweep has no ${what} ${k}`, `there are ${columns.length}`)
}

/** Axes and the figures that are asked for, of all trials or evenly of some. */
export function columnsOf(index: SweepIndex, { figures }: z.output<typeof columnsRequest>): ColumnsAnswer {
  const { trials } = index.about
  const drawn = Math.min(trials, mostDrawn)
  const rows = Array.from({ length: drawn }, (_, k) => Math.floor((k * trials) / drawn))
  const asked = index.about.figures.length === 0 ? [] : [...new Set(figures.split(',').map(Number))]
  const all = [...index.axes, ...asked.map((k) => chosen(index.figures, k, 'figure'))]
  const columns = all.map(({ name, words, values }) => {
    return { name, words: words === null ? null : [...words], values: rows.map((row) => values[row]!) }
  })
  return { drawn, trials, columns }
}

/** Means with their range at each place of an axis; many places are drawn together, by their order. */
function panelOf(axis: Column, figure: Column, { rows, title }: { rows: readonly number[]; title: string }): Multiple {
  const byPlace = new Map<number, number[]>()
  for (const row of rows) {
    const [at, value] = [axis.values[row], figure.values[row]]
    if (at == null || value == null) continue
    const there = byPlace.get(at)
    if (there === undefined) byPlace.set(at, [value])
    else there.push(value)
  }
  const places = [...byPlace].sort(([a], [b]) => a - b)
  const size = Math.ceil(places.length / mostPlaces) || 1
  const points: Multiple['points'] = []
  for (let k = 0; k < places.length; k += size) {
    const some = places.slice(k, k + size)
    const values = some.flatMap(([, list]) => list)
    const [first, last] = [some[0]![0], some.at(-1)![0]]
    const [least, most] = values.reduce(([a, b], y) => [Math.min(a, y), Math.max(b, y)], [Infinity, -Infinity])
    const x = axis.words === null ? (first + last) / 2 : null
    const at = axis.words !== null ? axis.words[first]! : size === 1 ? String(first) : `${first} to ${last}`
    points.push({ at, x, mean: values.reduce((a, b) => a + b, 0) / values.length, least, most, n: values.length })
  }
  return { title, axis: axis.name, points }
}

export function multiplesOf(index: SweepIndex, { figure, x, by }: z.output<typeof multiplesRequest>): MultiplesAnswer {
  const drawn = chosen(index.figures, figure, 'figure')
  const rows = drawn.values.flatMap((value, row) => (value === null ? [] : [row]))
  let panels: Multiple[]
  if (x === undefined) {
    const varied = index.axes.filter((_, k) => index.about.axes[k]!.places > 1)
    panels = varied.slice(0, mostPanels).map((axis) => panelOf(axis, drawn, { rows, title: axis.name }))
  } else if (by === undefined) {
    panels = [panelOf(chosen(index.axes, x, 'axis'), drawn, { rows, title: '' })]
  } else {
    const [axis, other] = [chosen(index.axes, x, 'axis'), chosen(index.axes, by, 'axis')]
    const values = [...new Set(rows.map((row) => other.values[row]!))].sort((a, b) => a - b)
    panels = values.slice(0, mostPanels).map((value) => {
      const own = rows.filter((row) => other.values[row] === value)
      return panelOf(axis, drawn, { rows: own, title: `${other.name} ${other.words?.[value] ?? value}` })
    })
  }
  const ends = panels.flatMap(({ points }) => points.flatMap(({ least, most }) => [least, most]))
  const [low, high] = ends.reduce(([a, b], y) => [Math.min(a, y), Math.max(b, y)], [Infinity, -Infinity])
  return { figure: drawn.name, low: ends.length === 0 ? 0 : low, high: ends.length === 0 ? 1 : high, panels }
}
