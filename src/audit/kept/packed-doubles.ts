/** Lists of doubles as bytes that check themselves: what was cut off or changed is as if it were not there. */
import type { Doubles } from '../../attacks/derivation.js'

const magic = new TextEncoder().encode('ovhkept2')
const sumBytes = 8

/** The magic, a checksum of all that follows, the number of lists, their lengths, and their values: all little-endian doubles. */
export function packed(lists: Doubles): Uint8Array {
  const values = Float64Array.of(lists.length, ...lists.map(({ length }) => length))
  const body = joined([values, ...lists])
  return concatenated([magic, checksum(body), body])
}

/** 64 bits: nobody is kept from forging them, but files that were torn show. `bytes` are whole words from their buffer's start. */
function checksum(bytes: Uint8Array): Uint8Array {
  const words = new Uint32Array(bytes.buffer, 0, bytes.length / 4)
  let [a, b] = [0x243f6a88, 0x85a308d3]
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    a = Math.imul(a ^ word, 0x85ebca6b)
    a ^= a >>> 15
    b = Math.imul(b + word, 0xc2b2ae35) ^ a
    b = (b << 13) | (b >>> 19)
  }
  return new Uint8Array(Uint32Array.of(a, b).buffer)
}

export function unpacked(bytes: Uint8Array): Doubles | undefined {
  const from = magic.length + sumBytes
  if (bytes.length < from + 8 || (bytes.length - from) % 8 !== 0) return undefined
  if (magic.some((byte, i) => bytes[i] !== byte)) return undefined
  const body = new Uint8Array(bytes.subarray(from))
  if (checksum(body).some((byte, i) => bytes[magic.length + i] !== byte)) return undefined
  const values = new Float64Array(body.buffer)
  const lists: Float64Array[] = []
  let at = 1 + values[0]!
  for (let k = 0; k < values[0]!; k++) {
    const length = values[1 + k]!
    lists.push(values.slice(at, at + length))
    at += length
  }
  return at === values.length ? lists : undefined
}

const bytesOf = (values: Float64Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

export const joined = (lists: Doubles): Uint8Array => concatenated(lists.map(bytesOf))

function concatenated(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
