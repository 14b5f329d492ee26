/** The server of secure aggregation: passes sealed bytes on, adds masked updates up, and takes the masks off the sum. */
import { aborted, SumAborted } from './aborted.js'
import type { Neighbours } from './mask-graph.js'
import { addMask, addMasks, pairMask, selfMask, signOf } from './masks.js'
import { type Bytes, type Primitives, refused } from './primitives.js'
import { combine, decodeShare, type Share } from './shamir.js'
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
  type Session,
  sealedBytes,
  secretBytes,
} from './wire-messages.js'

export interface ServerSetup {
  readonly session: Session
  readonly threshold: number
  /** Values of an update. */
  readonly length: number
  readonly neighbours: Neighbours
  readonly primitives: Primitives
}

export interface SecureServer {
  /** Takes a message of the present phase from the client at a place. */
  receive(place: number, bytes: Bytes): void
  /** Ends a phase: what each client of it is sent next. */
  next(): ReadonlyMap<number, Bytes>
  /** After the last phase: the sum of the survivors' updates modulo 2^32, and who they are. */
  sum(): Promise<{ readonly sum: Uint32Array; readonly survivors: readonly number[] }>
}

const phases = ['keys', 'shares', 'masked', 'reveal'] as const
/** The sum of two gives each of them the other's update. */
export const leastInSum = 3
type Phase = (typeof phases)[number]

interface State extends ServerSetup {
  /** How many phases have ended. */
  phase: number
  /** By place - 1: who holds shares of the client's secrets, itself included. */
  readonly holders: readonly ReadonlySet<number>[]
  /** By client: its public keys, and what it sealed for others. */
  readonly keys: Map<number, Bytes>
  readonly shares: Map<number, { readonly commitment: Bytes; readonly sealed: ReadonlyMap<number, Bytes> }>
  /** Who sent an update, and who has revealed shares since. */
  readonly survivors: Set<number>
  readonly answered: Set<number>
  /** By owner of the secret: shares of survivors' seeds, of the others' keys. */
  readonly seedShares: Map<number, Share[]>
  readonly keyShares: Map<number, Share[]>
  /** The sum of masked updates, then of the updates. */
  readonly total: Uint32Array
}

/** [bonawitz2017] Fig. 4, the server's side; with other neighbours than all, [bell2020]. */
export function secureServer(setup: ServerSetup): SecureServer {
  const { session, length, neighbours } = setup
  const state: State = {
    ...setup,
    phase: 0,
    holders: neighbours.map((own, i) => new Set([...own, i + 1])),
    keys: new Map(),
    shares: new Map(),
    survivors: new Set(),
    answered: new Set(),
    seedShares: new Map(),
    keyShares: new Map(),
    total: new Uint32Array(length),
  }
  return {
    receive(place, bytes) {
      const kind = phases[state.phase]
      if (kind === undefined) throw refused('a message after the last phase')
      if (!(place >= 1 && place <= neighbours.length)) throw refused(`a message of place ${place}`)
      takers[kind](state, place, bodyOf(bytes, { kind, session, place }))
    },
    next() {
      const kind = phases[state.phase]
      if (kind === undefined) throw refused('to go on after the last phase')
      const sent = enders[kind](state)
      state.phase++
      return sent
    },
    async sum() {
      if (state.phase !== phases.length) throw refused('to unmask before the last phase')
      requireHolders(state, state.shares, state.answered)
      state.phase++
      await takeSelfMasks(state)
      await takePairMasks(state)
      return { sum: state.total, survivors: inOrder(state.survivors) }
    },
  }
}

const inOrder = (places: Iterable<number>): number[] => [...places].sort((a, b) => a - b)

const holdersOf = ({ holders }: State, u: number): ReadonlySet<number> => holders[u - 1]!

/** Every secret that may be needed must have enough holders left. */
function requireHolders(
  state: State,
  owners: ReadonlySet<number> | ReadonlyMap<number, unknown>,
  left: Pick<ReadonlySet<number>, 'has'>,
): void {
  const { threshold: t } = state
  if (owners.size === 0) throw aborted(0, t)
  for (const u of owners.keys()) {
    let count = 0
    for (const v of holdersOf(state, u)) if (left.has(v)) count++
    if (count < t) throw aborted(count, t)
  }
}

/** Masks between survivors must tie all of them together: each part by itself would be a sum of its own. */
function requireOneSum({ survivors, neighbours }: State): void {
  const reached = new Set([...survivors].slice(0, 1))
  for (const u of reached) for (const v of neighbours[u - 1]!) if (survivors.has(v)) reached.add(v)
  if (reached.size === survivors.size) return
  throw new SumAborted(`its masks no longer tie ${survivors.size} clients together, only ${reached.size}`)
}

