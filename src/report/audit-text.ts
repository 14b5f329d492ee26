/** An audit as a terminal shows it: one screen; the ladder of each question and each attack by itself when asked. */
import { brokenText, privacyText } from '../audit/account/privacy-words.js'
import type { AttackResult } from '../audit/attack-result.js'
import type { AuditDocument, ObserverResults } from '../audit/document.js'
import { figure } from '../audit/figures.js'
import { wordText } from '../audit/ladder/question-words.js'
import { sumAttackLine } from '../audit/sum-attacks.js'
import type { Verdict } from '../audit/verdict.js'
import { harmless } from '../errors.js'
import { ladderText } from './ladder-text.js'
import { recordingText } from './recording-text.js'
import { absentees, rowsOf } from './result-rows.js'
import { atMost, summaryText } from './summary-text.js'
import { textTable, wrapped } from './text-table.js'

export interface TextOptions {
  /** Every leak in a sentence and every step with its test, in place of one screen. */
  readonly details?: boolean
  /** Each attack by itself, too; with details. */
  readonly verbose?: boolean
}

/** Lines of a screen. */
const screen = 30

/** The document as lines for a terminal. */
export function auditText(audit: AuditDocument, { verbose = false, details = verbose }: TextOptions = {}): string {
  const after = [
    ...(details ? [] : [...openedText(audit), ...nextText(audit.verdict)]),
    ...doubtsText(audit.verdict, details),
    '',
    ...utilityText(audit),
    ...epsilonText(audit),
    ...(details ? [] : ['every step: --details; each attack by itself: --verbose, or the report']),
    ...(verbose ? ['', ...audit.observers.map(observerText)] : []),
    ...(audit.complete ? [] : ['interrupted: what was finished is kept, and --resume goes on']),
    ...(audit.report === null ? [] : [`report: ${audit.report}`]),
  ]
  const broken = brokenLines(audit)
  const room = screen - after.length - broken.length
  const lines = [...broken, ...(details ? wholeText(audit) : shortText(audit, room)), ...after]
  return harmless(lines.join('\n'), '\n')
}

/** So many lines of a screen are for what a recording says by itself, and so many however little room there is. */
const [ofRecording, fewest] = [9, 4]

/** The verdict and the ladders, then as much of what a recording says as there is room for. */
function shortText(audit: AuditDocument, room: number): string[] {
  const told = recordingText(audit.recording)
  const summary = summaryText(audit, room - Math.min(ofRecording, told.length))
  const left = Math.max(fewest, room - summary.length)
  if (told.length <= left) return [...summary, ...told]
  return [...summary, ...told.slice(0, left - 1), `and ${told.length - left + 1} more lines: --details, or the report`]
}

/** The first of them on a screen, all with details. */
function doubtsText({ doubts }: Verdict, details: boolean): string[] {
  const lines = listText('attacks that are no help here:', doubts)
  return details ? lines : atMost(mostDoubts, lines)
}

/** Lines of doubts on a screen. */
const mostDoubts = 6

function wholeText(audit: AuditDocument): string[] {
  const { verdict, questions } = audit
  const ladder = ladderText(questions)
  return [
    ...verdictText(verdict),
    ...(ladder.length === 0 ? [] : ['', ...ladder]),
    ...recordingText(audit.recording, true),
    ...listText('what could be changed, untried (overhear advise tries):', verdict.advice),
    ...sumsText(audit),
  ]
}

