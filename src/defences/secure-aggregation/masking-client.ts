/** A client of secure aggregation: four messages out, three in, and whatever breaks the rules is refused. */
import { aborted } from './aborted.js'
import { addMask, eachOf, pairMask, selfMask, signOf } from './masks.js'
import { type Bytes, type KeyPair, type Primitives, refused } from './primitives.js'
import { encodeShare, share } from './shamir.js'
import {
  bodyOf,
  decodeList,
  type Entry,
  encodeList,
  encodeMessage,
  joined,
  type Kind,
  keyBytes,
  oneShare,
  purpose,
  type Session,
  sealedBytes,
  secretBytes,
} from './wire-messages.js'

export interface ClientSetup {
  readonly session: Session
  /** Its own place, from 1. */
  readonly place: number
  /** Shares that give a secret back. */
  readonly threshold: number
  /** What all clients of a sum must have been told alike; shares of those who were told something else do not open. */
  readonly terms?: Bytes
  readonly primitives: Primitives
}

export interface SecureClient {
  /** First: its public keys. */
  advertise(): Promise<Bytes>
  /** Second, given the roster: a sealed pair of shares for each of those in it. */
  share(roster: Bytes): Promise<Bytes>
  /** Third, given what others sealed for it: its update under masks. It is asked for once those are in order. */
  mask(inbox: Bytes, update: () => Uint32Array): Promise<Bytes>
  /** Last, given who survived: of each, one share. Once only. */
  reveal(survivors: Bytes): Promise<Bytes>
}

type Step = 'advertise' | 'share' | 'mask' | 'reveal' | 'done'
const order: readonly Step[] = ['advertise', 'share', 'mask', 'reveal', 'done']
const atOnce = 8

interface Peer {
  /** Its public key for masks. */
  readonly maskKey: Bytes
  /** What seals the shares for it, and what sealed the shares from it. */
  readonly sealing: Bytes
  readonly opening: Bytes
}

