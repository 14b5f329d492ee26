import { describe, expect, test } from 'vitest'
import { studentQuantile } from '../numeric/special/student-t.js'
import type { Judged } from './judge.js'
import {
  type AskedRow,
  auditWord,
  isAlarm,
  marginOfError,
  type Question,
  repeatsToSettle,
  severity,
  wordOf,
  words,
} from './words.js'

const judged = (more: Partial<Judged> = {}): Judged => ({
  id: 'row',
  step: 'record',
  stratum: 'one',
  untested: null,
  p: 0.4,
  adjusted: 0.8,
  falseDiscovery: 0.6,
  leastP: 0.001,
  level: 0.025,
  rejected: false,
  rejectedAt: null,
  looks: [10],
  effect: 0.01,
  interval: { low: -0.03, high: 0.05, confidence: 0.95, of: 'trainings' },
  deviation: 0.02,
  trainings: 10,
  leastRejected: 0.06,
  leastSeen: 0.08,
  lessGuess: false,
  each: [],
  ...more,
})
const row = (more: Partial<Judged> = {}, rung: number | null = 0.9): AskedRow => ({
  judged: judged(more),
  rung,
  margin: 0.1,
})
const ask = (rows: AskedRow[], more: Partial<Question> = {}): Question => ({
  rows,
  guess: 0.8,
  federation: 0.8,
  ...more,
})
const found = {
  rejected: true,
  p: 0.001,
  adjusted: 0.01,
  effect: 0.2,
  interval: { low: 0.1, high: 0.3, confidence: 0.95, of: 'trainings' },
} as const
const wide = { interval: { low: -0.2, high: 0.2, confidence: 0.95, of: 'trainings' } } as const
const few = { untested: { reason: 'too-few-repeats', repeats: 7 } } as const

describe('the word of a question', () => {
  test('not tested, with the reason, whatever else there is', () => {
    expect(wordOf(ask([row(found)], { notTested: 'out of time' }))).toEqual({
      word: 'not-tested',
      untested: ['out of time'],
      repeats: null,
    })
    expect(wordOf(ask([]))).toEqual({ word: 'not-tested', untested: ['no applicable attack'], repeats: null })
    expect(wordOf(ask([row(few), row({ ...few, step: 'client' })]))).toEqual({
      word: 'not-tested',
      untested: ['too few repeats for the record step: it takes 7', 'too few repeats for the client step: it takes 7'],
      repeats: 7,
    })
  })

  test('leaks records: rejected, and above guess and federation', () => {
    expect(wordOf(ask([row(found), row({ step: 'client' })])).word).toBe('leaks-records')
    expect(wordOf(ask([row(found, 0.8)])).word).toBe('inconclusive') // as good as the guess is not above it
    expect(wordOf(ask([row(found)], { federation: 0.95 })).word).toBe('inconclusive')
    expect(wordOf(ask([row(found)], { guess: null, federation: null })).word).toBe('leaks-records')
    expect(wordOf(ask([row(found, null)])).word).toBe('inconclusive')
  })

  test('leaks the client: the client step likewise, after the record step', () => {
    expect(wordOf(ask([row(), row({ ...found, step: 'client' })])).word).toBe('leaks-client')
    expect(wordOf(ask([row(found), row({ ...found, step: 'client' })])).word).toBe('leaks-records')
    expect(wordOf(ask([row(found, 0.7), row({ ...found, step: 'client' })])).word).toBe('leaks-client')
    expect(wordOf(ask([row(), row({ ...found, step: 'client' }, 0.75)])).word).toBe('inconclusive')
  })

  test('a property has no rungs', () => {
    expect(wordOf(ask([row({ ...found, step: 'property' }, null)], { guess: null, federation: null })).word).toBe(
      'leaks-client',
    )
  })

  test('none found and known anyway: nothing rejected, both upper ends below the margin', () => {
    const both = [row(), row({ step: 'client' })]
    expect(wordOf(ask(both)).word).toBe('none-found')
    expect(wordOf(ask(both, { federation: 0.85 })).word).toBe('known-anyway')
    expect(wordOf(ask(both, { federation: null })).word).toBe('none-found')
    expect(wordOf(ask([row(), row({ step: 'client', ...wide })])).word).toBe('inconclusive')
    expect(wordOf(ask([row(wide), row({ step: 'client' })])).word).toBe('inconclusive')
    const edge = { interval: { low: 0, high: 0.1, confidence: 0.95, of: 'trainings' } } as const
    expect(wordOf(ask([row(edge)])).word).toBe('inconclusive')
  })

  test('a step that was not tested leaves the question open, and hides no leak', () => {
    const half = wordOf(ask([row(), row({ ...few, step: 'client' })]))
    expect(half.word).toBe('inconclusive')
    expect(half.untested).toEqual(['too few repeats for the client step: it takes 7'])
    expect(wordOf(ask([row(found), row({ ...few, step: 'client' })])).word).toBe('leaks-records')
    expect(wordOf(ask([row(few), row({ ...found, step: 'client' })])).word).toBe('leaks-client')
  })

  test('of two record rows the worse decides', () => {
    expect(wordOf(ask([row(), row(found)])).word).toBe('leaks-records')
    expect(wordOf(ask([row(), row(wide)])).word).toBe('inconclusive')
  })
})

