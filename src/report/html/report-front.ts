/** The first sheet of a report: the word, what each observer learns, the worst ladders, and the facts beside them. It stands alone on paper. */
import { brokenText } from '../../audit/account/privacy-words.js'
import type { Advice } from '../../audit/advise/advise.js'
import type { AuditDocument } from '../../audit/document.js'
import { figure } from '../../audit/figures.js'
import { hidden } from '../../audit/finished/redacted.js'
import { byHarm } from '../../audit/ladder/leak-sentences.js'
import { isAlarm, type Question, type Word } from '../../audit/ladder/question.js'
import { learnedWords, severalModels, wordText } from '../../audit/ladder/question-words.js'
import type { Verdict } from '../../audit/verdict.js'
import { escaped } from '../escape.js'
import { colourOf, ladderPlot } from '../ladder-plot.js'
import { adviceLines } from './advice-section.js'
import { epsilonName, epsilonWords } from './epsilon-words.js'
import { term } from './glossary.js'
import { panelsOf } from './question-panels.js'

const verdictWords: Readonly<Record<Word, string>> = {
  'leaks-records': 'It leaks records',
  'leaks-client': 'It leaks what is particular to a client',
  inconclusive: 'It is not settled whether it leaks',
  'known-anyway': 'What is learned is known anyway',
  'none-found': 'No leak was found',
  'not-tested': 'Nothing was tested',
}

/** So many ladders stand on the first sheet. */
const mostLadders = 6

/** Alone: without what it leads to. */
export function frontSheet(
  audit: AuditDocument,
  { advice, alone = false }: { advice?: Advice | undefined; alone?: boolean } = {},
): string {
  const { verdict, questions, privacy } = audit
  const panel = panelsOf(questions)
  const plots = [false, true].map((narrow) =>
    ladderPlot(questions, { most: mostLadders, narrow, ...(!alone && { to: panel }) }),
  )
  const [worst] = verdict.sentences
  const heard = heardList(audit, alone ? () => null : panel)
  return `<section class="front ${colourOf(verdict.level)}" aria-label="The verdict">
${brokenPromise(audit)}<p class="word ${colourOf(verdict.level)}">${escaped(verdictWords[verdict.level] ?? '-')}.</p>
${testedText(verdict)}
${worst === undefined || heard !== '' ? '' : `<p class="lead">${escaped(sentence(worst))}</p>`}
${heard}
</section>
<div class="below"><div>${plots[0] === '' ? '' : `<h2>What is learned, and from where</h2><p class="screen">The worst ${term('ladder', 'ladders')}: each mark is the best attack’s score on a rung, from ${term('guess', 'a guess')} to knowing everything; the thick line is the ${term('step')} that leaks, with its ${term('interval')}.</p><div class="wide">${plots[0]}</div><div class="narrow">${plots[1]}</div>`}</div>
<dl class="facts">${[untestedFact(verdict), exposedFact(questions), useFact(audit), fact(privacy == null ? epsilonName : { name: epsilonName, to: 'epsilon' }, ...epsilonWords(audit)), adviceFact(verdict, advice)].map((one) => (alone ? withoutLinks(one) : one)).join('')}</dl></div>`
}

/** A mechanism that does not do what it says comes before everything else. */
function brokenPromise({ privacy }: AuditDocument): string {
  const broken = privacy === undefined || privacy === null ? null : brokenText(privacy)
  return broken === null ? '' : `<p class="word leak">${escaped(broken)}.</p>\n`
}

/** Words that lead nowhere where this sheet is all there is. */
const withoutLinks = (html: string): string =>
  html
    .replace(/ <a class="source screen"[^>]*>.*?<\/a>|<dd><a class="screen" href="#exposed">.*?<\/a><\/dd>/g, '')
    .replace(/<a href="#[^"]*">(.*?)<\/a>/g, '$1')