/** What is done with a message of each phase. */
const takers: Readonly<Record<Phase, (state: State, u: number, body: Bytes) => void>> = {
  keys({ keys }, u, body) {
    if (keys.has(u)) throw refused(`a second "keys" of client ${u}`)
    if (body.length !== 2 * keyBytes) throw refused(`keys of ${body.length} bytes`)
    keys.set(u, body)
  },
  shares({ keys, shares, neighbours }, u, body) {
    if (!keys.has(u)) throw refused(`shares of client ${u}, who sent no keys`)
    if (shares.has(u)) throw refused(`a second "shares" of client ${u}`)
    const sealed = decodeList(body.slice(32), sealedBytes)
    const due = neighbours[u - 1]!.filter((v) => keys.has(v))
    if (sealed.map(({ place }) => place).join() !== due.join())
      throw refused(`shares of client ${u} for others than asked`)
    shares.set(u, {
      commitment: body.slice(0, 32),
      sealed: new Map(sealed.map(({ place, bytes }) => [place, bytes])),
    })
  },
  masked({ shares, survivors, total, length }, u, body) {
    if (!shares.has(u)) throw refused(`an update of client ${u}, who sent no shares`)
    if (survivors.has(u)) throw refused(`a second "masked" of client ${u}`)
    if (body.length !== 4 * length) throw refused(`an update of ${body.length / 4} values, ${length} are due`)
    survivors.add(u)
    // Added at once and forgotten: not even the masked update stays.
    addMask(total, new Uint32Array(body.slice().buffer), 1)
  },
  reveal(state, u, body) {
    const { survivors, answered } = state
    if (!survivors.has(u)) throw refused(`shares revealed by client ${u}, who sent no update`)
    if (answered.has(u)) throw refused(`a second "reveal" of client ${u}`)
    answered.add(u)
    for (const entry of decodeList(body, 1 + oneShare)) takeShare(state, u, entry)
  },
}

/** One share that client u reveals. */
function takeShare(state: State, u: number, { place: owner, bytes }: Entry): void {
  const { shares, survivors, seedShares, keyShares } = state
  if (!shares.has(owner) || !holdersOf(state, owner).has(u)) throw refused(`client ${u}'s share of client ${owner}`)
  const isSeed = bytes[0] === 1
  if (isSeed !== survivors.has(owner)) throw refused(`the wrong share of client ${owner} from client ${u}`)
  const found = decodeShare(bytes.slice(1), { at: u, secretBytes })
  const lists = isSeed ? seedShares : keyShares
  const list = lists.get(owner)
  if (list === undefined) lists.set(owner, [found])
  else list.push(found)
}

/** What each client is sent when a phase has ended, once enough of them are left. */
const enders: Readonly<Record<Phase, (state: State) => Map<number, Bytes>>> = {
  keys(state) {
    const { keys, neighbours } = state
    requireHolders(state, keys, keys)
    return toEach(state, keys.keys(), { kind: 'roster', bytes: 2 * keyBytes }, (u) =>
      neighbours[u - 1]!.filter((v) => keys.has(v)).map((place) => ({ place, bytes: keys.get(place)! })),
    )
  },
  shares(state) {
    const { shares, neighbours } = state
    requireHolders(state, shares, shares)
    return toEach(state, shares.keys(), { kind: 'inbox', bytes: sealedBytes }, (u) =>
      neighbours[u - 1]!.filter((v) => shares.has(v)).map((place) => ({
        place,
        bytes: shares.get(place)!.sealed.get(u)!,
      })),
    )
  },
  masked(state) {
    const { shares, survivors } = state
    requireHolders(state, shares, survivors)
    if (survivors.size < leastInSum) throw aborted(survivors.size, leastInSum)
    requireOneSum(state)
    return toEach(state, survivors, { kind: 'survivors', bytes: 0 }, (u) =>
      inOrder([...holdersOf(state, u)].filter((v) => survivors.has(v))).map((place) => ({
        place,
        bytes: new Uint8Array(0),
      })),
    )
  },
  reveal: () => new Map(),
}

/** One message of a kind to each client; `bytes` is the size of an entry. */
function toEach(
  { session }: State,
  places: Iterable<number>,
  { kind, bytes }: { readonly kind: Kind; readonly bytes: number },
  entriesFor: (u: number) => readonly Entry[],
): Map<number, Bytes> {
  return new Map(
    inOrder(places).map((u) => {
      const body = encodeList(entriesFor(u), bytes)
      return [u, encodeMessage({ kind, session, place: u, body })]
    }),
  )
}

/** Takes the masks that survivors put on alone off the sum. */
async function takeSelfMasks(state: State): Promise<void> {
  const { session, length, threshold, primitives, shares, survivors, seedShares, total } = state
  await addMasks(total, [...survivors], async (u) => {
    const seed = combine(seedShares.get(u) ?? [], threshold)
    const commitment = await primitives.hash(joined(session, seed))
    if (commitment.join() !== shares.get(u)!.commitment.join())
      throw refused(`shares of client ${u} that give another seed`)
    return { values: await selfMask(primitives, seed, { session, length, u }), sign: -1 }
  })
}

/** Takes off the masks that survivors share with clients who vanished after they had shared their secrets. */
async function takePairMasks(state: State): Promise<void> {
  const { session, length, threshold, neighbours, primitives, keys, shares, survivors, keyShares, total } = state
  for (const v of [...shares.keys()].filter((place) => !survivors.has(place))) {
    const own = await primitives.keyPair(combine(keyShares.get(v) ?? [], threshold))
    const stated = keys.get(v)!.slice(keyBytes)
    if (own.publicKey.join() !== stated.join()) throw refused(`shares of client ${v} that give another key`)
    const others = neighbours[v - 1]!.filter((u) => survivors.has(u))
    await addMasks(total, others, async (u) => {
      const shared = await own.agree(keys.get(u)!.slice(keyBytes))
      return { values: await pairMask(primitives, shared, { session, length, u, v }), sign: signOf(v, u) }
    })
  }
}
