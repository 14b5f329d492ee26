/** A client deals its secrets to others, once it knows whose keys it got, and opens and weighs what others dealt to it. */
import { aborted } from '../secure-aggregation/aborted.js'
import { eachOf, maskDerivation } from '../secure-aggregation/masks.js'
import { isFirst } from '../secure-aggregation/pair-keys.js'
import { type Bytes, refused } from '../secure-aggregation/primitives.js'
import { encodeShare, share, shareBlinds } from '../secure-aggregation/shamir.js'
import { decodeList, type Entry, encodeList, joined, purpose } from '../secure-aggregation/wire-messages.js'
import type { ClientState, Seals } from './client-state.js'
import { drawPlaces } from './draw-places.js'
import {
  challengeBytes,
  checkChallenge,
  dealtBytes,
  partsOf,
  weighed,
  weighedBytes,
  weighings,
  weightsFrom,
} from './share-check.js'
import type { Roster } from './signed-texts.js'

export async function dealShares(state: ClientState, bytes: Bytes): Promise<Bytes> {
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
  const blinds = shareBlinds(weighings, sharing)
  const sealed: Entry[] = []
  await eachOf([...holders.entries()], async ([k, v]) => {
    const pair = { key: encodeShare(ofKey[k]!), seed: encodeShare(ofSeed[k]!) }
    if (v === u) {
      state.held.set(u, pair)
      return
    }
    const parts = [pair.key, pair.seed, encodeShare(blinds[k]!)]
    sealed.push({ place: v, bytes: await sealedFor(state, v, joined(...parts)) })
    for (const part of parts) part.fill(0)
    if (terms.degree === null && !isFirst(u, v)) return
    await state.pairKeys.prepare(state.pairs!.mask, roster.adverts.get(v)!.mask, maskDerivation({ session, u, v }))
  })
  for (const { values } of [...ofKey, ...ofSeed, ...blinds]) values.fill(0)
  sealed.sort((a, b) => a.place - b.place)
  return joined(await primitives.hash(joined(session, seed)), encodeList(sealed, dealtBytes))
}

/** Its own keys as it sent them, enough others, and each of them who it should be. */
async function checkRoster(
  { place: u, pairs, terms, directory, identity }: ClientState,
  { adverts, identities }: Roster,
): Promise<void> {
  const mine = adverts.get(u)
  const [found, sent] = [
    mine && joined(mine.seal, mine.mask, mine.identity),
    joined(pairs!.seal.publicKey, pairs!.mask.publicKey, identity.publicKey),
  ]
  if (found?.join() !== sent.join()) throw refused(`a roster without the keys that client ${u} sent`)
  if (adverts.size < terms.roster) throw aborted(adverts.size, terms.roster)
  await directory.check(identities)
}

/** One key for each direction, from the secret that both sides know; found once. */
async function sealsWith(
  { session, place: u, pairKeys, pairs, roster, seals }: ClientState,
  v: number,
): Promise<Seals> {
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
const besideOf = ({ digest, roster }: ClientState, from: number, to: number): Bytes =>
  joined(purpose('seal', from, to), digest, roster!.hash)

/** The text is overwritten. */
async function sealedFor(state: ClientState, to: number, text: Bytes): Promise<Bytes> {
  const { place: u, primitives } = state
  const found = await primitives.seal((await sealsWith(state, to)).sealing, text, { beside: besideOf(state, u, to) })
  text.fill(0)
  return found
}

/** Opens what others sealed for it, and weighs it; what does not open is told, and costs its sender a holder. */
export async function openShares(state: ClientState, bytes: Bytes): Promise<Bytes> {
  const { place: u, session, primitives, roster, held, in: chosenBy, terms } = state
  const challenge = bytes.slice(0, challengeBytes)
  await checkChallenge(primitives, challenge, terms.challenge)
  const entries = decodeList(bytes.subarray(challengeBytes), dealtBytes)
  const stranger = entries.find(({ place }) => place === u || !roster!.adverts.has(place))
  if (stranger !== undefined) throw refused(`shares of place ${stranger.place}, who is not in the roster`)
  const by = await weightsFrom(primitives, challenge, session)
  const told: Entry[] = []
  await eachOf(entries, async ({ place: v, bytes: sealed }) => {
    chosenBy.add(v)
    const answer = new Uint8Array(1 + weighedBytes)
    try {
      const text = await primitives.open((await sealsWith(state, v)).opening, sealed, { beside: besideOf(state, v, u) })
      const parts = partsOf(text)
      answer.set(encodeShare({ values: weighed(parts, by) }), 1)
      answer[0] = 1
      text.fill(0)
      parts.blind.fill(0)
      held.set(v, { key: parts.key, seed: parts.seed })
    } catch {
      // The answer says that there is nothing to weigh.
    }
    told.push({ place: v, bytes: answer })
  })
  return encodeList(
    told.sort((a, b) => a.place - b.place),
    1 + weighedBytes,
  )
}
