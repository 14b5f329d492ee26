/** Whose key is whose: a directory that was handed out, or the key that was seen first. */
import { type Bytes, refused } from '../secure-aggregation/primitives.js'

export interface Directory {
  /** Refuses a key that is not this client's. */
  check(id: string, identity: Bytes): Promise<void>
}

/** Keys that somebody vouches for: whoever has none there is a stranger. */
export function givenKeys(keyOf: (id: string) => Promise<Bytes | undefined>): Directory {
  return {
    async check(id, identity) {
      const known = await keyOf(id)
      if (known === undefined) throw refused(`client ${id}, whose key the directory does not hold`)
      if (!same(known, identity)) throw refused(`another key for client ${id} than the directory holds`)
    },
  }
}

/** Trust on first use: the first key counts from then on. It keeps strangers from being replaced, not from coming. */
export function firstUse(seen = new Map<string, Bytes>()): Directory {
  return {
    async check(id, identity) {
      const known = seen.get(id)
      if (known === undefined) seen.set(id, identity.slice())
      else if (!same(known, identity)) throw refused(`another key for client ${id} than it had before`)
    },
  }
}

const same = (a: Bytes, b: Bytes): boolean => a.length === b.length && a.every((byte, k) => byte === b[k])
