import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeWithShared, vector } from '../../../test/shared.js'
import { normalPdf } from './normal.js'
import { overlapOfNormals } from './overlap-of-normals.js'

interface Case {
  mu1: number
  sd1: number
  mu2: number
  sd2: number
  ovl: number
  crossings: number[]
  v: number
}
describeWithShared('the shared vector h', () => {
  const { cases } = vector<{ cases: Case[] }>('h')
  test.each(cases)('N($mu1, $sd1) and N($mu2, $sd2)', ({ mu1, sd1, mu2, sd2, ovl, crossings, v }) => {
    const got = overlapOfNormals({ mean1: mu1, std1: sd1, mean2: mu2, std2: sd2 })
    expect(got.overlap).toBeCloseTo(ovl, 14)
    expect(1 - got.overlap).toBeCloseTo(v, 14)
    expect(got.crossings.length).toBe(crossings.length)
    for (const [i, c] of crossings.entries()) expect(Math.abs(got.crossings[i]! - c)).toBeLessThan(1e-13)
  })
})

// mpmath 1.4.1, 150 digits: roots of the quadratic in x, areas by erfc.
test.each([
  [0, 1e-6, 0.3, 1, 4.156203042780271e-6],
  [0, 1, 0, 1.0000001, 0.9999999516058575],
  [0, 1, 5, 1.000001, 0.012419374472348307],
  [-3, 0.5, 20, 1, 4.325669609041508e-53],
  [1000, 2, 1001, 2.5, 0.8035050657330205],
  [0, 0.001, 4, 0.1, 0],
])('N(%d, %d) and N(%d, %d): one very narrow, nearly equal, far apart', (mean1, std1, mean2, std2, expected) => {
  const { overlap } = overlapOfNormals({ mean1, std1, mean2, std2 })
  expect(Math.abs(overlap - expected)).toBeLessThanOrEqual(1e-12 * expected + 1e-300)
})

test('symmetric, in 0..1, and the densities do meet at the crossings', () => {
  const mean = fc.double({ min: -3, max: 3, noNaN: true })
  const std = fc.double({ min: 0.3, max: 3, noNaN: true })
  fc.assert(
    fc.property(mean, std, mean, std, (mean1, std1, mean2, std2) => {
      const one = overlapOfNormals({ mean1, std1, mean2, std2 })
      expect(overlapOfNormals({ mean1: mean2, std1: std2, mean2: mean1, std2: std1 })).toEqual(one)
      expect(one.overlap).toBeGreaterThanOrEqual(0)
      expect(one.overlap).toBeLessThanOrEqual(1 + 1e-15)
      for (const c of one.crossings) {
        const [p, q] = [normalPdf(c, { mean: mean1, std: std1 }), normalPdf(c, { mean: mean2, std: std2 })]
        if (Math.abs(c) < 10) expect(Math.abs(p - q)).toBeLessThan(1e-10 * Math.max(p, q))
      }
    }),
    { numRuns: 500 },
  )
})

test('nothing that is not a density', () => {
  for (const std1 of [0, -1, NaN, Infinity])
    expect(() => overlapOfNormals({ mean1: 0, std1, mean2: 0, std2: 1 })).toThrow(/above 0/)
  expect(() => overlapOfNormals({ mean1: NaN, std1: 1, mean2: 0, std2: 1 })).toThrow(/finite/)
})
