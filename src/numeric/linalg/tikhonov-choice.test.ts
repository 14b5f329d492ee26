import { expect, test } from 'vitest'
import type { TikhonovPoint } from './tikhonov.js'
import { cornerOfLCurve, leastCrossValidation, smallestBetaWithSlope } from './tikhonov-choice.js'

const curve = (key: 'curvature' | 'gcv' | 'slope', values: readonly number[]): TikhonovPoint[] =>
  values.map((value, i) => ({ beta: 10 ** i, [key]: value }) as unknown as TikhonovPoint)
const { NaN: none, POSITIVE_INFINITY: infinite } = Number

test('the corner is the first point of largest finite curvature', () => {
  expect(cornerOfLCurve(curve('curvature', [-3, 2, infinite, 2, none])).beta).toBe(10)
  expect(cornerOfLCurve(curve('curvature', [none, -5, -4, -6])).beta).toBe(100)
  expect(() => cornerOfLCurve(curve('curvature', [none, infinite]))).toThrow('none of 2 Tikhonov points has an L-curve')
})

test('the least score of cross-validation, the first of equal ones', () => {
  expect(leastCrossValidation(curve('gcv', [3, none, 1, 1, 2])).beta).toBe(100)
  expect(() => leastCrossValidation([])).toThrow('none of 0 Tikhonov points has a cross-validation score')
})

test('the smallest weight that is steep enough, else the steepest', () => {
  expect(smallestBetaWithSlope(curve('slope', [-0.1, -1, -3, -0.5]), -1)).toMatchObject({
    point: { beta: 10 },
    reached: true,
  })
  expect(smallestBetaWithSlope(curve('slope', [none, -0.1, -0.9, -0.9, -0.2]), -1)).toMatchObject({
    point: { beta: 100 },
    reached: false,
  })
  expect(() => smallestBetaWithSlope(curve('slope', [none]), -1)).toThrow('none of 1 Tikhonov points has a slope')
})
