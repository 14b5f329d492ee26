import { describe, expect, test } from 'vitest'
import { nativePrimitives } from '../../node/threads/native-primitives.js'
import { addMask, addMasks, eachOf, maskDerivation, maskFrom, pairMask, selfMask, signOf } from './masks.js'
import { purpose } from './wire-messages.js'

const primitives = nativePrimitives()
const session = new Uint8Array(16).fill(5)
const secret = () => new Uint8Array(32).fill(9)
const wordsOf = async (key: Uint8Array<ArrayBuffer>, length: number) => {
  const stream = (await primitives.stream(key, 4 * length)).slice()
  return new Uint32Array(stream.buffer)
}

describe('a mask', () => {
  test('is a key stream as words, and the key is overwritten', async () => {
    const key = secret()
    expect(await maskFrom(primitives, key, 7)).toEqual(await wordsOf(secret(), 7))
    expect(key).toEqual(new Uint8Array(32))
  })

  test('of a pair is the same for both, of one client its own', async () => {
    const info = purpose('mask', 2, 300)
    for (const [u, v] of [
      [2, 300],
      [300, 2],
    ] as const) {
      expect(maskDerivation({ session, u, v })).toEqual({ salt: session, info, bytes: 32 })
      const key = await primitives.derive(secret(), { salt: session, info, bytes: 32 })
      expect(await pairMask(primitives, secret(), { session, length: 5, u, v })).toEqual(await wordsOf(key, 5))
    }
    const own = await primitives.derive(secret(), { salt: session, info: purpose('self', 3), bytes: 32 })
    expect(await selfMask(primitives, secret(), { session, length: 5, u: 3 })).toEqual(await wordsOf(own, 5))
  })

  test('is added by the lower place and taken away by the higher one', () => {
    expect([signOf(1, 2), signOf(2, 1)]).toEqual([1, -1])
  })
})

describe('sums', () => {
  test('of one mask wrap at 2^32, both ways', () => {
    const sum = Uint32Array.of(1, 4294967295, 2147483648, 0)
    addMask(sum, Uint32Array.of(2, 1, 2147483648, 7), 1)
    expect([...sum]).toEqual([3, 0, 0, 7])
    addMask(sum, Uint32Array.of(4, 1, 0, 7), -1)
    expect([...sum]).toEqual([4294967295, 4294967295, 0, 0])
  })

  test('are taken within a larger memory, and nothing else of it', () => {
    const [to, masks] = [Uint32Array.of(10, 20, 30, 40), Uint32Array.of(1, 2, 3, 4)]
    addMask(to.subarray(1, 3), masks.subarray(2), 1)
    expect([...to]).toEqual([10, 23, 34, 40])
  })

  test.each([0, 1, 7, 8, 9, 16, 17])('of %i masks are those of all of them, by their signs', async (n) => {
    const items = Array.from({ length: n }, (_, i) => i)
    const values = (i: number) => Uint32Array.of(i + 1, 4000000000 + i, i * i)
    const signs = (i: number) => (i % 3 === 0 ? -1 : 1)
    const total = Uint32Array.of(5, 6, 7)
    const expected = [...total].map((v, j) => {
      const sum = items.reduce((all, i) => all + BigInt(signs(i)) * BigInt(values(i)[j]!), BigInt(v))
      return Number(BigInt.asUintN(32, sum))
    })
    await addMasks(total, items, async (i) => ({ values: values(i), sign: signs(i) }))
    expect([...total]).toEqual(expected)
  })
})

test.each([0, 3, 8, 20])('%i things are each done once, up to eight at a time', async (n) => {
  const items = Array.from({ length: n }, (_, i) => i)
  const done: number[] = []
  let [under, most] = [0, 0]
  await eachOf(items, async (item) => {
    most = Math.max(most, ++under)
    await Promise.resolve()
    under--
    done.push(item)
  })
  expect(done).toEqual(items)
  expect(most).toBe(Math.min(n, 8))
})
