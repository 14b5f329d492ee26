import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gammaSign, logBinomial, logGamma, stirlingCorrection } from './gamma.js'

// mpmath 1.4.1, 50 digits: loggamma(mpf(x)), for negatives log(abs(gamma(x))) and sign(gamma(x)).
const positive = [
  [1e-300, 690.7755278982137],
  [1e-10, 23.025850929882736],
  [0.1, 2.252712651734206],
  [0.49, 0.592249629335267],
  [0.5, 0.5723649429247001],
  [0.99, 0.005854806764709781],
  [0.9999999, 5.772157468444193e-8],
  [1.0000001, -5.772155829918507e-8],
  [1.3, -0.10817480950786047],
  [1.99999, -4.227811104241674e-6],
  [2.00001, 4.22787559764836e-6],
  [2.49, 0.2776758614151702],
  [2.51, 0.29173891549286796],
  [5.5, 3.9578139676187165],
  [11.99, 17.477885575426185],
  [12, 17.502307845873887],
  [12.01, 17.526738806509965],
  [100.5, 361.4355404677776],
  [1e6, 12815504.569147611],
  [1e15, 3.3538776394910668e16],
  [1e300, 6.897755278982137e302],
] as const
const negative = [
  [-1e-300, 690.7755278982137, -1],
  [-0.5, 1.2655121234846454, -1],
  [-1.5, 0.860047015376481, 1],
  [-2.0000001, 15.424948379756534, -1],
  [-10.25, -14.20399790093109, -1],
  [-99.999, -356.82700847477383, 1],
  [-100000.5, -1051303.8336357186, -1],
] as const

describe('logGamma', () => {
  test.each(positive)('at %d', (x, expected) => {
    expect(Math.abs(logGamma(x) / expected - 1)).toBeLessThan(5e-15)
    expect(gammaSign(x)).toBe(1)
  })

  test.each(negative)('and its sign at %d', (x, expected, sign) => {
    expect(Math.abs(logGamma(x) - expected)).toBeLessThan(1e-14 * Math.max(1, Math.abs(expected)))
    expect(gammaSign(x)).toBe(sign)
  })

  test('exact zeros, poles, ends', () => {
    expect([logGamma(1), logGamma(2)].map(Math.abs)).toEqual([0, 0])
    for (const pole of [0, -1, -2, -1e16]) expect([logGamma(pole), gammaSign(pole)]).toEqual([Infinity, NaN])
    expect([logGamma(Infinity), logGamma(3e305), logGamma(NaN), gammaSign(NaN)]).toEqual([Infinity, Infinity, NaN, NaN])
  })

  test('log Gamma(x + 1) = log Gamma(x) + log(x), across every border of the pieces', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 40, noNaN: true }), (x) => {
        const [a, b] = [logGamma(x + 1), logGamma(x) + Math.log(x)]
        expect(Math.abs(a - b)).toBeLessThan(2e-14 * Math.max(1, Math.abs(a)))
      }),
      { numRuns: 1000 },
    )
  })
})

test('stirlingCorrection: the tail 1 / 12x and the border at 12', () => {
  // mpmath: loggamma(x + 1) - (x + 0.5) log(x) + x - log(2 pi) / 2
  expect(stirlingCorrection(1)).toBeCloseTo(0.08106146679532726, 14)
  expect(Math.abs(stirlingCorrection(12 - 1e-13) - stirlingCorrection(12))).toBeLessThan(2e-14)
  expect(stirlingCorrection(1e8) * 12e8).toBeCloseTo(1, 14)
})

describe('logBinomial', () => {
  // mpmath: loggamma(n + 1) - loggamma(k + 1) - loggamma(n - k + 1)
  test.each([
    [2, 1, Math.LN2],
    [10, 3, 4.787491742782046],
    [52, 5, 14.77062192297037],
    [1000, 1, 6.907755278982137],
    [1000, 500, 689.4672615678512],
    [1e6, 3, 39.654769204662266],
    [1e6, 999998, 26.9378729353681],
    [1e9, 5e8, 693147169.9725211],
    [1e15, 7, 233.24627340330937],
    [1e15, 5e14, 693147180559927.9],
  ])('%d over %d', (n, k, expected) => {
    expect(Math.abs(logBinomial(n, k) / expected - 1)).toBeLessThan(1e-14)
    expect(logBinomial(n, n - k)).toBe(logBinomial(n, k))
  })

  test('edges', () => {
    expect([logBinomial(0, 0), logBinomial(5, 0), logBinomial(5, 5)]).toEqual([0, 0, 0])
    expect([logBinomial(5, 6), logBinomial(5, -1)]).toEqual([-Infinity, -Infinity])
    for (const [n, k] of [
      [-1, 0],
      [2.5, 1],
      [3, 0.5],
      [NaN, 1],
    ] as const)
      expect(() => logBinomial(n, k)).toThrow(/integers/)
  })
})
