import { describe, expect, test } from 'vitest'
import '../audit/catalogue.js'
import type { FileReader } from '../data/dataset-entry.js'
import { numberColumn, numbersOf, tableOf, wordColumn } from '../data/table.js'
import { rng } from '../numeric/random/rng.js'
import type { Labels } from './plants/planted-labels.js'
import { chooserOf, encodedLabels } from './plants/planted-labels.js'
import { relabelled } from './plants/planted-pools.js'
import { redrawnSecret } from './plants/redrawn-secrets.js'
import { loadPools, type Pools } from './pools.js'
import { seedOf } from './repeats.js'
import { readWorld } from './scenario-schema.js'
import { withHolders } from './targets.js'
import { buildWorld, chooseModel } from './world.js'

const read = (more: object = {}) => readWorld({ data: { name: 'cps-wages' }, partition: { name: 'iid', params: { clients: 4 } }, models: [{ kind: 'linear' }], ...more }) // biome-ignore format: a line

describe('who is guilty', () => {
  const scenario = read({ training: { misbehaving: { 2: { name: 'inversion' } } } })
  const guiltyIn = async (dealing: object) => Object.keys((await buildWorld(scenario, undefined, dealing)).misbehaving)
  test('is who the scenario says, and is drawn anew where that is asked', async () => {
    expect([await guiltyIn({}), await guiltyIn({ repeat: 3 })]).toEqual([['2'], ['2']])
    const drawn = await Promise.all([1, 2, 3, 4, 5, 6].map((repeat) => guiltyIn({ repeat, redraw: true })))
    expect(new Set(drawn.flat()).size).toBeGreaterThan(1)
  })
  test('is somebody where a leak is planted, and nobody else', async () => {
    const asks = read({ knowledge: { property: 'inversion' } })
    expect(Object.keys((await buildWorld(asks)).misbehaving)).toEqual([])
    expect(Object.keys((await buildWorld(asks, undefined, { plant: 0 })).misbehaving)).toEqual(['1'])
  })
  test('the record asked about may be the only one of its owner', () => {
    const clients = [{ id: 'a', rows: Int32Array.of(7) }, { id: 'b', rows: Int32Array.of(1, 2) }] // biome-ignore format: a list
    const asks = read({ knowledge: { property: 'membership' } })
    const guilty = { misbehaving: {}, holders: ['b'], owner: 'a' }
    const { clients: shared, record } = withHolders(clients, { scenario: asks, guilty, repeat: 0 })
    expect([record, shared[1]!.rows.includes(7), shared[1]!.rows.length]).toEqual([7, true, 2])
  })
})

test('where secrets are dealt anew after the training, the files say otherwise than what was trained on', async () => {
  const [plain, redealt] = [await buildWorld(read()), await buildWorld({ ...read(), empty: 'redrawn' as const })]
  const { rows } = plain.clients[0]!
  expect(redealt.clients[0]!.rows).toEqual(rows)
  expect(redealt.trained().records).toEqual(plain.trained().records)
  const [one, other] = [plain.encode(rows), redealt.encode(rows)]
  const changed = one.columns.flatMap(({ from }, j) => (rows.some((_, i) => one.records.features.data[i * one.columns.length + j] !== other.records.features.data[i * one.columns.length + j]) ? [from] : [])) // biome-ignore format: a line
  expect(new Set(changed)).toEqual(new Set(['union', 'gender', 'race', 'married']))
  expect(other.records.labels).toEqual(one.records.labels)
})

test('the loss follows from the labels, and from the outputs of the model', async () => {
  const lossOf = async (name: string, kind: string, options: object = {}) => {
    const scenario = read({ data: { name, params: options }, models: [{ kind }] })
    const { loss, learningRate } = chooseModel(scenario.models[0]!, await buildWorld(scenario), 0.25)
    return [loss, learningRate]
  }
  expect(await lossOf('cps-wages', 'linear')).toEqual(['mse', 0.25])
  expect(await lossOf('leaf-synthetic', 'logistic', { sizes: [40, 40] })).toEqual(['binary-cross-entropy', 0.25])
  expect(await lossOf('leaf-synthetic', 'softmax', { sizes: [40, 40], classes: 3 })).toEqual(['cross-entropy', 0.25])
})

