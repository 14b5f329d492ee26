/** The page of a sweep: a row of small pictures for each figure, all on one scale, as one HTML file that needs nothing else. */
import type { Drawn } from '../sweep/trial-figures.js'
import { escaped } from './escape.js'
import { type Spot, sameScale, smallPicture } from './small-picture.js'

/** What the page is made of. */
export interface SweepPicture {
  readonly name: string
  readonly axes: readonly string[]
  readonly drawn: readonly Drawn[]
  readonly total: number
  readonly failed: number
}

const style = `
  :root { color-scheme: light dark; --ink: #1d2330; --dim: #69707d; --line: #d9dde4; --paper: #fff; }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6e8ec; --dim: #9aa2af; --line: #3a404b; --paper: #14171c; } }
  body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; } h2 { font-size: 1.05rem; margin: 1.8rem 0 .3rem; } .dim { color: var(--dim); }
  .row { display: flex; flex-wrap: wrap; gap: .6rem; } figure { margin: 0; } figcaption { font-size: .8rem; color: var(--dim); }
  svg text { fill: var(--ink); } svg .dim { fill: var(--dim); }
`
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** More would be looked at by nobody; the tables have them all. */
const mostFigures = 60
const mostPanels = 24
const mostSeries = 6
const colours: readonly string[] = ['#1f6feb', '#b3261e', '#1a7f37', '#9a6700', '#8250df', '#0a7c86']

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null))

/** The values that trials have on an axis, in the order in which they come up. */
const valuesOn = (axis: string, drawn: readonly Drawn[]): string[] => [
  ...new Set(drawn.map(({ at }) => wordOf(at[axis]))),
]

export function sweepPage({ name, axes, drawn, total, failed }: SweepPicture): string {
  const varied = axes.filter((axis) => valuesOn(axis, drawn).length > 1)
  const figures = [...new Set(drawn.flatMap((one) => Object.keys(one.figures)))]
  const shown = figures.slice(0, mostFigures)
  const parts = shown.map((figure) => `<h2>${escaped(figure)}</h2>${figureRow(figure, varied, drawn)}`)
  const rest =
    figures.length > shown.length
      ? `<p class="dim">${figures.length - shown.length} more figures are in the tables.</p>`
      : ''
  const counts = `${drawn.length} of ${total} trials${failed === 0 ? '' : `, ${failed} failed`}; dots are means over seeds, whiskers their range.`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(`Sweep ${name}`)}</title><style>${style}</style></head><body>
<h1>${escaped(`Sweep ${name}`)}</h1>
<p>${escaped(counts)}</p>
${parts.length === 0 ? '<p class="dim">No trial has a figure yet.</p>' : parts.join('\n')}
${rest}
</body></html>
`
}

/** One figure along the axes: a grid in pictures by its further axes, anything else in one picture for each axis. */
function figureRow(figure: string, axes: readonly string[], drawn: readonly Drawn[]): string {
  const known = drawn.filter(({ figures }) => figures[figure] !== undefined)
  const scale = sameScale(known.map(({ figures }) => figures[figure]!))
  const [x, series, ...further] = axes
  const panelOf = ({ at }: Drawn): string => further.map((axis) => `${axis} ${wordOf(at[axis])}`).join(', ')
  const panels = [...new Set(known.map(panelOf))]
  const names = series === undefined ? [] : valuesOn(series, known)
  if (x === undefined || names.length > mostSeries || panels.length > mostPanels) {
    const pictures = axes.map((axis) => picture(known, { figure, axis, names: [], scale, caption: axis }))
    return `<div class="row">${pictures.join('')}</div>`
  }
  const pictures = panels.map((panel) => {
    const own = known.filter((one) => panelOf(one) === panel)
    const caption = [`${x}${series === undefined ? '' : ` by ${series}`}`, panel]
      .filter((part) => part !== '')
      .join('; ')
    return picture(own, { figure, axis: x, names, scale, caption, ...(series !== undefined && { series }) })
  })
  return `<div class="row">${pictures.join('')}</div>${series === undefined ? '' : legend(series, names)}`
}

interface Asked {
  readonly figure: string
  readonly axis: string
  readonly series?: string
  /** What the series are called, the same in all pictures of a row. */
  readonly names: readonly string[]
  readonly scale: readonly [number, number]
  readonly caption: string
}

function picture(drawn: readonly Drawn[], { figure, axis, series, names, scale, caption }: Asked): string {
  const spots = drawn.map(({ at, figures }): Spot => {
    const line = series === undefined ? 0 : names.indexOf(wordOf(at[series]))
    const value = at[axis]
    return { x: typeof value === 'number' ? value : wordOf(value), y: figures[figure]!, line }
  })
  const svg = smallPicture(spots, {
    scale,
    colours,
    joined: series !== undefined || spots.length < 40,
    label: `${figure} by ${caption}`,
  })
  return `<figure>${svg}<figcaption>${escaped(caption)}</figcaption></figure>`
}

function legend(series: string, names: readonly string[]): string {
  const items = names.map(
    (name, i) => `<span style="color:${colours[i % colours.length]}">&#9679;</span> ${escaped(name)}`,
  )
  return `<p class="dim">${escaped(series)}: ${items.join(' &nbsp; ')}</p>`
}
