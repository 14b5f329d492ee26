/** Hashes and the cryptography of secure aggregation from Node's own module, in whichever thread asks for it. */
import { createHash } from 'node:crypto'
import { providePrimitives } from '../../defences/secure-aggregation/primitives.js'
import { provideSha256 } from '../../transcript/file-digest.js'
import { nativePrimitives } from './native-primitives.js'

export function useOwnCrypto(): void {
  provideSha256((bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()))
  providePrimitives(nativePrimitives)
}
