import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalQuantile } from './normal-quantile.js'

// [p, Python 3.11: statistics.NormalDist().inv_cdf(p), mpmath 1.3 at 50 digits: root of erfc(-x / sqrt(2)) / 2 = p]
const oracle = [
  [5e-324, -38.46740561714434, -38.467405617144346],
  [1e-300, -37.0470962993612, -37.047096299361199],
  [6.548771026865555e-53, -15.264926450353105, -15.264926450353107],
  [1e-20, -9.262340089798405, -9.2623400897984076],
  [1.1102230246251565e-16, -8.209536151601386, -8.2095361516013869],
  [1.388794386496402e-11, -6.6579046435011024, -6.6579046435011036],
  [1e-10, -6.361340902404056, -6.3613409024040562],
  [1e-5, -4.2648907939228256, -4.2648907939228246],
  [0.001, -3.090232306167813, -3.0902323061678135],
  [0.025, -1.9599639845400538, -1.9599639845400542],
  [0.074999, -1.4395385353452304, -1.4395385353452307],
  [0.0750001, -1.4395307645017297, -1.4395307645017297],
  [0.1, -1.2815515655446008, -1.2815515655446004],
  [0.25, -0.6744897501960817, -0.67448975019608174],
  [0.4, -0.2533471031357998, -0.25334710313579974],
  [0.4999999, -2.506628274703107e-7, -2.5066282747031065e-7],
  [0.5000001, 2.506628273311649e-7, 2.5066282733116483e-7],
  [0.6, 0.2533471031357998, 0.25334710313579974],
  [0.975, 1.9599639845400536, 1.9599639845400539],
  [0.9999999, 5.199337582290662, 5.1993375822906611],
  [0.9999999999999999, 8.209536151601386, 8.2095361516013869],
] as const

describe.each(oracle)('at p = %d', (p, python, exact) => {
  test('one part in 10^15 from the truth and from Python', () => {
    expect(Math.abs(normalQuantile(p) / exact - 1)).toBeLessThan(1e-15)
    expect(Math.abs(normalQuantile(p) / python - 1)).toBeLessThan(1e-15)
  })
})

test('the edges are exact and what lies outside is refused', () => {
  expect([normalQuantile(0), normalQuantile(0.5), normalQuantile(1)]).toEqual([-Infinity, 0, Infinity])
  for (const p of [-1e-300, 1.0000001, NaN, Infinity, -Infinity]) {
    expect(() => normalQuantile(p)).toThrow(`normalQuantile was given the probability ${p}`)
  }
})

test('odd about 1/2, and rising', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 52 }), (k) => {
      const p = k * 2 ** -53
      expect(normalQuantile(1 - p)).toBe(0 - normalQuantile(p))
      expect(normalQuantile(p * (1 + 1e-12))).toBeGreaterThan(normalQuantile(p))
    }),
    { numRuns: 2000 },
  )
})
