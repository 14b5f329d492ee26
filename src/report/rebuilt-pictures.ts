/** What an attack rebuilt, as people see it: pictures side by side, or a table of values. */
import { figure } from '../audit/figures.js'
import type { Rebuilt } from '../audit/rebuilt-records.js'
import { escaped } from './escape.js'
import { pictureUri } from './picture.js'
import type { Row } from './result-rows.js'

const mostColumns = 12

export function rebuiltSection(rows: readonly Row[]): string {
  return rows
    .flatMap(({ attack, what, result: { findings, model, sameAs } }) => {
      if (sameAs !== undefined) return []
      const title = `${model === null ? '' : `${model}: `}${attack}, ${what}`
      return findings.flatMap(({ rebuilt }) => {
        if (rebuilt === undefined) return []
        return [`<h3>${escaped(title)}</h3>${rebuiltFigure(rebuilt, title)}`]
      })
    })
    .join('\n')
}

export const rebuiltFigure = (rebuilt: Rebuilt, title: string): string =>
  rebuilt.shape === null ? values(rebuilt, title) : pictures(rebuilt, title)

const [side, gap, left] = [84, 8, 60]

/** True ones above, rebuilt ones below, as one figure that leaves with its pictures. */
function pictures({ shape, pairs }: Rebuilt, title: string): string {
  const all = pairs.flatMap(({ truth }) => truth)
  const range = [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))] as const
  const one = (values: readonly number[] | null, k: number, y: number): string => {
    const x = left + k * (side + gap)
    return values === null
      ? `<text class="dim" x="${x}" y="${y + side / 2}" font-size="12">none</text>`
      : `<image x="${x}" y="${y}" width="${side}" height="${side}" style="image-rendering:pixelated" href="${pictureUri({ shape: shape!, values, range })}"/>`
  }
  const row = (name: string, y: number, list: readonly (readonly number[] | null)[]): string =>
    `<text class="dim" x="0" y="${y + side / 2}" font-size="12">${name}</text>${list.map((values, k) => one(values, k, y)).join('')}`
  const [width, height] = [left + pairs.length * (side + gap), 2 * side + gap]
  const rows = [row('true', 0, pairs.map(({ truth }) => truth)), row('rebuilt', side + gap, pairs.map(({ claimed }) => claimed))] // biome-ignore format: a pair
  return `<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(`true records and rebuilt ones, ${title}`)}">${rows.join('')}</svg>`
}

function values({ columns, pairs }: Rebuilt, title: string): string {
  const shown = columns.slice(0, mostColumns)
  const more =
    columns.length > shown.length ? `<p class="dim">The first ${shown.length} of ${columns.length} columns.</p>` : ''
  const cells = (record: readonly number[] | null): string =>
    shown.map((_, j) => `<td class="n">${record === null ? '-' : figure(record[j])}</td>`).join('')
  const body = pairs.map(
    ({ truth, claimed }, i) =>
      `<tr><td>${i + 1}</td><td>true</td>${cells(truth)}</tr><tr><td></td><td>rebuilt</td>${cells(claimed)}</tr>`,
  )
  const head = ['record', '', ...shown].map((name) => `<th>${escaped(name)}</th>`).join('')
  return `<div class="scroll"><table><caption>${escaped(`True and rebuilt, ${title}`)}</caption><tr>${head}</tr>${body.join('')}</table></div>${more}`
}
