import { describe, expect, test } from 'vitest'
import { nativePrimitives } from '../../node/threads/native-primitives.js'
import { rng } from '../../numeric/random/rng.js'
import { SumAborted } from '../secure-aggregation/aborted.js'
import { addMask, pairMask, selfMask, signOf } from '../secure-aggregation/masks.js'
import type { Bytes } from '../secure-aggregation/primitives.js'
import { type Share, share } from '../secure-aggregation/shamir.js'
import { joined } from '../secure-aggregation/wire-messages.js'
import type { ServerState } from './server-state.js'
import { unmask } from './unmask.js'

const primitives = nativePrimitives()
const session = new Uint8Array(16).fill(3)
const length = 3
const drawing = (seed: string) => {
  const draws = rng(seed)
  return (n: number): Bytes => Uint8Array.from({ length: n }, () => draws.integer(256))
}
const everybody = [1, 2, 3, 4, 5]
const gone = [4, 5]
const updateOf = (u: number) => Uint32Array.of(u, 4294967295 - u, 10 * u)
/** The sum of those who stayed. */
const expected = [6, 4294967287, 60]

interface World {
  /** Who deals shares to whom: all others unless told. */
  deals?: (u: number, v: number) => boolean
  threshold?: number
  /** Changes the shares of somebody's secret before they are decoded. */
  spoil?: (shares: Share[], owner: number, what: 'seed' | 'key') => Share[]
  /** Whose advertised key is another. */
  liar?: number
}

/** What a server has when clients 1 to 3 sent masked updates, and 4 and 5 did not. */
async function stateOf({ deals = () => true, threshold = 3, spoil = (all) => all, liar }: World = {}) {
  const secrets = new Map<number, { key: Bytes; seed: Bytes }>()
  const [adverts, dealt] = [new Map(), new Map()]
  const shares = { seed: new Map<number, Share[]>(), key: new Map<number, Share[]>() }
  for (const u of everybody) {
    const draw = drawing(`client ${u}`)
    const [key, seed] = [draw(32), draw(32)]
    secrets.set(u, { key, seed })
    const { publicKey } = await primitives.keyPair(u === liar ? draw(32) : key)
    adverts.set(u, { mask: publicKey })
    const sealed = new Map(everybody.filter((v) => v !== u && deals(u, v)).map((v) => [v, new Uint8Array(0)]))
    dealt.set(u, { commitment: await primitives.hash(joined(session, seed)), sealed })
    const what = gone.includes(u) ? 'key' : 'seed'
    const own = share((what === 'key' ? key : seed).slice(), { threshold, holders: everybody, random: draw })
    shares[what].set(u, spoil(own, u, what))
  }
  const survivors = new Set(everybody.filter((u) => !gone.includes(u)))
  const total = new Uint32Array(length)
  for (const u of survivors) {
    addMask(total, updateOf(u), 1)
    addMask(total, await selfMask(primitives, secrets.get(u)!.seed, { session, length, u }), 1)
    const { agree } = await primitives.keyPair(secrets.get(u)!.key)
    for (const v of everybody) {
      if (v === u || !(deals(u, v) || deals(v, u))) continue
      const shared = await agree((await primitives.keyPair(secrets.get(v)!.key)).publicKey)
      addMask(total, await pairMask(primitives, shared, { session, length, u, v }), signOf(u, v))
    }
  }
  const state = {
    ...{ terms: { shares: threshold }, session, primitives, adverts, dealt, survivors, total },
    ...{ sharers: new Set(everybody), seedShares: shares.seed, keyShares: shares.key, excluded: [], phase: 6 },
  }
  return state as unknown as ServerState
}

const changed = (one: Share): Share => ({ ...one, values: one.values.map((x) => (x + one.at) % 65537) })

describe('masks come off a sum', () => {
  test('those of each survivor alone, and those it shares with whoever is gone', async () => {
    const state = await stateOf()
    await unmask(state)
    expect([...state.total]).toEqual(expected)
    expect(state.excluded).toEqual([])
  })

  test('and the secrets that they follow from are overwritten', async () => {
    const state = await stateOf()
    const seen: Bytes[] = []
    const watched = {
      ...primitives,
      derive(secret: Bytes, options: Parameters<typeof primitives.derive>[1]) {
        seen.push(secret)
        return primitives.derive(secret, options)
      },
      keyPair(secret: Bytes) {
        seen.push(secret)
        return primitives.keyPair(secret)
      },
    }
    await unmask({ ...state, primitives: watched })
    const secrets = new Set(seen.filter(({ length: n }) => n === 32))
    // Three seeds, two keys, and what survivors have in common with those who are gone.
    expect(secrets.size).toBeGreaterThanOrEqual(5)
    const left = [...secrets].filter((secret) => secret.some((byte) => byte !== 0))
    expect(left.length).toBeLessThanOrEqual(6)
    for (const u of everybody) {
      const draw = drawing(`client ${u}`)
      const own = [draw(32), draw(32)].map((secret) => secret.join())
      expect(left.some((secret) => own.includes(secret.join()))).toBe(false)
      expect(left.some((secret) => secret.every((byte) => byte === 1))).toBe(false)
    }
  })

  test('along a graph: of two of whom either dealt to the other', async () => {
    // 4 dealt to 1, 2 dealt to 5; 3 shares no mask with those who are gone.
    const pairs = ['1 2', '2 3', '4 1', '2 5']
    const state = await stateOf({ deals: (u, v) => pairs.includes(`${u} ${v}`) })
    await unmask(state)
    expect([...state.total]).toEqual(expected)
  })

  test('around a wrong share, whose sender is named once', async () => {
    const spoil = (shares: Share[]) => shares.map((one) => (one.at === 1 ? changed(one) : one))
    const state = await stateOf({ spoil })
    await unmask(state)
    expect([...state.total]).toEqual(expected)
    const reason = 'revealed another share of client 1 than it was dealt'
    expect(state.excluded).toEqual([{ place: 1, phase: 'reveal', reason }])
  })
})

describe('a sum cannot be had', () => {
  const failing = async (world: World) => {
    const state = await stateOf(world)
    const error = await unmask(state).catch((one: unknown) => one)
    expect(error).toBeInstanceOf(SumAborted)
    return { message: (error as Error).message, excluded: state.excluded }
  }

  test('where too few shares of a secret are left', async () => {
    const few = (owner: number) => ({ spoil: (all: Share[], u: number) => (u === owner ? all.slice(0, 2) : all) })
    expect((await failing(few(2))).message).toContain("2 shares of client 2's seed are left where 3 are needed")
    expect((await failing(few(5))).message).toContain("2 shares of client 5's key are left where 3 are needed")
  })

  test('where shares do not belong together, which is laid to their owner', async () => {
    const torn = (shares: Share[], u: number) => shares.map((one) => (u === 4 && one.at < 3 ? changed(one) : one))
    const { message, excluded } = await failing({ spoil: torn })
    expect(message).toContain("shares of client 4's key do not belong together")
    expect(excluded).toEqual([{ place: 4, phase: 'reveal', reason: 'shares of its key that do not belong together' }])
  })

  test('where they belong together, but give another key than was advertised', async () => {
    const { message, excluded } = await failing({ liar: 5 })
    expect(message).toContain('client 5 shared another mask key than it advertised')
    expect(excluded).toEqual([{ place: 5, phase: 'reveal', reason: 'shares of another mask key than it advertised' }])
  })
})
