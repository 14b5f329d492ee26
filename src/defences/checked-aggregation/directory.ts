/** Whose key is whose: a directory that was handed out, or the key that was seen first. */
import { type Bytes, refused } from '../secure-aggregation/primitives.js'
import { equal } from './terms.js'

/** Clients and the keys that they are said to sign with. */
export type Identities = ReadonlyMap<string, Bytes>

export interface Directory {
  /** Refuses keys of which one is not its client's. */
  check(identities: Identities): Promise<void>
}

/** Keys that somebody vouches for: whoever has none there is a stranger. One directory may serve many clients. */
export function givenKeys(keyOf: (id: string) => Promise<Bytes | undefined>): Directory {
  const checked = new WeakSet<Identities>()
  return {
    async check(identities) {
      if (checked.has(identities)) return
      for (const [id, identity] of identities) {
        const known = await keyOf(id)
        if (known === undefined) throw refused(`client ${id}, whose key the directory does not hold`)
        if (!equal(known, identity)) throw refused(`another key for client ${id} than the directory holds`)
      }
      checked.add(identities)
    },
  }
}

/** Trust on first use: the first key counts from then on. It keeps others from being replaced, not strangers from coming. */
export function firstUse(seen = new Map<string, Bytes>()): Directory {
  return {
    async check(identities) {
      for (const [id, identity] of identities) {
        const known = seen.get(id)
        if (known !== undefined && !equal(known, identity))
          throw refused(`another key for client ${id} than it had before`)
      }
      for (const [id, identity] of identities) if (!seen.has(id)) seen.set(id, identity.slice())
    },
  }
}
