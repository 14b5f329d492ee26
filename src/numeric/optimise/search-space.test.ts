import fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  cell,
  choice,
  fits,
  fromLine,
  integerRange,
  interval,
  logRange,
  range,
  type Setting,
  toLine,
} from './search-space.js'

const space = {
  rate: logRange(1e-3, 1),
  beta: range(0, 1),
  layers: integerRange(1, 4),
  kind: choice(['sgd', 'adam']),
  seed: choice([1, null, true]),
}

test('a setting has the type of each dimension', () => {
  expectTypeOf<Setting<typeof space>>().toEqualTypeOf<{
    readonly rate: number
    readonly beta: number
    readonly layers: number
    readonly kind: 'sgd' | 'adam'
    readonly seed: 1 | null | true
  }>()
})

describe.each(
  Object.entries({
    plain: range(-3, 7),
    log: logRange(1e-8, 1e4),
    whole: integerRange(-2, 5),
    'whole, log': integerRange(1, 1000, { log: true }),
    'one number': range(2, 2),
  }),
)('%s', (_name, dimension) => {
  test('every place on the line gives a value that fits, and every value its place back', () => {
    const { low, high } = interval(dimension)
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (share) => {
        const value = fromLine(dimension, low + share * (high - low))
        expect(fits(dimension, value)).toBe(true)
        const back = fromLine(dimension, toLine(dimension, value))
        if (dimension.kind === 'integer') expect(back).toBe(value)
        else expect(Math.abs(back - value)).toBeLessThanOrEqual(1e-14 * Math.abs(value))
      }),
    )
  })
})

test.each([integerRange(1, 9), integerRange(1, 9, { log: true })])(
  'the cells of whole numbers tile the line',
  (dimension) => {
    for (let n = 1; n < 9; n++) expect(cell(dimension, n).high).toBe(cell(dimension, n + 1).low)
    expect({ low: cell(dimension, 1).low, high: cell(dimension, 9).high }).toEqual(interval(dimension))
  },
)

test('what does not fit is told apart', () => {
  expect(fits(range(0, 1), 1.5)).toBe(false)
  expect(fits(range(0, 1), Number.NaN)).toBe(false)
  expect(fits(range(0, 1), '0.5')).toBe(false)
  expect(fits(integerRange(0, 3), 1.5)).toBe(false)
  expect(fits(choice(['1']), 1)).toBe(false)
  expect(fits(choice([null]), undefined)).toBe(false)
})

test('what cannot be meant is refused', () => {
  expect(() => range(1, 0)).toThrow('a range from 1 to 0; both ends are finite, the lower one first')
  expect(() => range(0, Infinity)).toThrow('a range from 0 to Infinity')
  expect(() => logRange(0, 1)).toThrow('both ends are finite and above 0')
  expect(() => integerRange(0.5, 2)).toThrow('both ends are whole')
  expect(() => choice([])).toThrow('options are at least one, none twice, numbers finite')
  expect(() => choice([1, Number.NaN])).toThrow('a choice between [1, NaN]')
  expect(() => choice(['a', 'a'])).toThrow('a choice between [a, a]')
})