describe('how many repeats would settle it', () => {
  test('by narrowing below the margin, or by rejecting, whichever comes first', () => {
    // One training has a standard deviation of 0.3: 0.3 t / sqrt(S) < 0.09 needs S = 46 (t = 2.014).
    const open = row({ ...wide, deviation: 0.3 / Math.sqrt(10), leastRejected: 0.3 })
    expect(repeatsToSettle(open)).toBe(46)
    expect(wordOf(ask([open])).repeats).toBe(46)
    // An effect of 0.15 is never below the margin; 0.3 shrinks to 0.15 with four times the trainings.
    expect(repeatsToSettle(row({ ...wide, effect: 0.15, leastRejected: 0.3 }))).toBe(40)
    expect(repeatsToSettle(row({ ...wide, effect: 0.15, leastRejected: Number.POSITIVE_INFINITY }))).toBeNull()
    expect(repeatsToSettle(row({ ...wide, effect: 0.0999, deviation: 1, leastRejected: 9 }))).toBeNull()
  })
})

describe('at the edges', () => {
  const at = (high: number) => ({ interval: { low: 0, high, confidence: 0.95, of: 'trainings' as const } })
  const settles = (more: Partial<Judged>, margin = 0.1) => repeatsToSettle({ judged: judged(more), rung: 0.9, margin })

  test('a row whose upper end lies at the margin is as open as one beyond it', () => {
    // The other row is settled: what it takes is what the first one takes.
    const edge = wordOf(
      ask([row({ ...at(0.1), effect: 0.05, deviation: 0.03 }), row({ ...at(0.05), effect: 0.09, deviation: 0.1 })]),
    )
    expect(edge).toEqual({
      word: 'inconclusive',
      untested: [],
      repeats: settles({ ...at(0.1), effect: 0.05, deviation: 0.03 }),
    })
    expect(edge.repeats).not.toBeNull()
  })

  test('why a row was not tested, in words', () => {
    const why = (reason: 'no-look-yet' | 'too-few-draws' | 'too-few-repeats') =>
      wordOf(ask([row({ untested: { reason, repeats: 12 } })])).untested
    expect(why('no-look-yet')).toEqual(['the record step is looked at after 12 trainings'])
    expect(why('too-few-draws')).toEqual(['the record step has too few draws to reach its level'])
    expect(why('too-few-repeats')).toEqual(['too few repeats for the record step: it takes 12'])
  })

  test('of rows that are not tested the most trainings count, and one that is never settled decides', () => {
    const repeats = (...numbers: number[]) =>
      wordOf(ask(numbers.map((n) => row({ untested: { reason: 'too-few-repeats', repeats: n } })))).repeats
    expect([repeats(7, 30, 12), repeats(5)]).toEqual([30, 5])
    const never = row({ ...wide, effect: 0.15, leastRejected: Number.POSITIVE_INFINITY })
    expect(wordOf(ask([row({ ...wide, effect: 0.15, leastRejected: 0.3 }), never])).repeats).toBeNull()
  })

  test('never fewer trainings than there are or than a first test takes', () => {
    expect(settles({ effect: 0.15, leastRejected: 0.06 })).toBe(10)
    expect(settles({ effect: 0.15, leastRejected: 0.06, untested: { reason: 'no-look-yet', repeats: 25 } })).toBe(25)
    expect(settles({ effect: 0.15, leastRejected: 0.06, trainings: 1 })).toBe(1)
    expect(settles({ effect: 0.05, leastRejected: Number.POSITIVE_INFINITY, deviation: 0, trainings: 1 })).toBe(2)
    expect(settles({ effect: 0.05, leastRejected: Number.POSITIVE_INFINITY, deviation: 0, trainings: 2 })).toBe(2)
    expect(settles({ effect: 0.05, leastRejected: Number.POSITIVE_INFINITY, deviation: 0, trainings: 3 })).toBe(3)
  })

  test('an effect of nothing or below is never rejected, and one at the margin never excluded', () => {
    expect(settles({ effect: 0, leastRejected: 0, deviation: 10 })).toBeNull()
    expect(settles({ effect: -0.05, leastRejected: 0.05, deviation: 10 })).toBeNull()
    expect(settles({ effect: 0.05, leastRejected: Number.POSITIVE_INFINITY, deviation: 10 })).toBeNull()
    expect(settles({ effect: 0.1, deviation: 0, leastRejected: Number.POSITIVE_INFINITY })).toBeNull()
    expect(settles({ effect: 0.2, deviation: 0, leastRejected: Number.POSITIVE_INFINITY })).toBeNull()
    // The upper end has to lie below the margin, not at it: no deviation, and half of a margin that doubles exactly.
    expect(settles({ effect: 0.125, deviation: 0, leastRejected: Number.POSITIVE_INFINITY }, 0.25)).toBe(10)
  })

  test('a thousand trainings are the most that are spoken of', () => {
    // sqrt(1000 / 10) is 10: an effect a tenth of what is rejected takes 100 times the trainings.
    const open = { deviation: 100, effect: 0.5 }
    expect(settles({ ...open, leastRejected: 5 })).toBe(1000)
    expect(settles({ ...open, leastRejected: 5.01 })).toBeNull()
  })

  test('the last number of trainings that is tried is a thousand, with one degree of freedom less', () => {
    // The deviation of one training with which the half width is 0.05 after S of them.
    const one = (S: number) => (0.05 * Math.sqrt(S)) / studentQuantile(0.975, S - 1)
    const takes = (width: number) =>
      settles({ effect: 0.05, leastRejected: Number.POSITIVE_INFINITY, deviation: width / Math.sqrt(10) })
    for (const S of [11, 46, 999, 1000]) expect(takes(one(S) * (1 - 1e-9))).toBe(S)
    for (const S of [10, 45, 999]) expect(takes(one(S) * (1 + 1e-9))).toBe(S + 1)
    expect(takes(one(1000) * (1 + 1e-9))).toBeNull()
  })
})

