/** A client that does not trust the server: it checks whose keys it gets, who is counted, and that others were told the same. */
import { aborted } from '../secure-aggregation/aborted.js'
import { addMasks, maskDerivation, maskFrom, selfMask, signOf } from '../secure-aggregation/masks.js'
import { type Bytes, refused } from '../secure-aggregation/primitives.js'
import {
  bodyOf,
  type Entry,
  encodeList,
  encodeMessage,
  joined,
  type Kind,
  oneShare,
  secretBytes,
} from '../secure-aggregation/wire-messages.js'
import type { CheckedSetup, ClientState } from './client-state.js'
import { dealShares, openShares } from './deal-shares.js'
import { advertise, signedText } from './signed-texts.js'
import { type Step, steps } from './steps.js'

/** Each message in gives one out, in this order, once. */
export interface CheckedClient {
  keys(): Promise<Bytes>
  shares(roster: Bytes): Promise<Bytes>
  held(inbox: Bytes): Promise<Bytes>
  masked(sharers: Bytes, update: () => Uint32Array): Promise<Bytes>
  signed(survivors: Bytes): Promise<Bytes>
  reveal(agreed: Bytes): Promise<Bytes>
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
  const state: ClientState = {
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

const own = ({ session, place }: ClientState, kind: Kind, bytes: Bytes): Bytes =>
  bodyOf(bytes, { kind, session, place })
/** What all clients are sent alike has no place. */
const broadcast = ({ session }: ClientState, kind: Kind, bytes: Bytes): Bytes =>
  bodyOf(bytes, { kind, session, place: 0 })

/** After the last answer, or when it goes no further, nothing is left that would open anything. */
function forget({ sealSecret, maskSecret, seed, held, seals, pairs, pairKeys }: ClientState): void {
  if (pairs !== undefined) for (const pair of [pairs.seal, pairs.mask]) pairKeys.leave(pair)
  for (const secret of [sealSecret, maskSecret, seed]) secret.fill(0)
  for (const { sealing, opening } of seals.values()) for (const key of [sealing, opening]) key.fill(0)
  seals.clear()
  for (const pair of held.values()) for (const one of [pair.key, pair.seed]) one.fill(0)
  held.clear()
}

async function advertiseKeys(state: ClientState): Promise<Bytes> {
  const { primitives, bytes, place, identity } = state
  state.digest = await primitives.hash(bytes)
  const pairs = { seal: await primitives.keyPair(state.sealSecret), mask: await primitives.keyPair(state.maskSecret) }
  state.pairs = pairs
  for (const pair of [pairs.seal, pairs.mask]) state.pairKeys.seat(pair)
  const keys = { seal: pairs.seal.publicKey, mask: pairs.mask.publicKey }
  return advertise(keys, identity, { digest: state.digest, place })
}

/** Refuses a list that leaves it out, is too short, or leaves too few of those whom it chose itself. */
function checkList({ place: u, terms, out, least }: ClientState, list: ReadonlySet<number>): void {
  if (!list.has(u)) throw refused(`to count client ${u} out, who took part`)
  const needed = Math.max(terms.threshold, least)
  if (list.size < needed) throw aborted(list.size, needed)
  if (terms.degree === null) return
  const near = [...out].filter((v) => list.has(v)).length
  if (near < terms.shares)
    throw refused(`a list with ${near} of the neighbours of client ${u}: ${terms.shares} are needed`)
}

async function maskUpdate(state: ClientState, bytes: Bytes, update: () => Uint32Array): Promise<Bytes> {
  const { session, place: u, primitives, roster, seed, pairs, pairKeys, out, facts } = state
  const sharers = facts.places(bytes)
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

async function signList(state: ClientState, bytes: Bytes): Promise<Bytes> {
  const { place, sharers, digest, identity, facts } = state
  const survivors = facts.places(bytes)
  const stranger = [...survivors].find((v) => !sharers.has(v))
  if (stranger !== undefined) throw refused(`to count place ${stranger} in, with whom client ${place} does not mask`)
  checkList(state, survivors)
  state.survivors = survivors
  state.list = bytes
  return identity.sign(signedText('survivors', { digest, place, body: bytes }))
}

async function revealShares(state: ClientState, bytes: Bytes): Promise<Bytes> {
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
