/** SHA-256 of bytes and of files: how a file that was changed after it was written is told. */
import type { ByteSource } from './store.js'

let own: ((bytes: Uint8Array) => Uint8Array) | undefined

/** SHA-256 of this machine's, which is done sooner than WebCrypto's is asked for. The first that is given counts. */
export function provideSha256(digest: (bytes: Uint8Array) => Uint8Array): void {
  own ??= digest
}

export async function sha256Bytes(bytes: Uint8Array): Promise<Uint8Array> {
  if (own !== undefined) return own(bytes)
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
}

/** As 64 hexadecimal digits. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  return Array.from(await sha256Bytes(bytes), (b) => b.toString(16).padStart(2, '0')).join('')
}

/** Of a whole source; one that cannot do it piece by piece is read into memory. */
export async function digestOf(source: ByteSource): Promise<string> {
  return source.sha256 === undefined ? sha256Of(await source.read(0, source.size)) : source.sha256()
}
