/** What leaks, in sentences for people who answer for it: one for each leak, the worst first, and who can hear it. */
import { observers } from '../../threat/observers.js'
import { isAlarm, severity } from '../../verdict/words.js'
import { figure } from '../figures.js'
import type { PeopleCounts, Question } from './question.js'
import { learnedWords, listenerOf, luckWords, severalModels, signed, stepWords } from './question-words.js'

/** The step that its word rests on. */
export const alarmStep = ({ level, test }: Question): Question['test']['record'] =>
  level === 'leaks-records' ? test.record : level === 'leaks-client' ? test.client : (test.record ?? test.client)

const rank = ({ observer }: Question): number => Object.keys(observers).indexOf(observer)
const wordRank = ({ level }: Question): number => severity(level)
const keyOf = (question: Question, ...fields: readonly (keyof Question)[]): string =>
  JSON.stringify(fields.map((field) => question[field]))

/** The worst word first, then what removes more of the error, then the greater effect. */
export function byHarm(a: Question, b: Question): number {
  const [one, other] = [alarmStep(a), alarmStep(b)]
  return (
    wordRank(a) - wordRank(b) ||
    (other?.errorRemoved ?? 0) - (one?.errorRemoved ?? 0) ||
    (other?.effect ?? 0) - (one?.effect ?? 0)
  )
}

