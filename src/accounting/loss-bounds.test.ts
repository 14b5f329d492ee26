import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gaussian, type VectorO } from '../../test/accounting-vectors.js'
import { describeWithShared, vector } from '../../test/shared.js'
import { gaussianDelta, gaussianEpsilon } from './analytic-gaussian.js'
import { composedCurves } from './composed-curve.js'
import { epsilonBounds, largestAdvantage } from './loss-bounds.js'
import { onGrid } from './loss-grid.js'
import { fixedSizeRecord, type LossPair, laplaceNoise, removedRecord, replacedRecord } from './loss-pair.js'
import { rdpEpsilon } from './rdp-account.js'

describeWithShared('vector o: epsilons by privacy losses', () => {
  const { configurations, heterogeneous, laplace } = vector<VectorO>('o')
  const all = [...configurations.map((one) => ({ ...one, parts: [one] })), ...heterogeneous].map(
    (one) => [JSON.stringify(one.parts.map((p) => [p.sampleRate, p.noiseMultiplier, p.steps])), one] as const,
  )

  // The library's figure is itself an upper estimate on a grid of 1e-4, so it may lie above our upper bound, by less than 1e-4.
  const holds = ({ lower, upper }: { lower: number; upper: number }, library: number): void => {
    expect(upper - lower).toBeLessThan(1e-3)
    expect(library).toBeGreaterThanOrEqual(lower - 1e-9)
    expect(library).toBeLessThanOrEqual(upper + 1e-4)
  }

  test.each(all)('%s', (_, one) => {
    const mechanisms = one.parts.map(gaussian)
    const found = epsilonBounds(mechanisms, one.delta)
    holds(found, one.results['pld-add-remove']!.epsilon)
    const [low, , high] = one.results.prv.epsilon
    expect(found.lower).toBeGreaterThan(low)
    expect(found.upper).toBeLessThan(high)
    const { epsilon } = rdpEpsilon(mechanisms, one.delta)
    expect(epsilon).toBeGreaterThan(found.lower)
    const analytic = one.results['analytic-gaussian']
    if (analytic !== undefined) expect(Math.abs(found.upper - analytic.epsilon)).toBeLessThan(1e-9)
    if (one.parts[0]!.steps > 50_000) return // the other relation adds seconds and no other path
    holds(epsilonBounds(mechanisms, one.delta, { neighbours: 'replace' }), one.results['pld-replace-one']!.epsilon)
  })

  test.each(laplace.map((one) => [one.scale, one] as const))('Laplace noise of scale %d', (scale, one) => {
    const { steps, delta, results } = one
    const { lower, upper } = epsilonBounds([{ kind: 'laplace', scale, steps }], delta)
    expect(upper - lower).toBeLessThan(1e-3)
    // The library's grid is of 1e-3 here, in each of the steps.
    expect(results['pld-add-remove']!.epsilon).toBeGreaterThan(lower - 1e-9)
    expect(results['pld-add-remove']!.epsilon).toBeLessThan(upper + 1e-3)
  })
})

