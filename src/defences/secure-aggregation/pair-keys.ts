/**
 * Keys that two clients have in common: X25519, then HKDF. Both sides find the same bytes, so that of two clients who are
 * simulated in one thread the second takes what the first has found: a shortcut of the simulation, which a client by
 * itself does not have.
 */
import type { Bytes, KeyPair, Primitives } from './primitives.js'

export interface Derivation {
  readonly salt: Bytes
  readonly info: Bytes
  readonly bytes: number
}

export interface PairKeys {
  /** The owner of these keys sits in this thread. */
  seat(own: KeyPair): void
  /** What it has in common with the owner of a public key; whoever gets it may overwrite it. */
  between(own: KeyPair, other: Bytes, derivation: Derivation): Promise<Bytes>
  /** Overwrites what others left for it. */
  leave(own: KeyPair): void
}

const mostSeated = 1 << 16

/** Public keys of a roster are met by many, and nobody writes into them. */
const names = new WeakMap<Bytes, string>()
const nameOf = (publicKey: Bytes): string => {
  let name = names.get(publicKey)
  if (name === undefined) {
    name = String.fromCharCode(...publicKey)
    names.set(publicKey, name)
  }
  return name
}

export function pairKeys(primitives: Primitives): PairKeys {
  /** By public key of who sits here: keys that others have found, by theirs. */
  const left = new Map<string, Map<string, Bytes>>()
  return {
    seat({ publicKey }) {
      // Some never leave: they vanished.
      if (left.size >= mostSeated) left.clear()
      left.set(nameOf(publicKey), new Map())
    },
    async between(own, other, derivation) {
      const [here, there] = [nameOf(own.publicKey), nameOf(other)]
      const mine = left.get(here)
      const known = mine?.get(there)
      if (known !== undefined) {
        mine!.delete(there)
        return known
      }
      const secret = await own.agree(other)
      const key = await primitives.derive(secret, derivation)
      secret.fill(0)
      left.get(there)?.set(here, key.slice())
      return key
    },
    leave({ publicKey }) {
      const name = nameOf(publicKey)
      for (const key of left.get(name)?.values() ?? []) key.fill(0)
      left.delete(name)
    },
  }
}
