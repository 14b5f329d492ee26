/** Where the rungs of a ladder lie on the one axis that all questions share: a guess is 0, knowing everything is 1. */
import type { Ladder, Question, Rung, StepTest } from '../audit/ladder/question.js'

/** From the ground up, each with what it stands for. */
export const rungs: readonly { readonly rung: Rung; readonly letter: string; readonly words: string }[] = [
  { rung: 'guess', letter: 'g', words: 'a guess, nothing heard' },
  { rung: 'federation', letter: 'f', words: 'a federation without the client' },
  { rung: 'everybody', letter: 'e', words: 'what everybody hears, records that were trained on' },
  { rung: 'client', letter: 'c', words: "the client's messages, records that were not trained on" },
  { rung: 'record', letter: 'r', words: "the client's messages, records that were trained on" },
]

/** Properties of clients have no rungs: what is heard, beside a guess. */
export const propertyRung = {
  rung: 'record',
  letter: 'p',
  words: 'a property of clients, from all that is heard',
} as const

/** What of a question is drawn. */
export type Drawn = Pick<Question, 'target' | 'ladder' | 'test' | 'level'>

const isProperty = ({ target, ladder }: Pick<Question, 'target' | 'ladder'>): boolean =>
  target === null && ladder.federation === null

/** The rungs that a question has, with their scores. */
export function rungsOf(
  question: Pick<Question, 'target' | 'ladder'>,
): { rung: Rung; letter: string; value: number }[] {
  const { ladder } = question
  if (!isProperty(question)) {
    return rungs.flatMap(({ rung, letter }) => (ladder[rung] === null ? [] : [{ rung, letter, value: ladder[rung] }]))
  }
  const [value, { rung, letter }] = [ladder.record ?? ladder.client, propertyRung]
  const guess = ladder.guess === null ? [] : [{ rung: 'guess' as const, letter: 'g', value: ladder.guess }]
  return [...guess, ...(value === null ? [] : [{ rung, letter, value }])]
}

/** As far below a guess as is drawn; what is worse is drawn there. */
export const lowest = -0.3

/** The place of a score on the axis of its ladder; null where the ladder has no two ends. */
export function placeOf(ladder: Ladder): (value: number) => number | null {
  const known = rungs.flatMap(({ rung }) => ladder[rung] ?? [])
  const ground = ladder.guess ?? known[0]
  const beyond = (a: number, b: number): number => (ladder.better === 'higher' ? Math.max(a, b) : Math.min(a, b))
  const top = ladder.best ?? known.reduce((best, x) => beyond(best, x), ground ?? 0)
  return (value) => {
    if (ground === undefined || !Number.isFinite(value)) return null
    if (top !== ground) return Math.min(1, Math.max(lowest, (value - ground) / (top - ground)))
    // Nothing is known above a guess: there is no scale, only worse.
    return value === ground ? 0 : beyond(value, ground) === value ? 1 : lowest
  }
}

/** The step that is drawn through: that of a leak, else from the client to its records where it was tested. */
export interface DrawnStep {
  readonly from: Rung
  readonly to: Rung
  readonly test: StepTest | null
}

export function drawnStep(question: Drawn): DrawnStep {
  const { test, level } = question
  if (isProperty(question)) return { from: 'guess', to: 'record', test: test.client ?? test.record }
  const ofClient = level === 'leaks-client' || test.record === null
  if (ofClient) return { from: 'federation', to: 'client', test: test.client }
  return { from: 'client', to: 'record', test: test.record }
}

/** The ends of the interval of that step, as scores of its upper rung; null where there is none. */
export function stepEnds(question: Drawn): readonly [number, number] | null {
  const { from: rung, test } = drawnStep(question)
  const from = question.ladder[rung]
  if (test?.interval == null || from === null) return null
  const sign = question.ladder.better === 'higher' ? 1 : -1
  const [low, high] = test.interval
  return Number.isFinite(low) && Number.isFinite(high) ? [from + sign * low, from + sign * high] : null
}
