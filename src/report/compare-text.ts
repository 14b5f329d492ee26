/** Two audits side by side, as a terminal shows them. */

import { figure } from '../audit/figures.js'
import type { Comparison, MovedStep } from '../audit/finished/compare.js'
import { signed, wordText } from '../audit/ladder/question-words.js'
import { harmless } from '../errors.js'
import { rungs } from './ladder-scale.js'
import { textTable, wrapped } from './text-table.js'

/** More say that these are two different scenarios. */
const mostSettings = 12

export function compareText(compared: Comparison): string {
  const { before, after, questions, use, raised, settled, sameSeed } = compared
  const word = (one: keyof typeof wordText | null): string => (one === null ? 'not asked' : wordText[one])
  const all = questions.flatMap(({ steps }) => steps)
  const paired = all.filter((one) => one.paired)
  const beyond = questions.flatMap(({ steps }) => steps.filter(({ beyondNoise }) => beyondNoise === true))
  const rows = questions.flatMap(({ about, observer, before: old, after: now, steps, rungs: moved }) => {
    const words = old === now ? word(now) : `${word(old)} -> ${word(now)}`
    const shown = steps.length === 0 ? [undefined] : steps
    const went = moved
      .map(({ rung, before: a, after: b }) => `${letterOf(rung)} ${figure(a)} -> ${figure(b)}`)
      .join('  ')
    return shown.map((step, k) => [
      ...(k === 0 ? [`${about}, ${observer}`, words] : ['', '']),
      ...cellsOf(step),
      k === 0 ? went : '',
    ])
  })
  const lines = [
    `verdict: ${wordText[before.level].toUpperCase()} -> ${wordText[after.level].toUpperCase()}`,
    `${raised} new alarm${raised === 1 ? '' : 's'}, ${settled} gone; ${beyond.length} step${beyond.length === 1 ? '' : 's'} moved by more than noise`,
    ...changedText(compared),
    '',
    ...textTable(
      ['question', 'word', 'step', 'before', 'after', 'change', 'more than noise', 'rungs that moved'],
      rows,
    ).split('\n'),
    '',
    ...use.map(({ model, metric, before: old, after: now }) => {
      return `${model}: held-out ${metric ?? 'value'} ${figure(old)} -> ${figure(now)}`
    }),
    ...(paired.length > 0
      ? [
          `paired: both dealt the same records, so ${paired.length} of ${all.length} steps are compared training by training`,
        ]
      : []),
    ...(paired.length === all.length
      ? []
      : [
          sameSeed
            ? 'one seed, but other trainings or records: steps that are not paired have the intervals of both added in squares'
            : 'drawn by different seeds: intervals of both are added in squares',
        ]),
  ]
  return harmless(lines.join('\n'), '\n')
}

/** What the scenarios say differently: the cause of the rest. */
function changedText({ settings }: Comparison): string[] {
  const lines = settings.slice(0, mostSettings).flatMap(({ path, before, after }) => {
    return wrapped(`changed: ${path}: ${before || 'not said'} -> ${after || 'not said'}`, '  ')
  })
  return settings.length > mostSettings ? [...lines, `and ${settings.length - mostSettings} more settings`] : lines
}

const letterOf = (rung: string): string => rungs.find((one) => one.rung === rung)?.letter ?? rung

function cellsOf(step: MovedStep | undefined): string[] {
  if (step === undefined) return ['', '', '', '', '']
  const { change, interval, beyondNoise } = step
  const range = interval === null ? '' : ` (${signed(interval[0])} to ${signed(interval[1])})`
  const noise = beyondNoise === null ? 'not known' : beyondNoise ? 'yes' : 'no'
  return [step.step, signed(step.before), signed(step.after), `${signed(change)}${range}`, noise]
}
