import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packed, unpacked } from './packed-doubles.js'

const lists = fc.array(fc.float64Array({ maxLength: 9 }), { maxLength: 5 })

test('lists come back as they were, to the bit', () => {
  fc.assert(
    fc.property(lists, (given) => {
      expect(unpacked(packed(given))).toEqual(given)
    }),
  )
})

test('bytes that were cut off, lengthened or changed are none', () => {
  const bytes = packed([Float64Array.of(1, -0, Number.NaN), new Float64Array(0), Float64Array.of(3)])
  for (let k = 0; k < bytes.length; k++) {
    expect(unpacked(bytes.slice(0, k))).toBeUndefined()
    expect(unpacked(bytes.with(k, bytes[k]! ^ 4))).toBeUndefined()
  }
  expect(unpacked(Uint8Array.of(...bytes, ...new Uint8Array(8)))).toBeUndefined()
})
