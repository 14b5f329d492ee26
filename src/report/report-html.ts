/** The report: one HTML file that needs nothing else, made from an audit's document. */
import type { AuditDocument, ObserverResults } from '../audit/document.js'
import { figure } from '../audit/figures.js'
import { hidden } from '../audit/finished/redacted.js'
import { byHarm, toldOf } from '../audit/ladder/leak-sentences.js'
import type { Question, Rung, StepTest } from '../audit/ladder/question.js'
import { severalModels, subjectOf, wordText } from '../audit/ladder/question-words.js'
import type { Verdict } from '../audit/verdict.js'
import { dotPlot } from './dot-plot.js'
import { escaped } from './escape.js'
import { exposureSection } from './exposure-curves.js'
import { colourOf, ladderPlot } from './ladder-plot.js'
import { rebuiltSection } from './rebuilt-pictures.js'
import { recordingSection } from './recording-text.js'
import { absentees, type Row, rowsOf } from './result-rows.js'

const style = `
  :root { color-scheme: light dark; --ink: #1d2330; --dim: #69707d; --line: #d9dde4; --leak: #b3261e; --weak: #9a6700; --none: #1a7f37; --paper: #fff; }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6e8ec; --dim: #9aa2af; --line: #3a404b; --leak: #ff8a80; --weak: #e3b341; --none: #56d364; --paper: #14171c; } }
  body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
  table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
  th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
  th { font-weight: 600; color: var(--dim); } td.n, th.n { text-align: right; } td.n { white-space: nowrap; }
  .word { font-size: 1.3rem; margin-bottom: .2rem; } .leak { color: var(--leak); font-weight: 600; } .weak { color: var(--weak); font-weight: 600; } .none { color: var(--none); font-weight: 600; }
  .lead { font-size: 1.05rem; } .dim { color: var(--dim); } details { margin: .6rem 0; } pre { overflow: auto; } svg text { fill: var(--ink); } svg .dim { fill: var(--dim); }
  h3 { font-size: 1rem; } .pictures { width: auto; } .pictures img { width: 84px; image-rendering: pixelated; display: block; }
  .scroll { overflow-x: auto; } details.observer > summary { font-weight: 600; padding: .3rem 0; }
  @media print {
    @page { size: A4; margin: 14mm; }
    :root { --ink: #1d2330; --dim: #555c68; --line: #c9ced6; --leak: #b3261e; --weak: #7a5200; --none: #176b2f; --paper: #fff; }
    body { font-size: 9pt; line-height: 1.35; max-width: none; margin: 0; padding: 0; } h2 { margin-top: 1.2rem; break-after: avoid; }
    th, td { padding: .12rem .3rem; overflow-wrap: anywhere; } td.n { white-space: normal; } .scroll { overflow: visible; }
    tr, svg, li { break-inside: avoid; } svg { max-width: 100%; height: auto; } details:not([open]) { display: none; }
  }
`

