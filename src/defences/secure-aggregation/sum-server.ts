/** The server of secure aggregation: passes sealed bytes on, adds masked updates up, and takes the masks off the sum. */
import { aborted, SumAborted } from './aborted.js'
import type { Neighbours } from './mask-graph.js'
import { addMask, eachOf, pairMask, selfMask, signOf } from './masks.js'
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
const atOnce = 8
/** The sum of two gives each of them the other's update. */
export const leastInSum = 3
type Places = Pick<ReadonlySet<number>, 'has'>

/** [bonawitz2017] Fig. 4, the server's side; with other neighbours than all, [bell2020]. */
export function secureServer({ session, threshold: t, length, neighbours, primitives }: ServerSetup): SecureServer {
  let phase = 0
  const keys = new Map<number, Bytes>()
  const shares = new Map<number, { readonly commitment: Bytes; readonly sealed: ReadonlyMap<number, Bytes> }>()
  const survivors = new Set<number>()
  const answered = new Set<number>()
  const seedShares = new Map<number, Share[]>()
  const keyShares = new Map<number, Share[]>()
  const total = new Uint32Array(length)

  const holders = neighbours.map((own, i) => new Set([...own, i + 1]))
  const holdersOf = (u: number): ReadonlySet<number> => holders[u - 1]!
  const message = (kind: Kind, place: number, body: Bytes): Bytes => encodeMessage({ kind, session, place, body })
  /** Every secret that may be needed must have enough holders left. */
  const requireHolders = (owners: ReadonlySet<number> | ReadonlyMap<number, unknown>, left: Places): void => {
    if (owners.size === 0) throw aborted(0, t)
    for (const u of owners.keys()) {
      let count = 0
      for (const v of holdersOf(u)) if (left.has(v)) count++
      if (count < t) throw aborted(count, t)
    }
  }
  /** Masks between survivors must tie all of them together: each part by itself would be a sum of its own. */
  const requireOneSum = (): void => {
    const reached = new Set([...survivors].slice(0, 1))
    for (const u of reached) for (const v of neighbours[u - 1]!) if (survivors.has(v)) reached.add(v)
    if (reached.size === survivors.size) return
    throw new SumAborted(`its masks no longer tie ${survivors.size} clients together, only ${reached.size}`)
  }
  const takers: Readonly<Record<(typeof phases)[number], (u: number, body: Bytes) => void>> = {
    keys(u, body) {
      if (keys.has(u)) throw refused(`a second "keys" of client ${u}`)
      if (body.length !== 2 * keyBytes) throw refused(`keys of ${body.length} bytes`)
      keys.set(u, body)
    },
    shares(u, body) {
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
    masked(u, body) {
      if (!shares.has(u)) throw refused(`an update of client ${u}, who sent no shares`)
      if (survivors.has(u)) throw refused(`a second "masked" of client ${u}`)
      if (body.length !== 4 * length) throw refused(`an update of ${body.length / 4} values, ${length} are due`)
      survivors.add(u)
      // Added at once and forgotten: not even the masked update stays.
      addMask(total, new Uint32Array(body.buffer, body.byteOffset, length), 1)
    },
    reveal(u, body) {
      if (!survivors.has(u)) throw refused(`shares revealed by client ${u}, who sent no update`)
      if (answered.has(u)) throw refused(`a second "reveal" of client ${u}`)
      answered.add(u)
      for (const { place: owner, bytes } of decodeList(body, 1 + oneShare)) {
        if (!shares.has(owner) || !holdersOf(owner).has(u)) throw refused(`client ${u}'s share of client ${owner}`)
        const isSeed = bytes[0] === 1
        if (isSeed !== survivors.has(owner)) throw refused(`the wrong share of client ${owner} from client ${u}`)
        const found = decodeShare(bytes.slice(1), { at: u, secretBytes })
        const lists = isSeed ? seedShares : keyShares
        const list = lists.get(owner)
        if (list === undefined) lists.set(owner, [found])
        else list.push(found)
      }
    },
  }
  const enders = {
    keys: () => {
      requireHolders(keys, keys)
      const places = [...keys.keys()].sort((a, b) => a - b)
      return new Map(
        places.map((u) => {
          const others = neighbours[u - 1]!.filter((v) => keys.has(v))
          const entries = others.map((place): Entry => ({ place, bytes: keys.get(place)! }))
          return [u, message('roster', u, encodeList(entries, 2 * keyBytes))]
        }),
      )
    },
    shares: () => {
      requireHolders(shares, shares)
      const places = [...shares.keys()].sort((a, b) => a - b)
      return new Map(
        places.map((u) => {
          const others = neighbours[u - 1]!.filter((v) => shares.has(v))
          const entries = others.map((place): Entry => ({ place, bytes: shares.get(place)!.sealed.get(u)! }))
          return [u, message('inbox', u, encodeList(entries, sealedBytes))]
        }),
      )
    },
    masked: () => {
      requireHolders(shares, survivors)
      if (survivors.size < leastInSum) throw aborted(survivors.size, leastInSum)
      requireOneSum()
      const places = [...survivors].sort((a, b) => a - b)
      return new Map(
        places.map((u) => {
          const seen = [...holdersOf(u)].filter((v) => survivors.has(v))
          const entries = seen.sort((a, b) => a - b).map((place): Entry => ({ place, bytes: new Uint8Array(0) }))
          return [u, message('survivors', u, encodeList(entries, 0))]
        }),
      )
    },
    reveal: () => new Map<number, Bytes>(),
  }

  return {
    receive(place, bytes) {
      const kind = phases[phase]
      if (kind === undefined) throw refused('a message after the last phase')
      if (!(place >= 1 && place <= neighbours.length)) throw refused(`a message of place ${place}`)
      takers[kind](place, bodyOf(bytes, { kind, session, place }))
    },
    next() {
      const kind = phases[phase]
      if (kind === undefined) throw refused('to go on after the last phase')
      const sent = enders[kind]()
      phase++
      return sent
    },
    async sum() {
      if (phase !== phases.length) throw refused('to unmask before the last phase')
      requireHolders(shares, answered)
      phase++
      const at = { session, length }
      await eachOf([...survivors], atOnce, async (u) => {
        const seed = combine(seedShares.get(u) ?? [], t)
        const commitment = await primitives.hash(joined(session, seed))
        if (commitment.join() !== shares.get(u)!.commitment.join())
          throw refused(`shares of client ${u} that give another seed`)
        addMask(total, await selfMask(primitives, seed, { ...at, u }), -1)
      })
      for (const v of [...shares.keys()].filter((place) => !survivors.has(place))) {
        const own = await primitives.keyPair(combine(keyShares.get(v) ?? [], t))
        const stated = keys.get(v)!.slice(keyBytes)
        if (own.publicKey.join() !== stated.join()) throw refused(`shares of client ${v} that give another key`)
        await eachOf(
          neighbours[v - 1]!.filter((u) => survivors.has(u)),
          atOnce,
          async (u) => {
            const shared = await own.agree(keys.get(u)!.slice(keyBytes))
            addMask(total, await pairMask(primitives, shared, { ...at, u, v }), signOf(u, v) === 1 ? -1 : 1)
          },
        )
      }
      return { sum: total, survivors: [...survivors].sort((a, b) => a - b) }
    },
  }
}
