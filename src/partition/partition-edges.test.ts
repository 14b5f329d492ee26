import { describe, expect, test } from 'vitest'
import type { Source } from '../data/dataset.js'
import { numberColumn, tableOf, wordColumn } from '../data/table.js'
import { rng } from '../numeric/random/rng.js'
import { dealRows } from './index.js'
import { definePartition } from './partition-entry.js'

const sourceOf = (columns: Parameters<typeof tableOf>[0], more: Partial<Source> = {}): Source => ({ name: 's', task: 'classification', table: tableOf(columns), rules: [], label: { column: 'y', encode: 'codes' }, sensitive: [], ...more }) // biome-ignore format: a line
const deal = (
  name: string,
  source: Source,
  { seed = 1, rows, ...params }: { seed?: number; rows?: number[]; [key: string]: unknown } = {}, // biome-ignore format: a line
) => dealRows(name, { source, rng: rng(seed), ...(rows && { rows }) }, params)
const lists = (clients: readonly Int32Array[]) => clients.map((own) => [...own].sort((a, b) => a - b))

describe('a deal', () => {
  const table = sourceOf([numberColumn('y', [0, 1, 2])])
  const dealing = (clients: number[][], ids?: string[]) =>
    definePartition({ id: 'mine', title: 't', params: {}, deal: () => ({ clients, ...(ids && { ids }) }) }).deal({ source: table, rng: rng(1), rows: [0, 2] }) // biome-ignore format: a line
  test('gives each row once at most, and tells which went to nobody', () => {
    expect(dealing([[2]], ['a'])).toEqual({ ids: ['a'], clients: [Int32Array.of(2)], discarded: Int32Array.of(0) })
    expect(dealing([[2], [0]]).ids).toEqual(['0', '1'])
    expect(() => dealing([[2], [2]])).toThrow('partition mine deals row 2 twice; each of `rows` once at most')
    expect(() => dealing([[1]])).toThrow('partition mine deals row 1 which is not among those to deal')
    expect(() => dealing([])).toThrow('partition mine: there are no rows to deal; at least one is needed')
    expect(() => dealing([[2], []], ['a', 'b'])).toThrow('client "b" of 2 would get none of 2 rows')
  })
  test('is of all rows unless told', () => {
    expect(lists(deal('contiguous', table, { clients: 3 }).clients)).toEqual([[0], [1], [2]])
    expect(lists(deal('contiguous', table, { clients: 2 }).clients)).toEqual([[0, 1], [2]])
  })
})

test('adult-phd: either age belongs to the second client, which may be of one age', () => {
  const ages = [37, 38, 52, 53, 20, 21]
  const source = sourceOf([wordColumn('education', ages.map((_, i) => (i < 4 ? 'Doctorate' : 'Masters'))), numberColumn('age', ages)]) // biome-ignore format: a line
  expect(lists(deal('adult-phd', source, { clients: 4 }).clients)).toEqual([[0], [1, 2], [3], [4, 5]])
  expect(lists(deal('adult-phd', source, { clients: 5, ages: [38, 38] }).clients)).toEqual([[0], [1], [2, 3], [4], [5]])
  expect(() => deal('adult-phd', source, { ages: [38] })).toThrow('partition adult-phd: ages are 38; two are needed, the lower first') // biome-ignore format: a line
  expect(() => deal('adult-phd', source, { ages: [39, 38] })).toThrow('ages are 39,38')
})

describe('dirichlet', () => {
  const source = sourceOf([wordColumn('y', ['x', 'x', 'x', 'z', 'z', 'z', 'z', 'w', 'z', 'z'])])
  test('goes by the label unless told, and loses nobody of a class of one', () => {
    const { clients, discarded } = deal('dirichlet', source, { clients: 2 })
    expect(lists([clients.flatMap((own) => [...own]) as never])[0]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(discarded).toHaveLength(0)
    const lone = sourceOf([wordColumn('y', ['a', 'b', 'c'])])
    expect(deal('dirichlet', lone, { clients: 1, least: 3 }).clients[0]).toHaveLength(3)
  })
  test('classes of which no row is dealt are as if they were not', () => {
    const rows = [3, 4, 5, 6, 8, 9]
    const other = sourceOf([wordColumn('y', source.table.columns[0]!.kind === 'word' ? Array(10).fill('z') : [])])
    expect(deal('dirichlet', source, { rows, clients: 2 })).toEqual(deal('dirichlet', other, { rows, clients: 2 }))
  })
  test('refuses rows without a class, and more than there are', () => {
    const holes = sourceOf([wordColumn('y', ['a', 'a', null, 'a'])])
    expect(() => deal('dirichlet', holes, { clients: 1 })).toThrow('partition dirichlet: row 2 has no class')
    expect(() => deal('dirichlet', source, { clients: 2, least: 6 })).toThrow('2 clients of at least 6 rows, 10 rows; choose fewer clients or more rows') // biome-ignore format: a line
    expect(deal('dirichlet', source, { clients: 1, least: 10 }).clients[0]).toHaveLength(10)
    const far = { clients: 5, least: 2, concentration: 1e-6 }
    expect(() => deal('dirichlet', source, far)).toThrow('none of 1000 draws gave each of 5 clients 2 of 10 rows')
  })
})

describe('heterogeneous', () => {
  const columns = [wordColumn('sex', ['w', 'm', 'm', 'w', 'm']), numberColumn('y', [1, 2, 3, 4, 5])]
  const source = sourceOf(columns, { task: 'regression', sensitive: ['sex'], label: { column: 'y', encode: 'number' } })
  test('who has the median is not above it', () => {
    // With the value above the median go rows 0 and 4; against it 1, 2 and 3, of which two are drawn.
    for (let seed = 0; seed < 12; seed++) {
      const { clients, discarded } = deal('heterogeneous', source, { seed, heterogeneity: 0.5, clients: 2, value: 'm' })
      expect(lists(clients)[1]).toEqual([0, 4])
      expect([...discarded].every((row) => [1, 2, 3].includes(row))).toBe(true)
    }
  })
  test('the second value is meant unless told, and the first sensitive column', () => {
    const second = deal('heterogeneous', source, { heterogeneity: 0.5, clients: 2, value: 'w' })
    expect(deal('heterogeneous', source, { heterogeneity: 0.5, clients: 2 })).toEqual(second)
    expect(() => deal('heterogeneous', { ...source, sensitive: [] })).toThrow('dataset "s" has no sensitive attribute; set attribute to a column') // biome-ignore format: a line
  })
})

test('sizes: the whole list may be asked for, and not a row more', () => {
  const source = sourceOf([numberColumn('y', [0, 1, 2, 3, 4])])
  expect(lists(deal('sizes', source, { sizes: [2, 3], shuffle: false }).clients)).toEqual([
    [0, 1],
    [2, 3, 4],
  ])
  expect([...deal('sizes', source, { sizes: [1, 2], shuffle: false }).discarded]).toEqual([3, 4])
  expect(() => deal('sizes', source, { sizes: [3, 3] })).toThrow('partition sizes: 6 rows are asked for; there are 5')
  const orders = [1, 2, 3].map((seed) => deal('sizes', source, { seed, sizes: [5] }).clients[0]!.join())
  expect(new Set(orders).size).toBeGreaterThan(1)
})
