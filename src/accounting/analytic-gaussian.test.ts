import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gaussianDelta, gaussianEpsilon, gaussianMuFor } from './analytic-gaussian.js'

test('epsilon, delta and mu lead to one another', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.05, max: 10, noNaN: true }),
      fc.double({ min: 1e-10, max: 1e-3, noNaN: true }),
      (mu, delta) => {
        const epsilon = gaussianEpsilon(mu, delta)
        if (epsilon === 0) return
        expect(gaussianDelta(mu, epsilon) / delta).toBeCloseTo(1, 6)
        expect(gaussianMuFor({ epsilon, delta })).toBeCloseTo(mu, 8)
      },
    ),
  )
})

test('no distance, no loss; little of it, none that exceeds delta', () => {
  expect(gaussianDelta(0, 1)).toBe(0)
  expect(gaussianEpsilon(1e-9, 1e-5)).toBe(0)
  expect(gaussianDelta(2, 0)).toBeCloseTo(0.6826894921370859, 12)
})

test('a delta that no epsilon is needed for, and those that cannot be', () => {
  expect(gaussianEpsilon(1, gaussianDelta(1, 0))).toBe(0)
  expect(gaussianEpsilon(1, gaussianDelta(1, 0) * (1 - 1e-9))).toBeGreaterThan(0)
  for (const delta of [0, 1]) expect(() => gaussianEpsilon(1, delta)).toThrow(`delta is ${delta}`)
  expect(() => gaussianMuFor({ epsilon: 1, delta: -1 })).toThrow('delta is -1')
})
