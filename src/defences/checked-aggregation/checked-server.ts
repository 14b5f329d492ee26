/** The server's side: whoever sends something wrong loses its place, and the sum goes on with the others. */
import { aborted } from '../secure-aggregation/aborted.js'
import { addMask } from '../secure-aggregation/masks.js'
import { type Bytes, refused } from '../secure-aggregation/primitives.js'
import { decodeShare, type Share } from '../secure-aggregation/shamir.js'
import {
  bodyOf,
  decodeList,
  type Entry,
  encodeList,
  encodeMessage,
  joined,
  type Kind,
  kindOf,
  oneShare,
  secretBytes,
} from '../secure-aggregation/wire-messages.js'
import { type CheckedServerSetup, type Exclusion, exclude, type ServerState } from './server-state.js'
import { dealtBytes, strayPlaces, weighedBytes, weighings } from './share-check.js'
import { advertBytes, readAdvert, signatureBytes, signedText } from './signed-texts.js'
import { type Step, steps } from './steps.js'
import { unmask } from './unmask.js'

export interface CheckedServer {
  /** Takes a message of the present phase from the client at a place; whatever is wrong with it is that client's loss. */
  receive(place: number, bytes: Bytes): void
  /** Ends a phase: what each client of it is sent next. Throws when too few are left. */
  next(): Promise<ReadonlyMap<number, Bytes>>
  /** After the last phase: the sum modulo 2^32, and whose updates are in it. */
  sum(): Promise<{ readonly sum: Uint32Array; readonly survivors: readonly number[] }>
  excluded(): readonly Exclusion[]
}

/** [bonawitz2017] Fig. 4 with the underlined parts, the server's side. */
export function checkedServer(setup: CheckedServerSetup): CheckedServer {
  const { session, terms } = setup
  const state: ServerState = {
    ...setup,
    phase: 0,
    excluded: [],
    mail: new Map(),
    adverts: new Map(),
    rosterEntries: [],
    dealt: new Map(),
    lost: new Map(),
    sharers: new Set(),
    survivors: new Set(),
    list: new Uint8Array(0),
    answered: new Set(),
    seedShares: new Map(),
    keyShares: new Map(),
    total: new Uint32Array(terms.length + 1),
  }
  return {
    receive(place, bytes) {
      const kind = steps[state.phase]
      if (kind === undefined) throw refused('a message after the last phase')
      if (kindOf(bytes) === 'refusal') {
        exclude(state, place, new TextDecoder().decode(bytes.subarray(1)))
        return
      }
      attempt(state, place, () => {
        const body = bodyOf(bytes, { kind, session, place })
        if (state.mail.has(place)) throw refused(`a second "${kind}" of client ${place}`)
        if (kind === 'masked') takeUpdate(state, place, body)
        state.mail.set(place, kind === 'masked' ? new Uint8Array(0) : body)
      })
    },
    async next() {
      const kind = steps[state.phase]
      if (kind === undefined) throw refused('to go on after the last phase')
      const sent = await enders[kind](state)
      state.mail.clear()
      state.phase++
      return sent
    },
    async sum() {
      if (state.phase !== steps.length) throw refused('to unmask before the last phase')
      state.phase++
      await unmask(state)
      return { sum: state.total, survivors: inOrder(state.survivors) }
    },
    excluded: () => state.excluded,
  }
}

const inOrder = (places: Iterable<number>): number[] => [...places].sort((a, b) => a - b)

/** What goes wrong costs the sender its place. */
function attempt(state: ServerState, place: number, work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    exclude(state, place, (error as Error).message)
    return false
  }
}

function takeUpdate({ sharers, survivors, total, terms }: ServerState, u: number, body: Bytes): void {
  if (!sharers.has(u)) throw refused(`an update of client ${u}, who is not asked for one`)
  if (body.length !== 4 * (terms.length + 1)) {
    throw refused(`an update of ${body.length / 4} values, ${terms.length + 1} are due`)
  }
  survivors.add(u)
  // Added at once and forgotten: not even the masked update stays.
  addMask(total, new Uint32Array(body.slice().buffer), 1)
}

