import { expect, test } from 'vitest'
import { lowestClasses } from './lowest-classes.js'

const evidence = Float64Array.of(0.5, -1, 0, -2)
const lowest = (recordCount: number, take: 'auto' | 'smallest' | 'negative') =>
  lowestClasses(evidence, { recordCount, take })

test('the smallest: as many as records, in rising order', () => {
  expect(lowest(1, 'smallest')).toEqual([3])
  expect(lowest(3, 'smallest')).toEqual([3, 1, 2])
  expect(lowest(9, 'smallest')).toEqual([3, 1, 2, 0])
})

test('the negative: none at zero or above, and no more than records', () => {
  expect(lowest(9, 'negative')).toEqual([3, 1])
  expect(lowest(3, 'negative')).toEqual([3, 1])
  expect(lowest(1, 'negative')).toEqual([3])
})

test('of oneself: the smallest until they would be all, then the negative', () => {
  expect(lowest(3, 'auto')).toEqual([3, 1, 2])
  expect(lowest(4, 'auto')).toEqual([3, 1])
  expect(lowest(5, 'auto')).toEqual([3, 1])
})
