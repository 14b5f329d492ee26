/** From questions to what an audit comes to: its word, a sentence for each leak, and what was not tested. */
import type { Scenario } from '../scenario/scenario-schema.js'
import { auditWord, isAlarm, type Word } from '../verdict/words.js'
import type { AttackResult } from './attack-result.js'
import { figure } from './figures.js'
import { leakSentences, toldOf } from './ladder/leak-sentences.js'
import type { Question } from './ladder/question.js'
import { severalModels, subjectOf } from './ladder/question-words.js'
import { adviceFor } from './untried-advice.js'

/** What an audit comes to. */
export interface Verdict {
  /** The worst word of the questions that were tested; `not-tested` where none was. */
  readonly level: Word
  /** One for each leak, the worst first; then what is not settled, what is known anyway, and where nothing was found. */
  readonly sentences: readonly string[]
  /** Questions about which something can be said. A stronger observer's copy of a question is not counted again. */
  readonly tested: number
  readonly notTested: number
  /** Why questions were not tested, the most frequent reason first. */
  readonly untested: readonly Untested[]
  /** Attacks that are no help here, with the reason. */
  readonly doubts: readonly string[]
  readonly advice: readonly string[]
}

/** Questions that were not tested for one reason. */
export interface Untested {
  readonly reason: string
  /** Each by what is asked, and by whom. */
  readonly questions: readonly string[]
}

export function verdictOf(
  questions: readonly Question[],
  results: readonly AttackResult[],
  scenario?: Scenario,
): Verdict {
  const own = questions.filter(({ sameAs }) => sameAs === undefined)
  const { word: level, tested, notTested } = auditWord(own.map((one) => one.level))
  return {
    level,
    sentences:
      tested === 0
        ? [nothingTested(own, results)]
        : [...leakSentences(questions), ...summaries(own, scenario === undefined)],
    tested,
    notTested,
    untested: untestedOf(own),
    doubts: doubtsOf(results),
    // Whoever only repeats what a weaker observer learns asks for nothing more.
    advice: adviceFor(
      toldOf(questions).flatMap(({ question }) => (isAlarm(question.level) ? [question] : [])),
      scenario,
    ),
  }
}

function nothingTested(questions: readonly Question[], results: readonly AttackResult[]): string {
  if (questions.length > 0) return 'nothing was tested, so whether it leaks is not known: the reasons are below'
  const ran = results.some(({ status }) => status === 'claimed')
  const why = ran
    ? 'what was claimed could not be held against records that were kept back'
    : 'no attack was applicable'
  return `nothing was tested, so whether it leaks is not known: ${why}`
}

/** What is no alarm, in one sentence a word. */
function summaries(own: readonly Question[], recorded: boolean): string[] {
  const models = severalModels(own)
  const of = (word: Word): Question[] => own.filter(({ level }) => level === word)
  const names = (list: readonly Question[]): string => someOf([...new Set(list.map((one) => subjectOf(one, models)))])
  const [open, known, none] = [of('inconclusive'), of('known-anyway'), of('none-found')]
  return [
    ...(open.length === 0 ? [] : [`not settled: ${names(open)}${settledBy(open, recorded)}`]),
    ...(known.length === 0
      ? []
      : [`known anyway, from a federation without the client as well as from its messages: ${names(known)}`]),
    ...(none.length === 0 ? [] : [`no leak found: ${names(none)}${wouldHaveSeen(none)}`]),
  ]
}

const mostNamed = 6

/** A few names, and how many there are besides. */
const someOf = (names: readonly string[]): string =>
  names.length <= mostNamed
    ? names.join(', ')
    : `${names.slice(0, mostNamed - 1).join(', ')} and ${names.length - mostNamed + 1} more`

/** How often it would have to be trained; a recording is one training, and only a simulation of the same has more. */
function settledBy(open: readonly Question[], recorded: boolean): string {
  const needed = open.flatMap(({ repeatsNeeded }) => repeatsNeeded ?? [])
  if (needed.length === 0) return ''
  const repeats = `${recorded ? 'a simulation with ' : ''}${Math.max(...needed)} repeats would probably settle`
  if (needed.length === open.length) return `; ${repeats} ${open.length === 1 ? 'it' : 'them'}`
  return `; ${repeats} ${needed.length} of ${open.length}`
}

/** Of each metric the greatest of the least effects: whatever is larger would have been seen everywhere. */
function wouldHaveSeen(questions: readonly Question[]): string {
  const most = new Map<string, number>()
  for (const { ladder, test } of questions) {
    for (const { leastSeen } of [test.record, test.client].flatMap((step) => step ?? [])) {
      if (leastSeen !== null) most.set(ladder.metric, Math.max(leastSeen, most.get(ladder.metric) ?? 0))
    }
  }
  const limits = [...most].map(([metric, x]) => `${figure(x)} (${metric})`)
  return limits.length === 0 ? '' : `; a step of ${limits.join(', ')} would have been seen`
}

function untestedOf(own: readonly Question[]): Untested[] {
  const models = severalModels(own)
  const reasons = new Map<string, string[]>()
  for (const one of own) {
    if (one.level !== 'not-tested') continue
    const reason = one.notTested ?? 'no reason was given'
    reasons.set(reason, [...(reasons.get(reason) ?? []), `${subjectOf(one, models)}, ${one.observer}`])
  }
  return [...reasons]
    .map(([reason, questions]) => ({ reason, questions }))
    .sort((a, b) => b.questions.length - a.questions.length)
}

/** Attacks whose silence says nothing. */
function doubtsOf(results: readonly AttackResult[]): string[] {
  const own = results.filter(({ sameAs }) => sameAs === undefined)
  const names = (list: readonly AttackResult[]): string => [...new Set(list.map(({ attack }) => attack))].join(', ')
  const late = own.filter(({ error }) => error?.code === 'E_TIME')
  const failed = own.filter(({ status, error }) => status === 'failed' && error?.code !== 'E_TIME')
  const judged = (wanted: string) => own.filter(({ controls }) => controls?.planted.status === wanted)
  const ungraded = own.filter(
    ({ status, findings }) =>
      status === 'claimed' && findings.length > 0 && findings.every(({ score }) => score === null),
  )
  const lines: [readonly AttackResult[], string][] = [
    [late, 'out of time; --resume runs them again'],
    [failed, 'ended in an error, which the report shows'],
    [
      judged('broken'),
      'did not find a leak that was planted as others do from no more, or claim otherwise of the same told otherwise: broken here, so their silence says nothing',
    ],
    [judged('blind'), 'did not find a leak that was planted: blind to such ones here, so their silence says nothing'],
    [ungraded, 'claimed what cannot be graded: the truth lacks what it takes'],
  ]
  return lines.flatMap(([list, words]) => (list.length === 0 ? [] : [`${names(list)}: ${words}`]))
}

/** Attacks that ran out of time or failed: what they would have found is not known, and the audit is not complete. */
export const unfinished = (results: readonly AttackResult[]): AttackResult[] =>
  results.filter(({ status, sameAs }) => status === 'failed' && sameAs === undefined)