/** What could be changed, by the first words of each line. */
function nextText({ advice }: Verdict): string[] {
  if (advice.length === 0) return []
  const words = advice.map((line) => line.split(/[,:(]/)[0]!.trim())
  return ['', ...wrapped(`what could be changed, untried (overhear advise tries): ${words.join('; ')}`, '  ')]
}

/** The word, what was not tested and why, then the sentences. */
function verdictText({ level, sentences, tested, notTested, untested }: Verdict): string[] {
  const all = tested + notTested
  const asked = all === 1 ? '1 question' : `${all} questions`
  const reasons = untested.map(({ reason, questions }) => `${reason} (${someOf(questions)})`)
  const missing = notTested === 0 ? `all of ${asked}` : `${tested} of ${asked}; not tested: ${reasons.join('; ')}`
  return [
    `verdict: ${wordText[level].toUpperCase()}`,
    ...wrapped(`tested: ${all === 0 ? 'nothing' : missing}`, '  '),
    ...sentences.flatMap((sentence) => wrapped(`  - ${sentence}`, '    ')),
  ]
}

const someOf = (names: readonly string[]): string =>
  names.length <= 3 ? names.join('; ') : `${names.slice(0, 2).join('; ')}; and ${names.length - 2} more`

const listText = (head: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', head, ...lines.flatMap((line) => wrapped(`  - ${line}`, '    '))]

/** What a malicious server gets out of the protocol itself. */
const sumsText = ({ sums }: AuditDocument): string[] =>
  sums === undefined ? [] : listText(`secure sums, for a ${sums.observer}:`, sums.attacks.map(sumAttackLine))

/** The same in short: those that open something, and how many are stopped. */
function openedText({ sums }: AuditDocument): string[] {
  if (sums === undefined) return []
  const open = sums.attacks.filter(({ opened }) => opened !== null).map(sumAttackLine)
  const stopped = `${sums.attacks.length - open.length} of ${sums.attacks.length} attacks on the protocol are stopped`
  const lines = [...open, stopped].flatMap((line) => wrapped(`  - ${line}`, '    '))
  return ['', `secure sums, for a ${sums.observer}:`, ...atMost(6, lines)]
}

function utilityText({ utility }: AuditDocument): string[] {
  const all = Object.entries(utility)
  if (all.length === 0) return []
  const worth = all.map(([name, { rounds, withoutSum, metric, value }]) => {
    const lost = withoutSum === undefined ? '' : `, ${withoutSum} of them without a sum`
    return `${all.length > 1 ? `${name}: ` : ''}${rounds} rounds${lost}${metric === null ? '' : `, held-out ${metric} ${figure(value)}`}`
  })
  return wrapped(`trained: ${worth.join('; ')}`, '  ')
}

/** A mechanism that does not do what it says comes before everything else. */
function brokenLines({ privacy }: AuditDocument): string[] {
  const broken = privacy === undefined ? null : brokenText(privacy)
  return broken === null ? [] : [...wrapped(broken, '  '), '']
}

const epsilonText = ({ privacy, questions }: AuditDocument): string[] =>
  privacy === undefined ? [] : wrapped(privacyText({ privacy, questions }), '  ')

function observerText({ observer, title, attacks }: ObserverResults): string {
  const shown = attacks.filter(({ status, sameAs }) => status !== 'not-applicable' && sameAs === undefined)
  const same = [...new Set(attacks.filter(({ status }) => status === 'claimed').flatMap(({ sameAs }) => sameAs ?? []))]
  const absent = absentees(attacks).map(({ attack }) => attack)
  const lines = [
    ...(shown.length === 0 ? [] : [attackTable(shown)]),
    ...(same.length === 0 ? [] : [`  and everything that ${same.join(' and ')} can do`]),
    ...(shown.length === 0 && same.length === 0 ? ['  nothing applies'] : []),
    ...(absent.length === 0 ? [] : [`  not applicable: ${absentText([...new Set(absent)])}`]),
  ]
  return `${observer}: ${title}\n${lines.join('\n')}\n`
}

/** A few names, or how many there are: the report says why of each. */
const absentText = (names: readonly string[]): string =>
  names.length <= 4 ? names.join(', ') : `${names.length} attacks (the report says why)`

function attackTable(results: readonly AttackResult[]): string {
  const models = new Set(results.map(({ model }) => model)).size > 1
  const targets = new Set(results.flatMap(({ target }) => target ?? [])).size > 1
  const rows = rowsOf(results).map(({ result, attack, topic, value, chance, lift, cells, note }) => [
    ...(models ? [result.model ?? ''] : []),
    ...(targets ? [result.target ?? ''] : []),
    ...[attack, topic, value, chance, lift],
    [cells.replaceAll('  ', ' '), note].filter((words) => words !== '').join('; '),
  ])
  const whose = [...(models ? ['model'] : []), ...(targets ? ['client'] : [])]
  return textTable([...whose, 'attack', 'what', 'score', 'chance', 'lift', 'cells, notes'], rows)
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
}
