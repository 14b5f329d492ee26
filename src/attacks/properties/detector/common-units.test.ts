import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { f1Of, featureWorld } from '../../../../test/property-world.js'
import { rng } from '../../../numeric/random/rng.js'
import { firstRounds } from '../expected-features.js'
import { rowSums } from '../participation-matrix.js'
import { byOls, byProlin, byReg } from '../property-estimators.js'
import { inCommonUnits } from './common-units.js'
import type { FeatureShape } from './detector.js'
import type { FeatureSums } from './feature-sums.js'

/** The same rounds as detectors with other units and offsets would have them: g -> unit g + offset. */
function seenIn({ A, G, shapes }: FeatureSums, of: (r: number) => { unit: number; offset: number }): FeatureSums {
  const weights = rowSums(A)
  const move = (shape: FeatureShape, r: number): FeatureShape => {
    const { unit, offset } = of(r)
    const { plusMean, plusStd, minusMean, minusStd } = shape
    return {
      ...shape,
      plusMean: unit * plusMean + offset,
      plusStd: unit * plusStd,
      minusMean: unit * minusMean + offset,
      minusStd: unit * minusStd,
    }
  }
  return { A, G: G.map((g, r) => of(r).unit * g + weights[r]! * of(r).offset), shapes: shapes.map(move) }
}

/** Means that are off as those of so many updates are. */
function measuredOn(count: number, { A, G, shapes }: FeatureSums): FeatureSums {
  const off = (r: number, name: string, std: number): number => rng('measured').fork(r, name).normal({ std })
  const moved = shapes.map((shape, r) => ({
    ...shape,
    measured: count,
    plusMean: shape.plusMean + off(r, 'plus', shape.plusStd / Math.sqrt(count)),
    minusMean: shape.minusMean + off(r, 'minus', shape.minusStd / Math.sqrt(count)),
  }))
  return { A, G, shapes: moved }
}

const prolin = { lambda: 5, likelihood: 'paper', solver: 'exact', gamma: 1, steps: 0 } as const
const tick = (): void => {}
const methods = {
  ols: (one: FeatureSums, units: 'common' | 'own') => byOls([one], { units }),
  reg: (one: FeatureSums, units: 'common' | 'own') => byReg([one], { lambda: 5, units }),
  prolin: (one: FeatureSums, units: 'common' | 'own') => byProlin([one], { ...prolin, units }, { tick }),
}

describe('common units', () => {
  test('leave rounds that are all alike as they are', () => {
    const { features } = featureWorld({ seed: 1 })
    const shape = { minusMean: -2, minusStd: 1, plusMean: 2, plusStd: 1.5, measured: 20, v: 0.9 }
    const alike = { ...features, shapes: features.shapes.map(() => shape) }
    const found = inCommonUnits(alike)
    for (const [r, g] of alike.G.entries()) expect(found.G[r]).toBeCloseTo(g, 10)
    for (const one of found.shapes)
      for (const [key, x] of Object.entries(shape)) expect(one).toHaveProperty(key, expect.closeTo(x, 10))
  })

  test('do not depend on the units and offsets of single rounds', () => {
    const { features } = featureWorld({ seed: 2, measured: 1e12 })
    const unit = fc.double({ min: 0.1, max: 10, noNaN: true })
    const offset = fc.double({ min: -20, max: 20, noNaN: true })
    const rounds = fc.array(fc.record({ unit, offset }), { minLength: 40, maxLength: 40 })
    const plain = inCommonUnits(features)
    fc.assert(
      fc.property(rounds, (list) => {
        const found = inCommonUnits(seenIn(features, (r) => list[r]!))
        // One factor is free: the median round keeps its own unit.
        const factor = found.shapes[0]!.minusStd / plain.shapes[0]!.minusStd
        for (const [r, g] of plain.G.entries()) expect(found.G[r]! / factor).toBeCloseTo(g, 6)
      }),
      { numRuns: 30 },
    )
  })

  test.each([0, 1, 2])('%d rounds, or none that tell anything', (n) => {
    const { features } = featureWorld({ seed: 3, gap: 0 })
    const part = firstRounds(features, n)
    const found = inCommonUnits({ ...part, shapes: part.shapes.map((one) => ({ ...one, v: 0 })) })
    expect(found.G).toHaveLength(n)
    for (const g of found.G) expect(Number.isFinite(g)).toBe(true)
  })
})

describe('more rounds do not hurt', () => {
  const world = (seed: number) => featureWorld({ seed, N: 60, n: 120, perRound: 15, positives: 5, gap: 9 })
  const drifts = {
    'units grow tenfold': (r: number) => ({ unit: 1 + (9 * r) / 119, offset: 0 }),
    'detectors fade': (r: number) => ({ unit: 1 - (0.8 * r) / 119, offset: 0 }),
    'each round chooses a penalty': (r: number) => ({ unit: [1, 0.5, 0.7][r % 3]!, offset: 0 }),
    'offsets wander': (r: number) => ({ unit: 1, offset: 2 * Math.sin(r / 7) }),
  }
  const f1By = (
    method: keyof typeof methods,
    units: 'common' | 'own',
    of: (typeof drifts)[keyof typeof drifts],
  ): number =>
    [1, 2].reduce((sum, seed) => {
      const { features, having } = world(seed)
      return sum + f1Of(methods[method](measuredOn(9, seenIn(features, of)), units).positive, having) / 2
    }, 0)

  test.each(Object.entries(drifts))('%s', (_, of) => {
    expect(f1By('reg', 'own', of)).toBeLessThan(0.7)
    for (const method of ['ols', 'reg', 'prolin'] as const) expect(f1By(method, 'common', of)).toBeGreaterThan(0.9)
  })
})
