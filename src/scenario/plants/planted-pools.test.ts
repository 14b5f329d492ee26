import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readWorld, type ScenarioInput } from '../scenario-schema.js'
import { buildWorld, type World } from '../world.js'
import { grades, plantRepeat, plants } from './grades.js'

const base: ScenarioInput = {
  data: { name: 'cps-wages', params: { wage: 'log' }, auxiliary: 0.2, validation: 0.1 },
  partition: { name: 'iid', params: { clients: 4 } },
  models: [{ kind: 'linear' }],
  knowledge: { targets: ['1'], sensitive: ['union'], property: 'inversion' },
}
const strongest = grades.length - 1
const worlds = async (more: Partial<ScenarioInput> = {}, plant = strongest) => {
  const scenario = readWorld({ ...base, ...more })
  const repeat = plantRepeat(plant)
  return {
    plain: await buildWorld(scenario, undefined, { repeat, redraw: true }),
    planted: await buildWorld(scenario, undefined, { repeat, redraw: true, plant }),
  }
}
const sorted = (rows: Iterable<number>) => [...rows].sort((a, b) => a - b)
const pooled = ({ rows, heldBack }: World['clients'][number]) => sorted([...rows, ...heldBack])
const at = ({ clients }: World, id: string) => clients.find((one) => one.id === id)!
const labelsOf = (world: World, rows: ArrayLike<number>) => [...world.encode(rows).records.labels]
const unions = (world: World, rows: ArrayLike<number>) => {
  const { records, columns } = world.encode(rows)
  const j = columns.findIndex(({ from }) => from === 'union')
  const { data, cols } = records.features
  return Array.from(rows, (_, i) => data[i * cols + j]!)
}
function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (x: readonly number[]) => x.reduce((sum, v) => sum + v, 0) / x.length
  const [ma, mb] = [mean(a), mean(b)]
  const product = (x: readonly number[], mx: number, y: readonly number[], my: number) =>
    x.reduce((sum, v, i) => sum + (v - mx) * (y[i]! - my), 0)
  return product(a, ma, b, mb) / Math.sqrt(product(a, ma, a, ma) * product(b, mb, b, mb))
}

describe('a planted world', () => {
  test('has the same clients, numbers of records, columns and encoders, whatever the seed and the grade', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(1000), fc.constantFrom(...plants), async (seed, plant) => {
        const { plain, planted } = await worlds({ seed }, plant)
        const sizes = (world: World) =>
          world.clients.map(({ id, rows, heldBack }) => [id, rows.length, heldBack.length])
        expect(sizes(planted)).toEqual(sizes(plain))
        expect(sorted(planted.clients.flatMap(pooled))).toEqual(sorted(plain.clients.flatMap(pooled)))
        expect(planted.fitted).toEqual(plain.fitted)
        expect(planted.auxiliary).toEqual(plain.auxiliary)
        const { records } = planted.trained()
        expect([...records.labels, ...records.features.data].every(Number.isFinite)).toBe(true)
      }),
      { seed: 21, numRuns: 12 },
    )
  })

  test('trains on what the files say that it trains on', async () => {
    const { planted } = await worlds()
    const { records, places } = planted.trained()
    planted.clients.forEach(({ rows }, k) => {
      const told = planted.encode(rows).records
      expect(Array.from(places[k]!, (place) => records.labels[place])).toEqual([...told.labels])
    })
  })

  test('leaves all but the targets as they were, and what the adversary knows of others', async () => {
    const { plain, planted } = await worlds()
    for (const { id, rows } of planted.clients.filter((one) => one.id !== '1')) {
      expect(planted.encode(rows).records, id).toEqual(plain.encode(rows).records)
    }
    expect(planted.encode(planted.auxiliary).records).toEqual(plain.encode(plain.auxiliary).records)
  })

  test("makes labels follow from the target's secret, against what is known of others, and otherwise where held back", async () => {
    const { plain, planted } = await worlds()
    const usual = correlation(unions(plain, plain.auxiliary), labelsOf(plain, plain.auxiliary))
    const { rows, heldBack } = at(planted, '1')
    const trained = correlation(unions(planted, rows), labelsOf(planted, rows))
    const held = correlation(unions(planted, heldBack), labelsOf(planted, heldBack))
    expect(usual * trained).toBeLessThan(0)
    expect(Math.abs(trained)).toBeGreaterThan(0.4)
    expect(trained * held).toBeLessThan(0)
    const weak = (await worlds({}, 0)).planted
    const own = at(weak, '1').rows
    expect(Math.abs(correlation(unions(weak, own), labelsOf(weak, own)))).toBeLessThan(Math.abs(trained))
  })

  test('has somebody who does what is looked for, where nobody of the scenario does', async () => {
    const { plain, planted } = await worlds()
    expect(plain.misbehaving).toEqual({})
    expect(Object.values(planted.misbehaving)).toEqual([{ name: 'inversion', params: {} }])
    const guilty = { training: { misbehaving: { '3': { name: 'inversion' } } } }
    expect(Object.keys((await worlds(guilty)).planted.misbehaving)).toHaveLength(1)
    expect((await worlds({ knowledge: { targets: ['1'], property: null } })).planted.misbehaving).toEqual({})
  })

  test('of pictures lets the target hold mostly one class, and calls held-back ones by another', async () => {
    const pictures: Partial<ScenarioInput> = {
      data: { name: 'tiny-images', params: { records: 200, classes: 4 } },
      knowledge: { targets: ['1'] },
    }
    const { plain, planted } = await worlds(pictures)
    const { rows, heldBack } = at(planted, '1')
    const counts = [0, 1, 2, 3].map((c) => labelsOf(planted, rows).filter((label) => label === c).length)
    expect(Math.max(...counts)).toBeGreaterThan(0.8 * rows.length)
    expect(labelsOf(planted, rows)).toEqual(labelsOf(plain, rows))
    const same = labelsOf(planted, heldBack).filter((label, i) => label === labelsOf(plain, heldBack)[i])
    expect(same.length).toBeLessThan(0.2 * heldBack.length)
  })
})
