/** The report: one HTML file that needs nothing else, made from an audit's document. */
import type { Advice } from '../audit/advise/advise.js'
import type { AuditDocument } from '../audit/document.js'
import { figure } from '../audit/figures.js'
import { threatWords } from '../audit/finished/threat-words.js'
import type { Verdict } from '../audit/verdict.js'
import { escaped } from './escape.js'
import { adviceSection } from './html/advice-section.js'
import { attackSection, sumsTable } from './html/attack-sections.js'
import { papersIn } from './html/cited-papers.js'
import { type Cell, dataTable, figureCell } from './html/data-table.js'
import { epsilonTable } from './html/epsilon-words.js'
import { glossary, glossaryOnPaper, popovers } from './html/glossary.js'
import { clientsTable, exposedTable } from './html/people-tables.js'
import { questionPanels, questionsTable } from './html/question-panels.js'
import { frontSheet, sentence } from './html/report-front.js'
import { script, scriptDigest } from './html/report-script.js'
import { style } from './html/report-style.js'
import { recordingSection } from './recording-text.js'

export interface ReportOptions {
  /** When it was audited, in words; left out unless told. */
  readonly when?: string
  /** The first sheet alone. */
  readonly summary?: boolean
  /** What was tried to change it; untried words unless told. */
  readonly advice?: Advice
}

/** Nothing is loaded, and nothing runs but the one script that is named by its digest, whatever words a recording brings along. */
const policy = `default-src 'none'; script-src '${scriptDigest}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`

/** The document as one HTML file. */
export function reportHtml(audit: AuditDocument, options: ReportOptions = {}): string {
  const { scenario } = audit
  const title = scenario === null ? 'Audit of a recording' : `Audit of ${scenario.name}`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title><style>${style}</style></head><body><main>
<div class="sheet"><h1>${escaped(title)}</h1>
<p class="about dim">${aboutWords(audit, options)}</p>
${frontSheet(audit, { advice: options.advice, alone: options.summary === true })}
</div>${options.summary ? '' : `<div class="rest">${rest(audit, options.advice)}</div>`}
</main>${popovers()}<script>${script}</script></body></html>
`
}

function rest(audit: AuditDocument, advice: Advice | undefined): string {
  const { verdict } = audit
  return `<div class="bar" id="actions"></div><div id="look-up" role="search"></div>
${adviceSection(verdict, advice)}
${recordingSection(audit.recording)}
${verdict.sentences.length < 2 ? '' : `<h2>All of it in sentences</h2>${list(verdict.sentences.map(sentence))}`}
${clientsTable(audit)}
${exposedTable(audit)}
${untestedList(verdict)}
<h2>Questions</h2>
${questionsTable(audit)}
${questionPanels(audit)}
${useTable(audit)}
${epsilonTable(audit)}
${sumsTable(audit)}
${verdict.doubts.length === 0 ? '' : `<h2>Attacks that are no help here</h2>${list(verdict.doubts)}`}
<h2>By observer</h2><p class="screen">Who might listen, from the weakest to the strongest, and what each attack reached there. The model, the loss and the rules of the training are public to all of them. These figures explain the ladder and decide nothing.</p>
${observersOnPaper(audit)}
${audit.observers.map(attackSection).join('\n')}
<h2>How to read this, and to run it again</h2>
${againOnPaper(audit)}
${glossary()}
${appendix(audit)}`
}

/** On paper, where nothing unfolds: who might listen, and how much each of them was asked. */
function observersOnPaper({ observers }: AuditDocument): string {
  if (observers.length === 0) return ''
  const items = observers.map((one) => {
    const { observer, title, attacks } = one
    const ran = attacks.filter(({ status }) => status === 'claimed').length
    return `<li><b>${escaped(observer)}</b> (${escaped(title)}): ${ran} attacks ran, ${attacks.length - ran} were not applicable or failed. ${escaped(threatWords(one))}</li>`
  })
  return `<div class="paper"><p>Who might listen, from the weakest to the strongest. The model, the loss and the rules of the training are public to all of them. What each attack reached, its controls and its figures unfold in the HTML file of this report.</p><ul>${items.join('')}</ul></div>`
}

/** The words that the first sheets use, and what has the same bits again. */
function againOnPaper(audit: AuditDocument): string {
  const cited = papersIn(audit)
  return `<div class="paper">${glossaryOnPaper()}<p><b>To run it again:</b> <code>${escaped(againWords(audit))}</code>, overhear ${escaped(String(audit.versions.overhear))}, run ${escaped(audit.hash.slice(0, 8))}: the same seed gives the same bits.</p>${cited.length === 0 ? '' : `<p><b>After:</b> ${cited.map(escaped).join('; ')}.</p>`}</div>`
}

const againWords = ({ scenario }: AuditDocument): string =>
  scenario === null
    ? 'overhear audit --transcript FOLDER, with the same --knowledge and --truth'
    : `overhear audit scenario.json --seed ${scenario.seed}`

/** When, with what, and what was looked at. */
function aboutWords(
  { scenario, versions, hash, questions, recording, complete }: AuditDocument,
  { when }: ReportOptions,
): string {
  const trainings = questions.reduce(
    (most, { test }) => Math.max(most, test.record?.repeats ?? 0, test.client?.repeats ?? 0),
    0,
  )
  const clients = scenario?.partition.params.clients
  const scope =
    scenario === null
      ? [`${recording?.rounds ?? '?'} rounds`, `${recording?.clients ?? '?'} clients`]
      : [
          `data ${scenario.data.name}`,
          ...(clients === undefined ? [] : [`${String(clients)} clients`]),
          `${scenario.training.rounds} rounds`,
          `models ${scenario.models.map(({ kind }) => kind).join(', ')}`,
          `defences ${scenario.defences.length === 0 ? 'none' : scenario.defences.map(({ name }) => name).join(', ')}`,
        ]
  const parts = [
    ...(when === undefined ? [] : [`audited ${when}`]),
    `overhear ${versions.overhear}`,
    ...scope,
    ...(trainings === 0 ? [] : [`${trainings} training${trainings === 1 ? '' : 's'}`]),
    `run ${hash.slice(0, 8)}`,
    ...(complete ? [] : ['interrupted: not complete']),
  ]
  return parts.map(escaped).join(' · ')
}

const list = (lines: readonly string[]): string =>
  lines.length === 0 ? '' : `<ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>`

function untestedList({ untested }: Verdict): string {
  if (untested.length === 0) return ''
  const items = untested.map(({ reason, questions }) => {
    const shown = questions.slice(0, 12).join('; ')
    const more = questions.length > 12 ? `; and ${questions.length - 12} more` : ''
    return `<li>${escaped(reason)} <span class="dim">(${escaped(`${shown}${more}`)})</span></li>`
  })
  return `<h2 id="untested">What was not tested</h2><ul>${items.join('')}</ul>`
}

/** In what unit labels were trained on, where that is not their own. */
function labelNote(utility: readonly AuditDocument['utility'][string][]): string {
  const { label } = utility.find((one) => one.label !== undefined) ?? {}
  if (label === undefined) return ''
  return `<p class="dim">Labels were standardised for the training: 1 was ${figure(label.scale)}, 0 was ${figure(label.shift)}. All figures here are in the label's own unit, losses in its square.</p>`
}

