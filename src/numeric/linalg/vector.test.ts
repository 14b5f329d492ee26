import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addScaledInto, dot, firstNonFinite, norm } from './vector.js'

const vectors = fc
  .array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { maxLength: 17 })
  .map((a) => Float64Array.from(a))

test('the norm is that of Math.hypot', () => {
  fc.assert(fc.property(vectors, (a) => Math.abs(norm(a) - Math.hypot(...a)) <= 1e-13 * Math.hypot(...a)))
})

test('the norm outlives squares that overflow or vanish', () => {
  expect(norm(Float64Array.of(3e200, 4e200))).toBeCloseTo(5e200, -190)
  expect(norm(Float64Array.of(3e-200, -4e-200)) / 5e-200).toBeCloseTo(1, 14)
  expect(norm(Float64Array.of(0, 5e-324))).toBe(5e-324)
})

test('the norm of nothing is 0, of NaN is NaN, of infinity is infinity', () => {
  expect(norm(new Float64Array(0))).toBe(0)
  expect(norm(new Float64Array(3))).toBe(0)
  expect(norm(Float64Array.of(1, NaN, Infinity))).toBeNaN()
  expect(norm(Float64Array.of(NaN, 1))).toBeNaN()
  expect(norm(Float64Array.of(1, -Infinity))).toBe(Infinity)
})

test('dot, addScaledInto and firstNonFinite do what they say', () => {
  const a = Float64Array.of(1, 2, 3)
  expect(dot(a, Float64Array.of(4, -5, 6))).toBe(12)
  addScaledInto(a, Float64Array.of(1, 0, -1), 2)
  expect([...a]).toEqual([3, 2, 1])
  expect(firstNonFinite(a)).toBe(-1)
  expect(firstNonFinite(Float64Array.of(0, NaN, Infinity))).toBe(1)
  expect(firstNonFinite(Float64Array.of(-Infinity))).toBe(0)
})

test('the norm is scaled by the largest value, wherever it stands', () => {
  for (const list of [
    [3e200, 4e200, 1e-200],
    [1e-200, 4e200, 3e200],
    [4e200, 1e-200, 3e200],
  ]) {
    expect(norm(Float64Array.from(list)) / 5e200).toBeCloseTo(1, 14)
  }
})
