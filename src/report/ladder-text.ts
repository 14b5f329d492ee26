/** The ladder of each question as a terminal shows it: a bar on one axis for all, the figures, and what the test says. */
import { figure } from '../audit/figures.js'
import { byHarm, type Told, toldOf } from '../audit/ladder/leak-sentences.js'
import type { Question, Rung, StepTest } from '../audit/ladder/question.js'
import { severalModels, signed, subjectOf, wordText } from '../audit/ladder/question-words.js'
import { drawnStep, lowest, placeOf, propertyRung, rungs, rungsOf } from './ladder-scale.js'
import { wrapped } from './text-table.js'

/** Characters of a bar. */
const usual = 40

/** One block for each thing that was asked and tested, the worst first. */
export function ladderText(questions: readonly Question[]): string[] {
  const shown = toldOf(questions).sort((a, b) => byHarm(a.question, b.question))
  if (shown.length === 0) return []
  const models = severalModels(questions)
  const used = new Set(shown.flatMap(({ question }) => rungsOf(question).map(({ letter }) => letter)))
  const legend = [...rungs, propertyRung].filter(({ letter }) => used.has(letter))
  return [
    'what is learned, and from where: each line goes from a guess to knowing everything',
    ...legend.map(({ letter, words }) => `  ${letter}  ${words}`),
    ...shown.flatMap((one) => ['', ...block(one, models)]),
  ]
}

function block({ question, alsoTo }: Told, models: boolean): string[] {
  const { level, ladder, observer, target, test, by, gaps } = question
  const once = target === null ? undefined : 'one matching of the clients'
  const head = `${wordText[level].toUpperCase().padEnd(16)}  ${subjectOf(question, models)}, heard by `
  const figures = rungsOf(question).map(({ letter, value }) => `${letter} ${figure(value)}`)
  return [
    ...wrapped(`${head}${[observer, ...alsoTo].join(', ')}`, indent),
    `  ${ladderBar(question)}  ${ladder.metric}: ${figures.join('  ')}`,
    ...(test.record === null ? [] : stepText('its records', test.record, by.record)),
    ...(test.client === null ? [] : stepText('the client', test.client, by.client, once)),
    ...gaps.flatMap((gap) => wrapped(`  ${'not tested'.padEnd(13)}${gap}`, indent)),
  ]
}

/** Letters where the rungs are, the higher one where two meet; the step that counts is drawn through. */
export function ladderBar(question: Question, cells = usual): string {
  const place = placeOf(question.ladder)
  const line = Array.from({ length: cells }, () => '.')
  const at = new Map<Rung, number>()
  for (const { rung, value } of rungsOf(question)) {
    const x = place(value)
    if (x !== null) at.set(rung, Math.round(((x - lowest) / (1 - lowest)) * (cells - 1)))
  }
  const step = drawnStep(question)
  const [from, to] = [at.get(step.from), at.get(step.to)]
  if (from !== undefined && to !== undefined) for (let k = from; k < to; k++) line[k] = '='
  for (const { rung, letter } of rungsOf(question)) if (at.has(rung)) line[at.get(rung)!] = letter
  return `|${line.join('')}|`
}

const indent = ' '.repeat(15)

function stepText(name: string, step: StepTest, attack: string | undefined, once = 'this training'): string[] {
  const { effect, interval, adjusted, leastSeen, repeats } = step
  const end = (x: number | null): string => (x === null || !Number.isFinite(x) ? '?' : signed(x))
  const range = interval === null ? '' : ` (${end(interval[0])} to ${end(interval[1])})`
  const parts = [
    `${signed(effect)}${range}`,
    `p ${figure(adjusted)}`,
    ...(leastSeen === null ? [] : [`would have seen ${figure(leastSeen)}`]),
    repeats === 1 ? once : `${repeats} trainings`,
    ...(attack === undefined ? [] : [`by ${attack}`]),
  ]
  return wrapped(`  ${name.padEnd(13)}${parts.join(', ')}`, indent)
}
