import { describe, expect, test } from 'vitest'
import { describeWithShared, vector } from '../../../../test/shared.js'
import { engine } from '../../../numeric/engine/engine.js'
import { rng } from '../../../numeric/random/rng.js'
import { overlapOfNormals } from '../../../numeric/special/overlap-of-normals.js'
import { type Affine, affineFeatures } from './affine-features.js'
import { deviationOf, nowAndThen, parts, shapeOf, trainDetector } from './detector.js'
import { summedFeature } from './feature-sums.js'
import { meanDetector } from './mean-detector.js'
import { trainingRows } from './training-rows.js'

const z = 30
/** The property moves the first coordinates. */
const simulate = (having: boolean, index: number): Float64Array => {
  const update = rng('updates')
    .fork(having ? 1 : 0, index)
    .normals(z)
  for (let j = 0; j < 5; j++) update[j]! += having ? 1.5 : 0
  return update
}
const options = { pairs: 40, floor: 0.1 }
const featureOf = ({ a, c }: Affine, update: Float64Array): number => a.reduce((sum, x, j) => sum + x * update[j]!, c)

test.each([1, 2, 7, 30])('affine features of updates of %d', (z) => {
  const list = Array.from({ length: 5 }, (_, q) => ({ a: rng('a').fork(q).normals(z), c: q }))
  const features = affineFeatures(list)
  for (const k of [0, 1]) {
    const update = rng('u').fork(k).normals(z)
    for (const [q, g] of features.of(update).entries()) expect(g).toBeCloseTo(featureOf(list[q]!, update), 12)
  }
  features.release()
})

