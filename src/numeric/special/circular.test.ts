import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cosPi, sinPi } from './circular.js'

test('known angles', () => {
  expect([0, 1, -3, 4].map((x) => Math.abs(sinPi(x)))).toEqual([0, 0, 0, 0])
  expect([0, 1, -3, 4].map(cosPi)).toEqual([1, -1, -1, 1])
  for (const [x, sine] of [
    [1 / 6, 0.5],
    [0.25, Math.SQRT1_2],
    [1.25, -Math.SQRT1_2],
    [-0.5, -1],
    [2.5, 1],
    [3.5, -1],
  ] as const) {
    expect(sinPi(x)).toBeCloseTo(sine, 15)
    expect(Math.abs(sinPi(x) - Math.sin(Math.PI * x))).toBeLessThan(1e-14)
  }
})

test('squares add up to one, and both agree with the built-in functions', () => {
  fc.assert(
    fc.property(fc.double({ min: -40, max: 40, noNaN: true }), (x) => {
      const [s, c] = [sinPi(x), cosPi(x)]
      expect(Math.abs(s * s + c * c - 1)).toBeLessThan(4e-15)
      expect(Math.abs(s - Math.sin(Math.PI * x))).toBeLessThan(1e-13)
      expect(Math.abs(c - Math.cos(Math.PI * x))).toBeLessThan(1e-13)
    }),
  )
})

test('whole numbers give a zero without a sign, and far away nothing is lost', () => {
  expect([sinPi(0), sinPi(2), sinPi(-4)].map((x) => Object.is(x, 0))).toEqual([true, true, true])
  for (const whole of [2 ** 40, 2 ** 40 + 1, -(2 ** 40)]) {
    const sign = whole % 2 === 0 ? 1 : -1
    expect(cosPi(whole + 2 ** -12)).toBe(sign * cosPi(2 ** -12))
  }
})
