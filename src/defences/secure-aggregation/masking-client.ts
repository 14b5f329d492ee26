/** A client of secure aggregation: four messages out, three in, and whatever breaks the rules is refused. */
import { aborted } from './aborted.js'
import { addMasks, eachOf, maskDerivation, maskFrom, selfMask, signOf } from './masks.js'
import { isFirst, type PairKeys, pairKeys } from './pair-keys.js'
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
  /** Of the thread that it sits in. */
  readonly pairKeys?: PairKeys
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

interface Peer {
  /** Its public key for masks. */
  readonly maskKey: Bytes
  /** What seals the shares for it, and what sealed the shares from it. */
  readonly sealing: Bytes
  readonly opening: Bytes
}

interface State extends Required<ClientSetup> {
  next: Step
  readonly sealSecret: Bytes
  readonly maskSecret: Bytes
  readonly seed: Bytes
  keys: { readonly seal: KeyPair; readonly mask: KeyPair } | undefined
  readonly roster: Map<number, Peer>
  /** What others let it hold, and its own: (share of the mask key, share of the seed) by owner. */
  readonly held: Map<number, { readonly key: Bytes; readonly seed: Bytes }>
}

/** [bonawitz2017] Fig. 4, the user's side. */
export function secureClient(setup: ClientSetup): SecureClient {
  const { primitives } = setup
  const [sealSecret, maskSecret, seed] = [0, 1, 2].map(() => primitives.random(secretBytes)) as [Bytes, Bytes, Bytes]
  const state: State = {
    ...setup,
    terms: setup.terms ?? new Uint8Array(0),
    pairKeys: setup.pairKeys ?? pairKeys(primitives),
    next: 'advertise',
    sealSecret,
    maskSecret,
    seed,
    keys: undefined,
    roster: new Map(),
    held: new Map(),
  }
  return {
    advertise: async () => {
      take('advertise', state)
      return advertise(state)
    },
    share: async (roster) => {
      take('share', state)
      return shareSecrets(state, roster)
    },
    mask: async (inbox, update) => {
      take('mask', state)
      return maskUpdate(state, inbox, update)
    },
    reveal: async (survivors) => {
      take('reveal', state)
      return revealShares(state, survivors)
    },
  }
}

/** Each step once, and in order. */
function take(now: Step, state: State): void {
  if (state.next !== now) throw refused(`to ${now}: client ${state.place} is at "${state.next}"`)
  state.next = order[order.indexOf(now) + 1]!
}

const message = ({ session, place }: State, kind: Kind, body: Bytes): Bytes =>
  encodeMessage({ kind, session, place, body })

const received = ({ session, place }: State, kind: Kind, bytes: Bytes): Bytes => bodyOf(bytes, { kind, session, place })

async function advertise(state: State): Promise<Bytes> {
  const { primitives, sealSecret, maskSecret } = state
  const keys = { seal: await primitives.keyPair(sealSecret), mask: await primitives.keyPair(maskSecret) }
  state.keys = keys
  for (const pair of [keys.seal, keys.mask]) state.pairKeys.seat(pair)
  return message(state, 'keys', joined(keys.seal.publicKey, keys.mask.publicKey))
}

async function shareSecrets(state: State, bytes: Bytes): Promise<Bytes> {
  const { session, place: u, threshold: t, primitives, maskSecret, seed, roster } = state
  const entries = decodeList(received(state, 'roster', bytes), 2 * keyBytes)
  checkRoster(entries, { u, t })
  await eachOf(entries, async ({ place, bytes: publicKeys }) => {
    roster.set(place, await peerOf(state, place, publicKeys))
  })
  const holders = [...entries.map(({ place }) => place), u].sort((a, b) => a - b)
  const sharing = { threshold: t, holders, random: primitives.random }
  const [ofKey, ofSeed] = [share(maskSecret, sharing), share(seed, sharing)]
  const sealed: Entry[] = []
  await eachOf(
    holders.map((place, k) => ({ place, key: encodeShare(ofKey[k]!), seed: encodeShare(ofSeed[k]!) })),
    async ({ place, ...pair }) => {
      if (place === u) state.held.set(u, pair)
      else sealed.push({ place, bytes: await sealedFor(state, place, joined(pair.key, pair.seed)) })
    },
  )
  await eachOf(
    entries.filter(({ place: v }) => isFirst(u, v)),
    ({ place: v }) =>
      state.pairKeys.prepare(state.keys!.mask, roster.get(v)!.maskKey, maskDerivation({ session, u, v })),
  )
  sealed.sort((a, b) => a.place - b.place)
  const commitment = await primitives.hash(joined(session, seed))
  return message(state, 'shares', joined(commitment, encodeList(sealed, sealedBytes)))
}

