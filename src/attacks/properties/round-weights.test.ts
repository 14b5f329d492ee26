import { describe, expect, test } from 'vitest'
import { featureWorld } from '../../../test/property-world.js'
import { rng } from '../../numeric/random/rng.js'
import { inCommonUnits } from './detector/common-units.js'
import type { FeatureSums } from './detector/feature-sums.js'
import { expectedFeatures } from './expected-features.js'
import { byReg } from './property-estimators.js'
import { regressed } from './round-weights.js'

/** How many pairs of a guilty and an innocent client stand in the right order. */
function auc(x: Float64Array, having: readonly boolean[]): number {
  let [wins, pairs] = [0, 0]
  for (const [i, a] of having.entries()) {
    for (const [j, b] of having.entries()) {
      if (!a || b) continue
      pairs++
      if (x[i]! > x[j]!) wins++
    }
  }
  return wins / pairs
}

/** The later half of the rounds has detectors that see a twentieth as much, of which the paper's weights keep much. */
function fading(seed: number): { features: FeatureSums; having: readonly boolean[] } {
  const { features, having } = featureWorld({ seed, N: 30, n: 80, perRound: 10, positives: 4, gap: 5 })
  const late = (r: number): boolean => r >= 40
  const loud = rng(seed).fork('late')
  const G = features.G.map((g, r) => (late(r) ? g + 40 * loud.normal() : g))
  const shapes = features.shapes.map((one, r) => (late(r) ? { ...one, measured: 10 / 1600, v: 0.5 * one.v } : one))
  return { features: { ...features, G, shapes }, having }
}

describe('rounds by the variance of their sums', () => {
  test('keep what the first rounds say where later ones say little, and the paper lets it go', () => {
    const [ours, theirs] = [0, 0].map((_, k) => {
      const weights = k === 0 ? 'variance' : 'paper'
      const each = Array.from({ length: 6 }, (_, seed) => {
        const { features, having } = fading(seed)
        return auc(regressed(features, { lambda: 5, weights }), having)
      })
      return each.reduce((sum, x) => sum + x, 0) / each.length
    })
    expect(ours).toBeGreaterThan(0.95)
    expect(theirs).toBeLessThan(0.8)
  })

  test('are found for more rounds than their evidence, with lambda', () => {
    const { features, having } = featureWorld({ seed: 3, N: 12, n: 1501, perRound: 4, positives: 2, gap: 5 })
    const x = regressed(features, { lambda: 5, weights: 'variance' })
    const v = Float64Array.from(features.shapes, (one) => one.v)
    // All rounds are alike here: the same weights as published, of the same total.
    const published = expectedFeatures(features, { lambda: 5, weights: v })
    for (const [i, one] of x.entries()) expect(one).toBeCloseTo(published[i]!, 9)
    expect(auc(x, having)).toBe(1)
  })

  test('paper is the default of the estimate, and a detector without spread breaks nothing', () => {
    const { features } = featureWorld({ seed: 4, N: 10, n: 30, perRound: 4, positives: 2, gap: 5 })
    const common = inCommonUnits(features)
    expect(regressed(common, { lambda: 5 })).toEqual(regressed(common, { lambda: 5, weights: 'paper' }))
    expect(byReg([features], { lambda: 5 }).score).toEqual(byReg([features], { lambda: 5, weights: 'paper' }).score)
    const still = { ...features, shapes: features.shapes.map((one) => ({ ...one, minusStd: 0 })) }
    expect(regressed(still, { lambda: 5, weights: 'variance' }).every(Number.isFinite)).toBe(true)
  })
})
