/** What a value is known by: SHA-256 over all of it, doubles by their bits. */
import { sha256Bytes } from '../../transcript/file-digest.js'

export const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')

/** The same value with digests in the place of its lists of numbers: plain data, and different for different values. */
export async function described(value: unknown): Promise<unknown> {
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    return { list: value.constructor.name, digest: hexOf(await sha256Bytes(bytes)) }
  }
  if (typeof value === 'number' && !Number.isFinite(value)) return { number: String(value) }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Promise.all(value.map(described))
  const entries = Object.entries(value).map(async ([key, one]) => [key, await described(one)] as const)
  return Object.fromEntries(await Promise.all(entries))
}
