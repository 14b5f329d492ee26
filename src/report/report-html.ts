/** The report: one HTML file that needs nothing else, made from an audit's document. */
import type { AuditDocument, ObserverResults } from '../audit/document.js'
import { figure, liftFigure } from '../audit/figures.js'
import { dotPlot } from './dot-plot.js'
import { escaped } from './escape.js'
import { exposureSection } from './exposure-curves.js'
import { rebuiltSection } from './rebuilt-pictures.js'
import { absentees, anyGraded, type Row, rowsOf } from './result-rows.js'
import { standingWords, verdictWords } from './standing-words.js'

const style = `
  :root { color-scheme: light dark; --ink: #1d2330; --dim: #69707d; --line: #d9dde4; --leak: #b3261e; --weak: #9a6700; --none: #1a7f37; --paper: #fff; }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6e8ec; --dim: #9aa2af; --line: #3a404b; --leak: #ff8a80; --weak: #e3b341; --none: #56d364; --paper: #14171c; } }
  body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
  table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
  th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
  th { font-weight: 600; color: var(--dim); } td.n, th.n { text-align: right; } td.n { white-space: nowrap; }
  .leaks { color: var(--leak); font-weight: 600; } .weak { color: var(--weak); font-weight: 600; } .none-found { color: var(--none); font-weight: 600; }
  .dim { color: var(--dim); } details { margin: .6rem 0; } pre { overflow: auto; } svg text { fill: var(--ink); } svg .dim { fill: var(--dim); }
  h3 { font-size: 1rem; } .pictures { width: auto; } .pictures img { width: 84px; image-rendering: pixelated; display: block; }
  .scroll { overflow-x: auto; }
`

/** The document as one HTML file. */
export function reportHtml(audit: AuditDocument): string {
  const { verdict, scenario } = audit
  const graded = anyGraded(audit)
  const title = scenario === null ? 'Audit of a recording' : `Audit of ${scenario.name}`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title><style>${style}</style></head><body>
<h1>${escaped(title)}</h1>
<p class="${graded ? verdict.level : 'weak'}">${verdictWords(graded ? verdict.level : null).plain}.</p>
${list(verdict.reasons)}
${verdict.advice.length === 0 ? '' : `<h2>What to change</h2>${list(verdict.advice)}`}
${clientsTable(audit)}
${utilityTable(Object.values(audit.utility))}
${audit.observers.map(section).join('\n')}
<h2>How to read this</h2>
<p>Each figure stands beside <em>chance</em>: what the best guesser who never listened would reach. <em>Lift</em> is the way from chance to perfection that the attack went (for errors, the share of the guesser's error that it removed). An attack counts only if it finds a leak planted for it and falls to chance in a shuffled world; one that does not is marked, and proves nothing either way. Intervals hold 95 %.</p>
<details><summary>How this was made</summary><pre>${escaped(JSON.stringify({ hash: audit.hash, versions: audit.versions, complete: audit.complete, scenario }, null, 2))}</pre></details>
</body></html>
`
}

const list = (lines: readonly string[]): string =>
  lines.length === 0 ? '' : `<ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>`

function clientsTable({ verdict }: AuditDocument): string {
  if (verdict.clients.length === 0) return ''
  const rows = verdict.clients.map(({ id, level, worst, exposedRecords }) => {
    const attack = worst === null ? '-' : `${worst.attack} (lift ${liftFigure(worst.lift)})`
    return `<tr><td>${escaped(id)}</td><td class="${level}">${level}</td><td>${escaped(attack)}</td><td class="n">${exposedRecords ?? '-'}</td></tr>`
  })
  return `<h2>Clients</h2><table><tr><th>client</th><th>verdict</th><th>strongest attack</th><th class="n">records exposed</th></tr>${rows.join('')}</table>`
}

function utilityTable(utility: AuditDocument['utility'][string][]): string {
  if (utility.length === 0) return ''
  const rows = utility.map(
    ({ model, rounds, trainLoss, heldOutLoss, metric, value }) =>
      `<tr><td>${escaped(model ?? '-')}</td><td class="n">${rounds}</td><td class="n">${figure(trainLoss)}</td><td class="n">${figure(heldOutLoss)}</td><td class="n">${escaped(metric ?? '')} ${figure(value)}</td></tr>`,
  )
  return `<h2>What the training is worth</h2><table><tr><th>model</th><th class="n">rounds</th><th class="n">training loss</th><th class="n">held-out loss</th><th class="n">held-out score</th></tr>${rows.join('')}</table>`
}

function section({ observer, title, attacks }: ObserverResults): string {
  const claimed = attacks.filter(({ status }) => status !== 'not-applicable')
  const absent = absentees(attacks)
  const rows = rowsOf(claimed)
  return `<h2>${escaped(observer)}: ${escaped(title)}</h2>
${rows.length === 0 ? '<p class="dim">No attack was applicable.</p>' : `<div class="scroll">${table(rows)}</div>${dotPlot(rows)}${rebuiltSection(rows)}${exposureSection(rows)}`}
${absent.length === 0 ? '' : absentList(absent)}`
}

function table(rows: readonly Row[]): string {
  const words = (...names: string[]): string => names.map((name) => `<th>${name}</th>`).join('')
  const figures = ['score', '95 % or deviation', 'chance', 'lift'].map((name) => `<th class="n">${name}</th>`).join('')
  const head = words('model', 'attack', 'what') + figures + words('verdict', 'planted', 'shuffled')
  const body = rows.map((row) => {
    const { result, score } = row
    const by = score === null ? '' : ` title="chance: ${escaped(score.guesser)}"`
    const same = result.sameAs === undefined ? '' : ` <span class="dim">(as ${result.sameAs})</span>`
    const control = (which: 'planted' | 'shuffled'): string => {
      const one = result.controls?.[which]
      return one === undefined ? '' : `<span title="${escaped(one.reason)}">${one.status}</span>`
    }
    const { level } = row.standing
    const mark = level === 'leaks' || level === 'weak' ? level : ''
    const doubts = [...result.warnings, ...(result.error === undefined ? [] : [result.error.message])]
    const notes = doubts.length === 0 ? '' : `<br><span class="dim">${doubts.map(escaped).join('<br>')}</span>`
    return `<tr><td>${escaped(result.model ?? '')}</td><td>${escaped(row.attack)}${same}</td><td>${escaped(row.what)}${notes}</td><td class="n">${escaped(row.value)}</td><td class="n">${escaped(row.interval)}</td><td class="n"${by}>${row.chance}</td><td class="n">${row.lift}</td><td class="${mark}">${standingWords(row.standing)}</td><td>${control('planted')}</td><td>${control('shuffled')}</td></tr>`
  })
  return `<table><tr>${head}</tr>${body.join('')}</table>`
}

function absentList(absent: ReturnType<typeof absentees>): string {
  const items = absent.map(({ attack, why }) => `<li>${escaped(attack)}: ${escaped(why)}</li>`)
  const count = absent.length === 1 ? '1 attack was' : `${absent.length} attacks were`
  return `<details><summary>${count} not applicable</summary><ul>${items.join('')}</ul></details>`
}
