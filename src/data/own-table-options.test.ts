import { describe, expect, test } from 'vitest'
import { rng } from '../numeric/random/rng.js'
import { encodeSource } from './dataset.js'
import type { FileReader } from './dataset-entry.js'
import { loadDataset } from './index.js'
import { numberColumn, type Table, tableOf, wordColumn } from './table.js'

const people = tableOf([
  wordColumn('town', ['b', 'a', 'b', 'c']),
  numberColumn('age', [1, 2, 3, 4]),
  numberColumn('a=b', [1, 1, 2, 2]),
  numberColumn('cost', [4, 8, 12, 16]),
  numberColumn('cost, more', [0, 1, 0, 1]),
  wordColumn('ward', ['x', 'x', 'y', 'y']),
])
const reading = (table: Table): FileReader => ({ bytes: async () => new Uint8Array(), table: async () => table })
const load = (params: object, { table = people, id = 'csv' }: { table?: Table; id?: string } = {}) =>
  loadDataset(id, { rng: rng(1), files: reading(table) }, { file: 'x.csv', label: 'cost', ...params })
const rulesOf = async (params: object) => (await load(params)).rules.map(({ column, ...way }) => [column, way])

describe('features', () => {
  test('are all but the label, the client and the name of a row, unless they are told', async () => {
    const columns = async (params: object) => (await rulesOf(params)).map(([column]) => column)
    expect(await columns({})).toEqual(['town', 'age', 'a=b', 'cost, more', 'ward'])
    expect(await columns({ client: 'ward', id: 'town' })).toEqual(['age', 'a=b', 'cost, more'])
    expect(await columns({ metaclass: 'ward', columns: ' , ' })).toEqual(['town', 'age', 'a=b', 'cost, more', 'ward'])
    expect(await columns({ columns: 'age' })).toEqual(['age'])
  })

  test('numbers are standardised and words are one-hot, or as it is said behind the last =', async () => {
    expect(await rulesOf({ columns: 'age, town' })).toEqual([
      ['age', { encode: 'number', scale: 'standardise' }],
      ['town', { encode: 'one-hot' }],
    ])
    expect(await rulesOf({ columns: 'age = log1p, a=b=min-max, town=one-hot-full' })).toEqual([
      ['age', { encode: 'log1p', scale: 'standardise' }],
      ['a=b', { encode: 'number', scale: 'min-max' }],
      ['town', { encode: 'one-hot', drop: 'none' }],
    ])
    await expect(load({ columns: 'age=nothing' })).rejects.toThrow('unknown way of encoding: "nothing"')
    await expect(load({ columns: 'age=' })).rejects.toThrow('unknown way of encoding: ""')
    // What stands behind a leading = has no column before it.
    await expect(load({ columns: '=number' })).rejects.toThrow('unknown column: ""')
  })
})