const enders: Readonly<Record<Step, (state: ServerState) => Promise<Map<number, Bytes>>>> = {
  async keys(state) {
    const { mail, adverts, primitives, digest, terms, rosterEntries } = state
    const probe = await primitives.keyPair(primitives.random(32))
    const seen = new Set<string>()
    for (const place of inOrder(mail.keys())) {
      try {
        const advert = await readAdvert(mail.get(place)!, primitives, { digest, place })
        for (const key of [advert.seal, advert.mask]) await probe.agree(key)
        const names = [advert.seal, advert.mask, advert.identity].map((key) => key.join())
        if (names.some((name) => seen.has(name)) || new Set(names).size < 3)
          throw refused('a key that somebody has already')
        for (const name of names) seen.add(name)
        adverts.set(place, advert)
        rosterEntries.push({ place, bytes: mail.get(place)! })
      } catch (error) {
        exclude(state, place, (error as Error).message)
      }
    }
    if (adverts.size < terms.roster) throw aborted(adverts.size, terms.roster)
    return toAll(state, adverts.keys(), 'roster', encodeList(rosterEntries, advertBytes))
  },

  async shares(state) {
    const { mail, adverts, dealt, terms, session, challenge } = state
    for (const [u, body] of mail) {
      attempt(state, u, () => {
        const sealed = new Map(decodeList(body.slice(32), dealtBytes).map(({ place, bytes }) => [place, bytes]))
        const due = Math.min(terms.degree ?? adverts.size - 1, adverts.size - 1)
        if (sealed.size !== due || [...sealed.keys()].some((v) => v === u || !adverts.has(v))) {
          throw refused(`shares of client ${u} for others than asked`)
        }
        dealt.set(u, { commitment: body.slice(0, 32), sealed })
      })
    }
    if (dealt.size < terms.threshold) throw aborted(dealt.size, terms.threshold)
    const places = inOrder(dealt.keys())
    const inboxes = new Map(places.map((v): [number, Entry[]] => [v, []]))
    for (const u of places) for (const [v, bytes] of dealt.get(u)!.sealed) inboxes.get(v)?.push({ place: u, bytes })
    return new Map(
      [...inboxes].map(([v, entries]) => {
        const body = joined(challenge, encodeList(entries, dealtBytes))
        return [v, encodeMessage({ kind: 'inbox', session, place: v, body })]
      }),
    )
  },

  async held(state) {
    const { mail, dealt, terms, lost, primitives } = state
    const told = new Map<number, Share[]>()
    for (const [v, body] of mail) {
      const fine = attempt(state, v, () => {
        if (!dealt.has(v)) throw refused(`an answer of client ${v}, who dealt no shares`)
        // All of it is looked at before any is taken.
        const answers = decodeList(body, 1 + weighedBytes).map((entry) => checkedWeighing(state, v, entry))
        for (const { owner, share } of answers) {
          if (share === undefined) lost.set(owner, (lost.get(owner) ?? new Set()).add(v))
          else if (told.has(owner)) told.get(owner)!.push(share)
          else told.set(owner, [share])
        }
      })
      if (!fine) mail.delete(v)
    }
    const here = new Set([...mail.keys()].filter((v) => dealt.has(v)))
    const sharers = new Set(here)
    const misdealt = 'dealt shares that do not belong together'
    const doubtful: number[] = []
    for (const u of here) {
      const complaints = lost.get(u)?.size ?? 0
      const shares = told.get(u) ?? []
      const stray = strayPlaces(shares, terms.shares, primitives.random)
      for (const v of stray ?? []) lost.set(u, (lost.get(u) ?? new Set()).add(v))
      const left = shares.length - (stray?.size ?? 0) + 1
      if (stray === undefined && shares.length - terms.shares < 2) doubtful.push(u)
      else if (stray === undefined || left < terms.shares) {
        sharers.delete(u)
        if (stray === undefined) exclude(state, u, misdealt)
        else if (complaints > 0)
          exclude(state, u, `${complaints} clients could not open the shares that client ${u} dealt`)
      }
    }
    // With one share to spare nobody can tell a dealer who lies from a holder who does. One dealer is done without; where
    // there are several it is rather a holder, and what it reveals will be decoded around.
    if (doubtful.length === 1) {
      sharers.delete(doubtful[0]!)
      exclude(state, doubtful[0]!, misdealt)
    }
    if (sharers.size < terms.threshold) {
      // Where too few answered, nobody has holders enough.
      throw aborted(here.size < terms.threshold ? here.size : sharers.size, terms.threshold)
    }
    state.sharers = sharers
    return toAll(state, sharers, 'sharers', listOf(sharers))
  },

  async masked(state) {
    const { survivors, terms } = state
    if (survivors.size < terms.threshold) throw aborted(survivors.size, terms.threshold)
    state.list = listOf(survivors)
    return toAll(state, survivors, 'survivors', state.list)
  },

  async signed(state) {
    const { mail, survivors, adverts, primitives, digest, list, terms } = state
    const entries: Entry[] = []
    for (const place of inOrder(mail.keys())) {
      const signature = mail.get(place)!
      const publicKey = adverts.get(place)!.identity
      const text = signedText('survivors', { digest, place, body: list })
      if (survivors.has(place) && (await primitives.verify({ publicKey, text, signature }))) {
        entries.push({ place, bytes: signature })
      } else exclude(state, place, `a signature that is not that of client ${place} under the list of survivors`)
    }
    if (entries.length < terms.threshold) throw aborted(entries.length, terms.threshold)
    const signers = entries.map(({ place }) => place)
    return toAll(state, signers, 'agreed', encodeList(entries, signatureBytes))
  },

  async reveal(state) {
    for (const [u, body] of state.mail) {
      attempt(state, u, () => {
        // All of them are looked at before any is taken.
        const found = decodeList(body, 1 + oneShare).map((entry) => checkedShare(state, u, entry))
        for (const { owner, isSeed, share } of found) {
          if (state.lost.get(owner)?.has(u)) continue
          const lists = isSeed ? state.seedShares : state.keyShares
          const list = lists.get(owner)
          if (list === undefined) lists.set(owner, [share])
          else list.push(share)
        }
        state.answered.add(u)
      })
    }
    return new Map()
  },
}

