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
        return [`<h3>${escaped(title)}</h3>${rebuilt.shape === null ? values(rebuilt) : pictures(rebuilt)}`]
      })
    })
    .join('\n')
}

function pictures({ shape, pairs }: Rebuilt): string {
  const all = pairs.flatMap(({ truth }) => truth)
  const range = [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))] as const
  const one = (values: readonly number[] | null, words: string): string =>
    values === null
      ? '<td class="dim">none</td>'
      : `<td><img alt="${words}" src="${pictureUri({ shape: shape!, values, range })}"></td>`
  const line = (name: string, cells: readonly string[]): string => `<tr><th>${name}</th>${cells.join('')}</tr>`
  return `<table class="pictures">${line(
    'true',
    pairs.map(({ truth }, i) => one(truth, `true record ${i + 1}`)),
  )}${line(
    'rebuilt',
    pairs.map(({ claimed }, i) => one(claimed, `rebuilt record ${i + 1}`)),
  )}</table>`
}

function values({ columns, pairs }: Rebuilt): string {
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
  return `<div class="scroll"><table><tr>${head}</tr>${body.join('')}</table></div>${more}`
}
