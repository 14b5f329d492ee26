/** What clients sign, and facts about broadcasts that every client of a thread would find again: each is found once. */
import { type Bytes, type Primitives, refused, type Signer } from '../secure-aggregation/primitives.js'
import { decodeList, decodePlaces, joined, keyBytes } from '../secure-aggregation/wire-messages.js'
import type { Identities } from './directory.js'
import { equal, toHex } from './terms.js'

export const signatureBytes = 64
/** In `keys` and in a roster: keys to seal and to mask with, the key that its owner signs with, its signature. */
export const advertBytes = 3 * keyBytes + signatureBytes

export interface Advert {
  readonly seal: Bytes
  readonly mask: Bytes
  readonly identity: Bytes
}

/** A text for one purpose, in one sum, from one place. */
export function signedText(what: 'keys' | 'survivors', { digest, place, body }: Signing): Bytes {
  return joined(new TextEncoder().encode(`overhear ${what} `), digest, Uint8Array.of(place & 0xff, place >>> 8), body)
}

export interface Signing {
  /** Of the terms. */
  readonly digest: Bytes
  readonly place: number
  readonly body: Bytes
}

export async function advertise(
  keys: { readonly seal: Bytes; readonly mask: Bytes },
  signer: Signer,
  at: Omit<Signing, 'body'>,
) {
  const body = joined(keys.seal, keys.mask, signer.publicKey)
  return joined(body, await signer.sign(signedText('keys', { ...at, body })))
}

/** The keys of one client, provided that it signed them for this sum and place. */
export async function readAdvert(bytes: Bytes, primitives: Primitives, at: Omit<Signing, 'body'>): Promise<Advert> {
  if (bytes.length !== advertBytes) throw refused(`keys of ${bytes.length} bytes`)
  const body = bytes.slice(0, 3 * keyBytes)
  const identity = body.slice(2 * keyBytes)
  const signed = {
    publicKey: identity,
    text: signedText('keys', { ...at, body }),
    signature: bytes.slice(3 * keyBytes),
  }
  if (!(await primitives.verify(signed))) throw refused(`keys that client ${at.place} has not signed`)
  return { seal: body.slice(0, keyBytes), mask: body.slice(keyBytes, 2 * keyBytes), identity }
}

export interface Roster {
  readonly hash: Bytes
  /** The keys that those in it sign with, by their names in the cohort. */
  readonly identities: Identities
  readonly adverts: ReadonlyMap<number, Advert>
}

/**
 * Checks of what all clients are sent alike. The answer depends on the bytes alone, so that clients who are simulated in
 * one thread share it; each of them would otherwise verify the same n signatures.
 */
export interface Facts {
  /** Refuses a roster with a signature that is none, or with a key twice. */
  roster(bytes: Bytes, about: { readonly digest: Bytes; readonly cohort: readonly string[] }): Promise<Roster>
  /** Who is on a list. */
  places(bytes: Bytes): ReadonlySet<number>
  /** Places whose signatures under the list of survivors hold. */
  signers(
    bytes: Bytes,
    about: { readonly list: Bytes; readonly digest: Bytes; readonly roster: Roster },
  ): Promise<ReadonlySet<number>>
}

const mostKept = 8

interface Met {
  readonly bytes: Bytes
  readonly beside: Bytes
  readonly found: Promise<unknown>
}

/** The same part of the same memory: a message that many are handed at once. */
const sameView = (a: Bytes, b: Bytes): boolean => a.byteOffset === b.byteOffset && a.length === b.length

export function factsOf(primitives: Primitives): Facts {
  const kept = new Map<string, Promise<unknown>>()
  /** By the memory that a message lies in: what was found of it, and beside what. */
  const met = new WeakMap<ArrayBuffer, Met>()
  const lists = new WeakMap<ArrayBuffer, { readonly bytes: Bytes; readonly places: ReadonlySet<number> }>()
  const once = <T>(bytes: Bytes, beside: Bytes, find: () => Promise<T>): Promise<T> => {
    const last = met.get(bytes.buffer)
    if (last !== undefined && sameView(last.bytes, bytes) && equal(last.beside, beside)) return last.found as Promise<T>
    const found = ofEqual(joined(beside, bytes), find)
    met.set(bytes.buffer, { bytes, beside, found })
    return found
  }
  const ofEqual = async <T>(name: Bytes, find: () => Promise<T>): Promise<T> => {
    const key = toHex(await primitives.hash(name))
    let found = kept.get(key)
    if (found === undefined) {
      if (kept.size >= mostKept) kept.delete(kept.keys().next().value!)
      found = find()
      kept.set(key, found)
    }
    return found as Promise<T>
  }
  return {
    roster: (bytes, { digest, cohort }) =>
      once(bytes, digest, async () => {
        const adverts = new Map<number, Advert>()
        for (const { place, bytes: one } of decodeList(bytes, advertBytes)) {
          adverts.set(place, await readAdvert(one, primitives, { digest, place }))
        }
        const names = [...adverts.values()].flatMap((one) => [one.seal.join(), one.mask.join(), one.identity.join()])
        if (new Set(names).size !== names.length) throw refused('a roster with one key twice')
        const identities = new Map(
          [...adverts].map(([place, { identity }]) => {
            const id = cohort[place - 1]
            if (id === undefined) throw refused(`a roster with place ${place} of ${cohort.length}`)
            return [id, identity]
          }),
        )
        return { hash: await primitives.hash(bytes), adverts, identities }
      }),
    places(bytes) {
      const last = lists.get(bytes.buffer)
      if (last !== undefined && sameView(last.bytes, bytes)) return last.places
      const places = decodePlaces(bytes)
      lists.set(bytes.buffer, { bytes, places })
      return places
    },
    signers: (bytes, { list, digest, roster }) =>
      once(bytes, joined(digest, roster.hash, list), async () => {
        const valid = new Set<number>()
        for (const { place, bytes: signature } of decodeList(bytes, signatureBytes)) {
          const publicKey = roster.adverts.get(place)?.identity
          if (publicKey === undefined) continue
          const text = signedText('survivors', { digest, place, body: list })
          if (await primitives.verify({ publicKey, text, signature })) valid.add(place)
        }
        return valid
      }),
  }
}
