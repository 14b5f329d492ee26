/** Names for configurations: the same settings give the same name on every machine. */
import { canonical } from '../transcript/canonical.js'

/** SHA-256 of a value's JSON with sorted keys, as 64 hexadecimal digits. */
export async function hashOf(value: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(canonical(value))
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return Array.from(new Uint8Array(digest), (b) => b.toString(16).padStart(2, '0')).join('')
}
