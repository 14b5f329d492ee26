import { describe, expect, test } from 'vitest'
import { resultWith } from '../../../test/audit-results.js'
import type { Answer } from './answer.js'
import { type AskedResult, askedQuestions, evidenceOf } from './asked-results.js'

const answer = (change: Partial<Answer> = {}): Answer => ({
  ...{ kind: 'attribute', name: 'union', metric: 'AUC', better: 'higher', best: 1, how: 'swap' },
  ...{ trained: [0.7, 0.6], held: [0.6, 0.7], contrast: [1, -1] },
  ...change,
})
interface Ran {
  readonly id?: string
  readonly repeat?: number
  readonly answers?: readonly Answer[]
  readonly observer?: 'eavesdropper' | 'server'
  readonly alsoFor?: readonly 'server'[]
  readonly aim?: string
  readonly target?: string
  readonly params?: Readonly<Record<string, unknown>>
}
function ran({ id = 'a', repeat = 0, answers, observer = 'eavesdropper', alsoFor = [], ...more }: Ran): AskedResult {
  const { aim = 'attribute', target = '0', params = {} } = more
  const result = { ...resultWith(), attack: id, params, findings: [], target, model: null }
  return {
    planned: { job: { attack: id, params, observer, target, seed: 1, controls: false }, alsoFor },
    attack: { id, target: aim },
    result: { ...result, ...(answers && { ladder: { repeat, answers } }) },
  } as AskedResult
}
const asked = (...runs: Ran[]) =>
  askedQuestions(runs.map(ran), { observers: ['eavesdropper', 'server'], repeats: 2 }).map((one) => ({
    of: [one.observer, one.target, one.kind, one.name],
    attacks: one.attacks.map(({ id, answers }) => [id, ...answers.map((found) => found?.trained[0])]),
  }))

describe('questions', () => {
  test('are those of an observer, who may hear what another does', () => {
    const heard = asked({ answers: [answer()], alsoFor: ['server'] })
    expect(heard.map(({ of }) => of[0])).toEqual(['eavesdropper', 'server'])
    expect(asked({ answers: [answer()], observer: 'server' }).map(({ of }) => of[0])).toEqual(['server'])
  })

  test('have the answers of each training at its place, of their kind, name and metric alone', () => {
    const first = [
      answer({ name: 'age', metric: 'MAE', trained: [1, 1] }),
      answer({ kind: 'members', name: 'union', trained: [2, 2] }),
      answer({ metric: 'accuracy', trained: [3, 3] }),
      answer({ trained: [4, 4] }),
    ]
    expect(asked({ answers: first }, { repeat: 1, answers: [answer({ trained: [5, 5] })] })).toEqual([
      { of: ['eavesdropper', '0', 'attribute', 'age'], attacks: [['a', 1, undefined]] },
      { of: ['eavesdropper', '0', 'attribute', 'union'], attacks: [['a', 3, undefined]] },
      { of: ['eavesdropper', '0', 'attribute', 'union'], attacks: [['a', 4, 5]] },
      { of: ['eavesdropper', '0', 'members', 'union'], attacks: [['a', 2, undefined]] },
    ])
  })

  test('name the attacks that were to answer and did not, but not those that answered another', () => {
    const found = asked({ id: 'a', answers: [answer()] }, { id: 'b' }, { id: 'c', answers: [answer({ name: 'age' })] })
    expect(found).toEqual([
      { of: ['eavesdropper', '0', 'attribute', 'union'], attacks: [['a', 0.7, undefined], ['b', undefined, undefined]] },
      { of: ['eavesdropper', '0', 'attribute', 'age'], attacks: [['b', undefined, undefined], ['c', 0.7, undefined]] },
    ]) // biome-ignore format: lists
    expect(asked({ id: 'a' }, { id: 'b', aim: 'members' })).toEqual([
      { of: ['eavesdropper', '0', 'attribute', null], attacks: [['a', undefined, undefined]] },
      { of: ['eavesdropper', '0', 'members', null], attacks: [['b', undefined, undefined]] },
    ])
  })

  test('differ by target, and attacks by their parameters', () => {
    const found = asked(
      { answers: [answer()], target: '1' },
      { answers: [answer()] },
      { answers: [answer()], params: { x: 1 } },
    )
    expect(found.map(({ of, attacks }) => [of[1], attacks.length])).toEqual([['1', 1], ['0', 2]]) // biome-ignore format: one line
  })

  test('are none where nobody attacks', () => {
    expect(asked({ answers: [answer({ how: 'none' })] })).toEqual([])
    expect(asked({ answers: [answer({ how: 'none' })] }, { id: 'b', answers: [answer()] })).toHaveLength(1)
  })
})

test('evidence is what counts: not the words, nor attacks that only fill rungs', () => {
  const evidence = (...runs: Ran[]) =>
    askedQuestions(runs.map(ran), { observers: ['eavesdropper'], repeats: 1 }).map(evidenceOf)[0]
  const one = evidence({ answers: [answer()] })
  expect(evidence({ answers: [answer({ federation: 0.9 })] })).toBe(one)
  expect(evidence({ answers: [answer()] }, { id: 'b', answers: [answer({ how: 'none' })] })).toBe(one)
  expect(evidence({ answers: [answer({ held: [0.6, 0.8] })] })).not.toBe(one)
  expect(evidence({ answers: [answer()] }, { id: 'b', answers: [answer()] })).not.toBe(one)
})
