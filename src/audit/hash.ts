/** Names for configurations: the same settings give the same name on every machine. */
import { canonical } from '../transcript/canonical.js'
import { sha256Of } from '../transcript/file-digest.js'

/** SHA-256 of a value's JSON with sorted keys, as 64 hexadecimal digits. */
export async function hashOf(value: unknown): Promise<string> {
  return sha256Of(new TextEncoder().encode(canonical(value)))
}
