/** Lists of doubles as bytes that check themselves: what was cut off or changed is as if it were not there. */
import type { Doubles } from '../../attacks/derivation.js'
import { digestOf } from './digest.js'

const magic = new TextEncoder().encode('ovhkept1')
const digestBytes = 32

/** The magic, the SHA-256 of all that follows, the number of lists, their lengths, and their values: all little-endian doubles. */
export async function packed(lists: Doubles): Promise<Uint8Array> {
  const values = Float64Array.of(lists.length, ...lists.map(({ length }) => length))
  const body = joined([values, ...lists])
  return concatenated([magic, await digestOf(body), body])
}

export async function unpacked(bytes: Uint8Array): Promise<Doubles | undefined> {
  const from = magic.length + digestBytes
  if (bytes.length < from + 8 || (bytes.length - from) % 8 !== 0) return undefined
  if (magic.some((byte, i) => bytes[i] !== byte)) return undefined
  const body = bytes.slice(from)
  const digest = await digestOf(body)
  if (digest.some((byte, i) => bytes[magic.length + i] !== byte)) return undefined
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