describe('what is known of columns before anybody trains', () => {
  const table = tableOf([wordColumn('town', ['a', 'a', 'b', 'a', 'a', 'a']), numberColumn('age', [1, 2, 3, 4, 5, 6]), wordColumn('class', ['x', 'y', 'z', 'x', 'y', 'x'])]) // biome-ignore format: a table
  const files: FileReader = { bytes: async () => new Uint8Array(), table: async () => table }
  const pools = (data: object) => loadPools(read({ data: { name: 'csv', rows: 2, auxiliary: 0, validation: 0, params: { file: 'f', ...data } }, partition: { name: 'iid', params: { clients: 1 } } }), files) // biome-ignore format: a line
  test('every word of a class and of a feature, however few rows are used', async () => {
    const { fitted } = await pools({ label: 'class', task: 'classification' })
    expect(fitted.label.rules[0]!.levels).toEqual(['x', 'y', 'z'])
    expect(fitted.encoder.rules.map(({ column, levels }) => [column, levels])).toEqual([['town', ['a', 'b']], ['age', []]]) // biome-ignore format: a list
    const source = await pools({ label: 'age', columns: 'town=codes' })
    expect(source.fitted.encoder.rules[0]!.levels).toEqual(['a', 'b'])
  })
  test('levels that a dataset states stay as they are stated', async () => {
    const leaf = await loadPools(read({ data: { name: 'leaf-synthetic', params: { sizes: [12], classes: 5 }, auxiliary: 0, validation: 0 }, partition: { name: 'iid', params: { clients: 1 } } })) // biome-ignore format: a line
    expect(leaf.fitted.label.rules[0]!.levels).toEqual(['0', '1', '2', '3', '4'])
  })
})

test('seeds of repeats are spread over all numbers from 2^52 to 2^53', () => {
  const seeds = Array.from({ length: 40 }, (_, k) => seedOf(1, k + 1) - 2 ** 52)
  expect(Math.max(...seeds)).toBeGreaterThan(2 ** 51)
  expect(Math.min(...seeds)).toBeLessThan(2 ** 50)
  expect(new Set(seeds.map((seed) => seed % 2)).size).toBe(2)
})

describe('plants', () => {
  const drawn = (column: ReturnType<typeof numberColumn>, labelOf: (row: number) => number) => {
    const all = Int32Array.from(column.values.keys())
    const { table, worthOf } = redrawnSecret(tableOf([column]), 'n', { rows: all, seen: all, labelOf, rng: rng(2) })
    return { values: numbersOf(table, 'n'), worthOf }
  }
  test('few numbers are redrawn among their levels, many among those that were seen', () => {
    const few = drawn(numberColumn('n', Array.from({ length: 40 }, (_, i) => (i === 0 ? 2 : 1))), () => 0) // biome-ignore format: a line
    expect(few.values.filter((x) => x === 2).length).toBeGreaterThan(8)
    expect(few.values.every((x) => x === 1 || x === 2)).toBe(true)
    const many = drawn(numberColumn('n', Array.from({ length: 30 }, (_, i) => i)), (row) => 1000 + row) // biome-ignore format: a line
    expect(many.values.every((x) => x >= 0 && x < 30)).toBe(true)
  })
  test('however small labels are, many numbers are worth the opposite of what they go with', () => {
    const column = numberColumn('n', Array.from({ length: 30 }, (_, i) => i)) // biome-ignore format: a line
    for (const way of [1e-6, -1e-6]) {
      const { values, worthOf } = drawn(column, (row) => way * row)
      expect(worthOf(4)).toBe(-Math.sign(way) * values[4]!)
    }
  })
  test('of two classes a row gets the one on its side', () => {
    const labels: Labels = { of: () => 7, mean: [0], std: [1] }
    const two = { source: { task: 'classification' }, fitted: { label: { rules: [{ levels: ['x', 'y'] }] } } } as unknown as Pools // biome-ignore format: a line
    const choose = chooserOf(two, labels, { rho: 1, rng: rng(1) })
    const sides = [1, -1].map((towards) => choose({ row: 0, towards, trained: true })[0]!)
    expect(sides.sort()).toEqual([0, 1])
  })
  test('one row has as many labels as there are', () => {
    const pools = { clients: [{ rows: Int32Array.of(4) }], encoded: () => ({ records: { labels: Float64Array.of(3, 8) }, placeOf: new Map([[4, 0]]) }) } // biome-ignore format: a line
    const { of, mean } = encodedLabels(pools as unknown as Pools)
    expect([of(4, 0), of(4, 1), mean]).toEqual([3, 8, [3, 8]])
    expect([...relabelled(Float64Array.of(3, 8), [4], (row, output) => row + output)]).toEqual([4, 5])
  })
})
