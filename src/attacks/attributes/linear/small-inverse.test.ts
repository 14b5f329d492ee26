import { expect, test } from 'vitest'
import { inverse } from './small-inverse.js'

test.each<[number[], number[]]>([
  [[4], [0.25]],
  [[-0.5], [-2]],
  [
    [0, 2, 4, 0],
    [0, 0.25, 0.5, 0],
  ],
  [
    [1, 2, 3, 4],
    [-2, 1, 1.5, -0.5],
  ],
  [
    [0, 0, 2, 1, 0, 0, 0, -4, 0],
    [0, 1, 0, 0, 0, -0.25, 0.5, 0, 0],
  ],
  [
    [2, 0, 0, 1, 1, 0, 0, 4, 1],
    [0.5, 0, 0, -0.5, 1, 0, 2, -4, 1],
  ],
])('of %j', (A, wanted) => {
  const found = inverse(Float64Array.from(A), Math.sqrt(A.length))
  expect(found).toHaveLength(wanted.length)
  for (const [at, x] of wanted.entries()) expect(found[at]).toBeCloseTo(x, 15)
})

test('the matrix stays as it was', () => {
  const A = Float64Array.of(1, 2, 3, 4)
  inverse(A, 2)
  expect([...A]).toEqual([1, 2, 3, 4])
})

test('of equal pivots the first is taken', () => {
  // [1 -6; 1 7]: over 13, and exact where the row of 1 and -6 is taken first.
  const [a, b, c, d] = inverse(Float64Array.of(1, -6, 1, 7), 2)
  expect([a, b, c, d]).toEqual([7 / 13, 6 / 13, -1 / 13, 1 / 13])
})
