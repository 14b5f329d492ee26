import fc from 'fast-check'
import { expect, test } from 'vitest'
import { impliedFrequencies } from './implied-frequency.js'

/** Dummies of each level (the first dropped or not), standardised by the shares of the levels. */
function standardised(shares: readonly number[], { dropFirst }: { dropFirst: boolean }): number[][] {
  const dummies = shares.map((_, l) => l).slice(dropFirst ? 1 : 0)
  return shares.map((_, l) =>
    dummies.map((j) => (Number(j === l) - shares[j]!) / Math.sqrt(shares[j]! * (1 - shares[j]!))),
  )
}

test('the example of the format: -0.5 means about 20 % positive', () => {
  const p = impliedFrequencies([[-0.5], [1.97]])!
  expect(p[1]).toBeCloseTo(0.5 / 2.47, 12)
})

test('the shares come back from standardised dummies, first level dropped or not', () => {
  const shares = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 2, maxLength: 6 }).map((counts) => {
    const all = counts.reduce((a, b) => a + b, 0)
    return counts.map((k) => k / all)
  })
  fc.assert(
    fc.property(shares, fc.boolean(), (p, dropFirst) => {
      const found = impliedFrequencies(standardised(p, { dropFirst }))!
      p.forEach((share, l) => {
        expect(found[l]).toBeCloseTo(share, 8)
      })
    }),
  )
})

test.each([
  ['plain dummies', [[0], [1]]],
  ['other units', [[-5], [20]]],
  ['both above zero', [[1], [2]]],
  ['codes of three levels in one column', [[-1.2], [0], [1.2]]],
  ['no levels', []],
  ['no columns', [[], []]],
])('%s give nothing away', (_, values) => {
  expect(impliedFrequencies(values)).toBeUndefined()
})