describe('labels', () => {
  test('a file and a label are needed', async () => {
    for (const params of [{ file: '' }, { label: '' }, { label: ' , ' }, { file: '', label: '' }]) {
      await expect(load(params)).rejects.toThrow('dataset "csv" needs "file" and "label"; set both')
    }
  })

  test('of a regression are numbers, standardised in a CSV file and as they are in a Parquet file', async () => {
    const csv = await load({})
    expect([csv.task, csv.label, csv.labelScaled]).toEqual(['regression', { column: 'cost', encode: 'number', scale: 'standardise' }, true]) // biome-ignore format: a line
    expect(encodeSource(csv).records.labels.map((y) => Math.round(1e6 * y))).toEqual(Float64Array.of(-1341641, -447214, 447214, 1341641)) // biome-ignore format: a line
    const parquet = await load({}, { id: 'parquet' })
    expect([parquet.name, parquet.label.scale, 'labelScaled' in parquet]).toEqual(['parquet', 'none', false])
    const plain = await load({ labelScale: 'none' })
    expect([plain.label.scale, 'labelScaled' in plain]).toEqual(['none', false])
    expect([...encodeSource(plain).records.labels]).toEqual([4, 8, 12, 16])
  })

  test('of a classification are codes', async () => {
    const source = await load({ label: 'town', task: 'classification' })
    expect([source.task, source.label, 'labelScaled' in source]).toEqual(['classification', { column: 'town', encode: 'codes' }, false]) // biome-ignore format: a line
    expect([...encodeSource(source).records.labels]).toEqual([1, 0, 1, 2])
  })

  test('are several with commas between, but for a name that holds one', async () => {
    const two = await load({ label: 'cost, age' })
    expect([two.label.column, two.moreLabels!.map(({ column }) => column)]).toEqual(['cost', ['age']])
    const one = await load({ label: 'cost, more' })
    expect([one.label.column, 'moreLabels' in one]).toEqual(['cost, more', false])
    await expect(load({ label: 'cost, cost' })).rejects.toThrow('dataset "csv": labels cost, cost hold one twice; keep one') // biome-ignore format: a line
    await expect(load({ label: 'town, ward', task: 'classification' })).rejects.toThrow('labels town, ward are several, of classes; a classification has one label') // biome-ignore format: a line
    await expect(load({ label: 'cots' })).rejects.toThrow('unknown column: "cots" (did you mean "cost"?)')
  })
})

test('what else it is told: who is sensitive, groups, clients, names', async () => {
  const bare = await load({})
  expect(bare.sensitive).toEqual([])
  for (const key of ['metaclass', 'client', 'id']) expect(bare).not.toHaveProperty(key)
  const told = await load({ sensitive: 'age, town', metaclass: 'ward', client: 'town', columns: 'age, town' })
  expect([told.sensitive, told.metaclass, told.client]).toEqual([['age', 'town'], 'ward', 'town'])
  expect(told.table.columns.map(({ name }) => name)).toEqual(['cost', 'age', 'town', 'ward'])
})

describe('cells that hold nothing, or no number', () => {
  const holes = tableOf([
    numberColumn('age', [1, 2, Number.NaN, 4]),
    wordColumn('town', ['a', 'b', null, null]),
    numberColumn('cost', [1, 2, 3, 4]),
    numberColumn('other', [Number.NaN, 1, 1, 1]),
  ])
  test('are an error that says how many rows, and where the first is', async () => {
    await expect(load({ columns: 'age, town' }, { table: holes })).rejects.toThrow('x.csv: 2 of 4 rows miss a value, the first in row 3, column "age"; set missing to "drop", or fill them in') // biome-ignore format: a line
    await expect(load({ columns: 'town' }, { table: holes })).rejects.toThrow('the first in row 3, column "town"')
    await expect(load({ columns: 'other' }, { table: holes })).rejects.toThrow('1 of 4 rows miss a value, the first in row 1, column "other"') // biome-ignore format: a line
  })
  test('are dropped with their rows where that is asked, and none of other columns', async () => {
    const source = await load({ columns: 'age, town', missing: 'drop' }, { table: holes })
    expect(source.table.rows).toBe(2)
    expect((await load({ columns: 'cost=number', label: 'age', missing: 'drop' }, { table: holes })).table.rows).toBe(3)
  })
  test('infinite numbers are refused, and told by their place', async () => {
    const table = tableOf([numberColumn('age', [1, 2, Number.NEGATIVE_INFINITY]), numberColumn('cost', [1, 2, Number.POSITIVE_INFINITY])]) // biome-ignore format: a line
    await expect(load({}, { table })).rejects.toThrow('x.csv: an infinite number stands in row 3, column "cost"; correct it') // biome-ignore format: a line
    const first = tableOf([numberColumn('cost', [1, 2]), numberColumn('age', [Number.NEGATIVE_INFINITY, 2])])
    await expect(load({}, { table: first })).rejects.toThrow('stands in row 1, column "age"')
  })
})
