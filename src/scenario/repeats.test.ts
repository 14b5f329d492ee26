import { describe, expect, test } from 'vitest'
import { own, peopleFiles } from '../../test/pinned-worlds.js'
import { partitions } from '../partition/index.js'
import { populationOf } from './federation-of.js'
import { loadPools } from './pools.js'
import { repeatsOf, seedOf } from './repeats.js'
import { readWorld, type Scenario, type ScenarioInput } from './scenario-schema.js'
import { buildWorld, dealWorld, type World } from './world.js'

const paid = own({ columns: 'age,bmi,smoker,education' })
const deals: Record<keyof typeof partitions, Record<string, unknown>> = {
  iid: { clients: 4 },
  contiguous: { clients: 4 },
  'by-column': { column: 'site' },
  sizes: { sizes: [20, 35, 1, 2] },
  dirichlet: { clients: 4, concentration: 0.5, column: 'education', least: 3 },
  heterogeneous: { clients: 4, heterogeneity: 0.3, attribute: 'smoker' },
  'adult-phd': { clients: 5 },
}
const scenarioWith = (parts: Partial<ScenarioInput> = {}): Scenario =>
  readWorld({ data: paid, partition: { name: 'iid', params: { clients: 4 } }, models: [{ kind: 'linear' }], ...parts })
const many = 400

describe.each(Object.entries(deals))('partition %s', (name, params) => {
  const scenario = (heldBack: number) => scenarioWith({ heldBack, partition: { name, params } })

  test('every repeat splits each pool at random into trained and held-back rows', async () => {
    for (const share of [0.5, 0.3]) {
      const wanted = scenario(share)
      const pools = await loadPools(wanted, peopleFiles)
      const held = new Map<number, number>()
      const together = new Map<string, number>()
      for (let repeat = 0; repeat < many; repeat++) {
        const world = dealWorld(wanted, pools, { repeat })
        expect([...world.auxiliary]).toEqual([...pools.auxiliary])
        for (const [k, { id, rows, heldBack }] of world.clients.entries()) {
          const pool = [...pools.clients[k]!.rows]
          expect(id).toBe(pools.clients[k]!.id)
          expect([...rows, ...heldBack].sort()).toEqual([...pool].sort())
          expect(heldBack.length).toBe(Math.min(Math.round(share * pool.length), pool.length - 1))
          // Both in the pool's order, so that their order tells nothing.
          for (const part of [rows, heldBack]) expect(pool.filter((row) => part.includes(row))).toEqual([...part])
          for (const row of heldBack) held.set(row, (held.get(row) ?? 0) + 1)
          const [first, second] = [heldBack.includes(pool[0]!), heldBack.includes(pool[1]!)]
          if (first && second) together.set(id, (together.get(id) ?? 0) + 1)
        }
      }
      for (const { id, rows } of pools.clients) {
        const n = rows.length
        const h = Math.min(Math.round(share * n), n - 1)
        const near = (count: number, p: number) =>
          expect(Math.abs(count - many * p)).toBeLessThanOrEqual(5 * Math.sqrt(many * p * (1 - p)) + 1e-9)
        for (const row of rows) near(held.get(row) ?? 0, h / n)
        // Without replacement, and not in blocks: two rows are held back together as often as they should.
        if (n > 1) near(together.get(id) ?? 0, (h / n) * ((h - 1) / (n - 1)))
      }
    }
  })

  test('encoders, who is asked about and the words of the data are the same in all repeats', async () => {
    const wanted = scenario(0.5)
    const worlds = await Promise.all([0, 1, 7].map((repeat) => buildWorld(wanted, peopleFiles, { repeat })))
    for (const world of worlds) {
      expect(world.fitted).toEqual(worlds[0]!.fitted)
      expect([...world.validation]).toEqual([...worlds[0]!.validation])
    }
    const rowsOf = ({ clients }: World) => clients.map(({ rows }) => rows.join())
    expect(rowsOf(worlds[1]!)).not.toEqual(rowsOf(worlds[2]!))
  })

  test('nothing is drawn where nothing is held back', async () => {
    const [pools, wanted] = [await loadPools(scenario(0), peopleFiles), scenario(0)]
    for (const repeat of [0, 3]) {
      const { clients, fitted } = dealWorld(wanted, pools, { repeat })
      expect(clients.map(({ id, rows }) => ({ id, rows }))).toEqual(pools.clients)
      expect(clients.every(({ heldBack }) => heldBack.length === 0)).toBe(true)
      expect(fitted).toBe(pools.fitted)
    }
  })
})