/** One key for each direction, from the secret that both sides know. */
async function peerOf({ session, place: u, keys, ...state }: State, v: number, publicKeys: Bytes): Promise<Peer> {
  const info = purpose('seal', Math.min(u, v), Math.max(u, v))
  const derivation = { salt: session, info, bytes: 64 }
  const both = await state.pairKeys.between(keys!.seal, publicKeys.slice(0, keyBytes), derivation)
  const [up, down] = [both.slice(0, 32), both.slice(32)]
  const [sealing, opening] = u < v ? [up, down] : [down, up]
  return { maskKey: publicKeys.slice(keyBytes), sealing, opening }
}

const sealedFor = (state: State, to: number, text: Bytes): Promise<Bytes> =>
  state.primitives.seal(state.roster.get(to)!.sealing, text, { beside: besideOf(state, state.place, to) })

const opened = (state: State, from: number, bytes: Bytes): Promise<Bytes> =>
  state.primitives.open(state.roster.get(from)!.opening, bytes, { beside: besideOf(state, from, state.place) })

/** What sealed shares are bound to: who seals for whom, the mask keys that each believes the two have, the terms. */
function besideOf({ place: u, keys, roster, terms }: State, from: number, to: number): Bytes {
  const maskKeyOf = (place: number): Bytes => (place === u ? keys!.mask.publicKey : roster.get(place)!.maskKey)
  return joined(purpose('seal', from, to), maskKeyOf(from), maskKeyOf(to), terms)
}

async function maskUpdate(state: State, inbox: Bytes, update: () => Uint32Array): Promise<Bytes> {
  const { session, place: u, primitives, roster, seed, keys } = state
  const entries = decodeList(received(state, 'inbox', inbox), sealedBytes)
  await openShares(state, entries)
  const masked = Uint32Array.from(update())
  const { length } = masked
  await addMasks(masked, [u, ...entries.map(({ place }) => place)], async (v) => {
    if (v === u) return { values: await selfMask(primitives, seed, { session, length, u }), sign: 1 }
    const pair = maskDerivation({ session, u, v })
    const key = await state.pairKeys.between(keys!.mask, roster.get(v)!.maskKey, pair)
    return { values: await maskFrom(primitives, key, length), sign: signOf(u, v) }
  })
  for (const pair of [keys!.seal, keys!.mask]) state.pairKeys.leave(pair)
  return message(state, 'masked', new Uint8Array(masked.buffer))
}

/** Opens what others sealed for it, and keeps it. */
async function openShares(state: State, entries: readonly Entry[]): Promise<void> {
  const { threshold: t, roster, held } = state
  const stranger = entries.find(({ place }) => !roster.has(place))
  if (stranger !== undefined) throw refused(`shares of place ${stranger.place}, who is not in the roster`)
  if (entries.length + 1 < t) throw aborted(entries.length + 1, t)
  await eachOf(entries, async ({ place, bytes }) => {
    const text = await opened(state, place, bytes)
    if (text.length !== 2 * oneShare) throw refused(`shares of ${text.length} bytes`)
    held.set(place, { key: text.slice(0, oneShare), seed: text.slice(oneShare) })
  })
}

function revealShares(state: State, bytes: Bytes): Bytes {
  const { place: u, threshold: t, held } = state
  const survivors = decodeList(received(state, 'survivors', bytes), 0).map(({ place }) => place)
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
  return message(state, 'reveal', encodeList(revealed, 1 + oneShare))
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
