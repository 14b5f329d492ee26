import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { figure, liftFigure } from './figures.js'

describe('a figure', () => {
  test.each([
    [0, '0.000'],
    [-0.12345, '-0.123'],
    [0.01, '0.010'],
    [0.00123, '0.0012'],
    [-0.0001, '-0.00010'],
    [0.00001, '1.00e-5'],
    [0.9999, '1.000'],
    [1, '1.00'],
    [99.994, '99.99'],
    [123.456, '123.5'],
    [-1234.5678, '-1235'],
    [99_999, '99999'],
    [100_000, '1.00e+5'],
    [12_345_678, '1.23e+7'],
    [Number.NaN, '-'],
    [Number.POSITIVE_INFINITY, '-'],
    [null, '-'],
    [undefined, '-'],
  ])('%d is %s', (x, text) => expect(figure(x)).toBe(text))

  test('is within a twentieth of what it stands for, however small that is', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e300, max: 1e300, noNaN: true }), (x) => {
        expect(Math.abs(Number(figure(x)) - x)).toBeLessThanOrEqual(Math.abs(x) / 19)
      }),
    )
  })
})

test('a lift has two places, or is not there', () => {
  expect([0.796, -31.9, 1, null, undefined].map(liftFigure)).toEqual(['0.80', '-31.90', '1.00', '-', '-'])
})
