/** A client that does not trust the server: it checks whose keys it gets, who is counted, and that others were told the same. */
import { aborted } from '../secure-aggregation/aborted.js'
import { addMasks, eachOf, maskDerivation, maskFrom, selfMask, signOf } from '../secure-aggregation/masks.js'
import type { PairKeys } from '../secure-aggregation/pair-keys.js'
import { type Bytes, type KeyPair, type Primitives, refused, type Signer } from '../secure-aggregation/primitives.js'
import { encodeShare, share } from '../secure-aggregation/shamir.js'
import {
  bodyOf,
  decodeList,
  type Entry,
  encodeList,
  encodeMessage,
  joined,
  type Kind,
  oneShare,
  purpose,
  sealedBytes,
  secretBytes,
} from '../secure-aggregation/wire-messages.js'
import type { Directory } from './directory.js'
import { drawPlaces } from './draw-places.js'
import { advertise, type Facts, type Roster, signedText } from './signed-texts.js'
import type { Invited } from './terms.js'

export interface CheckedSetup extends Invited {
  readonly identity: Signer
  readonly directory: Directory
  readonly primitives: Primitives
  readonly facts: Facts
  readonly pairKeys: PairKeys
  /** The least number of clients in a sum. */
  readonly least: number
}

export type Step = 'keys' | 'shares' | 'held' | 'masked' | 'signed' | 'reveal'
export const steps: readonly Step[] = ['keys', 'shares', 'held', 'masked', 'signed', 'reveal']

/** Each message in gives one out, in this order, once. */
export interface CheckedClient {
  keys(): Promise<Bytes>
  shares(roster: Bytes): Promise<Bytes>
  held(inbox: Bytes): Promise<Bytes>
  masked(sharers: Bytes, update: () => Uint32Array): Promise<Bytes>
  signed(survivors: Bytes): Promise<Bytes>
  reveal(agreed: Bytes): Promise<Bytes>
}

interface Seals {
  readonly sealing: Bytes
  readonly opening: Bytes
}

interface State extends CheckedSetup {
  next: number
  digest: Bytes
  readonly sealSecret: Bytes
  readonly maskSecret: Bytes
  readonly seed: Bytes
  pairs: { readonly seal: KeyPair; readonly mask: KeyPair } | undefined
  roster: Roster | undefined
  /** Whom it has chosen to hold its shares, and who has chosen it. */
  out: ReadonlySet<number>
  readonly in: Set<number>
  /** What seals shares for a client, and opens those from it. */
  readonly seals: Map<number, Seals>
  /** What others let it hold, and its own: (share of the mask key, share of the seed) by owner. */
  readonly held: Map<number, { readonly key: Bytes; readonly seed: Bytes }>
  sharers: ReadonlySet<number>
  survivors: ReadonlySet<number>
  list: Bytes
}

/** [bonawitz2017] Fig. 4 with the underlined parts, the user's side; with a degree, neighbours as in [bell2020]. */
export function checkedClient(setup: CheckedSetup): CheckedClient {
  const { primitives } = setup
  const [sealSecret, maskSecret, seed] = [0, 1, 2].map(() => primitives.random(secretBytes)) as [Bytes, Bytes, Bytes]
  const nothing = {
    pairs: undefined,
    roster: undefined,
    out: new Set<number>(),
    in: new Set<number>(),
    seals: new Map(),
  }
  const lists = { held: new Map(), sharers: new Set<number>(), survivors: new Set<number>() }
  const empty = new Uint8Array(0)
  const state: State = {
    ...setup,
    next: 0,
    digest: empty,
    list: empty,
    sealSecret,
    maskSecret,
    seed,
    ...nothing,
    ...lists,
  }
  const inOrder = async (now: Step, work: () => Promise<Bytes>): Promise<Bytes> => {
    if (steps[state.next] !== now) throw refused(`to go on with "${now}": client ${state.place} is elsewhere`)
    state.next++
    try {
      const body = await work()
      return encodeMessage({ kind: now as Kind, session: state.session, place: state.place, body })
    } catch (error) {
      forget(state)
      throw error
    }
  }
  return {
    keys: () => inOrder('keys', () => advertiseKeys(state)),
    shares: (roster) => inOrder('shares', () => dealShares(state, broadcast(state, 'roster', roster))),
    held: (inbox) => inOrder('held', () => openShares(state, own(state, 'inbox', inbox))),
    masked: (sharers, update) =>
      inOrder('masked', () => maskUpdate(state, broadcast(state, 'sharers', sharers), update)),
    signed: (list) => inOrder('signed', () => signList(state, broadcast(state, 'survivors', list))),
    reveal: (agreed) => inOrder('reveal', () => revealShares(state, broadcast(state, 'agreed', agreed))),
  }
}