describe('bounds that hold', () => {
  test('Gaussian noise on all records, one step at a time on the grid: the exact value lies between, however coarse', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.5, max: 20, noNaN: true }),
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 2, max: 30, noNaN: true }),
        (sigma, steps, perDeviation) => {
          const h = 1 / (sigma * perDeviation)
          const knots = Int32Array.from(
            { length: 2 * Math.ceil(14 * perDeviation) + 1 },
            (_, i) => i - Math.ceil(14 * perDeviation),
          )
          const { upper, lower } = onGrid(removedRecord({ sigma, q: 1 }), knots, h)
          const both = { upper: [{ loss: upper, steps }], lower: [{ loss: lower, steps }] }
          const mu = Math.sqrt(steps) / sigma
          const curves = composedCurves(both, { h, theta: 1, most: 1 << 16 })!
          for (const epsilon of [0.2 * mu, mu, 2 * mu]) {
            const exact = gaussianDelta(mu, epsilon)
            expect(curves.upper.deltaAt(epsilon)).toBeGreaterThanOrEqual(exact * (1 - 1e-9))
            expect(curves.lower.deltaAt(epsilon)).toBeLessThanOrEqual(exact * (1 + 1e-9))
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  const pairs: readonly (readonly [string, LossPair])[] = [
    ['removed', removedRecord({ sigma: 0.8, q: 0.1 })],
    ['replaced', replacedRecord({ sigma: 1.1, q: 0.3 })],
    ['fixed size', fixedSizeRecord({ sigma: 0.7, q: 0.2 })],
    ['Laplace', laplaceNoise(2)],
  ]
  test.each(pairs)('%s: both grids are pairs of distributions, one above and one below a finer one', (_, pair) => {
    const { low, high } = pair.range(1e-12)
    const grid = (h: number) => {
      const [from, to] = [Math.floor(low / h), Math.ceil(high / h)]
      return onGrid(
        pair,
        Int32Array.from({ length: to - from + 1 }, (_, i) => from + i),
        h,
      )
    }
    const deltaAt = ({ index, mass, infinite }: ReturnType<typeof grid>['upper'], h: number, epsilon: number): number =>
      infinite + index.reduce((sum, k, i) => sum + mass[i]! * Math.max(0, 1 - Math.exp(epsilon - k * h)), 0)
    const [coarse, fine] = [grid(0.05), grid(0.001)]
    for (const side of [coarse.upper, coarse.lower, fine.upper, fine.lower]) {
      const h = side === coarse.upper || side === coarse.lower ? 0.05 : 0.001
      expect(side.mass.every((p) => p >= 0)).toBe(true)
      const P = side.mass.reduce((a, b) => a + b, side.infinite)
      const Q = side.mass.reduce((sum, p, i) => sum + p * Math.exp(-side.index[i]! * h), side.missing)
      expect(P).toBeCloseTo(1, 10)
      expect(Q).toBeCloseTo(1, 10)
    }
    for (const epsilon of [-0.6, -0.2, -0.031, 0, 0.013, 0.1, 0.33, 0.49, 0.8, 1.7]) {
      const values = [
        deltaAt(coarse.lower, 0.05, epsilon),
        deltaAt(fine.lower, 0.001, epsilon),
        deltaAt(fine.upper, 0.001, epsilon),
        deltaAt(coarse.upper, 0.05, epsilon),
      ]
      for (let i = 1; i < values.length; i++) expect(values[i]!).toBeGreaterThanOrEqual(values[i - 1]! - 1e-12)
      expect(values[2]! - values[1]!).toBeLessThan(1e-5)
    }
  })

  test('more noise, fewer steps and a lower rate never cost more', () => {
    const at = (noiseMultiplier: number, sampleRate: number, steps: number) =>
      epsilonBounds([gaussian({ noiseMultiplier, sampleRate, steps })], 1e-6)
    const base = at(1.2, 0.03, 80)
    for (const less of [at(1.25, 0.03, 80), at(1.2, 0.029, 80), at(1.2, 0.03, 75)]) {
      expect(less.upper).toBeLessThan(base.upper)
      expect(less.lower).toBeLessThan(base.lower)
    }
  })

  test('batches of fixed size under replacement cost more than Poisson ones with a record more or less, less than by Rényi', () => {
    const one = { noiseMultiplier: 2.2, sampleRate: 32 / 602, steps: 190 }
    const fixed = epsilonBounds([{ kind: 'fixed-size', ...one }], 1e-5, { neighbours: 'replace' })
    expect(fixed.upper - fixed.lower).toBeLessThan(1e-3)
    expect(fixed.lower).toBeGreaterThan(epsilonBounds([gaussian(one)], 1e-5).upper)
    expect(fixed.upper).toBeLessThan(
      rdpEpsilon([{ kind: 'fixed-size', ...one }], 1e-5, { neighbours: 'replace' }).epsilon,
    )
  })

  test('trees are Gaussian noise: exact', () => {
    const tree = { kind: 'tree', noiseMultiplier: 4, leaves: 1000, trees: 1 } as const
    expect(epsilonBounds([tree], 1e-5).upper).toBeCloseTo(gaussianEpsilon(Math.sqrt(10) / 4, 1e-5), 9)
  })
})

test('the largest advantage of a guess: exact for Gaussian noise, and below what epsilon allows for samples', () => {
  const full = largestAdvantage([gaussian({ sampleRate: 1, noiseMultiplier: 2, steps: 4 })])
  expect(full.upper).toBeCloseTo(gaussianDelta(1, 0), 12)
  const some = [gaussian({ sampleRate: 0.05, noiseMultiplier: 1, steps: 60 })]
  const { lower, upper } = largestAdvantage(some)
  expect(upper - lower).toBeLessThan(1e-3)
  const { upper: epsilon } = epsilonBounds(some, 1e-5)
  expect(upper).toBeLessThan((Math.exp(epsilon) - 1 + 2e-5) / (Math.exp(epsilon) + 1))
  expect(lower).toBeGreaterThan(0.05)
})

test('no steps spend nothing, and wrong numbers are named', () => {
  expect(epsilonBounds([gaussian({ sampleRate: 0.1, noiseMultiplier: 1, steps: 0 })], 1e-5)).toEqual({
    lower: 0,
    upper: 0,
  })
  expect(() => epsilonBounds([gaussian({ sampleRate: 0.1, noiseMultiplier: 0.01, steps: 1 })], 1e-5)).toThrow('0.05')
})
