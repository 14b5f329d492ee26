import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { incompleteBeta, incompleteBetaQuantile } from './beta.js'

// [x, a, b, I_x(a, b)]: mpmath 1.4.1, 60 digits, classic continued fraction with tolerance 1e-40, checked against
// mpmath.betainc where that converges.
const values = [
  [0.00012998400204972005, 1, 1e4, 0.72744763195284],
  [3.318947903481407e-6, 33.3, 1e4, 2.3007390934527207e-87],
  [0.0009, 33.3, 3.7, 1.3452289269041542e-98],
  [1.4792899408284025e-5, 0.5, 33.3, 0.024946205103617256],
  [0.9995, 3.7, 3.7, 0.9999999999853777],
  [0.974073759014619, 100, 0.5, 0.02206615546209308],
  [0.009049969292591248, 10, 100, 6.954869595419531e-8],
  [0.4204815664559354, 100, 3.7, 3.5049553449061156e-34],
  [0.05320435918477087, 33.3, 1234.5, 0.999999072706652],
  [0.0005930454768856061, 0.1, 1234.5, 0.9621701974115964],
  [0.9950178919163548, 100, 0.5, 0.3181785785474251],
  [0.9991666666666666, 0.1, 0.5, 0.9948998477480497],
  [0.8665112711478891, 1e4, 1234.5, 1.9676854383869277e-14],
  [0.2499425082925943, 10, 33.3, 0.6384050145287838],
  [0.999064149772776, 1e6, 1000, 0.9789808933890289],
  [1.9985817913953598e-6, 2, 1e6, 0.5936109584904979],
  [0.9989694236151105, 1e6, 1000, 0.1586160482615876],
  [2.9941795914553635e-5, 10.5, 1e6, 0.9999867052171155],
  [0.9999998996837824, 1e6, 0.1, 0.17220974775129805],
  [0.4999988819688063, 1e5, 1e5, 0.49960105928211396],
  [1.9973653528137253e-6, 0.1, 1e6, 0.9943060612660293],
  [0.4893934009338512, 1e6, 1e6, 4.4350983668879436e-198],
  [0.4971715735823603, 1e6, 1e6, 6.217879387386642e-16],
  [0.999892290579432, 1e6, 10.5, 3.248227710118456e-34],
  [0.9999635775686977, 1e6, 10.5, 1.2201673637573142e-7],
  [0.2196834397695666, 3e5, 1e6, 1.3327010502349598e-202],
] as const

describe('incompleteBeta', () => {
  test.each(values)('x = %d, a = %d, b = %d', (x, a, b, expected) => {
    expect(Math.abs(incompleteBeta(x, { a, b }) / expected - 1)).toBeLessThan(1e-12)
  })

  test('closed forms: x^a, 1 - (1 - x)^b, and symmetry in the middle', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 0.999, noNaN: true }),
        fc.double({ min: 0.1, max: 500, noNaN: true }),
        (x, a) => {
          expect(Math.abs(incompleteBeta(x, { a, b: 1 }) - x ** a)).toBeLessThan(1e-12 * x ** a + 1e-300)
          expect(Math.abs(incompleteBeta(x, { a: 1, b: a }) + Math.expm1(a * Math.log1p(-x)))).toBeLessThan(1e-13)
          expect(incompleteBeta(0.5, { a, b: a })).toBeCloseTo(0.5, 13)
        },
      ),
    )
  })

  test('ends, and what is refused', () => {
    expect([incompleteBeta(0, { a: 2, b: 3 }), incompleteBeta(1, { a: 2, b: 3 })]).toEqual([0, 1])
    for (const x of [-0.1, 1.1, NaN]) expect(() => incompleteBeta(x, { a: 1, b: 1 })).toThrow(/x must lie in 0..1/)
    for (const a of [0, -1, NaN, Infinity]) expect(() => incompleteBeta(0.5, { a, b: 1 })).toThrow(/above 0/)
  })

  test('a huge shape still settles', () => {
    expect(incompleteBeta(0.5, { a: 1e10, b: 1e10 })).toBeCloseTo(0.5, 12)
  })
})

describe('incompleteBetaQuantile', () => {
  test.each(values.filter(([, , , p]) => p < 0.9))('undoes x = %d, a = %d, b = %d', (x, a, b, p) => {
    expect(Math.abs(incompleteBetaQuantile(p, { a, b }) / x - 1)).toBeLessThan(1e-12)
  })

  test('I at the quantile is p, for shapes from 0.05 to 1e5 and p on both sides', () => {
    const shape = fc.double({ min: Math.log(0.05), max: Math.log(1e5), noNaN: true }).map(Math.exp)
    fc.assert(
      fc.property(shape, shape, fc.double({ min: 1e-12, max: 1 - 1e-9, noNaN: true }), (a, b, p) => {
        const x = incompleteBetaQuantile(p, { a, b })
        if (x < 1e-300 || x > 1 - 1e-5) return // no digits of x, or of 1 - x, are left to check
        // x is rounded to an ulp, which moves I by the density
        const below = incompleteBeta(x * (1 - 4e-16), { a, b })
        const above = incompleteBeta(x * (1 + 4e-16), { a, b })
        expect(p).toBeGreaterThanOrEqual(below * (1 - 1e-12))
        expect(p).toBeLessThanOrEqual(above * (1 + 1e-12))
      }),
      { numRuns: 500 },
    )
  })

  test('ends, a quantile below the smallest number, what is refused', () => {
    expect([incompleteBetaQuantile(0, { a: 2, b: 3 }), incompleteBetaQuantile(1, { a: 2, b: 3 })]).toEqual([0, 1])
    expect(incompleteBetaQuantile(0.5, { a: 1e-5, b: 1 })).toBe(0) // 0.5^100000
    expect(() => incompleteBetaQuantile(1.5, { a: 1, b: 1 })).toThrow(/p must lie in 0..1/)
    expect(() => incompleteBetaQuantile(Number.NaN, { a: 1, b: 1 })).toThrow(/p must lie in 0..1/)
  })
})
