import { describe, expect, test } from 'vitest'
import type { AttackResult } from '../attack-result.js'
import type { Question } from '../ladder/question.js'
import { clientWords, decidedQuestions, type RecordedWorld } from './decided-questions.js'

const asked = (level: string, more: object = {}) =>
  ({ kind: 'labels', name: null, target: 'a', level, gaps: [], ladder: { metric: 'accuracy' }, test: { record: null, client: null }, ...more }) as unknown as Question // biome-ignore format: a line
const world: RecordedWorld = { heard: 'updates', tampered: false, noneHeldBack: null }
const of = (questions: Question[], more: Partial<RecordedWorld> = {}, results: object[] = []) =>
  decidedQuestions(questions, results as AttackResult[], { ...world, ...more })
const others =
  'what other trainings of this setting would leak: a recording is one of them, and a simulation tells of the rest'

test('questions with the same to tell are told once, alarms first, copies of others never', () => {
  const { decided, open, lacking } = of([
    asked('none-found', { target: 'b' }),
    asked('none-found'),
    asked('none-found', { target: null }),
    asked('leaks-records', { name: 'union', kind: 'attribute' }),
    asked('leaks-client', { sameAs: 'another' }),
    asked('not-tested', { target: 'c', notTested: 'no records' }),
    asked('not-tested', { target: 'd' }),
    asked('not-tested', { target: 'b', notTested: 'answered elsewhere' }),
    asked('not-tested', { target: 'b', kind: 'members', notTested: 'no records' }),
    asked('not-tested', { target: 'b', name: 'x', notTested: 'no records' }),
  ])
  expect(decided).toEqual([
    { what: 'union', clients: ['a'], why: 'leaks records' },
    { what: 'labels', clients: ['b', 'a'], why: 'no leak found' },
  ])
  expect(open).toEqual([])
  expect(lacking).toEqual([
    { what: 'labels', clients: ['c'], why: 'no records' },
    { what: 'labels', clients: ['d'], why: '' },
    { what: 'members', clients: ['b'], why: 'no records' },
    { what: 'x', clients: ['b'], why: 'no records' },
  ])
})

test('what would have been seen of open questions', () => {
  const test = (record: number | null, client?: number) =>
    ({ record: record === null ? null : { leastSeen: record }, client: client === undefined ? null : { leastSeen: client } }) // biome-ignore format: a line
  const why = (...tests: object[]) => of(tests.map((one, i) => asked('inconclusive', { target: `${i}`, test: one }))).open[0]!.why // biome-ignore format: a line
  expect(why(test(null))).toBe('no step would have been seen, however large')
  expect(why(test(0.25))).toBe('a step of 0.250 accuracy would have been seen')
  expect(why(test(0.25), test(0.5), test(0.125, 0.9))).toBe('a step of 0.125 to 0.500 accuracy would have been seen')
  expect(why(test(null, 0.3))).toBe('a step of 0.300 accuracy would have been seen')
  const { open } = of([
    asked('inconclusive', { test: test(0.5) }),
    asked('inconclusive', { kind: 'members', test: test(0.25) }),
    asked('none-found', { target: 'z', test: test(0.1) }),
  ])
  expect(open.map(({ what, why: told }) => [what, told.split(' ')[3]])).toEqual([['labels', '0.500'], ['members', '0.250']]) // biome-ignore format: a line
})

describe('what no single recording decides', () => {
  const never = (more: Partial<RecordedWorld>, questions: Question[] = [], results: object[] = []) =>
    of(questions, more, results).never

  test('where sums or models alone were heard, or nothing was held back', () => {
    expect(never({})).toEqual([others])
    expect(never({ noneHeldBack: [] })).toEqual([others])
    expect(never({ noneHeldBack: ['a'] })).toEqual([
      expect.stringMatching(/of client a: none of their records/),
      others,
    ])
    expect(never({ heard: 'sums' })).toEqual([expect.stringMatching(/sums alone were heard$/), others])
    expect(never({ heard: 'models' })).toEqual([expect.stringMatching(/only the models that all are sent/), others])
    const gaps = [asked('none-found', { gaps: ['one gap', 'another'] }), asked('none-found', { gaps: ['one gap'] })]
    expect(never({}, gaps)).toEqual(['one gap', 'another', others])
    expect(never({ heard: 'sums' }, gaps)).toHaveLength(2)
  })

  test('where nobody was sent a model of its own, and of contributions', () => {
    const sending = [
      { attack: 'x', missing: ['channel'] },
      { attack: 'x', missing: ['channel'] },
      { attack: 'told', missing: ['channel'], oracle: true },
      { attack: 'z', missing: ['records'] },
      { attack: 'w' },
    ]
    expect(never({}, [], sending)).toEqual([
      'what a server learns that sends models of its own making (x): everybody was sent the same',
      others,
    ])
    expect(never({ tampered: true }, [], sending)).toEqual([others])
    const worth = 'what each client is worth to the model: that takes trainings without it'
    expect(never({}, [asked('not-tested', { kind: 'contribution' })])).toEqual([worth, others])
    expect(never({}, [asked('none-found', { kind: 'contribution' }), asked('not-tested')])).toEqual([others])
  })
})

test('clients in words', () => {
  const words = ['a', 'b', 'c', 'd', 'e'].map((_, i, all) => clientWords(all.slice(0, i + 1)))
  expect(words).toEqual(['client a', 'clients a, b', 'clients a, b, c', 'clients a, b and 2 more', 'clients a, b and 3 more']) // biome-ignore format: a line
})
