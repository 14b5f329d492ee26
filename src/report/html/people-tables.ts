/** Who is hit: clients, each with the worst that is learned of it, and everybody who is given away. */
import type { AuditDocument } from '../../audit/document.js'
import { figure } from '../../audit/figures.js'
import { hidden } from '../../audit/finished/redacted.js'
import { byHarm } from '../../audit/ladder/leak-sentences.js'
import { isAlarm, type Question } from '../../audit/ladder/question.js'
import { severalModels, subjectOf, wordText } from '../../audit/ladder/question-words.js'
import { escaped } from '../escape.js'
import { colourOf } from '../ladder-plot.js'
import { type Cell, dataTable, figureCell } from './data-table.js'
import { term } from './glossary.js'
import { panelsOf } from './question-panels.js'

/** A row for each client that was looked at, the worst off first. */
export function clientsTable({ questions }: AuditDocument): string {
  const models = severalModels(questions)
  const panel = panelsOf(questions)
  const asked = new Map<string, Question[]>()
  for (const one of questions) {
    if (one.target === null || one.sameAs !== undefined) continue
    const list = asked.get(one.target)
    if (list === undefined) asked.set(one.target, [one])
    else list.push(one)
  }
  const all = [...asked].map(([client, own]) => ({ client, own: [...own].sort(byHarm) }))
  const rows = all
    .sort((a, b) => byHarm(a.own[0]!, b.own[0]!))
    .map(({ client, own }): Cell[] => {
      const [worst] = own
      const tested = own.filter(({ level }) => level !== 'not-tested')
      const alarms = tested.filter(({ level }) => isAlarm(level))
      const most = own.reduce((n, { exposed }) => Math.max(n, exposed?.ids.length ?? 0), 0)
      const at = panel(worst!)
      return [
        `client ${client}`,
        { t: wordText[worst!.level] ?? '-', c: colourOf(worst!.level) },
        { t: subjectOf(worst!, models), ...(at !== null && { a: at }) },
        worst!.observer,
        figureCell(`${alarms.length} of ${tested.length}`),
        figureCell(String(own.length - tested.length)),
        figureCell(String(most)),
      ]
    })
  if (rows.length === 0) return ''
  const columns = ['client', 'word', 'the worst question', 'heard by', 'questions that leak', 'not tested', 'given away by one question'] // biome-ignore format: a line
  return `<h2 id="clients">By client</h2>${dataTable(rows, { id: 'by-client', caption: 'Each client that was looked at', columns, figures: [4, 5, 6], source: 'audit.json: questions, by target' })}` // biome-ignore format: a line
}

/** Everybody who is given away, a row each: by the ids of the table that was audited. */
export function exposedTable({ questions }: AuditDocument): string {
  const models = severalModels(questions)
  const counts: string[] = []
  const rows = questions.flatMap((one): Cell[][] => {
    const { exposed, sameAs, target } = one
    if (exposed === null || sameAs !== undefined || exposed.ids.length === 0) return []
    const subject = subjectOf(one, models)
    counts.push(`${subject}, ${one.observer}: ${exposed.ids.length} of ${exposed.of}`)
    if (exposed.ids[0] === hidden) return []
    return exposed.ids.map((id, i): Cell[] => {
      const after = exposed.after?.[id]
      const sure = exposed.sure?.[i]
      return [
        target === null ? `client ${id}` : id,
        target ?? id,
        subject,
        one.observer,
        figureCell(sure === undefined ? '-' : figure(sure)),
        after === undefined ? '' : `from round ${after.round} on`,
      ]
    })
  })
  if (counts.length === 0) return ''
  const list = `<ul>${counts.slice(0, 40).map((one) => `<li>${escaped(one)}</li>`).join('')}</ul>` // biome-ignore format: a line
  const columns = ['record', 'client', 'question', 'heard by', 'how sure', 'since']
  const table = dataTable(rows, { id: 'people', caption: 'Who is given away', columns, figures: [4], source: 'audit.json: questions[].exposed' }) // biome-ignore format: a line
  return `<h2 id="exposed">Who is given away</h2><p>Of the first training; ${term('given away', 'so sure')} that at most 5 % of each list are expected to be wrong.</p>${list}${table === '' ? '<p class="dim">Who they are is left out of this report.</p>' : `<details class="part"><summary><b>By record</b>: the ids of your own table, or numbers of rows from 0</summary>${table}</details>`}`
}
