import { expect, test } from 'vitest'
import { matrix } from '../../numeric/linalg/matrix.js'
import type { AffineFit } from './affine-fit.js'
import { digitsOf, short, trustOf } from './optimum-error.js'

/** Lengths by hand: the optimum 5, the inverse 3, the misses of five messages 2. */
const fit: AffineFit = {
  optimum: Float64Array.of(3, 4),
  inverse: matrix(2, 2, Float64Array.of(1, 2, 2, 0)),
  rank: 2,
  rankOfMap: 2,
  conditionOfMap: 1,
  amplification: 2,
  misses: matrix(5, 2, Float64Array.of(1, 1, 0, 0, 1, 0, 0, 0, 0, 1)),
  weights: new Float64Array(5).fill(0.2),
}

test('rounding: the amplification times what the inverse makes of it, by the length of the optimum', () => {
  expect(trustOf(fit, { rounding: 0.5, noise: null })).toEqual({
    relativeError: null,
    fromRounding: 0.6,
    fromNoise: null,
    trustedDigits: null,
  })
  const atZero = { ...fit, optimum: new Float64Array(2) }
  expect(trustOf(atZero, { rounding: 0.5, noise: null }).fromRounding).toBe(3)
})

test('noise that is told, beside what another form finds, and alike from message to message', () => {
  const of = (more: object) => trustOf(fit, { rounding: 0, noise: 0.25, ...more }).fromNoise
  expect(of({})).toBeCloseTo(1.5 / 5, 14)
  expect(of({ noise: 0 })).toBe(0)
  expect(of({ apart: 2 })).toBeCloseTo(2.5 / 5, 14)
  expect(of({ alike: 0.6 })).toBeCloseTo(3 / 5, 14)
  expect(of({ alike: 0.6, apart: 4 })).toBeCloseTo(1, 14)
  expect(of({ alike: -0.6 })).toBeCloseTo(0.3, 14)
  expect(of({ alike: 1 })).toBeCloseTo(0.3 * Math.sqrt(199), 12)
  expect(of({ alike: 0.98 })).toBeCloseTo(0.3 * Math.sqrt(99), 12)
})

test('noise by the misfits, as long as the fit leaves a degree of freedom', () => {
  const misses = (n: number) => matrix(n, 2, Float64Array.of(2, ...new Array(2 * n - 1).fill(0)))
  const of = (n: number) => trustOf({ ...fit, misses: misses(n) }, { rounding: 0 }).fromNoise
  expect(of(3)).toBe(null)
  expect(of(4)).toBeCloseTo((2 * 2 * 2) / 5, 14)
  expect(of(7)).toBeCloseTo((2 * 2 * Math.sqrt(7 / 4)) / 5, 14)
})

test('both together: the root of the sum of squares, and its digits', () => {
  const { relativeError, trustedDigits } = trustOf(fit, { rounding: 0.0005, noise: 0.25 * (8 / 3000) })
  expect(relativeError).toBeCloseTo(0.001, 14)
  expect(trustedDigits).toBe(digitsOf(relativeError!))
  expect(trustOf(fit, { rounding: 0.00004, noise: 0 }).trustedDigits).toBe(4)
})

test('no digit where a direction is open, in the models or in the map', () => {
  for (const open of [{ rank: 1 }, { rankOfMap: 1 }]) {
    const trust = trustOf({ ...fit, ...open }, { rounding: 0.5, noise: 0.25 })
    expect(trust).toEqual({ relativeError: null, fromRounding: 0.6, fromNoise: 0.3, trustedDigits: 0 })
    expect(trustOf({ ...fit, ...open }, { rounding: 0.5, noise: null }).trustedDigits).toBe(0)
  }
})

test.each([
  [Number.NaN, 0],
  [7, 0],
  [1, 0],
  [0.9, 0],
  [0.11, 0],
  [0.09, 1],
  [2e-3, 2],
  [5e-4, 3],
  [2e-15, 14],
  [9e-16, 15],
  [1e-40, 15],
  [0, 15],
])('an error of %d leaves %d digits', (error, digits) => {
  expect(digitsOf(error)).toBe(digits)
})

test.each([
  [0, '0'],
  [0.001, '0.001'],
  [-0.0012345, '-0.00123'],
  [0.00099, '9.9e-4'],
  [-2.3456, '-2.35'],
  [999_000, '999000'],
  [1e6, '1.0e+6'],
  [-1_234_567, '-1.2e+6'],
])('%d is written %s', (x, text) => {
  expect(short(x)).toBe(text)
})
