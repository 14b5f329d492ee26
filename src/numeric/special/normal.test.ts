import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalCdf, normalIntervalProb, normalLogCdf, normalLogPdf, normalPdf } from './normal.js'
import { normalQuantile } from './normal-quantile.js'

// mpmath 1.4.1, 50 digits: ncdf, log(ncdf), npdf, (erfc(low / sqrt 2) - erfc(high / sqrt 2)) / 2.
const cdf = [
  [-37, 5.725571222524577e-300],
  [-20, 2.7536241186062337e-89],
  [-8, 6.220960574271784e-16],
  [-3, 0.0013498980316300946],
  [-1.5, 0.06680720126885807],
  [-0.7, 0.24196365222307303],
  [0.25, 0.5987063256829237],
  [1, 0.8413447460685429],
  [5, 0.9999997133484281],
] as const
const logCdf = [
  [-1e6, -500000000014.73444],
  [-1000.5, -500507.9521946862],
  [-40, -804.6084420137538],
  [-5, -15.064998393988725],
  [-1.01, -1.8563130623431785],
  [-0.99, -1.8258103178428124],
  [-0.2, -0.8657395226815953],
  [0.3, -0.4814101615884812],
  [2, -0.02301290932896349],
  [10, -7.619853024160525e-24],
  [30, -4.906713927148187e-198],
] as const
const pdf = [
  [0, 0.3989422804014327],
  [0.5, 0.35206532676429947],
  [-1.7, 0.09404907737688693],
  [10, 7.694598626706419e-23],
] as const
const intervals = [
  [-1, 1, 0.6826894921370859],
  [0.5, 0.5000001, 3.5206531777735426e-8],
  [30, 30.001, 1.45176060167579e-199],
  [-38, -5, 2.866515718791939e-7],
  [3, 40, 0.0013498980316300946],
  [1e-9, 2e-9, 3.989422804014327e-10],
  [-0.1, 3, 0.5384779392453989],
] as const
const tables = {
  normalCdf: [normalCdf, cdf],
  normalLogCdf: [normalLogCdf, logCdf],
  normalPdf: [normalPdf, pdf],
} as const

test.each(Object.entries(tables))('%s agrees with 50 digits', (_, [f, values]) => {
  for (const [x, expected] of values) expect(Math.abs(f(x) / expected - 1), `at ${x}`).toBeLessThan(3e-15)
})

test('normalLogPdf is the logarithm of the density, and goes on where that is 0', () => {
  for (const [x, expected] of pdf) expect(normalLogPdf(x)).toBeCloseTo(Math.log(expected), 12)
  expect(normalLogPdf(1e6)).toBe(-5e11 - 0.9189385332046728)
})

test('mean and std shift and scale', () => {
  const shape = { mean: 3, std: 0.25 }
  expect(normalPdf(3.5, shape)).toBeCloseTo(4 * normalPdf(2), 15)
  expect(normalLogPdf(3.5, shape)).toBeCloseTo(normalLogPdf(2) + Math.log(4), 13)
  expect(normalCdf(2.5, shape)).toBe(normalCdf(-2))
  expect(normalLogCdf(2.5, shape)).toBe(normalLogCdf(-2))
  for (const std of [0, -1, NaN]) expect(() => normalPdf(0, { std })).toThrow(/std must be above 0/)
})

test('ends of the line', () => {
  expect([normalCdf(-Infinity), normalCdf(Infinity), normalCdf(0), normalCdf(NaN)]).toEqual([0, 1, 0.5, NaN])
  expect([normalLogCdf(-Infinity), normalLogCdf(Infinity), normalLogCdf(NaN)].map((v) => v + 0)).toEqual([
    -Infinity,
    0,
    NaN,
  ])
  expect([normalPdf(Infinity), normalPdf(-50), normalPdf(NaN)]).toEqual([0, 0, NaN])
})

describe('normalIntervalProb', () => {
  test.each(intervals)('%d to %d', (low, high, expected) => {
    // the argument itself is only good to half an ulp, which costs low^2 / 2 ulp in the tail
    expect(Math.abs(normalIntervalProb({ low, high }) / expected - 1)).toBeLessThan(
      3e-15 * Math.max(1, (low * low) / 50),
    )
  })

  test('parts add up to the whole, also across the border between its two ways', () => {
    const cut = fc.double({ min: -6, max: 6, noNaN: true })
    fc.assert(
      fc.property(cut, cut, cut, (a, b, c) => {
        const [low, middle, high] = [a, b, c].sort((p, q) => p - q) as [number, number, number]
        const parts = normalIntervalProb({ low, high: middle }) + normalIntervalProb({ low: middle, high })
        const whole = normalIntervalProb({ low, high })
        expect(Math.abs(parts - whole)).toBeLessThanOrEqual(2e-14 * whole + 1e-300)
      }),
      { numRuns: 2000 },
    )
  })

  test('the wrong way round is an error', () => {
    expect(() => normalIntervalProb({ low: 1, high: 0 })).toThrow(/must not exceed/)
    expect(() => normalIntervalProb({ low: NaN, high: 0 })).toThrow(/must not exceed/)
  })
})

test('normalCdf undoes normalQuantile, from 1e-300 up', () => {
  fc.assert(
    fc.property(fc.double({ min: -690, max: -0.01, noNaN: true }), (logP) => {
      const p = Math.exp(logP)
      const x = normalQuantile(p)
      expect(Math.abs(normalCdf(x) / p - 1)).toBeLessThan(1e-15 * (8 + x * x))
    }),
    { numRuns: 2000 },
  )
})
