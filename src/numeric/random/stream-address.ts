/** Where a random stream lives: 128 bits computed from a seed and a path of names and numbers. */
import { OverhearError } from '../../errors.js'
import { fillBlocks } from './philox.js'

export type PathElement = string | number

/** Four words: a Philox key, and the high half of the counter. */
export type StreamAddress = Uint32Array

// First fraction bits of pi: nothing up the sleeve.
export const rootAddress: StreamAddress = Uint32Array.of(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344)

const NUMBER = 1
const STRING = 2

/**
 * The address that lies at `path` below another. The encoded elements are cut into 64-bit keys, and each key permutes
 * the address by Philox: addresses that differ stay different under the same path, and a path may be walked in parts.
 */
export function addressBelow(address: StreamAddress, path: readonly PathElement[]): StreamAddress {
  const state = address.slice()
  for (const element of path) {
    if (typeof element === 'string') permuteBy(state, wordsOf(element))
    else permuteBy(state, encode(element))
  }
  return state
}

function permuteBy(state: StreamAddress, words: readonly number[]): void {
  for (let i = 0; i < words.length; i += 2) {
    fillBlocks(state, words[i]!, words[i + 1]!, state[0]!, state[1]!, state[2]!, state[3]!)
  }
}

/** Names are few, and the same again and again. */
const encoded = new Map<string, readonly number[]>()
const mostEncoded = 1000

function wordsOf(name: string): readonly number[] {
  const known = encoded.get(name)
  if (known !== undefined) return known
  const words = encode(name)
  if (encoded.size < mostEncoded) encoded.set(name, words)
  return words
}

const double = new Float64Array(1)
const doubleWords = new Uint32Array(double.buffer)

/** Tag and length, then the bits of the double or the UTF-16 units, filled up with zeros to an even number of words. */
function encode(element: PathElement): readonly number[] {
  if (typeof element === 'number') {
    if (!Number.isFinite(element) || Math.abs(element) > Number.MAX_SAFE_INTEGER) {
      throw new OverhearError(
        'E_VALUE',
        `${element} was given as a seed or an element of a path`,
        'a number must be finite and, being an integer, below 2^53; a string may hold anything',
      )
    }
    double[0] = element + 0 // makes 0 of -0
    return [NUMBER, 8, doubleWords[0]!, doubleWords[1]!]
  }
  if (typeof element !== 'string') {
    throw new OverhearError(
      'E_INPUT',
      `${String(element)} (${typeof element}) was given as a seed or an element of a path`,
      'strings and numbers are allowed',
    )
  }
  const words = [STRING, element.length]
  for (let i = 0; i < element.length; i += 4) words.push(unitPair(element, i), unitPair(element, i + 2))
  return words
}

/** Two UTF-16 units in a word; past the end of the text NaN, that is 0. */
function unitPair(text: string, at: number): number {
  return (text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16)) >>> 0
}