describe('a detector', () => {
  test('is trained, chosen and measured on parts that have nothing in common', () => {
    expect(parts(30)).toEqual({ train: 15, choose: 6, measure: 9 })
    const asked = new Map<string, number>()
    trainDetector((having, index) => {
      const key = `${having} ${index}`
      asked.set(key, (asked.get(key) ?? 0) + 1)
      return simulate(having, index)
    }, options)
    expect(asked.size).toBe(80)
    expect([...asked.values()].every((times) => times === 1)).toBe(true)
  })

  test('tells the property, on updates it has not seen, as well as it says', () => {
    const detector = trainDetector(simulate, { ...options, pairs: 200 })
    const fresh = (having: boolean) =>
      Array.from({ length: 300 }, (_, i) => featureOf(detector, simulate(having, 1000 + i)))
    const { plusMean, minusMean, plusStd, minusStd, v } = detector.shape
    // With the true direction the means lie 1.5 sqrt(5) deviations apart: v = 2 Phi(1.677) - 1 = 0.9065.
    expect(Math.abs(v - 0.9065)).toBeLessThan(0.1)
    expect(plusMean).toBeGreaterThan(0)
    expect(minusMean).toBeLessThan(0)
    expect(Math.abs(plusMean + minusMean)).toBeLessThan(0.1 * (plusMean - minusMean)) // 0 is half way
    const again = shapeOf(Float64Array.from(fresh(true)), Float64Array.from(fresh(false)))
    expect(Math.abs(again.plusMean - plusMean)).toBeLessThan(4 * plusStd * Math.sqrt(1 / 60 + 1 / 300))
    expect(Math.abs(again.minusMean - minusMean)).toBeLessThan(4 * minusStd * Math.sqrt(1 / 60 + 1 / 300))
    expect(Math.abs(again.v - 0.9065)).toBeLessThan(0.05)
    expect(Math.abs(again.v - v)).toBeLessThan(0.1) // 60 updates of each class: two deviations
    // A deviation of 60 values is off by a tenth of itself: three of those.
    expect(Math.abs(again.plusStd / plusStd - 1)).toBeLessThan(0.3)
    expect(Math.abs(again.minusStd / minusStd - 1)).toBeLessThan(0.3)
  })

  test('has the penalty that does best on the part that chooses', () => {
    const { train, choose } = parts(options.pairs)
    /** Updates of the choosing part alone: far out on their side, or on the other one. */
    const chosen = (side: 1 | -1) =>
      trainDetector((having, index) => {
        if (index < train || index >= train + choose) return simulate(having, index)
        return Float64Array.from({ length: z }, (_, j) => (j < 5 ? 0.75 + 5 * side * (having ? 1 : -1) : 0))
      }, options).penalty
    expect(chosen(1)).toBe(0.001) // they are all right: the largest feature loses least
    expect(chosen(-1)).toBe(10) // they are all wrong: the smallest one does
  })

  test('does not care for the units of a coordinate', () => {
    const unit = (j: number) => [1, 8, 0.25][j % 3]!
    const plain = trainDetector(simulate, { ...options, floor: 1e-9 })
    const other = trainDetector((having, index) => simulate(having, index).map((x, j) => unit(j) * x), {
      ...options,
      floor: 1e-9,
    })
    expect(other.c).toBeCloseTo(plain.c, 9)
    for (const [j, x] of plain.a.entries()) expect(unit(j) * other.a[j]!).toBeCloseTo(x, 9)
  })

  test('carries its offset through a sum: the feature of the sum is the sum of the features', () => {
    const detector = trainDetector(simulate, options)
    const [weights, unit] = [[1, 0.5, 2.5, 1], 7]
    const sum = new Float64Array(z)
    let features = 0
    for (const [i, w] of weights.entries()) {
      const update = simulate(i % 2 === 0, 500 + i)
      features += w * featureOf(detector, update)
      for (let j = 0; j < z; j++) sum[j]! += unit * w * update[j]!
    }
    expect(summedFeature(detector, sum, { unit, weight: 5 })).toBeCloseTo(features, 9)
  })

  test('does not depend on how many updates fit in memory, but for where deviations come from', () => {
    const whole = trainDetector(simulate, { ...options, floor: 1e9 })
    const cut = trainDetector(simulate, { ...options, floor: 1e9, maxBytes: 4 * z * 8 })
    // With a huge floor all coordinates are scaled alike, so that only means and the common scale differ.
    const cosine =
      whole.a.reduce((s, x, j) => s + x * cut.a[j]!, 0) /
      Math.sqrt(whole.a.reduce((s, x) => s + x * x, 0) * cut.a.reduce((s, x) => s + x * x, 0))
    expect(cosine).toBeGreaterThan(0.999)
  })

  test('several features come from parts of the training updates of their own', () => {
    const [a, b] = [0, 1].map((index) => trainDetector(simulate, { ...options, fold: { index, of: 2 } }))
    expect(a!.a).not.toEqual(b!.a)
    expect(() => trainDetector(simulate, { pairs: 8, floor: 0.1, fold: { index: 0, of: 4 } })).toThrow(/4 features/)
  })

  test('their mean is one feature, in the unit of the usual one, measured on itself', () => {
    const pairs = 200
    const own = [0, 1, 2].map((index) => trainDetector(simulate, { ...options, pairs, fold: { index, of: 3 } }))
    const units = own.map(({ shape }) => deviationOf(shape))
    const usual = (units[0]! + units[1]! + units[2]!) / 3
    const mean = meanDetector(own, simulate, pairs)
    const { train, choose, measure } = parts(pairs)
    const measured = [true, false].map((having) =>
      Float64Array.from({ length: measure }, (_, i) => {
        const update = simulate(having, train + choose + i)
        return own.reduce((sum, one, f) => sum + (featureOf(one, update) * usual) / units[f]! / 3, 0)
      }),
    )
    const expected = shapeOf(measured[0]!, measured[1]!)
    for (const key of ['plusMean', 'plusStd', 'minusMean', 'minusStd', 'v', 'measured'] as const)
      expect(mean.shape[key]).toBeCloseTo(expected[key], 9)
    // Three detectors on a third of the updates each: what they do not share is averaged out.
    const gap = ({ shape }: Pick<typeof mean, 'shape'>) =>
      (shape.plusMean - shape.minusMean) / Math.sqrt(shape.plusStd * shape.minusStd)
    for (const one of own) expect(gap(mean)).toBeGreaterThan(gap(one))
  })

  test('does not keep the updates it is given, and gives all memory back', () => {
    const [one, before] = [new Float64Array(z), engine().inUse()]
    const again = (having: boolean, index: number): Float64Array => {
      one.set(simulate(having, index))
      return one
    }
    for (const maxBytes of [1e6, 4 * z * 8]) {
      expect(trainDetector(again, { ...options, maxBytes })).toEqual(trainDetector(simulate, { ...options, maxBytes }))
    }
    expect(engine().inUse()).toBe(before)
  })

  test('refuses updates that are none', () => {
    expect(() => trainDetector(() => Float64Array.of(Number.NaN, 1), options)).toThrow(/holds NaN at 0/)
    expect(() => trainDetector(() => new Float64Array(3), options)).toThrow(/all simulated updates are equal/)
  })
})

