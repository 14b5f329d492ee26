/** Each question by itself: its rungs and who reached them, its tests, every attack, who is given away, and where the figures stand. */
import type { AttackResult, Finding } from '../../audit/attack-result.js'
import { catalogue } from '../../audit/catalogue.js'
import type { AuditDocument } from '../../audit/document.js'
import { figure } from '../../audit/figures.js'
import { byHarm, type Told, toldOf } from '../../audit/ladder/leak-sentences.js'
import type { Question, Rung, StepTest } from '../../audit/ladder/question.js'
import {
  learnedWords,
  listenerOf,
  luckWords,
  severalModels,
  signed,
  subjectOf,
  wordText,
} from '../../audit/ladder/question-words.js'
import { escaped } from '../escape.js'
import { colourOf } from '../ladder-plot.js'
import { rebuiltFigure } from '../rebuilt-pictures.js'
import { citedWords } from './cited-papers.js'
import { type Cell, dataTable, figureCell } from './data-table.js'
import { evidenceFigures } from './evidence-figures.js'
import { knownTerm, term } from './glossary.js'
import { workingsFigures } from './workings-figures.js'

/** So many questions have a panel of their own; the others stand in the table. */
const mostPanels = 40

const rungNames: readonly Rung[] = ['guess', 'federation', 'client', 'record', 'everybody']

/** Questions as they are told, the worst first, then those that were not tested. */
function inOrder(all: readonly Question[]): Told[] {
  const told = toldOf(all).sort((a, b) => byHarm(a.question, b.question))
  const rest = all.filter(({ level, sameAs }) => level === 'not-tested' && sameAs === undefined)
  return [...told, ...rest.map((question) => ({ question, alsoTo: [] }))]
}

/** Which panel tells of a question, by its place; a stronger observer's by that of whoever learns the same. */
export function panelsOf(questions: readonly Question[]): (question: Question) => string | null {
  const of = ({ kind, name, target, model }: Question): string => JSON.stringify([kind, name, target, model])
  const [own, alike] = [new Map<Question, string>(), new Map<string, string>()]
  for (const [k, { question }] of inOrder(questions).slice(0, mostPanels).entries()) {
    own.set(question, `q${k + 1}`)
    if (!alike.has(of(question))) alike.set(of(question), `q${k + 1}`)
  }
  return (question) => own.get(question) ?? alike.get(of(question)) ?? null
}

/** Every question in figures, those that leak first; of observers who learn the same, one line. */
export function questionsTable({ questions }: AuditDocument): string {
  const models = severalModels(questions)
  const rows = inOrder(questions).map(({ question: one, alsoTo }, k): Cell[] => {
    const { ladder, by, test, level } = one
    const reasons = [...(one.notTested === null ? [] : [one.notTested]), ...one.gaps.map((gap) => `not tested: ${gap}`)]
    const subject = subjectOf(one, models)
    return [
      { t: subject, ...(reasons.length > 0 && { d: reasons.join('; ') }), ...(k < mostPanels && { a: `q${k + 1}` }) },
      { t: one.observer, ...(alsoTo.length > 0 && { d: `and ${alsoTo.join(', ')}` }) },
      { t: wordText[level] ?? '-', c: colourOf(level) },
      ladder.metric,
      ...rungNames.map((rung) => {
        const from = shownIn(one, rung)
        const whose = from === null ? null : (by[from] ?? (from === 'guess' ? ladder.guesser : null))
        return figureCell(figure(from === null ? null : ladder[from]), whose == null ? {} : { h: whose })
      }),
      ...[test.record, test.client].map(stepCell),
    ]
  })
  const columns = ['question', 'heard by', 'word', 'metric', ...rungNames, 'record step', 'client step']
  return dataTable(rows, { id: 'questions', caption: 'All questions', columns, figures: [4, 5, 6, 7, 8, 9, 10], source: 'audit.json: questions' }) // biome-ignore format: a line
}

/** Of a property of clients: it has no records, and one rung above a guess. */
const isOfClients = ({ kind, target, ladder }: Question): boolean =>
  kind === 'property' && target === null && ladder.client === null

/** The rung that a column shows: what is heard of clients stands in that of the client. */
function shownIn(question: Question, column: Rung): Rung | null {
  if (!isOfClients(question)) return column
  return column === 'client' ? 'record' : column === 'record' ? null : column
}

/** "a, b and c". */
const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

