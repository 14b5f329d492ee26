import { expect, test } from 'vitest'
import { columnScales } from './column-scales.js'
import { polynomial } from './horner.js'

const columns = [Float64Array.of(1, 3, 5, 3), Float64Array.of(7, 7, 7, 7), Float64Array.of(-2, 2, -2, 2)]

test('mean and deviation over n; a constant column is only shifted', () => {
  expect(columnScales(columns, 'standardise')).toEqual([
    { shift: 3, scale: Math.SQRT2, min: 1, max: 5 },
    { shift: 7, scale: 1, min: 7, max: 7 },
    { shift: 0, scale: 2, min: -2, max: 2 },
  ])
})

test('least value and range, or nothing', () => {
  expect(columnScales(columns, 'min-max')).toEqual([
    { shift: 1, scale: 4, min: 1, max: 5 },
    { shift: 7, scale: 1, min: 7, max: 7 },
    { shift: -2, scale: 4, min: -2, max: 2 },
  ])
  expect(columnScales(columns, 'none').map(({ shift, scale, min, max }) => [shift, scale, min, max])).toEqual([
    [0, 1, 1, 5],
    [0, 1, 7, 7],
    [0, 1, -2, 2],
  ])
  expect(columnScales([], 'none')).toEqual([])
})

test("polynomials by Horner's rule", () => {
  expect([polynomial(2, [3, -1, 5]), polynomial(0, [3, -1, 5]), polynomial(9, [4]), polynomial(9, [])]).toEqual([
    15, 5, 4, 0,
  ])
})
