import fc from 'fast-check'
import { expect, test } from 'vitest'
import { midRanks, rankCorrelation } from './ranks.js'

const small = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 20 })

test('a rank is one more than those below plus half of the other equals', () => {
  fc.assert(
    fc.property(small, (values) => {
      const expected = values.map(
        (v) => values.filter((w) => w < v).length + (values.filter((w) => w === v).length + 1) / 2,
      )
      expect([...midRanks(values)]).toEqual(expected)
    }),
  )
})

test('the rank correlation with ties', () => {
  // From the documentation of scipy.stats.spearmanr: spearmanr([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]) = 0.82078268
  expect(rankCorrelation([1, 2, 3, 4, 5], [5, 6, 7, 8, 7])).toBeCloseTo(0.82078268, 8)
  expect(rankCorrelation([1, 2, 3], [10, 1000, 1001])).toBe(1)
  expect(rankCorrelation([1, 2, 3], [3, 2, 1])).toBe(-1)
})

test.each([
  [[], []],
  [[1], [2]],
  [
    [1, 1],
    [1, 2],
  ],
  [
    [1, 2],
    [3, 3],
  ],
])('no order, no correlation: %j %j', (a, b) => {
  expect(rankCorrelation(a, b)).toBeUndefined()
})
