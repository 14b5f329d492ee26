import { describe, expect, test } from 'vitest'
import type { AttackResult } from '../attack-result.js'
import { conclusions, moreKnowledge, separableIn, turnsOf } from './recording-facts.js'

test('the fewest turns, those of the middle client, and the most', () => {
  expect(turnsOf([])).toBeNull()
  expect(turnsOf([4])).toEqual([4, 4, 4])
  expect(turnsOf([9, 10, 2])).toEqual([2, 9, 10])
  expect(turnsOf([9, 10, 2, 1])).toEqual([1, 9, 10])
})

test('clients whom sums isolate', () => {
  expect(separableIn([])).toBeNull()
  expect(separableIn([[], []])).toBeNull()
  expect(separableIn([['a', 'b'], ['a', 'b']])).toEqual({ clients: 0, roundsMissing: 1 })
  expect(separableIn([['a', 'b'], ['a']])).toEqual({ clients: 2, roundsMissing: 0 })
  expect(separableIn([['a', 'b'], ['b', 'c'], ['a'], ['d', 'e', 'f']])).toEqual({ clients: 3, roundsMissing: 2 })
}) // biome-ignore format: lists

test('attacks that lack nothing but knowledge, by what they lack', () => {
  const of = (attack: string, missing: string[] | undefined, observer = 'server', status = 'not-applicable') =>
    ({ status, attack, observer, ...(missing !== undefined && { missing }) }) as unknown as AttackResult
  const found = moreKnowledge([
    of('one', ['sensitive', 'records.features', 'records.labels']),
    of('two', ['records', 'sensitive'], 'eavesdropper'),
    of('one', ['sensitive', 'records']),
    of('three', ['auxiliary']),
    of('four', ['auxiliary', 'model']),
    of('five', []),
    of('six', undefined),
    of('seven', ['candidates'], 'server', 'failed'),
  ])
  expect(found).toEqual([
    { keys: ['records', 'sensitive'], attacks: ['one', 'two'], observers: ['server', 'eavesdropper'] },
    { keys: ['auxiliary'], attacks: ['three'], observers: ['server'] },
  ])
})

describe('what can be concluded', () => {
  const facts = { ungraded: [], heard: 'sums', separable: null, truth: true, knowledge: true, opaque: false, clients: 5, lint: [] } // biome-ignore format: a list
  const of = (more: object) => conclusions({ ...facts, ...more } as never)

  test('nothing, where nothing speaks for it', () => {
    expect(of({})).toEqual({ can: [], cannot: [] })
    expect(of({ heard: 'models' })).toEqual({ can: [], cannot: [] })
    expect(of({ heard: 'updates' }).can).toEqual(['every client whose messages were heard can be attacked alone'])
  })

  test('of models that stand, of errors, of sums', () => {
    const model = { standing: 'stands', kind: 'model', client: 'a' }
    const others = [
      { standing: 'doubtful', kind: 'model', client: 'b' },
      { standing: 'stands', kind: 'labels', client: 'c' },
      { standing: 'stands', kind: 'model', client: null },
    ]
    expect(of({ ungraded: others }).can).toEqual([])
    const [told, ...none] = of({ ungraded: [model, ...others, model] }).can
    expect(none).toEqual([])
    expect(told).toMatch(/^whoever hears the messages of .*\ba\b.* learns a model of its own/)
    const findings = ['error', 'warning'].map((severity) => ({ severity, title: 'T', evidence: 'E', code: severity }))
    expect(of({ lint: findings }).can).toEqual(['T (error: E)'])
    const sums = (clients: number, roundsMissing: number) => of({ separable: { clients, roundsMissing } }).can
    expect(sums(0, 0)).toEqual(['no combination of the sums isolates a client'])
    expect(sums(1, 1)).toEqual([
      'combinations of the sums isolate 1 of 5 clients',
      'forecast: 1 more rounds of other groups isolate everybody',
    ])
  })

  test('and what cannot', () => {
    expect(of({ truth: false }).cannot).toEqual([expect.stringMatching(/^how near a claim is to the truth/)])
    expect(of({ knowledge: false }).cannot).toEqual([expect.stringMatching(/^what an adversary who knows some/)])
    expect(of({ opaque: true }).cannot).toEqual([expect.stringMatching(/it is opaque/)])
  })
})
