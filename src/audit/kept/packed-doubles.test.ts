import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packed, unpacked } from './packed-doubles.js'

const lists = fc.array(fc.float64Array({ maxLength: 9 }), { maxLength: 5 })

test('lists come back as they were, to the bit', async () => {
  await fc.assert(
    fc.asyncProperty(lists, async (given) => {
      expect(await unpacked(await packed(given))).toEqual(given)
    }),
  )
})

test('bytes that were cut off, lengthened or changed are none', async () => {
  const bytes = await packed([Float64Array.of(1, -0, Number.NaN), new Float64Array(0), Float64Array.of(3)])
  for (let k = 0; k < bytes.length; k++) {
    expect(await unpacked(bytes.slice(0, k))).toBeUndefined()
    expect(await unpacked(bytes.with(k, bytes[k]! ^ 4))).toBeUndefined()
  }
  expect(await unpacked(Uint8Array.of(...bytes, ...new Uint8Array(8)))).toBeUndefined()
})
