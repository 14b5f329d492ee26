/** The ladder of each question as a terminal shows it: a bar on one axis for all, the figures, and what the test says. */
import { figure } from '../audit/figures.js'
import { byHarm } from '../audit/ladder/leak-sentences.js'
import type { Question, StepTest } from '../audit/ladder/question.js'
import { severalModels, signed, subjectOf, wordText } from '../audit/ladder/question-words.js'
import { drawnStep, lowest, placeOf, rungs } from './ladder-scale.js'
import { wrapped } from './text-table.js'

const cells = 40

/** One block for each question that was tested, the worst first. */
export function ladderText(questions: readonly Question[]): string[] {
  const own = questions.filter(({ sameAs }) => sameAs === undefined)
  const shown = own.filter(({ level }) => level !== 'not-tested').sort(byHarm)
  if (shown.length === 0) return []
  const models = severalModels(own)
  const legend = rungs.map(({ letter, words }) => `  ${letter}  ${words}`)
  return [
    'what is learned, and from where: each line goes from a guess to knowing everything',
    ...legend,
    ...shown.flatMap((one) => ['', ...block(one, questions, models)]),
  ]
}

function block(question: Question, all: readonly Question[], models: boolean): string[] {
  const { level, ladder, observer, test } = question
  const copies = all.filter((one) => one.sameAs === observer && isCopy(one, question)).map((one) => one.observer)
  const heard = [observer, ...copies].join(', ')
  const figures = rungs.flatMap(({ rung, letter }) =>
    ladder[rung] === null ? [] : [`${letter} ${figure(ladder[rung])}`],
  )
  return [
    ...wrapped(
      `${wordText[level].toUpperCase().padEnd(16)}  ${subjectOf(question, models)}, heard by ${heard}`,
      indent,
    ),
    `  ${bar(question)}  ${ladder.metric}: ${figures.join('  ')}`,
    ...(test.record === null ? [] : stepText('its records', test.record, question.by.record)),
    ...(test.client === null ? [] : stepText('the client', test.client, question.by.client)),
  ]
}

const isCopy = (one: Question, of: Question): boolean =>
  one.kind === of.kind && one.name === of.name && one.target === of.target && one.model === of.model

/** Letters where the rungs are, the higher one where two meet; the step that counts is drawn through. */
function bar(question: Question): string {
  const { ladder } = question
  const step = drawnStep(question)
  const place = placeOf(ladder)
  const cell = (value: number | null): number | null => {
    const at = value === null ? null : place(value)
    return at === null ? null : Math.round(((at - lowest) / (1 - lowest)) * (cells - 1))
  }
  const line = Array.from({ length: cells }, () => '.')
  const [from, to] = [cell(ladder[step.from]), cell(ladder[step.to])]
  if (from !== null && to !== null) for (let k = from; k < to; k++) line[k] = '='
  for (const { rung, letter } of rungs) {
    const at = cell(ladder[rung])
    if (at !== null) line[at] = letter
  }
  return `|${line.join('')}|`
}

const indent = ' '.repeat(15)

function stepText(name: string, step: StepTest, attack: string | undefined): string[] {
  const { effect, interval, adjusted, leastSeen, repeats } = step
  const end = (x: number | null): string => (x === null || !Number.isFinite(x) ? '?' : signed(x))
  const range = interval === null ? '' : ` (${end(interval[0])} to ${end(interval[1])})`
  const parts = [
    `${signed(effect)}${range}`,
    `p ${figure(adjusted)}`,
    ...(leastSeen === null ? [] : [`would have seen ${figure(leastSeen)}`]),
    repeats === 1 ? 'this training' : `${repeats} trainings`,
    ...(attack === undefined ? [] : [`by ${attack}`]),
  ]
  return wrapped(`  ${name.padEnd(13)}${parts.join(', ')}`, indent)
}
