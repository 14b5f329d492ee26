import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rng } from '../../numeric/random/rng.js'
import { type Noise, posteriorOf } from './value-posterior.js'

/** Squared distances of labels from what two values predict, `gap` apart; noise with heavy tails where `tails` says so. */
function energies(seed: number, { n, gap, tails }: { n: number; gap: number; tails: boolean }): Float64Array[] {
  const draw = rng(seed).fork('energies')
  const out = [new Float64Array(n), new Float64Array(n)]
  for (let i = 0; i < n; i++) {
    const truth = draw.integer(2)
    const far = draw.normal() / (tails ? Math.abs(draw.normal()) + 0.05 : 1)
    for (const v of [0, 1]) out[v]![i] = (far + gap * (v - truth)) * (far + gap * (v - truth))
  }
  return out
}

/** One more step of EM from what was found, written as the formula has it. */
function stepFrom({ scaleSq: s2, freedom: nu }: Noise, [a, b]: readonly Float64Array[]): number {
  let sum = 0
  for (let i = 0; i < a!.length; i++) {
    const density = (e: number): number =>
      nu === Number.POSITIVE_INFINITY ? Math.exp(-e / (2 * s2)) : (1 + e / (nu * s2)) ** (-(nu + 1) / 2)
    const [p, q] = [density(a![i]!), density(b![i]!)]
    const share = p + q > 0 ? p / (p + q) : 0.5
    const weighed = (e: number): number => (nu === Number.POSITIVE_INFINITY ? e : (e * (nu + 1)) / (nu + e / s2))
    sum += share * weighed(a![i]!) + (1 - share) * weighed(b![i]!)
  }
  return sum / a!.length
}

describe('the noise round a model', () => {
  test('is where another step of EM changes nothing', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: 3, max: 60 }),
        fc.constantFrom(0.2, 1, 3, 10),
        fc.boolean(),
        (seed, n, gap, tails) => {
          const costs = energies(seed, { n, gap, tails })
          const { shares, ...noise } = posteriorOf(costs, { residuals: 1 })
          expect(Math.abs(stepFrom(noise, costs) / noise.scaleSq - 1)).toBeLessThan(1e-4)
        },
      ),
      { seed: 17, numRuns: 60 },
    )
  })

  test('is that of the labels where values are far apart', () => {
    const { scaleSq, freedom, shares } = posteriorOf(energies(3, { n: 4000, gap: 12, tails: false }), { residuals: 1 })
    expect(freedom).toBeGreaterThanOrEqual(10)
    expect(scaleSq).toBeGreaterThan(0.8)
    expect(scaleSq).toBeLessThan(1.1)
    for (let i = 0; i < 4000; i++) expect(shares[2 * i]! + shares[2 * i + 1]!).toBeCloseTo(1, 12)
  })
})

test.each([1, 2, 3, 5, Number.POSITIVE_INFINITY])('tails of %d degrees of freedom are recognised', (freedom) => {
  const n = 700
  const draw = rng(11)
  const costs = [new Float64Array(n), new Float64Array(n)]
  for (let i = 0; i < n; i++) {
    let size = 1
    if (freedom < 10) {
      const squares = draw.normals(freedom).reduce((sum, x) => sum + x * x, 0)
      size = Math.sqrt(squares / freedom)
    }
    const off = draw.normal() / size
    costs[0]![i] = off * off
    costs[1]![i] = 1e8
  }
  const found = posteriorOf(costs, { residuals: 1 })
  if (freedom < 10) expect(found.freedom).toBe(freedom)
  else expect(found.freedom).toBeGreaterThanOrEqual(10)
  expect(found.scaleSq).toBeGreaterThan(0.7)
  expect(found.scaleSq).toBeLessThan(1.4)
})

test.each([1, 4])('a model that fits exactly is as sure as rounding allows, by each of %d outputs', (residuals) => {
  const costs = [new Float64Array(9), new Float64Array(9).fill(2)]
  const { scaleSq, shares } = posteriorOf(costs, { residuals })
  expect((scaleSq * residuals) / 2e-20).toBeCloseTo(1, 9)
  for (const [at, share] of shares.entries()) expect(share).toBeCloseTo(Number(at % 2 === 0), 12)
})