function useTable({ utility }: AuditDocument): string {
  const all = Object.values(utility)
  const rows = all.map(({ model, rounds, withoutSum, trainLoss, heldOutLoss, metric, value }): Cell[] => [
    model ?? '-',
    figureCell(`${rounds}${withoutSum === undefined ? '' : ` (${withoutSum} without a sum)`}`),
    figureCell(figure(trainLoss)),
    figureCell(figure(heldOutLoss)),
    figureCell(`${metric ?? ''} ${figure(value)}`),
  ])
  if (rows.length === 0) return ''
  const columns = ['model', 'rounds', 'training loss', 'held-out loss', 'held-out score']
  return `<h2 id="use">What the training is worth</h2>${dataTable(rows, { id: 'worth', caption: 'Each model, on rows that nobody trained on', columns, figures: [1, 2, 3, 4], source: 'audit.json: utility' })}${labelNote(all)}` // biome-ignore format: a line
}

/** Everything that it takes to have the same bits again. */
function appendix(audit: AuditDocument): string {
  const { hash, versions, complete, scenario, plugins } = audit
  const cited = papersIn(audit)
  return `<details class="part"><summary><b>How to run it again</b></summary><p><code>${escaped(againWords(audit))}</code> with overhear ${escaped(String(versions.overhear))}: the same seed gives the same bits. <code>scenario.json</code> lies in the folder of the run, and stands below.</p><pre tabindex="0">${escaped(JSON.stringify({ hash, versions, complete, plugins, scenario }, null, 2))}</pre></details>
${cited.length === 0 ? '' : `<details class="part"><summary><b>Papers whose attacks ran</b></summary>${list(cited)}</details>`}`
}
