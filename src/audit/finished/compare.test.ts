import { expect, test } from 'vitest'
import { documentWith, questionWith, stepWith } from '../../../test/audit-results.js'
import { compareText } from '../../report/compare-text.js'
import { compareAudits } from './compare.js'

const step = (effect: number, half: number | null) =>
  stepWith({ effect, interval: half === null ? null : [effect - half, effect + half] })
const audit = (effect: number, half: number | null, more: Parameters<typeof questionWith>[0] = {}) =>
  documentWith([], { questions: [questionWith({ test: { record: step(effect, half), client: null }, ...more })] })

test('a step that moved by more than both intervals in squares, and one that did not', () => {
  const [moved] = compareAudits(audit(0.5, 0.03), audit(0.44, 0.04)).questions[0]!.steps
  expect(moved!.change).toBeCloseTo(-0.06, 12)
  expect(moved!.interval![0]).toBeCloseTo(-0.11, 12)
  expect(moved!.interval![1]).toBeCloseTo(-0.01, 12)
  expect(moved!.beyondNoise).toBe(true)
  expect(compareAudits(audit(0.5, 0.03), audit(0.46, 0.04)).questions[0]!.steps[0]!.beyondNoise).toBe(false)
  expect(compareAudits(audit(0.5, 0.03), audit(0.1, null)).questions[0]!.steps[0]).toMatchObject({
    interval: null,
    beyondNoise: null,
  })
})

test('words that changed, alarms that came and went, questions of one audit alone', () => {
  const before = documentWith([], {
    questions: [questionWith(), questionWith({ name: 'sex', level: 'none-found' }), questionWith({ name: 'age' })],
  })
  const after = documentWith([], {
    questions: [
      questionWith({ level: 'none-found' }),
      questionWith({ name: 'sex' }),
      questionWith({ observer: 'malicious-server', name: 'sex', sameAs: 'server' }),
    ],
  })
  const found = compareAudits(before, after)
  expect(found.questions.map(({ about, before: a, after: b }) => [about, a, b])).toEqual([
    ['union of client 0', 'leaks-records', 'none-found'],
    ['sex of client 0', 'none-found', 'leaks-records'],
    ['age of client 0', 'leaks-records', null],
  ])
  expect([found.raised, found.settled]).toEqual([1, 2])
  const text = compareText(found)
  expect(text).toMatch(
    /^verdict: LEAKS RECORDS -> LEAKS RECORDS\n1 new alarm, 2 gone; 0 steps moved by more than noise\n/,
  )
  expect(text).toContain('leaks records -> not asked')
})

test('another metric is no step to compare', () => {
  const other = audit(0.1, 0.01, { ladder: { metric: 'MAE' } })
  expect(compareAudits(audit(0.5, 0.01), other).questions[0]!.steps).toEqual([])
})
