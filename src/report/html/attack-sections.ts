/** By observer: the threat in words, every attack with its figures and controls, what it drew, and what could not run. */
import type { AuditDocument, ObserverResults } from '../../audit/document.js'
import { figure } from '../../audit/figures.js'
import { dotPlot } from '../dot-plot.js'
import { escaped } from '../escape.js'
import { exposureSection } from '../exposure-curves.js'
import { rebuiltSection } from '../rebuilt-pictures.js'
import { absentees, type Row, rowsOf, shownMetric } from '../result-rows.js'
import { threatSection } from './cited-papers.js'
import { type Cell, dataTable, figureCell } from './data-table.js'
import { workingsFigures } from './workings-figures.js'

/** Of more results than this figures would be nothing to look at. */
const mostFigured = 60

/** What an observer's attacks reached, one click away; what a weaker one can do as well is named and not repeated. */
export function attackSection(results: ObserverResults): string {
  const { observer, title, attacks } = results
  const claimed = attacks.filter(({ status }) => status !== 'not-applicable')
  const absent = absentees(attacks)
  const rows = rowsOf(claimed.filter(({ sameAs }) => sameAs === undefined))
  const same = [...new Set(claimed.flatMap(({ sameAs }) => sameAs ?? []))]
  const shared = same.length === 0 ? '' : `<p>${escaped(`It can do everything that ${same.join(' and ')} can.`)}</p>`
  const count = `${rows.length} ${rows.length === 1 ? 'line' : 'lines'} of its own`
  const figured = rows.slice(0, mostFigured)
  const body =
    rows.length === 0
      ? same.length > 0
        ? ''
        : '<p class="dim">No attack was applicable.</p>'
      : `${table(rows, observer)}${fitTable(rows, observer)}${powerTable(rows, observer)}${liftFigure(figured)}${rebuiltSection(figured)}${exposureSection(figured)}${inner(figured, observer)}`
  return `<details class="part observer"><summary><b>${escaped(observer)}</b>: ${escaped(title)} <span class="dim">(${count})</span></summary>
${threatSection(results)}${shared}${body}
${absent.length === 0 ? '' : absentList(absent)}</details>`
}

/** What the dots are. */
function liftFigure(rows: readonly Row[]): string {
  const svg = dotPlot(rows)
  return svg === ''
    ? ''
    : `<figure>${svg}<figcaption>How far each attack came from chance to knowing everything, with its interval. Hollow: it was told the truth, or its controls say that it is no help here.</figcaption></figure>`
}

const idOf = (text: string): string => text.replace(/[^\w-]+/g, '-')

function table(rows: readonly Row[], observer: string): string {
  const cells = rows.map((row): Cell[] => {
    const { result, score } = row
    const planted = result.controls?.planted
    const doubts = [...result.warnings, ...(result.error === undefined ? [] : [result.error.message])]
    return [
      row.attack,
      result.target ?? 'all',
      { t: result.model ?? '', c: 'k' },
      { t: row.what, ...(doubts.length > 0 && { d: doubts.join('; ') }) },
      figureCell(row.value),
      figureCell(row.interval),
      figureCell(row.chance, score === null ? {} : { h: `chance: ${score.guesser}` }),
      figureCell(row.lift),
      figureCell(row.cells),
      { t: row.note, c: 'k' },
      planted === undefined ? '' : { t: planted.status, h: planted.reason },
    ]
  })
  const columns = ['attack', 'client', 'model', 'what', 'score', '95 % or deviation', 'chance', 'lift', 'cells', 'note', 'planted'] // biome-ignore format: a line
  return dataTable(cells, { id: `attacks-${idOf(observer)}`, caption: `Each attack by itself, ${observer}`, columns, figures: [4, 5, 6, 7, 8], source: 'audit.json: observers[].attacks' }) // biome-ignore format: a line
}

/** What the protocol was stated to be, and what was heard: only where they differ. */
function fitTable(rows: readonly Row[], observer: string): string {
  const cells = rows.flatMap(({ attack, result: { fit, model, target } }): Cell[][] => {
    if (fit === undefined) return []
    const words = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))
    const unlike = Object.keys(fit.stated).filter((key) => words(fit.stated[key]) !== words(fit.heard[key]))
    const said = (from: Readonly<Record<string, unknown>>): string =>
      unlike.map((key) => `${key} ${words(from[key])}`).join(', ')
    return [
      [
        attack,
        `${target === null ? 'all' : `client ${target}`}${model === null ? '' : `, ${model}`}`,
        unlike.length === 0 ? 'as heard' : said(fit.stated),
        unlike.length === 0 ? 'as stated' : said(fit.heard),
        figureCell(fit.p === null ? '-' : figure(fit.p)),
      ],
    ]
  })
  const columns = ['attack', 'of', 'protocol stated', 'protocol heard', 'p of the statement']
  return dataTable(cells, { id: `fit-${idOf(observer)}`, caption: `The protocol, stated and heard, ${observer}`, columns, figures: [4], source: 'audit.json: observers[].attacks[].fit' }) // biome-ignore format: a line
}

