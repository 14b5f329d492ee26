/** What a recording says by itself, for the terminal and for the report: who was heard, claims without a grade, what follows. */
import { figure } from '../audit/figures.js'
import { clientWords, type QuestionGroup } from '../audit/recorded/decided-questions.js'
import type { RecordingFacts } from '../audit/recorded/recording-facts.js'
import type { Ungraded } from '../audit/recorded/ungraded-claims.js'
import { escaped } from './escape.js'
import { textTable, wrapped } from './text-table.js'

const heardWords: Readonly<Record<RecordingFacts['heard'], string>> = {
  updates: 'the messages of single clients',
  sums: 'sums over clients',
  models: 'the models that all are sent',
}

const standingWords: Readonly<Record<Ungraded['standing'], string>> = {
  stands: 'stands',
  falls: 'does not stand',
  open: 'open',
}

function heardLine({ rounds, clients, parameters, heard, opaque, turns }: RecordingFacts): string {
  const often =
    turns === null ? '' : `, ${turns[0] === turns[2] ? turns[0] : `${turns[0]} to ${turns[2]}`} rounds of each`
  return `${rounds} rounds, ${clients} clients${often}, ${parameters} parameters${opaque ? ' of a model that cannot be evaluated' : ''}: ${heardWords[heard]}`
}

type Lines = readonly [head: string, lines: readonly string[]]

/** What one recording decides, and what none does, under a head each. */
function questionLines({ questions, truth }: RecordingFacts, all: boolean): Lines[] {
  const { decided, open, lacking, never } = questions
  const line = ({ what, clients, why }: QuestionGroup): string =>
    `${what}${clients.length === 0 ? '' : ` of ${clientWords(clients)}`}: ${why}`
  return [
    ['what this recording decides', decided.map(line)],
    ['what it could have decided, and did not', open.map(line)],
    ...(truth && all ? [['what it does not decide with what was given', lacking.map(line)] as const] : []),
    ['what no single recording of this federation decides', never],
  ]
}

const moreLine = ({ keys, attacks, observers }: RecordingFacts['more'][number]): string =>
  `${keys.join(' and ')}: ${attacks.join(', ')} (${observers.join(', ')})`

const columns = ['client', 'attack', 'what', 'heard by', 'confidence', 'misfit', 'halves apart', 'planted', 'so it']

function cellsOf(one: Ungraded): string[] {
  const { fit, halves, planted, confidence } = one
  return [
    one.client ?? 'all',
    one.attack,
    one.what,
    one.observer,
    confidence === null ? '-' : figure(confidence),
    fit === null ? '-' : figure(fit.misfit),
    halves?.apart == null ? '-' : figure(halves.apart),
    planted === 'passed' ? 'found' : planted === 'broken' ? 'not found' : '-',
    standingWords[one.standing],
  ]
}

const most = 40

/** Lines for a terminal; of what was graded, the short form says what is decided and what never is. */
export function recordingText(facts: RecordingFacts | undefined, details = false): string[] {
  if (facts === undefined) return []
  const { notes, cannot, ungraded } = facts
  const short = facts.truth && !details
  const [can, more] = short ? [[], []] : [facts.can, facts.more]
  const bullets = (head: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', head, ...lines.flatMap((line) => wrapped(`  - ${line}`, '    '))]
  const shown = ungraded.slice(0, most)
  return [
    '',
    ...wrapped(`heard: ${heardLine(facts)}`, '  '),
    ...notes.flatMap((note) => wrapped(`  ${note}`, '  ')),
    ...questionLines(facts, !short).flatMap(([head, lines]) => bullets(`${head}:`, lines)),
    ...bullets('what can be concluded without records to grade by:', can),
    ...bullets('what cannot, with what was given:', cannot),
    ...(shown.length === 0 ? [] : ['', 'claims that were not graded, and what speaks for them:']),
    ...(shown.length === 0
      ? []
      : textTable(columns, shown.map(cellsOf))
          .split('\n')
          .map((line) => `  ${line}`)),
    ...(ungraded.length > most ? [`  and ${ungraded.length - most} more in the report`] : []),
    ...bullets('an adversary who knows more could run, if it knows', more.map(moreLine)),
  ]
}

/** The same as a part of the report. */
export function recordingSection(facts: RecordingFacts | undefined): string {
  if (facts === undefined) return ''
  const { notes, can, cannot, more, ungraded } = facts
  const list = (head: string, lines: readonly string[]): string =>
    lines.length === 0
      ? ''
      : `<h3>${escaped(head)}</h3><ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>`
  const head = columns.map((name) => `<th>${escaped(name)}</th>`).join('')
  const rows = ungraded.map(
    (one) =>
      `<tr>${cellsOf(one)
        .map((cell) => `<td>${escaped(cell)}</td>`)
        .join('')}</tr>`,
  )
  const table =
    rows.length === 0
      ? ''
      : `<div class="scroll"><table><caption>Claims that were not graded</caption><tr>${head}</tr>${rows.join('')}</table></div><p class="dim">Misfit: how far messages that the claim was not fitted to lie from what it predicts, over their size. Halves: the same attack on every other message and on the rest; of models the distance over that of the claim from the last model sent, of others the share that differs. Planted: whether the attack finds what was put into a copy of the messages. A claim stands where all three speak for it, and none of them is a grade.</p>`
  const asked = questionLines(facts, true)
    .map(([title, lines]) => list(`${title.slice(0, 1).toUpperCase()}${title.slice(1)}`, lines))
    .join('')
  return `<h2>What the recording says by itself</h2><p>${escaped(heardLine(facts))}.</p>${notes.map((note) => `<p>${escaped(note)}.</p>`).join('')}${asked}${list('What can be concluded without records to grade by', can)}${list('What cannot, with what was given', cannot)}${table}${list('An adversary who knows more could run, if it knows', more.map(moreLine))}`
}