const own = ({ session, place }: State, kind: Kind, bytes: Bytes): Bytes => bodyOf(bytes, { kind, session, place })
/** What all clients are sent alike has no place. */
const broadcast = ({ session }: State, kind: Kind, bytes: Bytes): Bytes => bodyOf(bytes, { kind, session, place: 0 })

/** After the last answer, or when it goes no further, nothing is left that would open anything. */
function forget({ sealSecret, maskSecret, seed, held, seals, pairs, pairKeys }: State): void {
  if (pairs !== undefined) for (const pair of [pairs.seal, pairs.mask]) pairKeys.leave(pair)
  for (const secret of [sealSecret, maskSecret, seed]) secret.fill(0)
  for (const { sealing, opening } of seals.values()) for (const key of [sealing, opening]) key.fill(0)
  seals.clear()
  for (const pair of held.values()) for (const one of [pair.key, pair.seed]) one.fill(0)
  held.clear()
}

async function advertiseKeys(state: State): Promise<Bytes> {
  const { primitives, bytes, place, identity } = state
  state.digest = await primitives.hash(bytes)
  const pairs = { seal: await primitives.keyPair(state.sealSecret), mask: await primitives.keyPair(state.maskSecret) }
  state.pairs = pairs
  for (const pair of [pairs.seal, pairs.mask]) state.pairKeys.seat(pair)
  const keys = { seal: pairs.seal.publicKey, mask: pairs.mask.publicKey }
  return advertise(keys, identity, { digest: state.digest, place })
}

async function dealShares(state: State, bytes: Bytes): Promise<Bytes> {
  const { session, place: u, primitives, maskSecret, seed, terms } = state
  const roster = await state.facts.roster(bytes, { digest: state.digest, cohort: terms.cohort })
  await checkRoster(state, roster)
  state.roster = roster
  const others = [...roster.adverts.keys()].filter((place) => place !== u)
  const out = terms.degree === null ? others : drawPlaces(others, terms.degree, primitives.random)
  state.out = new Set(out)
  const holders = [...out, u].sort((a, b) => a - b)
  if (holders.length < terms.shares) throw aborted(holders.length, terms.shares)
  const sharing = { threshold: terms.shares, holders, random: primitives.random }
  const [ofKey, ofSeed] = [share(maskSecret, sharing), share(seed, sharing)]
  const sealed: Entry[] = []
  await eachOf([...holders.entries()], async ([k, v]) => {
    const pair = { key: encodeShare(ofKey[k]!), seed: encodeShare(ofSeed[k]!) }
    if (v === u) state.held.set(u, pair)
    else sealed.push({ place: v, bytes: await sealedFor(state, v, joined(pair.key, pair.seed)) })
  })
  for (const { values } of [...ofKey, ...ofSeed]) values.fill(0)
  sealed.sort((a, b) => a.place - b.place)
  return joined(await primitives.hash(joined(session, seed)), encodeList(sealed, sealedBytes))
}

/** Its own keys as it sent them, enough others, and each of them who it should be. */
async function checkRoster(
  { place: u, pairs, terms, directory, identity }: State,
  { adverts, identities }: Roster,
): Promise<void> {
  const mine = adverts.get(u)
  const [found, sent] = [
    mine && joined(mine.seal, mine.mask, mine.identity),
    joined(pairs!.seal.publicKey, pairs!.mask.publicKey, identity.publicKey),
  ]
  if (found?.join() !== sent.join()) throw refused(`a roster without the keys that client ${u} sent`)
  if (adverts.size < terms.threshold) throw aborted(adverts.size, terms.threshold)
  await directory.check(identities)
}

/** One key for each direction, from the secret that both sides know; found once. */
async function sealsWith({ session, place: u, pairKeys, pairs, roster, seals }: State, v: number): Promise<Seals> {
  const known = seals.get(v)
  if (known !== undefined) return known
  const info = purpose('seal', Math.min(u, v), Math.max(u, v))
  const derivation = { salt: session, info, bytes: 64 }
  const both = await pairKeys.between(pairs!.seal, roster!.adverts.get(v)!.seal, derivation)
  const [up, down] = [both.subarray(0, 32), both.subarray(32)]
  const found = u < v ? { sealing: up, opening: down } : { sealing: down, opening: up }
  seals.set(v, found)
  return found
}

/** What sealed shares are bound to: who seals for whom, the terms, and all keys as both were told them. */
const besideOf = ({ digest, roster }: State, from: number, to: number): Bytes =>
  joined(purpose('seal', from, to), digest, roster!.hash)

