import { describe, expect, test } from 'vitest'
import { engine } from '../../../numeric/engine/engine.js'
import { sparseFromTriplets } from '../../../numeric/linalg/sparse.js'
import { overlapOfNormals } from '../../../numeric/special/overlap-of-normals.js'
import { inCommonUnits } from './common-units.js'
import { type Detector, deviationOf, type FeatureShape, nowAndThen, parts, shapeOf, trainDetector } from './detector.js'
import { meanDetector } from './mean-detector.js'
import { steadyShapes } from './steady-shapes.js'

const close = (found: ArrayLike<number>, asked: ArrayLike<number>, digits = 12) => {
  expect(found).toHaveLength(asked.length)
  for (let i = 0; i < asked.length; i++) expect(found[i]).toBeCloseTo(asked[i]!, digits)
}

/** Half the distance 3, mean square deviation (31 + 1) / 2: t = 5, times a unit. */
const shape = (unit = 1, change: Partial<FeatureShape> = {}): FeatureShape => ({
  plusMean: 8 * unit,
  plusStd: Math.sqrt(31) * unit,
  minusMean: 2 * unit,
  minusStd: unit,
  measured: 9,
  v: 0.5,
  ...change,
})

test('the deviation of a feature of either kind', () => {
  expect(deviationOf(shape())).toBeCloseTo(5, 12)
  expect(deviationOf({ ...shape(), plusMean: 0, minusMean: 6, plusStd: 1, minusStd: Math.sqrt(31) })).toBeCloseTo(5, 12)
  expect(deviationOf({ ...shape(), plusMean: 2, plusStd: 0, minusStd: 0 })).toBe(0)
})

test('updates that train, choose and measure: at least two that choose and three that measure', () => {
  expect(parts(5)).toEqual({ train: 0, choose: 2, measure: 3 })
  expect(parts(8)).toEqual({ train: 3, choose: 2, measure: 3 })
  expect(parts(12)).toEqual({ train: 6, choose: 2, measure: 4 })
  expect(parts(100)).toEqual({ train: 50, choose: 20, measure: 30 })
})

test('a detector is trained on two updates of each class at least', () => {
  const simulate = (having: boolean, i: number) => Float64Array.of(having ? 1 : -1, i, i * i)
  const trained = (pairs: number, of: number) => trainDetector(simulate, { pairs, floor: 0, fold: { index: 1, of } })
  expect(trained(9, 2).shape.measured).toBe(3)
  expect(() => trained(8, 2)).toThrow('8 pairs for 2 features; 13 pairs would do')
})

describe('what was measured', () => {
  const of = (plus: number[], minus: number[]) => shapeOf(Float64Array.from(plus), Float64Array.from(minus))

  test('a class that does not vary has a thousandth of all that there is as its deviation', () => {
    expect(of([5, 5, 5], [1, 2, 3])).toMatchObject({ plusMean: 5, plusStd: 0.004, minusMean: 2, minusStd: 1 })
    expect(of([-1, -2, -3], [-5, -5, -5])).toMatchObject({ plusStd: 1, minusMean: -5, minusStd: 0.004 })
    expect(of([7, 7], [7, 7, 7])).toMatchObject({ plusStd: 1e-100, minusStd: 1e-100, measured: 3 })
  })

  test('a spread that is small beside the mean is not lost in it', () => {
    const { plusStd, minusStd } = of([1e12, 1e12 + 1, 1e12 + 3.5], [0, 1, 3.5])
    expect(plusStd).toBeCloseTo(minusStd, 6)
  })

  test('those who act now and then overlap with the others as the normal of the mixture does', () => {
    const { plusMean, plusStd, v } = nowAndThen(shape(), 0.5)
    close([plusMean, plusStd], [5, 5])
    expect(v).toBe(1 - overlapOfNormals({ mean1: plusMean, std1: plusStd, mean2: 2, std2: 1 }).overlap)
    expect(v).toBeGreaterThan(0.3)
  })
})

describe('one unit and level for all rounds', () => {
  const A = sparseFromTriplets(
    { rows: 4, cols: 2 },
    [0, 1, 2, 3].flatMap((r) => [[r, 0, 1] as const, [r, 1, 2] as const]),
  )
  const none = { ...shape(), plusMean: 2, plusStd: 0, minusStd: 0 }

  test('by hand: units of the upper median, levels that are trusted by v', () => {
    const shapes = [shape(2), shape(4), shape(0.5, { v: 0.25 }), { ...none, v: 0 }]
    // t is 10, 20, 2.5 and 0, the usual one 10; half the distances 6, 12 and 1.5 are 6 in units of 1, 2 and 1 / 4.
    const units = [1, 2, 0.25, 1]
    const levels = shapes.map(({ minusMean }, r) => minusMean + 6 * units[r]!)
    const found = inCommonUnits({ A, G: Float64Array.of(30, 1, 2, 7), shapes })
    close(
      found.G,
      [30, 1, 2, 7].map((g, r) => (g - 3 * levels[r]!) / units[r]!),
    )
    for (const [r, one] of found.shapes.entries()) {
      const { plusMean, plusStd, minusMean, minusStd } = shapes[r]!
      close(
        [one.plusMean, one.minusMean],
        [plusMean, minusMean].map((x) => (x - levels[r]!) / units[r]!),
      )
      close([one.plusStd, one.minusStd], [plusStd / units[r]!, minusStd / units[r]!])
      expect(one.measured).toBe(9)
    }
    close([found.shapes[1]!.minusMean, found.shapes[1]!.plusMean], [-6, 6])
  })

  test('a little trust in one round settles the level of all', () => {
    const shapes = [shape(1, { v: 0.25 }), shape(1, { v: 0, plusMean: 4 }), shape(1, { v: 0, minusMean: 7 })]
    const found = inCommonUnits({ A, G: new Float64Array(4), shapes: [...shapes, { ...none, v: 0 }] })
    close([found.shapes[0]!.minusMean + found.shapes[0]!.plusMean], [0])
  })

  test('without any trust levels are those of f-', () => {
    const found = inCommonUnits({ A, G: new Float64Array(4), shapes: [4, 4, 4, 4].map((u) => shape(u, { v: 0 })) })
    close(
      found.shapes.map(({ minusMean }) => minusMean),
      [0, 0, 0, 0],
    )
  })
})

