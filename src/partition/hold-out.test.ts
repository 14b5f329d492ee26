import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rng } from '../numeric/random/rng.js'
import { holdOut } from './hold-out.js'

test('every row is in one part; the share is met to half a row; somebody is left to train on', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 50 }), fc.double({ min: 0, max: 0.99, noNaN: true }), (n, share) => {
      const rows = Array.from({ length: n }, (_, i) => 3 * i)
      const { train, held } = holdOut(rows, { share, rng: rng(1) })
      expect([...train, ...held].sort((a, b) => a - b)).toEqual(rows)
      if (n > 0) expect(train.length).toBeGreaterThan(0)
      if (held.length < n - 1) expect(Math.abs(held.length - share * n)).toBeLessThanOrEqual(0.5)
    }),
  )
})

test('the seed decides, and a share of 1 is refused', () => {
  const split = (seed: number) => holdOut([...Array(100).keys()], { share: 0.1, rng: rng(seed) }).held
  expect(split(1)).toEqual(split(1))
  expect(split(1)).not.toEqual(split(2))
  expect(() => holdOut([1], { share: 1, rng: rng(1) })).toThrow(/a share of 1/)
})