async function sealedFor(state: State, to: number, text: Bytes): Promise<Bytes> {
  const { place: u, primitives } = state
  return primitives.seal((await sealsWith(state, to)).sealing, text, { beside: besideOf(state, u, to) })
}

/** Opens what others sealed for it; what does not open is told, and costs its sender a holder. */
async function openShares(state: State, bytes: Bytes): Promise<Bytes> {
  const { place: u, primitives, roster, held, in: chosenBy } = state
  const entries = decodeList(bytes, sealedBytes)
  const stranger = entries.find(({ place }) => place === u || !roster!.adverts.has(place))
  if (stranger !== undefined) throw refused(`shares of place ${stranger.place}, who is not in the roster`)
  const bad: Entry[] = []
  await eachOf(entries, async ({ place: v, bytes: sealed }) => {
    chosenBy.add(v)
    try {
      const text = await primitives.open((await sealsWith(state, v)).opening, sealed, { beside: besideOf(state, v, u) })
      if (text.length !== 2 * oneShare) throw refused(`shares of ${text.length} bytes`)
      held.set(v, { key: text.slice(0, oneShare), seed: text.slice(oneShare) })
    } catch {
      bad.push({ place: v, bytes: new Uint8Array(0) })
    }
  })
  return encodeList(
    bad.sort((a, b) => a.place - b.place),
    0,
  )
}

const placesIn = (bytes: Bytes): Set<number> => new Set(decodeList(bytes, 0).map(({ place }) => place))

/** Refuses a list that leaves it out, is too short, or leaves too few of those whom it chose itself. */
function checkList({ place: u, terms, out, least }: State, list: ReadonlySet<number>): void {
  if (!list.has(u)) throw refused(`to count client ${u} out, who took part`)
  const needed = Math.max(terms.threshold, least)
  if (list.size < needed) throw aborted(list.size, needed)
  if (terms.degree === null) return
  const near = [...out].filter((v) => list.has(v)).length
  if (near < terms.shares)
    throw refused(`a list with ${near} of the neighbours of client ${u}: ${terms.shares} are needed`)
}

async function maskUpdate(state: State, bytes: Bytes, update: () => Uint32Array): Promise<Bytes> {
  const { session, place: u, primitives, roster, seed, pairs, pairKeys, out } = state
  const sharers = placesIn(bytes)
  const stranger = [...sharers].find((v) => !roster!.adverts.has(v))
  if (stranger !== undefined) throw refused(`to mask with place ${stranger}, who is not in the roster`)
  checkList(state, sharers)
  state.sharers = sharers
  const masked = Uint32Array.from(update())
  const { length } = masked
  const partners = [...new Set([...out, ...state.in])].filter((v) => sharers.has(v))
  await addMasks(masked, [u, ...partners], async (v) => {
    if (v === u) return { values: await selfMask(primitives, seed, { session, length, u }), sign: 1 }
    const key = await pairKeys.between(pairs!.mask, roster!.adverts.get(v)!.mask, maskDerivation({ session, u, v }))
    return { values: await maskFrom(primitives, key, length), sign: signOf(u, v) }
  })
  // Others hold what gives these back, if it must be: the client itself needs them no more.
  for (const secret of [state.sealSecret, state.maskSecret, seed]) secret.fill(0)
  return new Uint8Array(masked.buffer)
}

async function signList(state: State, bytes: Bytes): Promise<Bytes> {
  const { place, sharers, digest, identity } = state
  const survivors = placesIn(bytes)
  const stranger = [...survivors].find((v) => !sharers.has(v))
  if (stranger !== undefined) throw refused(`to count place ${stranger} in, with whom client ${place} does not mask`)
  checkList(state, survivors)
  state.survivors = survivors
  state.list = bytes
  return identity.sign(signedText('survivors', { digest, place, body: bytes }))
}

async function revealShares(state: State, bytes: Bytes): Promise<Bytes> {
  const { terms, held, facts, list, digest, roster, sharers, survivors } = state
  const valid = await facts.signers(bytes, { list, digest, roster: roster! })
  const signers = [...valid].filter((v) => survivors.has(v)).length
  if (signers < terms.threshold) {
    throw refused(`a list of survivors that ${signers} have signed: ${terms.threshold} are needed`)
  }
  // Either the seed's share (of those in the sum) or the key's (of the others): both would unmask an update.
  const revealed = [...held].flatMap(([place, pair]): Entry[] => {
    if (!sharers.has(place)) return []
    const alive = survivors.has(place)
    return [{ place, bytes: joined(Uint8Array.of(alive ? 1 : 0), alive ? pair.seed : pair.key) }]
  })
  forget(state)
  return encodeList(
    revealed.sort((a, b) => a.place - b.place),
    1 + oneShare,
  )
}