/** Whether attacks find what is planted for them, and how little of it. */
function powerTable(rows: readonly Row[], observer: string): string {
  // What was planted for one client speaks for the others.
  const seen = new Set<string>()
  const cells = rows.flatMap(({ attack, topic, result: { power, controls, model } }): Cell[][] => {
    const key = JSON.stringify([attack, topic, model])
    if ((power === undefined && controls === undefined) || seen.has(key)) return []
    seen.add(key)
    const curve = power?.curve.map(
      (one) => `${figure(one.grade)}: ${shownMetric(one)} ${figure(one.value)}${one.found ? '' : ' (not found)'}`,
    )
    return [
      [
        attack,
        `${topic}${model === null ? '' : ` (${model})`}`,
        controls?.planted.status ?? '-',
        { t: controls?.planted.reason ?? '' },
        (curve ?? []).join('; '),
        figureCell(power?.leastSeen == null ? '-' : figure(power.leastSeen)),
      ],
    ]
  })
  const columns = ['attack', 'what', 'planted', 'why', 'found by how much was planted', 'least lift seen']
  const inside = dataTable(cells, { id: `power-${idOf(observer)}`, caption: `Controls and power, ${observer}`, columns, figures: [5], source: 'audit.json: observers[].attacks[].controls and power' }) // biome-ignore format: a line
  return inside === ''
    ? ''
    : `<details><summary>Controls and power: would these attacks have found a leak?</summary>${inside}</details>`
}

/** Figures that attacks gave beside their claims: condition numbers, misfits, what was tuned, and what they drew. */
function inner(rows: readonly Row[], observer: string): string {
  const cells = rows.flatMap(({ attack, result: { details, model, target } }) =>
    Object.entries(details).flatMap(([key, value]): Cell[][] =>
      value === null || typeof value === 'object'
        ? []
        : [
            [
              attack,
              target ?? 'all',
              model ?? '',
              spaced(key),
              figureCell(typeof value === 'number' ? counted(value) : `${value}`),
            ],
          ],
    ),
  )
  const drawn = rows.map(({ attack, result }) =>
    workingsFigures(result, `${result.model === null ? '' : `${result.model}: `}${attack}`),
  )
  const columns = ['attack', 'client', 'model', 'figure', 'value']
  const inside = dataTable(cells, { id: `work-${idOf(observer)}`, caption: `What attacks say of their own work, ${observer}`, columns, figures: [4], source: 'audit.json: observers[].attacks[].details' }) // biome-ignore format: a line
  const figures = drawn.some((one) => one !== '') ? `<div class="figures">${drawn.join('')}</div>` : ''
  if (inside === '' && figures === '') return ''
  return `<details><summary>What the attacks say of their own work: condition numbers, misfits, overlaps</summary>${inside}${figures}</details>`
}

/** "conditionOfMap" as people read it. */
const spaced = (key: string): string => key.replace(/[a-z][A-Z]/g, (pair) => `${pair[0]} ${pair[1]!.toLowerCase()}`)

/** Whole numbers are counts. */
const counted = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < 1e6 ? String(value) : figure(value)

function absentList(absent: ReturnType<typeof absentees>): string {
  const items = absent.map(({ attack, why }) => `<li>${escaped(attack)}: ${escaped(why)}</li>`)
  const count = absent.length === 1 ? '1 attack was' : `${absent.length} attacks were`
  return `<details><summary>${count} not applicable</summary><ul>${items.join('')}</ul></details>`
}

/** What a malicious server gets out of the protocol of secure sums itself. */
export function sumsTable({ sums }: AuditDocument): string {
  if (sums === undefined) return ''
  const rows = sums.attacks.map(({ attack, what, colluders, clients, opened, why }): Cell[] => {
    const word = opened === null ? 'stopped' : opened === 1 ? 'opens one update' : `opens a sum of ${opened}`
    return [
      { t: attack, d: `it ${what}` },
      figureCell(`${colluders} of ${clients}`),
      { t: word, c: opened === null ? 'none' : 'leak' },
      why,
    ]
  })
  const columns = ['attack', 'colluders', 'what came of it', 'why']
  return `<h2>Secure sums, for a ${sums.observer}</h2>${dataTable(rows, { id: 'sums', caption: 'Attacks on the protocol itself', columns, figures: [1], source: 'audit.json: sums' })}` // biome-ignore format: a line
}