/** What client v says of the shares that it was dealt: their weighing, or that they do not open. */
function checkedWeighing({ dealt }: ServerState, v: number, { place: owner, bytes }: Entry) {
  if (!dealt.get(owner)?.sealed.has(v)) throw refused(`a complaint of client ${v} about client ${owner}`)
  const share = bytes[0] === 1 ? decodeShare(bytes.slice(1), { at: v, secretBytes: 2 * weighings }) : undefined
  return { owner, share }
}

/** One share that client u reveals, of a client that dealt it one, and of the secret that is asked for. */
function checkedShare({ dealt, sharers, survivors }: ServerState, u: number, { place: owner, bytes }: Entry) {
  if (!sharers.has(owner) || (owner !== u && !dealt.get(owner)!.sealed.has(u))) {
    throw refused(`client ${u}'s share of client ${owner}`)
  }
  const isSeed = bytes[0] === 1
  if (isSeed !== survivors.has(owner)) throw refused(`the wrong share of client ${owner} from client ${u}`)
  return { owner, isSeed, share: decodeShare(bytes.slice(1), { at: u, secretBytes }) }
}

const listOf = (places: Iterable<number>): Bytes =>
  encodeList(
    inOrder(places).map((place) => ({ place, bytes: new Uint8Array(0) })),
    0,
  )

/** The same bytes for all of them. */
function toAll({ session }: ServerState, places: Iterable<number>, kind: Kind, body: Bytes): Map<number, Bytes> {
  const bytes = encodeMessage({ kind, session, place: 0, body })
  return new Map(inOrder(places).map((place) => [place, bytes]))
}
