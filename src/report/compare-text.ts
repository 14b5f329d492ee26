/** Two audits side by side, as a terminal shows them. */

import { figure } from '../audit/figures.js'
import type { Comparison, MovedStep } from '../audit/finished/compare.js'
import { signed, wordText } from '../audit/ladder/question-words.js'
import { harmless } from '../errors.js'
import { textTable } from './text-table.js'

export function compareText({ before, after, questions, use, raised, settled, sameSeed }: Comparison): string {
  const word = (one: keyof typeof wordText | null): string => (one === null ? 'not asked' : wordText[one])
  const beyond = questions.flatMap(({ steps }) => steps.filter(({ beyondNoise }) => beyondNoise === true))
  const rows = questions.flatMap(({ about, observer, before: old, after: now, steps }) => {
    const words = old === now ? word(now) : `${word(old)} -> ${word(now)}`
    const shown = steps.length === 0 ? [undefined] : steps
    return shown.map((step, k) => [k === 0 ? `${about}, ${observer}` : '', k === 0 ? words : '', ...cellsOf(step)])
  })
  const lines = [
    `verdict: ${wordText[before.level].toUpperCase()} -> ${wordText[after.level].toUpperCase()}`,
    `${raised} new alarm${raised === 1 ? '' : 's'}, ${settled} gone; ${beyond.length} step${beyond.length === 1 ? '' : 's'} moved by more than noise`,
    '',
    ...textTable(['question', 'word', 'step', 'before', 'after', 'change', 'more than noise'], rows).split('\n'),
    '',
    ...use.map(({ model, metric, before: old, after: now }) => {
      return `${model}: held-out ${metric ?? 'value'} ${figure(old)} -> ${figure(now)}`
    }),
    sameSeed
      ? 'both dealt their records by the same seed: noise is less than the intervals say, which take them as drawn apart'
      : 'drawn by different seeds: intervals of both are added in squares',
  ]
  return harmless(lines.join('\n'), '\n')
}

function cellsOf(step: MovedStep | undefined): string[] {
  if (step === undefined) return ['', '', '', '', '']
  const { change, interval, beyondNoise } = step
  const range = interval === null ? '' : ` (${signed(interval[0])} to ${signed(interval[1])})`
  const noise = beyondNoise === null ? 'not known' : beyondNoise ? 'yes' : 'no'
  return [step.step, signed(step.before), signed(step.after), `${signed(change)}${range}`, noise]
}
