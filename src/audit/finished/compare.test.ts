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

const paired = (effect: number, each: readonly number[], seed: number, data = 'a') =>
  ({
    ...documentWith([], { questions: [questionWith({ test: { record: stepWith({ effect, each, interval: [effect - 0.2, effect + 0.2] }), client: null } })] }),
    scenario: { seed, data: { name: data }, partition: {}, heldBack: 0.5 },
  }) as unknown as Parameters<typeof compareAudits>[0] // biome-ignore format: lists

test('audits that dealt the same records are compared training by training', () => {
  const [a, b] = [[0.1, 0.5, 0.9], [0.05, 0.44, 0.86]] // biome-ignore format: a pair
  const step = (other: Parameters<typeof compareAudits>[0]) =>
    compareAudits(paired(0.5, a!, 1), other).questions[0]!.steps[0]!
  // Differences -0.05, -0.06, -0.04: mean -0.05, standard error 0.01 / sqrt(3), t(2) at 97.5 % is 4.3027.
  const close = step(paired(0.45, b!, 1))
  expect(close).toMatchObject({ paired: true, beyondNoise: true })
  expect(close.interval![0]).toBeCloseTo(-0.05 - (4.302653 * 0.01) / Math.sqrt(3), 6)
  for (const other of [paired(0.45, b!, 2), paired(0.45, b!.slice(1), 1), paired(0.45, b!, 1, 'other data')]) {
    expect(step(other)).toMatchObject({ paired: false, beyondNoise: false })
  }
  expect(compareText(compareAudits(paired(0.5, a!, 1), paired(0.45, b!, 1)))).toMatch(
    /\npaired: .*1 of 1 steps .*training by training$/,
  )
})

test('rungs that moved are named with both figures', () => {
  const before = documentWith([], { questions: [questionWith()] })
  const after = documentWith([], { questions: [questionWith({ ladder: { client: 0.7, record: 0.72 } })] })
  const found = compareAudits(before, after)
  expect(found.questions[0]!.rungs).toEqual([
    { rung: 'client', before: 0.88, after: 0.7 },
    { rung: 'record', before: 0.96, after: 0.72 },
  ])
  expect(compareText(found)).toContain('c 0.880 -> 0.700  r 0.960 -> 0.720')
})

test('what the scenarios say differently is told by its path, lists as a whole; of recordings nothing', () => {
  const scenario = (more: object) => ({ seed: 1, training: { rounds: 5, rate: 0.1 }, defences: [], ...more })
  const of = (one: object | null) =>
    ({ ...documentWith([]), scenario: one }) as unknown as Parameters<typeof compareAudits>[0]
  const noisy = { training: { rounds: 9, rate: 0.1 }, defences: [{ name: 'dp-sgd' }], extra: 'x' }
  const found = compareAudits(of(scenario({})), of(scenario(noisy)))
  expect(found.settings).toEqual([
    { path: 'training.rounds', before: '5', after: '9' },
    { path: 'defences', before: '[]', after: '[{"name":"dp-sgd"}]' },
    { path: 'extra', before: '', after: '"x"' },
  ])
  expect(compareText(found)).toContain('\nchanged: training.rounds: 5 -> 9\n')
  expect(compareText(found)).toContain('changed: extra: not said -> "x"')
  const many = Object.fromEntries(Array.from({ length: 15 }, (_, k) => [`k${k}`, k]))
  expect(compareText(compareAudits(of(scenario({})), of(scenario(many))))).toContain('\nand 3 more settings\n')
  expect(compareAudits(of(null), of(scenario({}))).settings).toEqual([])
  expect(compareAudits(of(scenario({})), of(scenario({}))).settings).toEqual([])
})