describe('the word of an audit', () => {
  test('is the worst, with the number not tested; nothing tested is never none found', () => {
    expect(auditWord(['none-found', 'inconclusive', 'known-anyway'])).toEqual({
      word: 'inconclusive',
      tested: 3,
      notTested: 0,
    })
    expect(auditWord(['leaks-client', 'leaks-records', 'not-tested'])).toEqual({
      word: 'leaks-records',
      tested: 2,
      notTested: 1,
    })
    expect(auditWord(['known-anyway', 'none-found'])).toMatchObject({ word: 'known-anyway' })
    expect(auditWord(['not-tested', 'not-tested'])).toEqual({ word: 'not-tested', tested: 0, notTested: 2 })
    expect(auditWord([])).toEqual({ word: 'not-tested', tested: 0, notTested: 0 })
  })

  test('the order, and what is an alarm', () => {
    expect([...words, 'not-tested' as const].map(severity)).toEqual([0, 1, 2, 3, 4, 5])
    expect(words.map(isAlarm)).toEqual([true, true, false, false, false])
  })
})

test('the margin of an error is a share of it', () => {
  expect(marginOfError({ from: 0.4, best: 0, share: 0.25 })).toBeCloseTo(0.1, 12)
  expect(marginOfError({ from: 0.6, best: 1, share: 0.25 })).toBeCloseTo(0.1, 12)
})