/** Nothing is loaded and nothing runs, whatever words a recording brings along. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

/** The document as one HTML file. */
export function reportHtml(audit: AuditDocument): string {
  const { verdict, scenario, questions } = audit
  const title = scenario === null ? 'Audit of a recording' : `Audit of ${scenario.name}`
  const plot = ladderPlot(questions)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title><style>${style}</style></head><body>
<h1>${escaped(title)}</h1>
<p class="word ${colourOf(verdict.level)}">${escaped(verdictWords[verdict.level] ?? '-')}.</p>
${testedText(verdict)}
${verdict.sentences
  .slice(0, 1)
  .map((worst) => `<p class="lead">${escaped(worst)}</p>`)
  .join('')}
${plot === '' ? '' : `<h2>What is learned, and from where</h2>${plot}`}
${recordingSection(audit.recording)}
${verdict.sentences.length < 2 ? '' : `<h2>All of it in sentences</h2>${list(verdict.sentences.slice(1))}`}
${untestedList(verdict)}
${utilityTable(Object.values(audit.utility))}
${verdict.advice.length === 0 ? '' : `<h2>What could be changed</h2><p class="dim">Untried: overhear advise tries changes, and measures what they leave and cost.</p>${list(verdict.advice)}`}
${verdict.doubts.length === 0 ? '' : `<h2>Attacks that are no help here</h2>${list(verdict.doubts)}`}
${sumsTable(audit)}${questionsTable(questions)}
${exposedList(questions)}
<h2>Each attack by itself</h2>
${audit.observers.map(section).join('\n')}
<h2>How to read this</h2>
<p>A question is what somebody might learn about a client. Its ladder says from where: a <em>guess</em> by somebody who heard nothing; a <em>federation</em> without the client, which tells of anybody; the <em>client</em>'s own messages, asked about records of it that were not trained on; its <em>records</em>, the same asked about those that were. Each rung is the best attack's score there. The test relabels which records were trained on, so that luck is told from a leak; p is corrected for all questions of the audit. <em>Known anyway</em> is what a federation without the client tells as well. <em>Not tested</em> is no pass. In the tables of attacks <em>chance</em> is the best guess and <em>lift</em> the way from there to perfection; they decide nothing.</p>
<details><summary>How this was made</summary><pre>${escaped(JSON.stringify({ hash: audit.hash, versions: audit.versions, complete: audit.complete, scenario }, null, 2))}</pre></details>
</body></html>
`
}

const verdictWords: Readonly<Record<Verdict['level'], string>> = {
  'leaks-records': 'It leaks records',
  'leaks-client': 'It leaks what is particular to a client',
  inconclusive: 'It is not settled whether it leaks',
  'known-anyway': 'What is learned is known anyway',
  'none-found': 'No leak was found',
  'not-tested': 'Nothing was tested',
}

const list = (lines: readonly string[]): string =>
  lines.length === 0 ? '' : `<ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>`

const testedText = ({ tested, notTested }: Verdict): string =>
  `<p>${escaped(`${tested} of ${tested + notTested}`)} questions ${tested + notTested === 1 ? 'was' : 'were'} tested${notTested === 0 ? '' : `, ${escaped(String(notTested))} ${notTested === 1 ? 'was' : 'were'} not: that is no pass`}.</p>`

function untestedList({ untested }: Verdict): string {
  if (untested.length === 0) return ''
  const items = untested.map(({ reason, questions }) => {
    return `<li>${escaped(reason)} <span class="dim">(${escaped(questions.join('; '))})</span></li>`
  })
  return `<h2>What was not tested</h2><ul>${items.join('')}</ul>`
}

/** What a malicious server gets out of the protocol of secure sums itself. */
function sumsTable({ sums }: AuditDocument): string {
  if (sums === undefined) return ''
  const rows = sums.attacks.map(({ attack, what, colluders, clients, opened, why }) => {
    const word = opened === null ? 'stopped' : opened === 1 ? 'opens one update' : `opens a sum of ${opened}`
    const words = `${attack}<br><span class="dim">it ${escaped(what)}</span>`
    return `<tr><td>${words}</td><td class="n">${colluders} of ${clients}</td><td class="${opened === null ? 'none' : 'leak'}">${word}</td><td>${escaped(why)}</td></tr>`
  })
  return `<h2>Secure sums, for a ${sums.observer}</h2><table><tr><th>attack</th><th class="n">colluders</th><th>what came of it</th><th>why</th></tr>${rows.join('')}</table>`
}

const rungNames: readonly Rung[] = ['guess', 'federation', 'client', 'record', 'everybody']

/** Every question in figures, those that leak first; of observers who learn the same, one line. */
function questionsTable(all: readonly Question[]): string {
  if (all.length === 0) return ''
  const models = severalModels(all)
  const told = toldOf(all).sort((a, b) => byHarm(a.question, b.question))
  const rest = all.filter(({ level, sameAs }) => level === 'not-tested' && sameAs === undefined)
  const names = [...rungNames, 'record step', 'client step'].map((name) => `<th class="n">${name}</th>`).join('')
  const rows = [...told, ...rest.map((question) => ({ question, alsoTo: [] }))].map(({ question: one, alsoTo }) => {
    const { ladder, by, test, level, observer } = one
    const cells = rungNames.map((rung) => {
      const whose = by[rung] ?? (rung === 'guess' ? ladder.guesser : null)
      return `<td class="n"${whose == null ? '' : ` title="${escaped(whose)}"`}>${figure(ladder[rung])}</td>`
    })
    const same = alsoTo.length === 0 ? '' : ` <span class="dim">and ${escaped(alsoTo.join(', '))}</span>`
    const reasons = [...(one.notTested === null ? [] : [one.notTested]), ...one.gaps.map((gap) => `not tested: ${gap}`)]
    const why = reasons.map((reason) => `<br><span class="dim">${escaped(reason)}</span>`).join('')
    const steps = [test.record, test.client].map((step) => `<td class="n">${stepCell(step)}</td>`)
    return `<tr><td>${escaped(subjectOf(one, models))}${why}</td><td>${escaped(observer)}${same}</td><td class="${colourOf(level)}">${escaped(wordText[level] ?? '-')}</td><td>${escaped(ladder.metric)}</td>${cells.join('')}${steps.join('')}</tr>`
  })
  return `<h2>Questions</h2><div class="scroll"><table><tr><th>question</th><th>heard by</th><th>word</th><th>metric</th>${names}</tr>${rows.join('')}</table></div>`
}

function stepCell(step: StepTest | null): string {
  if (step === null) return '-'
  const range =
    step.interval === null ? '' : ` <span class="dim">(${figure(step.interval[0])}..${figure(step.interval[1])})</span>`
  const { errorRemoved } = step
  const gone =
    errorRemoved === null || !(errorRemoved > 0) ? '' : `, ${Math.round(100 * errorRemoved)} % of the error gone`
  const seen = step.leastSeen === null ? '' : `, would have seen ${figure(step.leastSeen)}`
  return `${figure(step.effect)}${range}<br><span class="dim">p ${figure(step.adjusted)}${seen}${gone}</span>`
}

const mostIds = 200

/** Whose records are given away, only where records leak. */
function exposedList(questions: readonly Question[]): string {
  const models = severalModels(questions)
  const items = questions.flatMap((one) => {
    const { exposed, sameAs } = one
    if (exposed === null || sameAs !== undefined || exposed.ids.length === 0) return []
    const more = exposed.ids.length > mostIds ? ` and ${exposed.ids.length - mostIds} more` : ''
    const head = `${subjectOf(one, models)}, ${one.observer}: ${exposed.ids.length} of ${exposed.of}`
    if (exposed.ids[0] === hidden) return [`<p>${escaped(head)}</p>`]
    return [
      `<details><summary>${escaped(head)}</summary><p>${escaped(exposed.ids.slice(0, mostIds).join(', '))}${more}</p></details>`,
    ]
  })
  return items.length === 0 ? '' : `<h2>Who is given away</h2>${items.join('')}`
}

/** In what unit labels were trained on, where that is not their own. */
function labelNote(utility: readonly AuditDocument['utility'][string][]): string {
  const { label } = utility.find((one) => one.label !== undefined) ?? {}
  if (label === undefined) return ''
  return `<p class="dim">Labels were standardised for the training: 1 was ${figure(label.scale)}, 0 was ${figure(label.shift)}. All figures here are in the label's own unit, losses in its square.</p>`
}

