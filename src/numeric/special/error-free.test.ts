import fc from 'fast-check'
import { expect, test } from 'vitest'
import { twoProduct, twoSum } from './error-free.js'

const value = fc.double({ min: -1e6, max: 1e6, noNaN: true }).filter((x) => x === 0 || Math.abs(x) > 1e-60)

/** A double as numerator over 2^1100. */
function fixed(x: number): bigint {
  const scaled = (v: number, bits: number): bigint =>
    Number.isInteger(v) ? BigInt(v) << BigInt(bits) : scaled(v * 2, bits - 1)
  return scaled(x, 1100)
}

test('sum and error, product and error, are exact', () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      const [s, sError] = twoSum(a, b)
      expect(fixed(s) + fixed(sError)).toBe(fixed(a) + fixed(b))
      const [p, pError] = twoProduct(a, b)
      expect((fixed(p) + fixed(pError)) << 1100n).toBe(fixed(a) * fixed(b))
    }),
    { numRuns: 1000 },
  )
})
