import { describe, expect, test } from 'vitest'
import { f1Of, featureWorld } from '../../../../test/property-world.js'
import { rng } from '../../../numeric/random/rng.js'
import { blup } from '../best-linear-prediction.js'
import { firstRounds } from '../expected-features.js'
import { bestForF1 } from '../f1-decision.js'
import { byBlup } from '../property-estimators.js'
import type { FeatureSums } from './feature-sums.js'
import { steadyShapes } from './steady-shapes.js'

/** Means that are off as those of so many updates are. */
function measuredOn(count: number, features: FeatureSums): FeatureSums {
  const error = rng('measured').normals(2 * features.shapes.length)
  const shapes = features.shapes.map((shape, r) => ({
    ...shape,
    measured: count,
    plusMean: shape.plusMean + (error[2 * r]! * shape.plusStd) / Math.sqrt(count),
    minusMean: shape.minusMean + (error[2 * r + 1]! * shape.minusStd) / Math.sqrt(count),
  }))
  return { ...features, shapes }
}

/** Root mean square of what the means of f- are off. */
function offBy(found: FeatureSums, { shapes }: FeatureSums): number {
  const squares = found.shapes.map(({ minusMean }, r) => (minusMean - shapes[r]!.minusMean) ** 2)
  return Math.sqrt(squares.reduce((sum, x) => sum + x, 0) / squares.length)
}

describe('steady shapes', () => {
  const { features } = featureWorld({ seed: 1, n: 80, plusStd: 1.5 })

  /** Means of f+ and f- half a gap to both sides of a middle; deviations 1 and 3, so that an error is 2.5 / measured. */
  const made = (rounds: readonly { half: number; middle: number; measured: number }[]): FeatureSums => ({
    ...features,
    shapes: rounds.map(({ half, middle, measured }) => ({
      plusMean: middle + half,
      minusMean: middle - half,
      plusStd: 1,
      minusStd: 3,
      measured,
      v: 0.5,
    })),
  })

  test('by hand: three rounds, of which one was measured twice as often', () => {
    // Half gaps 1, 3, 2: their mean is 2, their variance 1, their errors 1/4, 1/8, 1/4, on average 5/24; so tau^2 is
    // 19/24, and 19/25, 19/22, 19/25 are kept. Middles are all 7: nothing is kept, and an error of 5/24 / 3 is left.
    const { A, G, shapes } = steadyShapes(
      made([
        { half: 1, middle: 7, measured: 10 },
        { half: 3, middle: 7, measured: 20 },
        { half: 2, middle: 7, measured: 10 },
      ]),
    )
    expect([A, G]).toEqual([features.A, features.G])
    const halves = [2 - 19 / 25, 2 + 19 / 22, 2]
    const errors = [
      [19 / 25, 1 / 4],
      [19 / 22, 1 / 8],
      [19 / 25, 1 / 4],
    ].map(([kept, own]) => kept! * own! + ((1 - kept!) * 5) / 24 / 3 + 5 / 24 / 3)
    for (const [r, { plusMean, minusMean, plusStd, minusStd, measured }] of shapes.entries()) {
      expect(plusMean).toBeCloseTo(7 + halves[r]!, 12)
      expect(minusMean).toBeCloseTo(7 - halves[r]!, 12)
      expect(measured).toBeCloseTo(minusStd ** 2 / errors[r]!, 10)
      // In units of sqrt(half^2 + 5) deviations differ by less than so few updates would make them: all are pulled together.
      const unit = (half: number) => Math.sqrt(half ** 2 + 5)
      const mean = Math.cbrt(unit(halves[0]!) * unit(halves[1]!) * unit(halves[2]!))
      expect(plusStd).toBeCloseTo(unit(halves[r]!) / mean, 10)
      expect(minusStd).toBeCloseTo((3 * unit(halves[r]!)) / mean, 10)
    }
  })

  test('a round borrows from ten before it and ten after it, and from no other', () => {
    for (const odd of [0, 24]) {
      const rounds = Array.from({ length: 25 }, (_, r) => ({ half: r === odd ? 9 : 1, middle: 0, measured: 10 }))
      const moved = steadyShapes(made(rounds)).shapes.map(({ plusMean }) => Math.abs(plusMean - 1) > 1e-9)
      expect(moved).toEqual(rounds.map((_, r) => Math.abs(r - odd) <= 10))
    }
  })

  test('keep what was measured well', () => {
    for (const [r, { plusMean, minusMean }] of steadyShapes(features).shapes.entries()) {
      expect(plusMean).toBeCloseTo(features.shapes[r]!.plusMean, 4)
      expect(minusMean).toBeCloseTo(features.shapes[r]!.minusMean, 4)
    }
  })

  test('halve the errors of few measurements at least, and know what is left of them', () => {
    const raw = measuredOn(9, features)
    const found = steadyShapes(raw)
    expect(offBy(found, features)).toBeLessThan(offBy(raw, features) / 2)
    const believed = found.shapes.reduce((sum, { minusStd, measured }) => sum + minusStd ** 2 / measured / 80, 0)
    expect(Math.sqrt(believed) / offBy(found, features)).toBeGreaterThan(0.5)
    expect(Math.sqrt(believed) / offBy(found, features)).toBeLessThan(2)
  })

  test('follow detectors that really differ', () => {
    const jumping = features.shapes.map((shape, r) => {
      const factor = [1, 4, 0.5, 2][r % 4]!
      return { ...shape, plusMean: factor * shape.plusMean, minusMean: factor * shape.minusMean }
    })
    const truth = { ...features, shapes: jumping }
    const raw = measuredOn(9, truth)
    expect(offBy(steadyShapes(raw), truth)).toBeLessThan(1.1 * offBy(raw, truth))
  })

  test.each([0, 1, 2])('%d rounds', (n) => {
    const found = steadyShapes(measuredOn(3, firstRounds(features, n)))
    expect(found.shapes).toHaveLength(n)
    for (const { minusMean, measured } of found.shapes) {
      expect(Number.isFinite(minusMean)).toBe(true)
      expect(measured).toBeGreaterThan(0)
    }
  })

  test('many participants, few measurements: fewer rounds do', () => {
    let [plain, steady] = [0, 0]
    for (const seed of [1, 2, 3, 4]) {
      const world = featureWorld({ seed, N: 100, n: 60, perRound: 30, positives: 5, gap: 8 })
      const raw = measuredOn(9, world.features)
      plain += f1Of(bestForF1(blup(raw, 0.1).probability), world.having) / 4
      steady += f1Of(byBlup([raw], { share: 0.1 }).positive, world.having) / 4
    }
    expect(steady).toBeGreaterThan(plain + 0.1)
  })
})
