import { expect, test } from 'vitest'
import { calibrationErrorOf, reliabilityOf } from './sureness.js'

test('claims by tenths of their confidence: what would come true, what did, how many there are', () => {
  // Log odds -14 are a millionth, 0 a half, 0.2 0.5498, 1.75 0.8520, 14 all but a millionth.
  const found = reliabilityOf([[-14, 0, 2], [0, 3, 10], [0.2, 1, 1], [1.75, 2, 4], [14, 5, 5]]) // biome-ignore format: claims
  expect(found).toEqual([
    [expect.closeTo(0, 5), 0, 2],
    [expect.closeTo(5 + 0.549834, 6), 4, 11],
    [expect.closeTo(4 * 0.851953, 5), 2, 4],
    [expect.closeTo(5, 5), 5, 5],
  ])
  expect(calibrationErrorOf(found)).toBeCloseTo((1.549834 + (4 * 0.851953 - 2)) / 22, 5)
  expect(reliabilityOf([])).toEqual([])
  expect(calibrationErrorOf([[0.5, 1, 1]])).toBe(0.5)
  expect(reliabilityOf([[0.1, 1, 1]])).toHaveLength(1)
})
