/**
 * Keys that two clients have in common: X25519, then HKDF. Both sides find the same bytes, so that of two clients who are
 * simulated on one machine the second takes what the first has found: a shortcut of the simulation, which a client by
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
  /** Finds it ahead of time, where somebody in another thread could use it; it is kept until it is asked for. */
  prepare(own: KeyPair, other: Bytes, derivation: Derivation): Promise<void>
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

/** In a record: whose key it is, who it is left for, and up to 64 bytes. */
const [nameBytes, recordBytes] = [32, 128]
const atOnce = 32

/** Of two who both could, the one who finds the key of their masks first: each does half of the work. */
export const isFirst = (u: number, v: number): boolean => u < v === ((u + v) % 2 === 0)

export function pairKeys(primitives: Primitives): PairKeys {
  const { line } = primitives
  /** By public key of who sits here: keys that others have found, by theirs. */
  const left = new Map<string, Map<string, Bytes>>()
  const away = new Uint8Array(atOnce * recordBytes)
  let waiting = 0
  const tell = (here: Bytes, there: Bytes, key: Bytes): void => {
    if (line === undefined) return
    const at = waiting * recordBytes
    away.set(here, at)
    away.set(there, at + nameBytes)
    away.set(key, at + 2 * nameBytes)
    if (++waiting < atOnce) return
    line.post(away)
    away.fill(0)
    waiting = 0
  }
  const hear = (): void => {
    for (const records of line?.take() ?? []) {
      for (let at = 0; at < records.length; at += recordBytes) {
        const [here, there] = [at, at + nameBytes].map((from) => records.subarray(from, from + nameBytes))
        const own = left.get(String.fromCharCode(...there!))
        own?.set(String.fromCharCode(...here!), records.slice(at + 2 * nameBytes, at + recordBytes))
      }
      records.fill(0)
    }
  }
  const known = (own: KeyPair, other: Bytes): Bytes | undefined => {
    const mine = left.get(nameOf(own.publicKey))
    const there = nameOf(other)
    if (mine !== undefined && !mine.has(there)) hear()
    return mine?.get(there)
  }
  const find = async (own: KeyPair, other: Bytes, derivation: Derivation): Promise<Bytes> => {
    const secret = await own.agree(other)
    const key = await primitives.derive(secret, derivation)
    secret.fill(0)
    const theirs = left.get(nameOf(other))
    if (theirs === undefined) tell(own.publicKey, other, key)
    else theirs.set(nameOf(own.publicKey), key.slice())
    return key
  }
  return {
    seat({ publicKey }) {
      // Some never leave: they vanished.
      if (left.size >= mostSeated) left.clear()
      left.set(nameOf(publicKey), new Map())
    },
    async between(own, other, derivation) {
      const key = known(own, other)
      if (key === undefined) return find(own, other, derivation)
      left.get(nameOf(own.publicKey))!.delete(nameOf(other))
      return key.length === derivation.bytes ? key : key.subarray(0, derivation.bytes)
    },
    async prepare(own, other, derivation) {
      if (line === undefined || known(own, other) !== undefined) return
      const key = await find(own, other, derivation)
      left.get(nameOf(own.publicKey))?.set(nameOf(other), key)
    },
    leave({ publicKey }) {
      const name = nameOf(publicKey)
      for (const key of left.get(name)?.values() ?? []) key.fill(0)
      left.delete(name)
      away.fill(0)
      waiting = 0
    },
  }
}
