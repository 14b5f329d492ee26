import { describe, expect, test } from 'vitest'
import { bestGuess, liftOf, scoreOf } from './score.js'

describe('lift', () => {
  test.each([
    [{ value: 0.959, chance: 0.795, better: 'higher' }, 0.8], // the example of the command's JSON
    [{ value: 1, chance: 0.3, better: 'higher' }, 1],
    [{ value: 0.3, chance: 0.3, better: 'higher' }, 0],
    [{ value: 0, chance: 0.5, better: 'higher' }, -1],
    [{ value: 1, chance: 1, better: 'higher' }, null],
    [{ value: 0, chance: 2, better: 'lower' }, 1],
    [{ value: 2, chance: 2, better: 'lower' }, 0],
    [{ value: 6, chance: 2, better: 'lower' }, -2],
    [{ value: 6, chance: 0, better: 'lower' }, null],
    [{ value: 1e300, chance: 1e-300, better: 'lower' }, null],
  ] as const)('%j: %s', (input, lift) => {
    if (lift === null) expect(liftOf(input)).toBeNull()
    else expect(liftOf(input)).toBeCloseTo(lift, 12)
  })
})

test('the best guess counts, the first of equals, and one that is no number does not', () => {
  const [a, b, c] = [
    { words: 'a', value: 1 },
    { words: 'b', value: 2 },
    { words: 'c', value: 2 },
  ]
  const nan = { words: 'nan', value: Number.NaN }
  expect(bestGuess([nan, a, b, c], 'higher')).toBe(b)
  expect(bestGuess([b, c, a, nan], 'lower')).toBe(a)
  expect(bestGuess([nan], 'lower')).toBeUndefined()
})

test('a score without a guess says why, and has no lift', () => {
  const parts = { metric: 'MAE', value: 1, better: 'lower', guesses: [], noGuess: 'no data' } as const
  expect(scoreOf(parts)).toMatchObject({ chance: null, lift: null, guesser: 'none: no data', interval: null })
})

test('a value that is not finite is an error; a secondary figure that is not is left out', () => {
  const parts = { metric: 'MAE', better: 'lower', guesses: [] } as const
  expect(() => scoreOf({ ...parts, value: Number.NaN })).toThrow('the MAE of the claim is NaN')
  const also = { a: 1, b: Number.POSITIVE_INFINITY, c: Number.NaN }
  expect(scoreOf({ ...parts, value: 0, also }).also).toEqual({ a: 1 })
})
