import { expect, test } from 'vitest'
import { fillBlocks } from './philox.js'
import { addressBelow, rootAddress } from './stream-address.js'

/** As described: tag and length, then the element's bits, filled up to an even number of words, each pair a key. */
function permuted(words: readonly number[], from = rootAddress): number[] {
  let state = [...from]
  for (let i = 0; i < words.length; i += 2) {
    const out = new Uint32Array(4)
    fillBlocks(out, words[i]!, words[i + 1]!, state[0]!, state[1]!, state[2]!, state[3]!)
    state = [...out]
  }
  return state
}
const below = (...path: (string | number)[]): number[] => [...addressBelow(rootAddress, path)]

test('a number is the two words of its double', () => {
  // 1 is 0x3ff00000 and -2.5 is 0xc0040000 in the high word; 1 + 2^-52 has 1 in the low one.
  expect(below(1)).toEqual(permuted([1, 8, 0, 0x3ff00000]))
  expect(below(-2.5)).toEqual(permuted([1, 8, 0, 0xc0040000]))
  expect(below(1 + 2 ** -52)).toEqual(permuted([1, 8, 1, 0x3ff00000]))
  expect(below(-0)).toEqual(permuted([1, 8, 0, 0]))
})

test('a text is its UTF-16 units, two in a word, the earlier in the low half', () => {
  expect(below('')).toEqual(permuted([2, 0]))
  expect(below('a')).toEqual(permuted([2, 1, 0x61, 0]))
  expect(below('abc')).toEqual(permuted([2, 3, 0x620061, 0x63]))
  expect(below('abcde')).toEqual(permuted([2, 5, 0x620061, 0x640063, 0x65, 0]))
  expect(below('a\uffff')).toEqual(permuted([2, 2, 0xffff0061, 0]))
})

/** Texts that nobody asked for yet, so that what is known of earlier ones hides nothing. */
let fresh = 0x1000

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])('a new text of %d units', (length) => {
  const units = Array.from({ length }, (_, i) => (i === 0 ? ++fresh : 0x61 + i + (i % 3 === 1 ? 0xff00 : 0)))
  const words = [2, length]
  for (let i = 0; i < Math.ceil(length / 4) * 4; i += 2) words.push((units[i] ?? 0) + (units[i + 1] ?? 0) * 2 ** 16)
  expect(below(String.fromCharCode(...units))).toEqual(permuted(words))
})

test('a path is walked element by element, and again with what is known of its names', () => {
  const twice = () => below('round', 3)
  expect(twice()).toEqual(permuted([1, 8, 0, 0x40080000], Uint32Array.from(below('round'))))
  expect(twice()).toEqual(twice())
  expect(below()).toEqual([...rootAddress])
  // The address that it starts from stays.
  expect([...rootAddress]).toEqual([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344])
})

test('more names than are kept are still told apart', () => {
  const names = Array.from({ length: 1100 }, (_, i) => `many names ${i}`)
  expect(new Set(names.map((name) => below(name).join())).size).toBe(1100)
  expect(below('many names 1099')).toEqual(below('many names 1099'))
})

test('what is no text and no finite number below 2^53 is refused', () => {
  expect(() => below(2 ** 53)).toThrow('9007199254740992 was given as a seed')
  for (const fine of [2 ** 53 - 1, 1 - 2 ** 53]) expect(() => below(fine)).not.toThrow()
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, -(2 ** 53)])
    expect(() => below(wrong)).toThrow('a number must be finite')
  expect(() => below(true as never)).toThrow(
    'true (boolean) was given as a seed or an element of a path; strings and numbers are allowed',
  )
})
