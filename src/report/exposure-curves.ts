/** After how many rounds is a client exposed? A curve for each client, and the round after which it was. */
import type { ClaimJson, Finding } from '../audit/attack-result.js'
import { escaped, point } from './escape.js'
import type { Row } from './result-rows.js'

const [width, height, left, bottom] = [780, 244, 56, 48]

type Exposure = NonNullable<ClaimJson<'property'>['exposure']>

export function exposureSection(rows: readonly Row[]): string {
  return rows
    .flatMap(({ attack, what, result: { findings, model, sameAs } }) => {
      const title = `${model === null ? '' : `${model}: `}${attack}, ${what}: after how many rounds?`
      return sameAs === undefined ? findings.map((one) => exposureOf(one, title)) : []
    })
    .filter((html) => html !== '')
    .join('\n')
}

function exposureOf({ claim, score }: Finding, title: string): string {
  if (claim.kind !== 'property' || claim.exposure === undefined || claim.exposure.rounds.length === 0) return ''
  const accused = new Set(claim.clients.filter(({ positive }) => positive).map(({ id }) => id))
  const wrong = new Set(score?.perClient?.filter(({ right }) => !right).map(({ id }) => id))
  const marks = { accused, wrong }
  return `<h3>${escaped(title)}</h3>${curves(claim.exposure, marks)}${words(claim.exposure, marks)}`
}

interface Marks {
  readonly accused: ReadonlySet<string>
  readonly wrong: ReadonlySet<string>
}

/** Those accused stand out, wrongly accused ones in another colour; the others are the grey behind them. */
function curves({ rounds, probability, above }: Exposure, { accused, wrong }: Marks): string {
  const [first, last] = [rounds[0]!, rounds.at(-1)!]
  const x = (round: number): number =>
    last === first ? width - 10 : left + ((round - first) / (last - first)) * (width - left - 10)
  const y = (p: number): number => 8 + (1 - p) * (height - bottom - 16)
  const ids = Object.keys(probability).sort((a, b) => Number(accused.has(a)) - Number(accused.has(b)))
  const lines = ids.map((id) => {
    const points = probability[id]!.map((p, k) => `${point(x(rounds[k]!))},${point(y(p))}`).join(' ')
    const colour = !accused.has(id) ? 'line' : wrong.has(id) ? 'weak' : 'leak'
    return `<polyline points="${points}" fill="none" stroke="var(--${colour})" stroke-width="2"${dashOf[colour]}><title>client ${escaped(id)}</title></polyline>`
  })
  const level = (p: number, dash = ''): string =>
    `<line x1="${left}" x2="${width - 10}" y1="${point(y(p))}" y2="${point(y(p))}" stroke="var(--dim)"${dash}/><text class="dim" x="18" y="${point(y(p) + 4)}" font-size="12">${escaped(String(p))}</text>`
  const at = (round: number, anchor: string): string =>
    `<text class="dim" x="${point(x(round))}" y="${height - 30}" font-size="12" text-anchor="${anchor}">${escaped(String(round))}</text>`
  const ends = first === last ? at(last, 'end') : at(first, 'start') + at(last, 'end')
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="probability of each client by round">${level(0)}${level(above, ' stroke-dasharray="4 4"')}${lines.join('')}${ends}${names}</svg>`
}

/** Told apart without colours, too. */
const dashOf = { leak: '', weak: ' stroke-dasharray="7 3"', line: ' stroke-dasharray="1 3"' } as const

/** What the axes and the lines are. */
const names = (() => {
  const middle = point((height - bottom) / 2)
  const axes = `<text class="dim" x="${width - 10}" y="${height - 14}" font-size="12" text-anchor="end">rounds heard</text><text class="dim" transform="translate(11 ${middle}) rotate(-90)" font-size="12" text-anchor="middle">probability</text>`
  const kinds = [
    ['leak', 'accused'],
    ['weak', 'accused wrongly'],
    ['line', 'not accused'],
  ] as const
  const items = kinds.map(([colour, words], k) => {
    const x = left + k * 150
    return `<line x1="${x}" x2="${x + 24}" y1="${height - 8}" y2="${height - 8}" stroke="var(--${colour})" stroke-width="2"${dashOf[colour]}/><text class="dim" x="${x + 30}" y="${height - 4}" font-size="12">${words}</text>`
  })
  return `${axes}${items.join('')}`
})()

/** It happened after the round before, at which the curve was still below. */
function words({ above, exposedAt, lastBelow }: Exposure, { accused, wrong }: Marks): string {
  // The curve may pass the line for a while and come back: the claim stands at the end of it.
  const note = (id: string): string => (!accused.has(id) ? ' (not at the end)' : wrong.has(id) ? ' (wrongly)' : '')
  const list = Object.entries(exposedAt).sort(([, a], [, b]) => a - b)
  if (list.length === 0) return `<p class="dim">No client passes ${escaped(String(above))} in any round.</p>`
  const from = (id: string): string => {
    const before = lastBelow?.[id] ?? null
    return before === null ? '' : `, not yet after round ${before}`
  }
  const shown = list.slice(0, 40).map(([id, round]) => `client ${id} after round ${round}${from(id)}${note(id)}`)
  const more = list.length > shown.length ? `; and ${list.length - shown.length} more` : ''
  return `<p>Above ${escaped(String(above))}: ${escaped(shown.join('; '))}${more}.</p>`
}
