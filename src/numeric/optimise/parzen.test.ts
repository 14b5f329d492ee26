import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rng } from '../random/rng.js'
import { density, mass, parzen, recency, sampleParzen } from './parzen.js'

const ends = { low: -2, high: 6 }
const places = fc.array(fc.double({ min: ends.low, max: ends.high, noNaN: true }), { maxLength: 40 })

test('the density is positive and integrates to 1, at the ends too', () => {
  fc.assert(
    fc.property(places, (observations) => {
      const estimate = parzen(observations, ends)
      const n = 4000
      let integral = 0 // midpoint rule
      for (let i = 0; i < n; i++) integral += (density(estimate, -2 + (8 * (i + 0.5)) / n) * 8) / n
      expect(Math.abs(integral - 1)).toBeLessThan(1e-4)
      expect(Math.min(density(estimate, -2), density(estimate, 6))).toBeGreaterThan(0)
    }),
    { numRuns: 60 },
  )
})

test('the masses of a partition add up to 1, and a narrow one is density times width', () => {
  fc.assert(
    fc.property(places, fc.double({ min: -2, max: 5.99, noNaN: true }), (observations, at) => {
      const estimate = parzen(observations, ends)
      const parts = [-2, -1.5, 0, 0.25, 4, 6]
      const sum = parts.slice(1).reduce((total, high, i) => total + mass(estimate, { low: parts[i]!, high }), 0)
      expect(sum).toBeCloseTo(1, 12)
      const middle = density(estimate, at + 5e-7) * 1e-6
      expect(mass(estimate, { low: at, high: at + 1e-6 }) / middle).toBeCloseTo(1, 6)
    }),
    { numRuns: 200 },
  )
})

test('draws stay inside and fall where the mass is', () => {
  const estimate = parzen([-2, -1.9, 3, 6, 5.5], ends)
  const draws = rng(7)
  const bins = new Array<number>(16).fill(0)
  const n = 20_000
  for (let i = 0; i < n; i++) {
    const x = sampleParzen(estimate, draws)
    expect(x >= -2 && x <= 6).toBe(true)
    bins[Math.min(Math.floor((x + 2) * 2), 15)]!++
  }
  const chiSquare = bins.reduce((sum, count, b) => {
    const expected = n * mass(estimate, { low: -2 + b / 2, high: -1.5 + b / 2 })
    return sum + (count - expected) ** 2 / expected
  }, 0)
  expect(chiSquare).toBeLessThan(37.7) // 15 degrees of freedom, 1 in 1000
})

test('widths follow the gaps, within bounds', () => {
  // by place: -2, prior 2, 4, 4.5, 6; k = 5 components, narrowest 8 / 6
  const { mu, std } = parzen([6, -2, 4, 4.5], ends)
  expect([...mu]).toEqual([6, -2, 4, 4.5, 2])
  expect([...std]).toEqual([1.5, 4, 2, 1.5, 8])
  expect([...parzen([4, 4], ends).std]).toEqual([2, 2, 8]) // narrowest 8 / 4
})

test('without observations only the prior is left', () => {
  const estimate = parzen([], ends)
  expect([...estimate.mu]).toEqual([2])
  expect(density(estimate, 2)).toBeGreaterThan(density(estimate, 6))
})

test('the latest 25 count in full, older ones less and less', () => {
  expect(recency(0)).toEqual([])
  expect(recency(25)).toEqual(new Array(25).fill(1))
  const weights = recency(28)
  expect(weights.slice(3)).toEqual(new Array(25).fill(1))
  expect(weights.slice(0, 3)).toEqual([1 / 28, expect.closeTo(29 / 56, 14), 1])
  expect(recency(26)[0]).toBe(1 / 26)
})
