/** An audit on one screen: the word, the worst leak in a sentence, a line for each question, what to do next. */
import type { AuditDocument } from '../audit/document.js'
import { figure } from '../audit/figures.js'
import { byHarm, type Told, toldOf } from '../audit/ladder/leak-sentences.js'
import type { Word } from '../audit/ladder/question.js'
import { severalModels, signed, subjectOf, wordText } from '../audit/ladder/question-words.js'
import { drawnStep, propertyRung, rungs, rungsOf } from './ladder-scale.js'
import { ladderBar } from './ladder-text.js'
import { wrapped } from './text-table.js'

/** So many questions have a line of their own, however little room there is. */
const fewest = 4
const cells = 30
/** A terminal's width, and what is left of it beside the word, the bar and the figures. */
const widest = 118
const widestName = 34

/** The verdict, the worst of it in a sentence, and the ladders as one picture, in so many lines. */
export function summaryText(audit: AuditDocument, room: number): string[] {
  const { verdict, questions } = audit
  const told = toldOf(questions).sort((a, b) => byHarm(a.question, b.question))
  const [first] = verdict.sentences
  const head = [
    `verdict: ${wordText[verdict.level].toUpperCase()}${countsText(told)}`,
    ...testedText(audit),
    ...(first === undefined ? [] : ['', ...atMost(4, wrapped(first))]),
  ]
  return [...head, ...(told.length === 0 ? [] : ['', ...ladders(told, room - head.length - 1)])]
}

/** How many questions came to which word. */
function countsText(told: readonly Told[]): string {
  const counts = new Map<Word, number>()
  for (const { question } of told) counts.set(question.level, (counts.get(question.level) ?? 0) + 1)
  const words = [...counts].map(([word, n]) => `${n} ${wordText[word]}`)
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}

/** What was not tested, and the most frequent reason for it. */
function testedText({ verdict: { tested, notTested, untested } }: AuditDocument): string[] {
  const all = tested + notTested
  const asked = all === 1 ? '1 question' : `${all} questions`
  if (all === 0) return ['tested: nothing']
  const [first] = untested
  if (first === undefined) return [`tested: all of ${asked}`]
  const more = untested.length === 1 ? '' : `; ${untested.length - 1} more reasons: --details`
  return atMost(3, wrapped(`tested: ${tested} of ${asked}; not tested: ${first.reason}${more}`, '  '))
}

function ladders(told: readonly Told[], room: number): string[] {
  const models = severalModels(told.map(({ question }) => question))
  const used = new Set(told.flatMap(({ question }) => rungsOf(question).map(({ letter }) => letter)))
  const letters = [...rungs, propertyRung].filter(({ letter }) => used.has(letter))
  const legend = wrapped(letters.map(({ letter, words }) => `${letter}: ${words}`).join('; '))
  const lines = Math.max(fewest, room - legend.length)
  const shown = told.length <= lines ? told : told.slice(0, lines - 1)
  const names = shown.map(({ question }) => cut(subjectOf(question, models), widestName))
  const width = Math.max(...names.map((name) => name.length))
  return [
    ...shown.map(({ question }, k) => {
      const { test, to } = drawnStep(question)
      const value = to === 'record' ? (question.ladder.record ?? question.ladder.client) : question.ladder[to]
      const size = test === null ? '' : `  ${signed(test.effect)}`
      const word = wordText[question.level].toUpperCase().padEnd(16)
      return cut(
        `${word}  ${names[k]!.padEnd(width)}  ${ladderBar(question, cells)}  ${question.ladder.metric} ${figure(value)}${size}`,
        widest,
      )
    }),
    ...(told.length > shown.length ? [`and ${told.length - shown.length} more: --details`] : []),
    ...legend,
  ]
}

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 3)}...`)

/** The first lines, the last of which says that there are more. */
export const atMost = (most: number, lines: string[]): string[] =>
  lines.length <= most ? lines : [...lines.slice(0, most - 1), `${lines[most - 1]!.slice(0, widest - 4)} ...`]
