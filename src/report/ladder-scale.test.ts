import { expect, test } from 'vitest'
import type { Ladder } from '../audit/ladder/question.js'
import { type Drawn, drawnStep, placeOf, rungsOf, stepEnds } from './ladder-scale.js'

const ladder = (more: object = {}): Ladder =>
  ({
    guess: 0.5,
    federation: 0.6,
    everybody: null,
    client: 0.7,
    record: 0.9,
    best: 1,
    better: 'higher',
    ...more,
  }) as Ladder
const question = (more: object = {}): Drawn =>
  ({ target: 'c', ladder: ladder(), test: { client: null, record: null }, level: 'none', ...more }) as unknown as Drawn

test('rungs that a question has', () => {
  expect(rungsOf(question()).map(({ letter, value }) => [letter, value])).toEqual([['g', 0.5], ['f', 0.6], ['c', 0.7], ['r', 0.9]]) // biome-ignore format: a list
  const property = (more: object) =>
    rungsOf(question({ target: null, ladder: ladder({ federation: null, ...more }) })).map((one) => Object.values(one))
  expect(property({})).toEqual([['guess', 'g', 0.5], ['record', 'p', 0.9]]) // biome-ignore format: a list
  expect(property({ record: null })).toEqual([['guess', 'g', 0.5], ['record', 'p', 0.7]]) // biome-ignore format: a list
  expect(property({ record: null, client: null, guess: null })).toEqual([])
  expect(rungsOf(question({ target: null }))).toHaveLength(4)
})

test.each([
  [{}, 0.75, 0.5],
  [{}, 1.5, 1],
  [{}, 0.4, -0.2],
  [{}, 0, -0.3],
  [{}, Number.NaN, null],
  [{ guess: null }, 0.8, 0.5],
  [{ best: null }, 0.7, 0.5],
  [{ best: null, better: 'lower', record: 0.1, client: 0.2 }, 0.3, 0.5],
  [{ best: 0.5 }, 0.5, 0],
  [{ best: 0.5 }, 0.6, 1],
  [{ best: 0.5 }, 0.4, -0.3],
  [{ best: 0.5, better: 'lower' }, 0.4, 1],
  [{ best: 0.5, better: 'lower' }, 0.6, -0.3],
  [{ guess: null, federation: null, client: null, record: null }, 0.6, null],
])('on the ladder %j the score %d lies at %j', (more, value, place) => {
  const found = placeOf(ladder(more))(value)
  if (place === null) expect(found).toBeNull()
  else expect(found).toBeCloseTo(place, 12)
})

test('the step that is drawn, and its ends', () => {
  const tests = { client: { interval: [0.1, 0.2] }, record: { interval: [-0.1, 0.3] } }
  expect(drawnStep(question({ test: tests }))).toEqual({ from: 'client', to: 'record', test: tests.record })
  expect(drawnStep(question({ test: tests, level: 'leaks-client' }))).toEqual({ from: 'federation', to: 'client', test: tests.client }) // biome-ignore format: a line
  expect(drawnStep(question({ test: { ...tests, record: null } })).from).toBe('federation')
  const property = { target: null, ladder: ladder({ federation: null }) }
  expect(drawnStep(question({ ...property, test: tests }))).toEqual({ from: 'guess', to: 'record', test: tests.client })
  expect(drawnStep(question({ ...property, test: { ...tests, client: null } })).test).toBe(tests.record)
  const ends = (more: object) => stepEnds(question({ test: tests, ...more }))?.map((x) => Number(x.toFixed(6))) ?? null
  expect(ends({})).toEqual([0.6, 1])
  expect(ends({ ladder: ladder({ better: 'lower' }) })).toEqual([0.8, 0.4])
  expect(ends({ ladder: ladder({ client: null }) })).toBeNull()
  expect(ends({ test: { client: null, record: null } })).toBeNull()
  expect(ends({ test: { client: null, record: { interval: null } } })).toBeNull()
  expect(ends({ test: { client: null, record: { interval: [Number.NEGATIVE_INFINITY, 1] } } })).toBeNull()
  expect(ends({ test: { client: null, record: { interval: [0, Number.POSITIVE_INFINITY] } } })).toBeNull()
})
