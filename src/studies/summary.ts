/** From finished cells to what is told of a study: ours beside the paper's, and which of its claims hold. */
import { meanOf, medianOf, varianceOf } from '../numeric/special/summaries.js'
import type { Figure, Figures, Measure, Place, Study } from './study.js'

/** One row: ours, and the paper's where it prints one. */
export interface StudyRow extends Place {
  readonly name: string
  readonly ours: Figure
  readonly paper: { readonly mean: number; readonly std: number | null } | null
  readonly note: string
}

/** A claim of the paper, and whether it holds on our figures; null: they do not decide. */
export interface CheckedClaim {
  readonly text: string
  readonly holds: boolean | null
  /** Of one that does not hold: what was tried, and what we believe. */
  readonly believed?: string
}

export interface StudySummary {
  readonly study: string
  readonly title: string
  readonly paper: string
  readonly where: string
  readonly unit: string
  readonly axis: string | null
  readonly rows: readonly StudyRow[]
  readonly claims: readonly CheckedClaim[]
  readonly departs: readonly string[]
}

const nameOf = ({ panel, series, x }: Place, axis = 'x'): string =>
  [panel, series, ...(x === undefined ? [] : [`${axis} ${x}`])].filter((part) => part !== '').join(', ')

const keyOf = ({ panel, series, x }: Place): string => JSON.stringify([panel, series, x ?? null])

function figureOf(values: readonly number[]): Figure {
  const n = values.length
  return { mean: meanOf(values), std: n < 2 ? 0 : Math.sqrt(varianceOf(values, n - 1)), median: medianOf(values), n }
}

/** Rows in the order in which places first appear; places of the paper that we did not measure have none. */
export function summaryOf(study: Study, measures: readonly Measure[]): StudySummary {
  const places = new Map<string, { readonly place: Place; readonly values: number[] }>()
  for (const { value, ...place } of measures) {
    const key = keyOf(place)
    const there = places.get(key) ?? { place, values: [] }
    there.values.push(value)
    places.set(key, there)
  }
  const published = new Map(study.published.map((one) => [keyOf(one), one]))
  const rows = [...places].map(([key, { place, values }]): StudyRow => {
    const said = published.get(key)
    return {
      name: nameOf(place, study.axis),
      ...place,
      ours: figureOf(values),
      paper: said === undefined ? null : { mean: said.mean, std: said.std ?? null },
      note: study.notes?.[place.series] ?? '',
    }
  })
  const { id, title, paper, where, unit, axis = null, departs } = study
  return {
    study: id,
    title,
    paper,
    where,
    unit,
    axis,
    rows,
    claims: checkedClaims(study, rows),
    departs,
  }
}

/** What the study says of the paper's claims, by rows that were measured now or are stored. */
export function checkedClaims({ claims }: Pick<Study, 'claims'>, rows: readonly StudyRow[]): CheckedClaim[] {
  const known = new Map(rows.map((row) => [keyOf(row), row.ours]))
  const figures: Figures = (panel, series, x) => known.get(keyOf({ panel, series, ...(x !== undefined && { x }) }))
  return claims.map(({ text, holds: test, believed }) => {
    const holds = test(figures)
    return { text, holds, ...(holds === false && believed !== undefined && { believed }) }
  })
}