describe('deviations of neighbouring rounds lean on each other', () => {
  /** Towards the mean as far as they vary less than their errors, which are 1 / (2 (m - 1)) each. */
  function leaning(values: readonly number[], measured: readonly number[]): number[] {
    const n = values.length
    const errors = measured.map((m) => 1 / (2 * (m - 1 || 1)))
    const mean = values.reduce((sum, x) => sum + x / n, 0)
    const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / Math.max(1, n - 1)
    const real = Math.max(0, variance - errors.reduce((sum, e) => sum + e / n, 0))
    return values.map((x, r) => mean + (real / (real + errors[r]!)) * (x - mean))
  }

  test.each([[[7, 7]], [[2, 1]], [[1000, 1000, 4]], [[30, 3, 2, 50, 9]]])(
    'measured %j times: as far as they vary more than such measurements',
    (measured) => {
      const n = measured.length
      // Means that are all alike stay: half the distance is 3 in every round.
      const stds = measured.map((_, r) => [[1, 4][r % 2]! * (1 + r), [9, 2][r % 2]! + r * r] as const)
      const shapes = measured.map((m, r) => shape(1, { plusStd: stds[r]![0], minusStd: stds[r]![1], measured: m }))
      const A = sparseFromTriplets({ rows: n, cols: 1 }, [])
      const units = stds.map(([p, m]) => Math.sqrt(9 + (p * p + m * m) / 2))
      const found = steadyShapes({ A, G: new Float64Array(n), shapes }).shapes
      for (const k of [0, 1] as const) {
        const logs = leaning(
          stds.map((one, r) => Math.log(one[k] / units[r]!)),
          measured,
        )
        const asked = logs.map((x, r) => units[r]! * Math.exp(x))
        close(
          found.map(({ plusStd, minusStd }) => [plusStd, minusStd][k]!),
          asked,
          10,
        )
      }
    },
  )
})

test('means lean on each other the same way, wherever 0 is', () => {
  const A = sparseFromTriplets({ rows: 3, cols: 1 }, [])
  const of = (zero: number) => {
    const shapes = [1, 2.5, -3].map((x) => shape(1, { plusMean: zero + x + 0.5, minusMean: zero + x - 0.5 }))
    return steadyShapes({ A, G: new Float64Array(3), shapes }).shapes.map(({ plusMean }) => plusMean - zero)
  }
  close(of(1e12), of(0), 2)
  expect(Math.abs(of(0)[0]! - 1.5)).toBeGreaterThan(0.05)
})

describe('the mean of several features', () => {
  const detector = (a: number[], c: number, own: FeatureShape, penalty: number): Detector => {
    return { a: Float64Array.from(a), c, penalty, shape: own }
  }
  const still: FeatureShape = { ...shape(), plusMean: 2, plusStd: 0, minusStd: 0 }
  /** Eight pairs: three are trained on, two choose, three measure. */
  const simulate = (having: boolean, i: number) => Float64Array.of(having ? 1 : 0, i)

  test('each in the unit of the usual one, measured on what is left for it', () => {
    const before = engine().inUse()
    const list = [detector([8, 0], 1, shape(1), 10), detector([0, 16], 3, shape(2), 0.1)]
    const { a, c, penalty, shape: found } = meanDetector(list, simulate, 8)
    close(a, [8 * 0.75, 16 * 0.375])
    close([c, penalty], [0.75 + 3 * 0.375, 5.05])
    // 6 having + 6 i + 1.875 at i = 5, 6, 7
    close([found.plusMean, found.minusMean, found.plusStd, found.minusStd], [43.875, 37.875, 6, 6])
    expect(found.measured).toBe(3)
    expect(engine().inUse()).toBe(before)
  })

  test('one that never varies counts as it is, small units as large ones', () => {
    close(meanDetector([detector([8, 0], 1, still, 1), detector([0, 16], 3, shape(1), 1)], simulate, 8).a, [4, 4])
    const small = [detector([8, 0], 1, shape(0.02), 1), detector([0, 16], 3, shape(0.04), 1)]
    close(meanDetector(small, simulate, 8).a, [6, 6])
  })
})
