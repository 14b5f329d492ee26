import fc from 'fast-check'
import { expect, test } from 'vitest'
import { philox, philoxFill } from './philox.js'

const hex = (words: Uint32Array) => [...words].map((word) => word.toString(16).padStart(8, '0')).join(' ')

// Random123, file kat_vectors, lines "philox4x32 10".
test.each([
  [[0, 0, 0, 0], [0, 0], '6627e8d5 e169c58d bc57ac4c 9b00dbd8'],
  [[0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff], [0xffffffff, 0xffffffff], '408f276d 41c83b0e a20bc7c6 6d5451fd'],
  [[0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0], 'd16cfe09 94fdcceb 5001e420 24126ea1'],
])('known answer at counter %j, key %j', (counter, key, expected) => {
  expect(hex(philox({ counter, key }))).toBe(expected)
})

/** The same rounds in integers of any size. */
function plain(counter: readonly number[], key: readonly number[]): number[] {
  const mask = 0xffffffffn
  let [c0, c1, c2, c3] = counter.map(BigInt) as [bigint, bigint, bigint, bigint]
  let [k0, k1] = key.map(BigInt) as [bigint, bigint]
  for (let round = 0; round < 10; round++) {
    const p0 = 0xd2511f53n * c0
    const p1 = 0xcd9e8d57n * c2
    ;[c0, c1, c2, c3] = [(p1 >> 32n) ^ c1 ^ k0, p1 & mask, (p0 >> 32n) ^ c3 ^ k1, p0 & mask]
    k0 = (k0 + 0x9e3779b9n) & mask
    k1 = (k1 + 0xbb67ae85n) & mask
  }
  return [c0, c1, c2, c3].map(Number)
}

const word = fc.oneof(fc.integer({ min: 0, max: 0xffffffff }), fc.constantFrom(0, 1, 0xffff, 0x10000, 0xffffffff))

test('agrees with big integers', () => {
  fc.assert(
    fc.property(fc.tuple(word, word, word, word), fc.tuple(word, word), (counter, key) => {
      expect([...philox({ counter, key })]).toEqual(plain(counter, key))
    }),
    { numRuns: 500 },
  )
})

test.each([
  { counter: [5, 6, 7, 8], name: 'plainly' },
  { counter: [0xfffffffe, 6, 7, 8], name: 'carrying into the second word' },
  { counter: [0xfffffffe, 0xffffffff, 7, 8], name: 'wrapping below the high half' },
])('blocks follow each other by counter, $name', ({ counter: [low, next, ...high] }) => {
  const key = [9, 10]
  const blocks = philoxFill(new Uint32Array(16), { counter: [low!, next!, ...high], key })
  for (let i = 0; i < 4; i++) {
    const index = (BigInt(low!) + (BigInt(next!) << 32n) + BigInt(i)) & 0xffffffffffffffffn
    const counter = [Number(index & 0xffffffffn), Number(index >> 32n), ...high]
    expect([...blocks.subarray(4 * i, 4 * i + 4)]).toEqual(plain(counter, key))
  }
})

test('no blocks, and wrong sizes', () => {
  expect(philoxFill(new Uint32Array(0), { counter: [0, 0, 0, 0], key: [0, 0] })).toHaveLength(0)
  expect(() => philox({ counter: [0, 0, 0], key: [0, 0] })).toThrow(/3 counter words/)
  expect(() => philox({ counter: [0, 0, 0, 0], key: [0] })).toThrow(/1 key words/)
  expect(() => philoxFill(new Uint32Array(6), { counter: [0, 0, 0, 0], key: [0, 0] })).toThrow(/room for 6/)
})