test('the floor keeps a coordinate that hardly varies from ruling', () => {
  const few = (k: number) => Float64Array.of(rng('few').fork(k).normal(), 1e-9 * k, 3)
  const { scale } = trainingRows(few, { count: 6, floor: 0.1, maxBytes: 1e6 })
  expect(scale[1]).toBe(scale[2])
  expect(scale[1]! / scale[0]!).toBeCloseTo(0.1 / 3, 3)
})

test('f+ and f- have the means and the unbiased deviations of what was measured', () => {
  const shape = shapeOf(Float64Array.of(1, 2, 6), Float64Array.of(-1, 0, 1, 2))
  expect(shape).toMatchObject({ plusMean: 3, minusMean: 0.5, measured: 4 })
  expect(shape.plusStd).toBeCloseTo(Math.sqrt(14 / 2), 12)
  expect(shape.minusStd).toBeCloseTo(Math.sqrt(5 / 3), 12)
  const { overlap } = overlapOfNormals({ mean1: 3, std1: Math.sqrt(7), mean2: 0.5, std2: Math.sqrt(5 / 3) })
  expect(shape.v).toBeCloseTo(1 - overlap, 12)
})

test('a class that does not vary has a small deviation, not none', () => {
  const { plusStd, v } = shapeOf(Float64Array.of(2, 2, 2), Float64Array.of(-1, 0, 1))
  expect(plusStd).toBeCloseTo(0.003, 5)
  expect(v).toBeGreaterThan(0.9)
  expect(shapeOf(Float64Array.of(0, 0), Float64Array.of(0, 0)).v).toBe(0)
})

interface OverlapVector {
  readonly cases: readonly { mu1: number; sd1: number; mu2: number; sd2: number; v: number }[]
}
describe('a client that acts now and then', () => {
  const shape = shapeOf(rng(1).normals(400, { mean: 3, std: 0.5 }), rng(2).normals(400, { mean: -1, std: 2 }))

  test.each([0.25, 0.5, 0.9])('has the moments of the mixture: %d', (acting) => {
    const { plusMean, plusStd, minusMean, minusStd } = shape
    const draws = rng('mixture')
    const mixed = Float64Array.from({ length: 40_000 }, () =>
      draws.uniform() < acting
        ? draws.normal({ mean: plusMean, std: plusStd })
        : draws.normal({ mean: minusMean, std: minusStd }),
    )
    const found = nowAndThen(shape, acting)
    const sampled = shapeOf(mixed, mixed)
    expect(Math.abs(found.plusMean - sampled.plusMean)).toBeLessThan((4 * found.plusStd) / 200)
    expect(Math.abs(found.plusStd / sampled.plusStd - 1)).toBeLessThan(0.015) // four deviations of 40,000 draws
    expect(found.minusMean).toBe(minusMean)
    expect(found.v).toBeLessThan(shape.v)
  })

  test('is as it was when it always acts', () => {
    expect(nowAndThen(shape, 1)).toBe(shape)
  })
})

describeWithShared('vector h', () => {
  test.each(vector<OverlapVector>('h').cases)('v of N($mu1, $sd1) and N($mu2, $sd2)', ({ mu1, sd1, mu2, sd2, v }) => {
    const { overlap } = overlapOfNormals({ mean1: mu1, std1: sd1, mean2: mu2, std2: sd2 })
    expect(1 - overlap).toBeCloseTo(v, 12)
  })
})
