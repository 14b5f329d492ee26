import { describe, expect, test } from 'vitest'
import type { Derivation, Item } from '../../attacks/derivation.js'
import { rng } from '../../numeric/random/rng.js'
import type { View } from '../../threat/granted-keys.js'
import { deriver } from './deriver.js'
import { type Keeper, type KeptFiles, memoryKeeper } from './keeper.js'

/** Draws, the settings, the part of the view and the models, mixed; every making is counted. */
function mixing(made: number[] = []) {
  const derivation: Derivation<'loss' | 'auxiliary.label', { readonly by: number }> = {
    id: 'mixing',
    of: () => ['loss', 'auxiliary.label'],
    open: (part, { by }, stream) => ({
      make({ rounds }, models) {
        made.push(rounds[0]!)
        const label = part['auxiliary.label']?.[0] ?? 0
        const draws = stream.fork(rounds[0]!).uniforms(3)
        return [draws.map((u) => u + by + label), models.at(-1)!.map((x) => x * by), Float64Array.of(part.loss!.length)]
      },
      release() {},
    }),
  }
  return { derivation, made }
}

type Seen = Partial<View<'loss' | 'auxiliary.label'>> & View<'globals'>
const viewOf = (more: Partial<Seen> = {}, shift = 0): Seen => ({
  loss: 'mse',
  globals: { rounds: [1, 2, 3, 4], read: async (round) => Float64Array.of(round + shift, 0.1) },
  ...more,
})
const rounds = (...list: number[]): Item[] => list.map((round) => ({ rounds: [round] }))

interface Asked {
  readonly view?: Seen
  readonly by?: number
  readonly seed?: number
  readonly items?: readonly Item[]
}

async function derived(keeper: Keeper, { derivation }: ReturnType<typeof mixing>, asked: Asked = {}) {
  const { view = viewOf(), by = 2, seed = 1, items = rounds(1, 2, 3, 4) } = asked
  const found: (readonly Float64Array[])[] = []
  await deriver(rng(seed), keeper)(derivation, {
    view,
    settings: { by },
    items,
    onItem: (index, one) => {
      found[index] = one
    },
  })
  return found
}

describe('what was derived', () => {
  test('is made once for all who ask for the same, with the same bits', async () => {
    const [keeper, mix] = [memoryKeeper(), mixing()]
    const first = await derived(keeper, mix)
    expect(mix.made).toEqual([1, 2, 3, 4])
    expect(await derived(keeper, mix)).toEqual(first)
    expect(await derived(keeper, mix, { items: rounds(4, 2) })).toEqual([first[3], first[1]])
    expect(mix.made).toEqual([1, 2, 3, 4])
    expect(await derived(memoryKeeper(), mix, { items: rounds(3, 1, 4, 2) })).toEqual([2, 0, 3, 1].map((k) => first[k]))
  })

  test.each<[string, Asked]>([
    ['settings', { by: 3 }],
    ['a seed', { seed: 2 }],
    ['a key of the view', { view: viewOf({ loss: 'cross-entropy' }) }],
    ['a key that one view grants and another does not', { view: viewOf({ 'auxiliary.label': Float64Array.of(0) }) }],
    ['models', { view: viewOf({}, 1e-12) }],
    ['more models', { items: [1, 2, 3, 4].map((round) => ({ rounds: [round, 1] })) }],
  ])('is not shared by those who differ in %s', async (_, asked) => {
    const [keeper, mix] = [memoryKeeper(), mixing()]
    await derived(keeper, mix)
    const own = await derived(memoryKeeper(), mixing(), asked)
    expect(await derived(keeper, mix, asked)).toEqual(own)
    expect(mix.made.length).toBe(8)
  })

  test('is shared by views that differ in what it does not see', async () => {
    const [keeper, mix] = [memoryKeeper(), mixing()]
    await derived(keeper, mix)
    await derived(keeper, mix, { view: viewOf({ target: 'me' } as object) })
    expect(mix.made.length).toBe(4)
  })

  test('is not spoilt by whoever writes into it', async () => {
    const [keeper, mix] = [memoryKeeper(), mixing()]
    const [first] = await derived(keeper, mix)
    const kept = first!.map((list) => list.slice())
    for (const list of first!) list.fill(7)
    const [second] = await derived(keeper, mix)
    expect(second).toEqual(kept)
    for (const list of second!) list.fill(8)
    expect((await derived(keeper, mix))[0]).toEqual(kept)
  })

  test('is made again when it had to go', async () => {
    const [keeper, mix] = [memoryKeeper({ maxBytes: 100 }), mixing()] // two of 48 bytes
    const first = await derived(keeper, mix)
    expect(await derived(keeper, mix)).toEqual(first)
    expect(mix.made.length).toBe(8)
    await derived(keeper, mix, { items: rounds(4, 3) })
    expect(mix.made.length).toBe(8)
    expect(await derived(memoryKeeper({ maxBytes: 10 }), mix)).toEqual(first)
  })
})

/** Files in memory, and claims of others that a test sets. */
function filesInMemory() {
  const files = new Map<string, Uint8Array>()
  const claims = new Set<string>()
  const waits: string[] = []
  const kept: KeptFiles = {
    read: async (name) => files.get(name),
    async write(name, bytes) {
      files.set(name, bytes)
      claims.delete(name)
    },
    async claim(name) {
      if (claims.has(name)) return false
      claims.add(name)
      return true
    },
    async drop(name) {
      claims.delete(name)
    },
    async wait(name) {
      waits.push(name)
      return files.get(name)
    },
  }
  return { files, claims, waits, kept }
}

describe('between threads', () => {
  test('it is read from files, and a file that was changed is made again', async () => {
    const [{ files, kept }, mix] = [filesInMemory(), mixing()]
    const first = await derived(memoryKeeper().beside(kept), mix)
    expect(await derived(memoryKeeper().beside(kept), mix)).toEqual(first)
    expect(mix.made.length).toBe(4)
    const [name, bytes] = [...files][2]!
    files.set(name, bytes.with(bytes.length - 1, bytes.at(-1)! ^ 1))
    expect(await derived(memoryKeeper().beside(kept), mix)).toEqual(first)
    expect(mix.made.length).toBe(5)
    expect(files.get(name)).toEqual(bytes)
  })

  test('what another one makes is left to it, and waited for last', async () => {
    const [one, mix] = [filesInMemory(), mixing()]
    const first = await derived(memoryKeeper().beside(one.kept), mix)
    const keys = [...one.files.keys()]
    const other = filesInMemory()
    other.claims.add(keys[0]!).add(keys[1]!)
    const late: KeptFiles = {
      ...other.kept,
      wait(name) {
        if (name === keys[0]) other.files.set(name, one.files.get(name)!) // the other thread is done
        return other.kept.wait(name) // of the second nothing will come
      },
    }
    mix.made.length = 0
    expect(await derived(memoryKeeper().beside(late), mix)).toEqual(first)
    expect(mix.made).toEqual([3, 4, 2])
    expect(other.waits).toEqual([keys[0], keys[1]])
    expect(other.claims).toEqual(new Set([keys[0]]))
  })

  test('a claim ends where making fails', async () => {
    const [{ claims, kept }, { derivation }] = [filesInMemory(), mixing()]
    const failing = { ...derivation, open: () => ({ make: () => expect.unreachable('not made'), release() {} }) }
    const keeper = memoryKeeper().beside(kept)
    await expect(derived(keeper, { derivation: failing, made: [] })).rejects.toThrow('not made')
    expect(claims.size).toBe(0)
  })
})
