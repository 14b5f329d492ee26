/** SHA-256 of bytes and of files: how a file that was changed after it was written is told. */
import type { ByteSource } from './store.js'

/** As 64 hexadecimal digits. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)
  return Array.from(new Uint8Array(digest), (b) => b.toString(16).padStart(2, '0')).join('')
}

/** Of a whole source; one that cannot do it piece by piece is read into memory. */
export async function digestOf(source: ByteSource): Promise<string> {
  return source.sha256 === undefined ? sha256Of(await source.read(0, source.size)) : source.sha256()
}