const grouped = (questions: readonly Question[], ...fields: readonly (keyof Question)[]): Question[][] => {
  const groups = new Map<string, Question[]>()
  for (const one of questions) {
    const key = keyOf(one, ...fields)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  return [...groups.values()]
}

/** A question as it is told: by the weakest observer, with the stronger ones who learn the same. */
export interface Told {
  readonly question: Question
  readonly alsoTo: readonly string[]
}

/**
 * What was tested, each thing once: of those who learn the same the weakest tells it, and the stronger are named; one who
 * learns clearly more, or worse, is told of by itself.
 */
export function toldOf(all: readonly Question[]): Told[] {
  const tested = all.filter(({ level, sameAs }) => level !== 'not-tested' && sameAs === undefined)
  const copies = new Map<string, Question[]>()
  for (const copy of all.filter(({ sameAs }) => sameAs !== undefined)) {
    const key = keyOf(copy, 'kind', 'name', 'target', 'model')
    const list = copies.get(key)
    if (list === undefined) copies.set(key, [copy])
    else list.push(copy)
  }
  return grouped(tested, 'kind', 'name', 'target', 'model').flatMap((group) => {
    const told: { question: Question; alsoTo: Set<string> }[] = []
    for (const question of [...group].sort((a, b) => rank(a) - rank(b))) {
      const before = told.at(-1)
      if (before !== undefined && !addsTo(before.question, question)) before.alsoTo.add(question.observer)
      else told.push({ question, alsoTo: new Set() })
      for (const copy of copies.get(keyOf(question, 'kind', 'name', 'target', 'model')) ?? []) {
        if (copy.sameAs === question.observer) told.at(-1)!.alsoTo.add(copy.observer)
      }
    }
    // Whoever is told of by itself is not among those who learn the same as a weaker one.
    const tellers = new Set(told.map(({ question }) => question.observer))
    return told.map(({ question, alsoTo }) => ({ question, alsoTo: [...alsoTo].filter((one) => !tellers.has(one)) }))
  })
}

/** A worse word, or an effect beyond what the weaker one's could be. */
function addsTo(weaker: Question, stronger: Question): boolean {
  if (wordRank(stronger) < wordRank(weaker)) return true
  if (wordRank(stronger) > wordRank(weaker)) return false
  const [before, now] = [alarmStep(weaker), alarmStep(stronger)]
  return now !== null && before !== null && now.effect > (before.interval?.[1] ?? before.effect)
}

export function leakSentences(questions: readonly Question[]): string[] {
  const own = questions.filter(({ sameAs }) => sameAs === undefined)
  const models = severalModels(own)
  const told = toldOf(questions).filter(({ question }) => isAlarm(question.level))
  const byLead = new Map(told.map((one) => [one.question, one]))
  // Of several clients with the same leak the worst one tells it.
  return grouped([...byLead.keys()], 'observer', 'kind', 'name', 'model', 'level')
    .map((group) => [...group].sort(byHarm))
    .sort(([a], [b]) => byHarm(a!, b!))
    .map(([worst, ...others]) => {
      const asked = own.filter((one) => {
        return one.level !== 'not-tested' && keyOf(one, 'observer', 'kind', 'name', 'model') === keyOf(worst!, 'observer', 'kind', 'name', 'model') // biome-ignore format: a condition
      }).length
      const named = others.map(({ target }) => target)
      const same = named.length === 0 ? '' : `; likewise ${clients(named)} (${named.length + 1} of ${asked} clients)`
      return sentenceOf(byLead.get(worst!)!, models) + same
    })
}

const clients = (ids: readonly (string | null)[]): string => {
  const shown = ids.slice(0, 8).join(', ')
  return `${ids.length === 1 ? 'client' : 'clients'} ${shown}${ids.length > 8 ? ` and ${ids.length - 8} more` : ''}`
}

function sentenceOf({ question, alsoTo }: Told, models: boolean): string {
  const model = models && question.model !== null ? ` (${question.model})` : ''
  const heard = alsoTo.length === 0 ? '' : `; ${alsoTo.join(' and ')} can too`
  const head = `${listenerOf(question)} ${learnedWords(question)}${model}`
  return `${head}: ${[...found(question), ...exposedWords(question)].join('; ')}${heard}`
}

/** What was found, in figures. */
function found(question: Question): string[] {
  const { kind, level, people } = question
  if (kind === 'property' || kind === 'contribution') return ofClients(question)
  if (kind === 'members') return ofMembers(question)
  if (level === 'leaks-client') return ofClientStep(question)
  return people === null ? ofRecordStep(question) : ofPeople(people, question)
}

function ofClients({ ladder, test }: Question): string[] {
  const value = ladder.client ?? ladder.record
  const step = test.client ?? test.record
  return [
    ...(value === null ? [] : [`${ladder.metric} ${figure(value)}${ladder.guess === null ? '' : `, by a guess ${figure(ladder.guess)}`}`]), // biome-ignore format: a line
    ...(step === null ? [] : [luckWords(step)]),
  ]
}

/** The area under the curve is how often one who was in it ranks before one who was not. */
function ofMembers({ ladder, rates, test }: Question): string[] {
  const { record, client, metric } = ladder
  const pairs =
    record === null
      ? []
      : [
          `${metric} ${figure(record)}: of 100 pairs of one who was in it and one who was not, ${Math.round(100 * record)} are told apart, ${Math.round(100 * (client ?? 0.5))} by a coin`,
        ]
  const rate = rates?.tpr1 == null ? [] : [`where 1 in 100 is accused wrongly, ${percent(rates.tpr1)} are found`]
  return [...pairs, ...rate, ...(test.record === null ? [] : [`beyond a coin: ${stepWords(test.record)}`])]
}

const percent = (share: number): string => `${Math.round(100 * share)} %`

function ofClientStep({ ladder, test }: Question): string[] {
  const { metric, client, federation, guess } = ladder
  return [
    `of anybody there, trained on or not: ${metric} ${figure(client)}`,
    ...(federation === null ? [] : [`${figure(federation)} from a federation without it`]),
    ...(guess === null ? [] : [`${figure(guess)} by a guess`]),
    ...(test.client === null ? [] : [`its messages add ${stepWords(test.client)}`]),
  ]
}

function ofRecordStep({ ladder, test }: Question): string[] {
  const { metric, record, client, federation, guess } = ladder
  return [
    `${metric} ${figure(record)} for records that were trained on`,
    ...(client === null ? [] : [`${figure(client)} for records like them that were not`]),
    ...(federation === null ? [] : [`${figure(federation)} from a federation without the client`]),
    ...(guess === null ? [] : [`${figure(guess)} by a guess`]),
    ...(test.record === null ? [] : [`because they were trained on, ${stepWords(test.record)}`]),
    ...everybodyWords(ladder),
  ]
}

function ofPeople({ trained, heldBack, guessed }: PeopleCounts, { kind, ladder, test }: Question): string[] {
  const who = kind === 'attribute' ? 'people' : 'records'
  return [
    `right for ${trained.right} of ${trained.of} ${who}`,
    ...(guessed === null ? [] : [`${guessed.right} of ${guessed.of} could be guessed`]),
    heldBack.of === 0
      ? `of ${who} like them who were not trained on it says nothing`
      : `for ${who} like them who were not trained on, ${heldBack.right} of ${heldBack.of}`,
    ...(test.record === null ? [] : [`because they were trained on, ${ladder.metric} ${stepWords(test.record)}`]),
    ...everybodyWords(ladder),
  ]
}

/** Named where what everybody hears says more of these records than of others like them. */
function everybodyWords({ everybody, client, better, metric }: Question['ladder']): string[] {
  if (everybody === null || client === null) return []
  const beyond = better === 'higher' ? everybody - client : client - everybody
  return beyond > 0 ? [`every participant has ${signed(beyond)} of it (${metric} ${figure(everybody)})`] : []
}

function exposedWords({ exposed, kind }: Question): string[] {
  if (exposed === null || exposed.ids.length === 0) return []
  const what = kind === 'property' || kind === 'contribution' ? 'clients' : 'records'
  return [`given away: ${exposed.ids.length} of ${exposed.of} ${what}${roundWords(exposed)}`]
}

/** After how many rounds: of those who are given away soonest. */
function roundWords({ after = {} }: NonNullable<Question['exposed']>): string {
  const soonest = Object.entries(after).sort(([, a], [, b]) => a.round - b.round)
  if (soonest.length === 0) return ''
  const shown = soonest.slice(0, 5).map(([id, { round, notAfter }]) => {
    return `client ${id} from round ${round} on${notAfter === null ? '' : ` (not yet after round ${notAfter})`}`
  })
  const more = soonest.length > shown.length ? ` and ${soonest.length - shown.length} more later` : ''
  return `, ${shown.join(', ')}${more}`
}
