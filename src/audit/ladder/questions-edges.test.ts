import { describe, expect, test } from 'vitest'
import { resultWith } from '../../../test/audit-results.js'
import { rng } from '../../numeric/random/rng.js'
import type { AttackResult } from '../attack-result.js'
import type { Answer } from './answer.js'
import type { AskedResult } from './asked-results.js'
import type { Question } from './question.js'
import { type QuestionOptions, questionsOf } from './questions.js'

const options: QuestionOptions = {
  ...{ observers: ['eavesdropper'], repeats: 10, alpha: 0.05, margin: 0.1, errorMargin: 0.25, seed: 1 },
  ...{ broken: new Set(), diverged: {} },
}
interface Kind {
  readonly how?: 'swap' | 'relabel'
  /** By how much trained records are told better. */
  readonly leak?: number
  readonly level?: number
  readonly noise?: number
}
/** Scores around a level, with noise of their own in every training; of errors less is better. */
function answer(
  repeat: number,
  { how = 'swap', leak = 0, level = 0.6, noise = 0.02 }: Kind,
  more: Partial<Answer> = {},
): Answer {
  const draws = rng(5).fork(repeat, how)
  const draw = () => level + noise * draws.normal()
  const M = how === 'swap' ? 1 : 49
  const sign = more.better === 'lower' ? -1 : 1
  const pairs = Array.from({ length: M + 1 }, (_, k) => [draw() + (k === 0 ? sign * leak : 0), draw()] as const)
  const [[a, b]] = pairs as [readonly [number, number]]
  return {
    ...{ kind: 'attribute', name: 'union', metric: 'AUC', better: 'higher', best: 1, how },
    trained: how === 'swap' ? [a, b] : pairs.map(([own]) => own),
    held: how === 'swap' ? [b, a] : pairs.map(([, own]) => own),
    contrast: how === 'swap' ? [1, -1] : pairs.map((_, k) => (k === 0 ? 1 : 0)),
    ...more,
  }
}
const runs = (
  attack: string,
  answers: (repeat: number) => readonly Answer[],
  more: Partial<AttackResult> = {},
  target = 'attribute',
) =>
  Array.from({ length: 10 }, (_, repeat): AskedResult => {
    const result = { ...resultWith(), attack, params: {}, findings: [], target: '0', model: null, ...more }
    return {
      planned: {
        job: { attack, params: {}, observer: 'eavesdropper', target: '0', seed: 1, controls: false },
        alsoFor: ['server'],
      },
      attack: { id: attack, target },
      result: { ...result, ladder: { repeat, answers: answers(repeat) } },
    } as AskedResult
  })
const first = (asked: readonly AskedResult[], more: Partial<QuestionOptions> = {}): Question =>
  questionsOf(asked, { ...options, ...more })[0]!
const plain = (kind: Kind, more: Partial<Answer> = {}) => runs('a', (repeat) => [answer(repeat, kind, more)])
const seats = (own: number) =>
  Array.from({ length: 6 }, (_, i) => Array.from({ length: 6 }, (_, j) => 0.6 + (i === j ? own : 0.001 * i)))

test('a question repeats another only where it asks the same of the same client and model', () => {
  const of = (more: Partial<AttackResult>, answered: Partial<Answer> = {}) =>
    runs('a', (repeat) => [answer(repeat, { leak: 0.3 }, answered)], more)
  const told = (asked: AskedResult[]) =>
    questionsOf(asked, { ...options, observers: ['eavesdropper', 'server'] }).map(({ observer, sameAs }) => [
      observer,
      sameAs,
    ])
  const twice = [['eavesdropper', undefined], ['eavesdropper', undefined], ['server', 'eavesdropper'], ['server', 'eavesdropper']] // biome-ignore format: a line
  expect(told([...of({ target: '0' }), ...of({ target: '1' })])).toEqual(twice)
  expect(told([...of({ model: 'm' }), ...of({ model: 'n' })])).toEqual(twice)
  const both = (...two: [Partial<Answer>, Partial<Answer>]) => runs('a', (repeat) => two.map((one) => answer(repeat, { leak: 0.3 }, one))) // biome-ignore format: a line
  expect(told(both({ name: 'union' }, { name: 'age' }))).toEqual(twice)
  expect(told(both({ kind: 'attribute', name: null }, { kind: 'labels', name: null }))).toEqual(twice)
})

test('a model that diverged takes no share of the level from the others', () => {
  const own = runs('a', (repeat) => [answer(repeat, { leak: 0.02, noise: 0.03 })], { model: 'm' })
  const gone = runs('a', (repeat) => [answer(repeat, { how: 'relabel', leak: 0.3 })], { model: 'gone' })
  const beside = questionsOf([...own, ...gone], { ...options, diverged: { gone: 'training 3' } })
  expect(beside.map(({ level }) => level === 'not-tested')).toEqual([false, true])
  expect(beside[0]!.test).toEqual(first(own).test)
})