/** [bonawitz2017] Fig. 4, the user's side. */
export function secureClient(setup: ClientSetup): SecureClient {
  const { session, place: u, threshold: t, terms = new Uint8Array(0), primitives } = setup
  const [sealSecret, maskSecret, seed] = [0, 1, 2].map(() => primitives.random(secretBytes)) as [Bytes, Bytes, Bytes]
  let next: Step = 'advertise'
  let keys: { readonly seal: KeyPair; readonly mask: KeyPair } | undefined
  const roster = new Map<number, Peer>()
  /** What others let it hold, and its own: (share of the mask key, share of the seed) by owner. */
  const held = new Map<number, { readonly key: Bytes; readonly seed: Bytes }>()

  const step = (now: Step): void => {
    if (next !== now) throw refused(`to ${now}: client ${u} is at "${next}"`)
    next = order[order.indexOf(now) + 1]!
  }
  const message = (kind: Kind, body: Bytes): Bytes => encodeMessage({ kind, session, place: u, body })
  const received = (kind: Kind, bytes: Bytes): Bytes => bodyOf(bytes, { kind, session, place: u })
  /** What sealed shares are bound to: who seals for whom, the mask keys that each believes the two have, the terms. */
  const besideOf = (from: number, to: number): Bytes => {
    const maskKeyOf = (place: number): Bytes => (place === u ? keys!.mask.publicKey : roster.get(place)!.maskKey)
    return joined(purpose('seal', from, to), maskKeyOf(from), maskKeyOf(to), terms)
  }
  /** One key for each direction, from the secret that both sides know. */
  const peerOf = async (v: number, publicKeys: Bytes): Promise<Peer> => {
    const shared = await keys!.seal.agree(publicKeys.slice(0, keyBytes))
    const info = purpose('seal', Math.min(u, v), Math.max(u, v))
    const both = await primitives.derive(shared, { salt: session, info, bytes: 64 })
    const [up, down] = [both.slice(0, 32), both.slice(32)]
    const [sealing, opening] = u < v ? [up, down] : [down, up]
    return { maskKey: publicKeys.slice(keyBytes), sealing, opening }
  }

  return {
    async advertise() {
      step('advertise')
      keys = { seal: await primitives.keyPair(sealSecret), mask: await primitives.keyPair(maskSecret) }
      return message('keys', joined(keys.seal.publicKey, keys.mask.publicKey))
    },

    async share(bytes) {
      step('share')
      const entries = decodeList(received('roster', bytes), 2 * keyBytes)
      checkRoster(entries, { u, t })
      await eachOf(entries, atOnce, async ({ place, bytes: publicKeys }) => {
        roster.set(place, await peerOf(place, publicKeys))
      })
      const holders = [...entries.map(({ place }) => place), u].sort((a, b) => a - b)
      const sharing = { threshold: t, holders, random: primitives.random }
      const [ofKey, ofSeed] = [share(maskSecret, sharing), share(seed, sharing)]
      const sealed: Entry[] = []
      await eachOf(
        holders.map((place, k) => ({ place, key: encodeShare(ofKey[k]!), seed: encodeShare(ofSeed[k]!) })),
        atOnce,
        async ({ place, key, seed: own }) => {
          if (place === u) {
            held.set(u, { key, seed: own })
            return
          }
          const text = joined(key, own)
          const beside = besideOf(u, place)
          const cipher = await primitives.seal(roster.get(place)!.sealing, text, { beside })
          sealed.push({ place, bytes: cipher })
        },
      )
      sealed.sort((a, b) => a.place - b.place)
      const commitment = await primitives.hash(joined(session, seed))
      return message('shares', joined(commitment, encodeList(sealed, sealedBytes)))
    },

    async mask(inbox, update) {
      step('mask')
      const entries = decodeList(received('inbox', inbox), sealedBytes)
      const stranger = entries.find(({ place }) => !roster.has(place))
      if (stranger !== undefined) throw refused(`shares of place ${stranger.place}, who is not in the roster`)
      if (entries.length + 1 < t) throw aborted(entries.length + 1, t)
      await eachOf(entries, atOnce, async ({ place, bytes }) => {
        const beside = besideOf(place, u)
        const text = await primitives.open(roster.get(place)!.opening, bytes, { beside })
        if (text.length !== 2 * oneShare) throw refused(`shares of ${text.length} bytes`)
        held.set(place, { key: text.slice(0, oneShare), seed: text.slice(oneShare) })
      })
      const masked = Uint32Array.from(update())
      const at = { session, length: masked.length }
      addMask(masked, await selfMask(primitives, seed, { ...at, u }), 1)
      await eachOf(entries, atOnce, async ({ place: v }) => {
        const shared = await keys!.mask.agree(roster.get(v)!.maskKey)
        addMask(masked, await pairMask(primitives, shared, { ...at, u, v }), signOf(u, v))
      })
      return message('masked', new Uint8Array(masked.buffer))
    },

    async reveal(bytes) {
      step('reveal')
      const survivors = decodeList(received('survivors', bytes), 0).map(({ place }) => place)
      const stranger = survivors.find((place) => !held.has(place))
      if (stranger !== undefined) throw refused(`to count place ${stranger} in, whose shares client ${u} does not hold`)
      if (!survivors.includes(u)) throw refused(`to count client ${u} out, who has sent its update`)
      if (survivors.length < t) throw aborted(survivors.length, t)
      const alive = new Set(survivors)
      // Either the seed's share (of those in the sum) or the key's (of the others): both would unmask an update.
      const revealed = [...held].map(([place, own]): Entry => {
        const one = alive.has(place) ? own.seed : own.key
        return { place, bytes: joined(Uint8Array.of(alive.has(place) ? 1 : 0), one) }
      })
      held.clear()
      revealed.sort((a, b) => a.place - b.place)
      return message('reveal', encodeList(revealed, 1 + oneShare))
    },
  }
}

function checkRoster(entries: readonly Entry[], { u, t }: { readonly u: number; readonly t: number }): void {
  if (entries.some(({ place }) => place === u)) throw refused(`a roster that holds client ${u} itself`)
  const holders = entries.length + 1
  if (holders < t) throw aborted(holders, t)
  // Its own share is one: with a threshold of 1 its seed is no secret, and nobody's mask need be on its update.
  if (t < 2) throw refused(`a threshold of ${t}: at least 2 are needed`)
  // With half of the holders or fewer, the server could ask one half for seeds and the other for keys.
  if (!(2 * t > holders)) throw refused(`a threshold of ${t} for ${holders} holders: more than half is needed`)
  const names = entries.flatMap(({ bytes }) => [bytes.slice(0, keyBytes).join(), bytes.slice(keyBytes).join()])
  if (new Set(names).size !== names.length) throw refused('a roster with one key twice')
}
