import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashOf } from './hash.js'

describe('the name of a configuration', () => {
  test('is the SHA-256 of its JSON with sorted keys', async () => {
    // printf '{"a":1,"b":[{"c":null,"d":"ü"}]}' | sha256sum
    expect(await hashOf({ b: [{ d: 'ü', c: null }], a: 1 })).toBe(
      '1944d895f7d8c773534eb3d84d55a29c09f006bdf2e89e9cd1a11c1ef4767fe7',
    )
  })

  test('does not depend on the order of keys, and does on everything else', async () => {
    const record = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 })
    await fc.assert(
      fc.asyncProperty(record, async (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse())
        expect(await hashOf(turned)).toBe(await hashOf(value))
        expect(await hashOf({ ...value, '\u0000one more': 1 })).not.toBe(await hashOf(value))
      }),
      { numRuns: 50 },
    )
    expect(await hashOf([1, 2])).not.toBe(await hashOf([2, 1]))
    expect(await hashOf({ a: 1 })).not.toBe(await hashOf({ a: '1' }))
  })

  test('leaves out what is undefined, as JSON does', async () => {
    expect(await hashOf({ a: 1, b: undefined })).toBe(await hashOf({ a: 1 }))
  })
})