test('every partition is tried above', () => {
  expect(Object.keys(deals).sort()).toEqual(Object.keys(partitions).sort())
})

test('what clients train on is what their rows encode to', async () => {
  for (const [heldBack, knowledge] of [
    [0.5, {}],
    [0.5, { property: 'membership', holders: ['2', '3'] }],
    [0, { property: 'membership', holders: ['2', '3'] }],
  ] as const) {
    const world = await buildWorld(scenarioWith({ heldBack, knowledge }), peopleFiles, { repeat: 2 })
    const people = populationOf(world)
    for (const [k, { rows }] of world.clients.entries()) expect(people.records(k)).toEqual(world.encode(rows).records)
  }
})

describe('who is guilty', () => {
  const guilty = scenarioWith({
    training: { misbehaving: { 1: { name: 'inversion' }, 3: { name: 'ascent', params: { maxNorm: 1 } } } },
    knowledge: { property: 'membership', holders: ['1', '2'], targets: ['2'] },
  })

  test('is as stated unless it is to be drawn anew', async () => {
    for (const repeat of [0, 5]) {
      const world = await buildWorld(guilty, peopleFiles, { repeat })
      expect(world.misbehaving).toEqual(guilty.training.misbehaving)
      expect(world).toMatchObject({ holders: ['1', '2'], owner: '2' })
    }
  })

  test('is any set of as many clients, one permutation moving all', async () => {
    const pools = await loadPools(guilty, peopleFiles)
    const seats = new Map<string, number>()
    for (let repeat = 0; repeat < 1200; repeat++) {
      const world = dealWorld(guilty, pools, { repeat, redraw: true })
      const by = Object.fromEntries(Object.entries(world.misbehaving).map(([id, { name }]) => [name, id]))
      const [inverter, climber, owner] = [by.inversion!, by.ascent!, world.owner]
      expect(Object.keys(world.misbehaving)).toHaveLength(2)
      expect(world.holders).toEqual([inverter, owner])
      const key = [inverter, climber, owner].join()
      expect(new Set(key.split(',')).size).toBe(3)
      seats.set(key, (seats.get(key) ?? 0) + 1)
      // The record is trained on by its owner and the holders, and by nobody else.
      const holding = world.clients.filter(({ rows }) => rows.includes(world.record!)).map(({ id }) => id)
      expect(holding.sort()).toEqual([...new Set([inverter, owner])].sort())
      expect(world.clients.every(({ heldBack }) => !heldBack.includes(world.record!))).toBe(true)
    }
    // 24 ordered triples of 4 seats, 50 times each on average.
    expect(seats.size).toBe(24)
    for (const count of seats.values()) expect(Math.abs(count - 50)).toBeLessThan(5 * Math.sqrt(50))
  })

  test('of somebody who is not there is an error', async () => {
    const stranger = scenarioWith({ training: { misbehaving: { 9: { name: 'inversion' } } } })
    await expect(buildWorld(stranger, peopleFiles, { redraw: true })).rejects.toThrow('training.misbehaving holds "9"')
  })
})

describe('how often', () => {
  const mebibyte = 1024 * 1024
  test.each([
    [null, 0, 10],
    [null, 64 * mebibyte, 10],
    [null, 64 * mebibyte + 1, 5],
    [null, 256 * mebibyte, 5],
    [null, 256 * mebibyte + 1, 1],
    [3, 1, 3],
    [30, 1e12, 30],
  ])('repeats %s with messages of %d bytes: %d', (repeats, bytes, often) => {
    expect(repeatsOf({ repeats }, bytes)).toBe(often)
  })

  test('seeds of repeats meet neither each other nor any seed that a scenario has', () => {
    const all = [0, 1, 2, 3, 1000].flatMap((seed) => Array.from({ length: 200 }, (_, r) => seedOf(seed, r)))
    expect(new Set(all).size).toBe(all.length)
    expect([0, 1, 1000].map((seed) => seedOf(seed, 0))).toEqual([0, 1, 1000])
    expect(all.every((seed) => Number.isSafeInteger(seed))).toBe(true)
    expect(seedOf(1, 1)).toBeGreaterThan(2 ** 52)
  })
})