function utilityTable(utility: AuditDocument['utility'][string][]): string {
  if (utility.length === 0) return ''
  const rows = utility.map(
    ({ model, rounds, withoutSum, trainLoss, heldOutLoss, metric, value }) =>
      `<tr><td>${escaped(model ?? '-')}</td><td class="n">${escaped(String(rounds))}${withoutSum === undefined ? '' : ` (${escaped(String(withoutSum))} without a sum)`}</td><td class="n">${figure(trainLoss)}</td><td class="n">${figure(heldOutLoss)}</td><td class="n">${escaped(metric ?? '')} ${figure(value)}</td></tr>`,
  )
  return `<h2>What the training is worth</h2><table><tr><th>model</th><th class="n">rounds</th><th class="n">training loss</th><th class="n">held-out loss</th><th class="n">held-out score</th></tr>${rows.join('')}</table>${labelNote(utility)}`
}

/** What an observer's attacks reached, one click away; what a weaker one can do as well is named and not repeated. */
function section({ observer, title, attacks }: ObserverResults): string {
  const claimed = attacks.filter(({ status }) => status !== 'not-applicable')
  const absent = absentees(attacks)
  const rows = rowsOf(claimed.filter(({ sameAs }) => sameAs === undefined))
  const same = [...new Set(claimed.flatMap(({ sameAs }) => sameAs ?? []))]
  const shared = same.length === 0 ? '' : `<p>${escaped(`It can do everything that ${same.join(' and ')} can.`)}</p>`
  const count = `${rows.length} ${rows.length === 1 ? 'line' : 'lines'} of its own`
  return `<details class="observer"><summary>${escaped(observer)}: ${escaped(title)} <span class="dim">(${count})</span></summary>
${shared}${rows.length === 0 ? (same.length > 0 ? '' : '<p class="dim">No attack was applicable.</p>') : `<div class="scroll">${table(rows)}</div>${dotPlot(rows)}${rebuiltSection(rows)}${exposureSection(rows)}`}
${absent.length === 0 ? '' : absentList(absent)}</details>`
}

function table(rows: readonly Row[]): string {
  const words = (...names: string[]): string => names.map((name) => `<th>${name}</th>`).join('')
  const figures = ['score', '95 % or deviation', 'chance', 'lift', 'cells']
    .map((name) => `<th class="n">${name}</th>`)
    .join('')
  const head = words('model', 'attack', 'what') + figures + words('note', 'planted')
  const body = rows.map((row) => {
    const { result, score } = row
    const by = score === null ? '' : ` title="chance: ${escaped(score.guesser)}"`
    const planted = result.controls?.planted
    const control =
      planted === undefined ? '' : `<span title="${escaped(planted.reason)}">${escaped(planted.status)}</span>`
    const doubts = [...result.warnings, ...(result.error === undefined ? [] : [result.error.message])]
    const notes = doubts.length === 0 ? '' : `<br><span class="dim">${doubts.map(escaped).join('<br>')}</span>`
    return `<tr><td>${escaped(result.model ?? '')}</td><td>${escaped(row.attack)}</td><td>${escaped(row.what)}${notes}</td><td class="n">${escaped(row.value)}</td><td class="n">${escaped(row.interval)}</td><td class="n"${by}>${escaped(row.chance)}</td><td class="n">${escaped(row.lift)}</td><td class="n">${escaped(row.cells)}</td><td>${escaped(row.note)}</td><td>${control}</td></tr>`
  })
  return `<table><tr>${head}</tr>${body.join('')}</table>`
}

function absentList(absent: ReturnType<typeof absentees>): string {
  const items = absent.map(({ attack, why }) => `<li>${escaped(attack)}: ${escaped(why)}</li>`)
  const count = absent.length === 1 ? '1 attack was' : `${absent.length} attacks were`
  return `<details><summary>${count} not applicable</summary><ul>${items.join('')}</ul></details>`
}
