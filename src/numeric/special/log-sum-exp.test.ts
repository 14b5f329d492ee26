import fc from 'fast-check'
import { expect, test } from 'vitest'
import { logAddExp, logSumExp } from './log-sum-exp.js'

test('sums where exp would overflow or vanish', () => {
  expect(logSumExp([1000, 1000])).toBeCloseTo(1000 + Math.LN2, 12)
  expect(logSumExp([-1000, -1000, -1000, -1000])).toBeCloseTo(-1000 + 2 * Math.LN2, 12)
  expect(logAddExp(1000, -1000)).toBe(1000)
})

test('what a tiny term adds to a sum of 1 is kept', () => {
  expect(logSumExp([-40, 0, -40]) / (2 * Math.exp(-40)) - 1).toBeLessThan(1e-15)
  expect(logAddExp(0, -700) / Math.exp(-700)).toBeCloseTo(1, 14)
})

test('empty, infinite and NaN', () => {
  expect([logSumExp([]), logSumExp([-Infinity]), logSumExp([Infinity, 3]), logSumExp([1, NaN])]).toEqual([
    -Infinity,
    -Infinity,
    Infinity,
    NaN,
  ])
  expect([logAddExp(-Infinity, -Infinity), logAddExp(-Infinity, 3), logAddExp(NaN, 0), logAddExp(0, Infinity)]).toEqual(
    [-Infinity, 3, NaN, Infinity],
  )
})

test('a million equal terms: log(1e6), no drift', () => {
  expect(Math.abs(logSumExp(new Float64Array(1e6).fill(0.1)) - (0.1 + Math.log(1e6)))).toBeLessThan(4e-15)
})

test('shifting every value shifts the result; pairs fold to the whole', () => {
  const values = fc.array(fc.double({ min: -50, max: 50, noNaN: true }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(values, fc.double({ min: -300, max: 300, noNaN: true }), (v, shift) => {
      const whole = logSumExp(v)
      expect(Math.abs(logSumExp(v.map((x) => x + shift)) - shift - whole)).toBeLessThan(1e-12)
      expect(Math.abs(v.reduce(logAddExp, -Infinity) - whole)).toBeLessThan(1e-12)
    }),
  )
})

test('a NaN is not passed over, whatever stands beside it', () => {
  const { NaN: nan, POSITIVE_INFINITY: inf } = Number
  for (const list of [[nan], [nan, -inf], [-inf, nan], [inf, nan], [1, nan, 2]]) expect(logSumExp(list)).toBeNaN()
})

test('a thousand terms that are each lost by themselves count together', () => {
  const list = [0, 0, ...Array.from({ length: 1000 }, () => Math.log(2 ** -53))]
  // log 2 and half of what is added to the sum of 2.
  expect(Math.abs(logSumExp(list) - Math.LN2 - 500 * 2 ** -53)).toBeLessThan(4e-16)
})