function stepCell(step: StepTest | null): Cell {
  if (step === null) return figureCell('-')
  const { interval, errorRemoved, leastSeen } = step
  const range = interval === null ? '' : ` (${figure(interval[0])}..${figure(interval[1])})`
  const gone =
    errorRemoved === null || !(errorRemoved > 0) ? '' : `, ${Math.round(100 * errorRemoved)} % of the error gone`
  const seen = leastSeen === null ? '' : `, would have seen ${figure(leastSeen)}`
  return figureCell(`${figure(step.effect)}${range}`, { d: `p ${figure(step.adjusted)}${seen}${gone}` })
}

interface Own {
  readonly result: AttackResult
  readonly finding: Finding
}

const keyOf = (
  observer: string,
  model: string | null,
  target: string | null,
  kind: string,
  name: string | null,
): string => JSON.stringify([observer, model, target, kind, name])

const nameOf = ({ claim }: Finding): string | null =>
  claim.kind === 'attribute' ? claim.name : claim.kind === 'property' ? claim.property : null

/** What was claimed to each question. */
function claimsBy({ observers }: AuditDocument): Map<string, Own[]> {
  const found = new Map<string, Own[]>()
  for (const result of observers.flatMap(({ attacks }) => attacks)) {
    for (const finding of result.findings) {
      const key = keyOf(result.observer, result.model, result.target, finding.claim.kind, nameOf(finding))
      const list = found.get(key)
      if (list === undefined) found.set(key, [{ result, finding }])
      else list.push({ result, finding })
    }
  }
  return found
}

/** A panel for each of the worst questions. */
export function questionPanels(audit: AuditDocument): string {
  const { questions } = audit
  const claims = claimsBy(audit)
  const models = severalModels(questions)
  const places = new Map(questions.map((one, i) => [one, i]))
  const about = new Map(catalogue.attacks().map(({ id, title, paper, where }) => [id, { title, paper, where }]))
  const panels = inOrder(questions)
    .slice(0, mostPanels)
    .map(({ question, alsoTo }, k) => {
      const { observer, model, target, kind, name, level } = question
      const own = claims.get(keyOf(observer, model, target, kind, name)) ?? []
      const parts = [
        `<p>${escaped(`${listenerOf(question)} ${learnedWords(question)}`)}${alsoTo.length === 0 ? '' : escaped(`; ${listed(alsoTo)} can too`)}.${name !== null && isOfClients(question) ? ` What is meant by it: ${knownTerm(name)}.` : ''}</p>`,
        question.notTested === null
          ? ''
          : `<p>${term('not tested', 'Not tested')}: ${escaped(question.notTested)}.</p>`,
        rungsTable(question),
        testWords(question),
        attackTable(question, { k, about }),
        exposedWords(question),
        evidenceOf(question, own),
        sourceWords(question, places.get(question)!, own),
      ]
      return `<details class="part" id="q${k + 1}"><summary><b class="${colourOf(level)}">${escaped(wordText[level] ?? '-')}</b> ${escaped(subjectOf(question, models))} <span class="dim">${escaped(observer)}</span></summary>${parts.join('')}</details>`
    })
  const left = inOrder(questions).length - panels.length
  return `${panels.join('\n')}${left > 0 ? `<p class="dim">${left} more stand in the table of all questions.</p>` : ''}`
}

function rungsTable(question: Question): string {
  const { ladder, by } = question
  const rows = rungNames.flatMap((rung) => {
    if (ladder[rung] === null) return []
    const whose = by[rung] ?? (rung === 'guess' ? ladder.guesser : null) ?? '-'
    return [
      `<tr><th scope="row">${rung === 'record' && isOfClients(question) ? term('heard') : term(rung)}</th><td class="n">${figure(ladder[rung])}</td><td>${escaped(whose)}</td></tr>`,
    ]
  })
  if (rows.length === 0) return ''
  return `<table class="small"><caption>${escaped(`Rungs of ${subjectOf(question)}`)}</caption><tr><th scope="col">rung</th><th scope="col" class="n">${knownTerm(ladder.metric)}</th><th scope="col">by</th></tr>${rows.join('')}</table>`
}

