import { expect, test } from 'vitest'
import { sparseFromTriplets } from '../../../numeric/linalg/sparse.js'
import type { FeatureShape } from './detector.js'
import { featureRounds, fitOf } from './fit-of-features.js'

const shape: FeatureShape = { plusMean: 2, plusStd: 0.5, minusMean: -1, minusStd: 1.5, measured: 4, v: 0.75 }
/** Two clients of weights 1 and 2 in every round. */
const rounds = (n: number) =>
  sparseFromTriplets(
    { rows: n, cols: 2 },
    Array.from({ length: n }, (_, r) => [[r, 0, 1] as const, [r, 1, 2] as const]).flat(),
  )

/** (1 + 4) 2.25 of the two, 9 * 2.25 / 4 of the measured mean. */
const variance = 11.25 + 5.0625

test('the misfit: how far a sum lies beyond all that any of the clients could give', () => {
  const misfit = (G: number[], change: Partial<FeatureShape> = {}) =>
    fitOf({ A: rounds(G.length), G: Float64Array.from(G), shapes: G.map(() => ({ ...shape, ...change })) }).details
      .misfit
  for (const inside of [-3, 0, 6]) expect(misfit([inside])).toBe(0)
  expect(misfit([-5])).toBeCloseTo(4 / variance, 12)
  expect(misfit([9, 0])).toBeCloseTo(9 / variance / 2, 12)
  const mirrored = { plusMean: -1, minusMean: 2 }
  expect(misfit([9], mirrored)).toBeCloseTo(9 / variance, 12)
  expect(misfit([-5], mirrored)).toBeCloseTo(4 / variance, 12)
  // The wider of the two spreads counts, the measured mean is that of f-.
  expect(misfit([9], { plusStd: 3 })).toBeCloseTo(9 / (45 + 5.0625), 12)
})

test('overlaps to four digits, and their mean', () => {
  const shapes = [0.123456, 0.5].map((v) => ({ ...shape, v }))
  const { details, warnings } = fitOf({ A: rounds(2), G: Float64Array.of(0, 0), shapes })
  expect(details).toEqual({ overlap: [0.8765, 0.5], meanOverlap: 0.68825, misfit: 0 })
  expect(warnings).toEqual([])
})

test('what is to be doubted is said', () => {
  const warned = (v: number, G: number) =>
    fitOf({ A: rounds(1), G: Float64Array.of(G), shapes: [{ ...shape, v }] }).warnings
  const far = 6 + Math.sqrt(10 * variance)
  expect(warned(0.2, far - 0.01)).toEqual([])
  expect(warned(0.19, far + 0.01)).toEqual([
    'the detectors hardly see the property: mean overlap 0.81; raise pairs',
    'the sums lie far from anything the made-up clients return (misfit 10.0)',
  ])
})

test('rounds are told as people read them: five digits, the mean of those who took part', () => {
  const one = { plusMean: 1.234567, plusStd: 0.5, minusMean: -1, minusStd: 1.5, measured: 4, v: 0.75 }
  expect(featureRounds({ A: rounds(1), G: Float64Array.of(7.5), shapes: [one] }, [12])).toEqual([
    {
      round: 12,
      having: { mean: 1.2346, deviation: 0.5 },
      lacking: { mean: -1, deviation: 1.5 },
      overlap: 0.25,
      heard: 2.5,
    },
  ])
})

test.each([
  [1, 1, 1],
  [60, 60, 1],
  [61, 31, 2],
  [121, 41, 3],
])('of %d rounds %d are told, every %d', (n, told, every) => {
  const shapes = Array.from({ length: n }, () => shape)
  const numbers = shapes.map((_, r) => 100 + r)
  const found = featureRounds({ A: rounds(n), G: new Float64Array(n), shapes }, numbers).map(({ round }) => round)
  expect(found).toEqual(Array.from({ length: told }, (_, k) => 100 + k * every))
})