/** Words as a sentence. */
export const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`

const testedText = ({ tested, notTested }: Verdict): string =>
  `<p>${escaped(`${tested} of ${tested + notTested}`)} questions ${tested + notTested === 1 ? 'was' : 'were'} tested${notTested === 0 ? '' : `, ${escaped(String(notTested))} ${notTested === 1 ? 'was' : 'were'} not: that is no pass`}.</p>`

/** One sentence for each observer; whoever learns what a weaker one does says so. */
function heardList({ observers, questions }: AuditDocument, panel: (question: Question) => string | null): string {
  if (questions.length === 0) return ''
  const models = severalModels(questions)
  const own = new Map<string, Question[]>()
  for (const one of questions) {
    const list = own.get(one.observer)
    if (list === undefined) own.set(one.observer, [one])
    else list.push(one)
  }
  const said = new Map<string, string>()
  const items = observers.map(({ observer, title }) => {
    const asked = own.get(observer) ?? []
    const level = worstLevel(asked)
    const words = wordText[level] ?? '-'
    const learned = heardWords(asked, models)
    const before = said.get(learned)
    if (before === undefined) said.set(learned, observer)
    const told = before === undefined ? learned : `just as ${before}.`
    const worst = worstOf(asked)
    const at = worst === undefined || before !== undefined ? null : panel(worst)
    const figures = at === null ? '' : ` <a class="screen" href="#${at}">its figures</a>`
    return `<li><b class="${colourOf(level)}">${escaped(words.slice(0, 1).toUpperCase() + words.slice(1))}</b> to <b>${escaped(observer)}</b> (${escaped(title)}): ${escaped(told)}${figures}</li>`
  })
  return items.length === 0 ? '' : `<ul class="heard">${items.join('')}</ul>`
}

const order: readonly Word[] = ['leaks-records', 'leaks-client', 'inconclusive', 'known-anyway', 'none-found']
const worstLevel = (asked: readonly Question[]): Word =>
  order.find((word) => asked.some(({ level }) => level === word)) ?? 'not-tested'

/** The worst of what leaks. */
const worstOf = (asked: readonly Question[]): Question | undefined =>
  asked.filter(({ level }) => isAlarm(level)).sort(byHarm)[0]

function heardWords(asked: readonly Question[], models: boolean): string {
  const tested = asked.filter(({ level }) => level !== 'not-tested')
  if (tested.length === 0) return asked.length === 0 ? 'nothing could be asked.' : 'nothing was tested.'
  const alarms = tested.filter(({ level }) => isAlarm(level))
  const more =
    tested.length < asked.length ? ` ${asked.length - tested.length} of ${asked.length} questions were not tested.` : ''
  const worst = worstOf(asked)
  if (worst === undefined) {
    const open = tested.filter(({ level }) => level === 'inconclusive').length
    return `${open === 0 ? 'no leak in' : `${open} not settled of`} ${tested.length} question${tested.length === 1 ? '' : 's'}.${more}`
  }
  const model = models && worst.model !== null ? ` (${worst.model})` : ''
  return `${learnedWords(worst)}${model}, ${shortly(worst)}. ${alarms.length} of ${tested.length} questions leak.${more}`
}

function shortly({ people, ladder, kind }: Question): string {
  const { metric, guess } = ladder
  const value = ladder.record ?? ladder.client
  if (people === null || people.trained.of === 0) {
    if (metric === 'AUC' && value !== null) {
      const beside = guess === null ? '' : `, where a guess ranks ${Math.round(100 * guess)}`
      return `ranks ${Math.round(100 * value)} of 100 pairs rightly (AUC ${figure(value)})${beside}`
    }
    return `${metric} ${figure(value)}${guess === null ? '' : `, where a guess has ${figure(guess)}`}`
  }
  const { trained, guessed } = people
  const known = guessed === null ? '' : `, where ${guessed.right} could be guessed`
  return `right for ${trained.right} of ${trained.of} ${kind === 'attribute' ? 'people' : 'records'}${known}`
}

/** A name, with the place where its figures are told whole where there is one, and some lines. */
function fact(named: string | { readonly name: string; readonly to: string }, ...words: string[]): string {
  const { name, to } = typeof named === 'string' ? { name: named, to: '' } : named
  const link = to === '' ? '' : ` <a class="source screen" href="#${to}">source</a>`
  return `<div><dt>${name}${link}</dt>${words.map((one) => `<dd>${one}</dd>`).join('')}</div>`
}

const some = (list: readonly string[], most: number, where: string): string[] => [
  ...list.slice(0, most).map(escaped),
  ...(list.length > most ? [`<a href="#${where}">and ${list.length - most} more</a>`] : []),
]

function untestedFact({ untested, tested, notTested }: Verdict): string {
  const name = `What was ${term('not tested')}`
  if (tested + notTested === 0) return fact(name, 'Nothing was asked.')
  if (untested.length === 0) return fact(name, 'Nothing: every question was tested.')
  return fact({ name, to: 'untested' }, ...some(untested.map(({ reason, questions }) => `${reason} (${questions.length})`), 3, 'untested')) // biome-ignore format: a line
}

function exposedFact(questions: readonly Question[]): string {
  const name = `Who is ${term('given away')}`
  const own = questions.filter(
    ({ exposed, sameAs }) => exposed !== null && exposed.ids.length > 0 && sameAs === undefined,
  )
  if (own.length === 0)
    return fact(name, questions.some(({ level }) => isAlarm(level)) ? 'Nobody by name: no attack is sure enough of anybody.' : 'Nobody: nothing was found to leak.') // biome-ignore format: a line
  const of = (people: boolean): Question[] => own.filter(({ target }) => (target !== null) === people)
  const words = [true, false].flatMap((people) => {
    const [most] = of(people).sort((a, b) => b.exposed!.ids.length - a.exposed!.ids.length)
    if (most === undefined) return []
    const { ids, of: all } = most.exposed!
    return [`${ids.length} of ${all} ${people ? `records of client ${most.target}` : 'clients'} by one question`]
  })
  return fact(
    { name, to: 'exposed' },
    ...words.map(escaped),
    ...(own[0]!.exposed!.ids[0] === hidden ? [] : ['<a class="screen" href="#exposed">who they are</a>']),
  )
}

function useFact({ utility }: AuditDocument): string {
  const all = Object.entries(utility)
  if (all.length === 0) return fact('What the training is worth', 'Not known of a recording.')
  const words = all.map(([name, { rounds, withoutSum, metric, value }]) => {
    const lost = withoutSum === undefined ? '' : ` (${withoutSum} without a sum)`
    return `${name}: ${metric === null ? 'not graded' : `${metric} ${figure(value)} on rows kept out`}, after ${rounds} rounds${lost}`
  })
  return fact({ name: 'What the training is worth', to: 'use' }, ...some(words, 4, 'use'))
}

function adviceFact(verdict: Verdict, measured: Advice | undefined): string {
  const name = 'What could be changed'
  const lines = adviceLines(verdict, measured)
  if (lines === null) return fact(name, 'Nothing is advised: no alarm was raised.')
  if (measured !== undefined) return fact({ name, to: 'advice' }, ...lines)
  const more = lines.length > 3 ? [`<a href="#advice">and ${lines.length - 3} more</a>`] : []
  return fact({ name, to: 'advice' }, ...lines.slice(0, 3), ...more, 'Untried: <code>overhear advise</code> tries each, and measures what it leaves and what it costs.') // biome-ignore format: a line
}