function testWords({ test, rates, people, repeatsNeeded }: Question): string {
  const step = (name: string, one: StepTest | null): string[] => {
    if (one === null) return []
    const range =
      one.interval === null ? '' : `, ${term('interval')} ${signed(one.interval[0])} to ${signed(one.interval[1])}`
    const seen = one.leastSeen === null ? '' : `; ${term('would have seen')} ${figure(one.leastSeen)}`
    return [
      `${name} ${term('step')}: ${signed(one.effect)}${range}; ${term('p')} ${figure(one.p)}, corrected ${figure(one.adjusted)}: ${escaped(luckWords(one))}${seen}; ${escaped(String(one.repeats))} training${one.repeats === 1 ? '' : 's'}.`,
    ]
  }
  const lines = [
    ...step('Record', test.record),
    ...step('Client', test.client),
    ...(rates?.tpr1 == null ? [] : [`${term('TPR at 1 % FPR')}: ${figure(rates.tpr1)}; the finest rate that can be told is ${figure(rates.finest)}.`]), // biome-ignore format: a line
    ...(people === null ? [] : [escaped(`First training: right for ${people.trained.right} of ${people.trained.of} who were trained on${people.heldBack.of === 0 ? '' : `, for ${people.heldBack.right} of ${people.heldBack.of} who were not`}${people.guessed === null ? '' : `; ${people.guessed.right} could be guessed`}.`)]), // biome-ignore format: a line
    ...(repeatsNeeded === null ? [] : [`${escaped(String(repeatsNeeded))} repeats would probably settle it.`]),
  ]
  return lines.map((line) => `<p>${line}</p>`).join('')
}

type Abouts = ReadonlyMap<string, { readonly title: string; readonly paper?: unknown; readonly where?: string }>

function attackTable(question: Question, { k, about }: { k: number; about: Abouts }): string {
  const { attacks, ladder } = question
  const shown: readonly (keyof (typeof attacks)[number]['cells'])[] = isOfClients(question)
    ? ['record']
    : ['federation', 'client', 'record', 'everybody']
  const rows = attacks.map(({ attack, cells }): Cell[] => {
    const known = about.get(attack)
    return [
      { t: attack, ...(known !== undefined && { d: known.title }) },
      ...shown.map((rung) => figureCell(figure(cells[rung]))),
      known === undefined ? '' : citedWords(known),
    ]
  })
  const columns = ['attack', ...(isOfClients(question) ? ['heard'] : shown), 'after']
  const caption = `Each attack, ${ladder.metric}, mean over the trainings`
  return dataTable(rows, { id: `q${k + 1}-attacks`, caption, columns, figures: shown.map((_, at) => at + 1) })
}

function exposedWords({ exposed, kind }: Question): string {
  if (exposed === null || exposed.ids.length === 0) return ''
  const what = kind === 'property' || kind === 'contribution' ? 'clients' : 'records'
  return `<p>${term('given away', 'Given away')}: ${escaped(`${exposed.ids.length} of ${exposed.of} ${what}`)}. <a href="#exposed">Who they are</a>.</p>`
}

/** What the attacks of its best rungs showed in the first training. */
function evidenceOf({ by }: Question, own: readonly Own[]): string {
  const named = new Set([by.record, by.client].filter((one) => one !== undefined))
  return own
    .filter(({ result }) => named.has(result.attack))
    .sort((a, b) => Number(b.result.attack === by.record) - Number(a.result.attack === by.record))
    .slice(0, 2)
    .map(({ result, finding }) => {
      const [claimed, inner] = [evidenceFigures(result, finding), workingsFigures(result, result.attack)]
      const rebuilt = finding.rebuilt === undefined ? '' : rebuiltFigure(finding.rebuilt, result.attack)
      const figures = `${rebuilt}${claimed}${inner === '' ? '' : `<div class="figures">${inner}</div>`}`
      return figures === '' ? '' : `<h3>${escaped(result.attack)}, first training</h3>${figures}`
    })
    .join('')
}

function sourceWords(question: Question, place: number, own: readonly Own[]): string {
  const lines = own.map(({ result }) => ['results.jsonl', result.observer, result.model, result.target, result.attack].filter((one) => one !== null).join(', ')) // biome-ignore format: a line
  const shown = [...new Set(lines)].slice(0, 12)
  return `<details><summary>Where these figures stand</summary><p><code>audit.json</code>: <code>questions[${place}]</code>${question.sameAs === undefined ? '' : ' (the same as a weaker observer’s)'}</p>${shown.length === 0 ? '' : `<ul>${shown.map((one) => `<li>${escaped(one)}</li>`).join('')}</ul>`}</details>`
}