describe('a margin', () => {
  const error = { metric: 'MAE', better: 'lower', best: 0 } as const
  test('of an error is a share of it, in its own unit', () => {
    // An interval of some units lies below a fourth of a hundred, and not below a tenth.
    expect(first(plain({ level: 100, noise: 4 }, error)).level).toBe('none-found')
    expect(first(plain({ level: 10, noise: 4 }, error)).level).toBe('inconclusive')
  })

  test('of a figure without a best is a share of its distance from 0', () => {
    const loss = first(plain({ level: 1 }, { metric: 'loss', better: 'lower', best: null }))
    expect(loss.level).toBe('none-found')
    const { client, record } = loss.ladder
    expect(loss.test.record!.errorRemoved).toBeCloseTo((record! - client!) / -client!, 12)
  })
})

describe('the step of records', () => {
  const both = (list: Kind, each: Kind) =>
    first([...runs('a', (repeat) => [answer(repeat, { ...list, how: 'swap' })]), ...runs('b', (repeat) => [answer(repeat, { ...each, how: 'relabel' })])]).test.record! // biome-ignore format: a line

  test('is that of the row which says more: the surer one, of equals the larger', () => {
    // Far below the others, so that no row takes the best of another.
    expect(both({ leak: 0.3, level: 0.65 }, { level: 0.3 }).effect).toBeGreaterThan(0.25)
    expect(both({ level: 0.3 }, { leak: 0.3, level: 0.65 }).effect).toBeGreaterThan(0.25)
    const [a, b] = [both({ leak: -0.2, level: 0.9 }, { leak: -0.1, level: 0.3 }), both({ leak: -0.1, level: 0.9 }, { leak: -0.2, level: 0.3 })] // biome-ignore format: a line
    expect([a.adjusted, b.adjusted]).toEqual([1, 1])
    expect(Math.max(a.effect, b.effect)).toBeLessThan(0)
  })

  test('of one training alone has no interval, and nothing would have been seen', () => {
    const one = first(plain({ leak: 0.3 }).slice(0, 1), { repeats: 1 })
    expect(one).toMatchObject({
      level: 'not-tested',
      test: { record: { interval: null, leastSeen: null, repeats: 1 } },
    })
    expect(one.notTested).toMatch(/too few repeats/)
    for (const key of ['unheard', 'each']) expect(one.test.record).not.toHaveProperty(key)
    expect(one).not.toHaveProperty('unheard')
  })
})

describe('the step of the client', () => {
  const asked = (more: Partial<Answer> = {}) => plain({ how: 'relabel' }, { seats: seats(0.2), ...more })

  test('removes a share of what a federation without it leaves, where that is known', () => {
    const { ladder, test: step, gaps } = first(asked({ federation: 0.5 }))
    expect(step.client!.errorRemoved).toBeCloseTo((ladder.client! - 0.5) / 0.5, 12)
    expect(step.record!.errorRemoved).toBeCloseTo((ladder.record! - ladder.client!) / (1 - ladder.client!), 12)
    expect(gaps).toEqual([])
    expect(first(asked()).test.client!.errorRemoved).toBeNull()
  })

  test('lists nobody, though it knows of people; a ranking of clients does', () => {
    const people = { trained: [{ id: 'p', right: true, sure: 1 }], held: [] }
    const alarmed = first(asked({ federation: 0.5, people, sureness: [[14, 60, 60]] }))
    expect([alarmed.level, alarmed.exposed]).toEqual(['leaks-client', null])
    expect(first(plain({}, { people, sureness: [[14, 60, 60]] })).exposed).toBeNull()
    expect(first(plain({ leak: 0.3 }, { people, sureness: [[14, 60, 60]] })).exposed).toMatchObject({ ids: ['p'] })
  })

  test('is no gap of members, of rankings of clients, or of what was not tested', () => {
    const gap = /^the client step: it takes/
    expect(first(plain({ how: 'relabel' })).gaps).toEqual([expect.stringMatching(gap)])
    expect(first(runs('a', (repeat) => [answer(repeat, { how: 'relabel' }, { kind: 'members', name: null })], {}, 'members')).gaps).toEqual([]) // biome-ignore format: a line
    expect(first(runs('a', (repeat) => [answer(repeat, { how: 'relabel' })], { target: null })).gaps).toEqual([])
    const time = { code: 'E_TIME', message: 'stopped' }
    const stopped = runs('slow', () => [], { status: 'failed', error: time })
    const silent = first([...plain({ how: 'relabel' }), ...stopped])
    expect([silent.level, silent.gaps]).toEqual(['not-tested', []])
    expect(silent).not.toHaveProperty('unheard')
    expect(first(plain({}))).not.toHaveProperty('unheard')
  })
})

test('what a federation seems to know is no knowledge where that is luck', () => {
  const guess = { words: 'a guess', trained: 0.5, held: 0.5 }
  const of = (federation: (repeat: number) => number) =>
    first(runs('a', (repeat) => [answer(repeat, {}, { guess, federation: federation(repeat) })])).level
  expect(of(() => 0.52)).toBe('known-anyway')
  expect(of((repeat) => (repeat % 2 === 0 ? 0.7 : 0.34))).toBe('none-found')
  expect(of(() => 0.5)).toBe('none-found')
})
