import { describe, expect, test } from 'vitest'
import { rng } from '../numeric/random/rng.js'
import { encodeSource } from './dataset.js'
import { loadDataset } from './index.js'
import { columnOf, levelsOf, numbersOf, type Table } from './table.js'
import { toyLeastSquares } from './toy-least-squares.js'

const load = (name: string, params: object = {}, seed = 1) => loadDataset(name, { rng: rng(seed) }, params as never)
const countsOf = (table: Table, column: string): number[] => {
  const values = numbersOf(table, column)
  return levelsOf(columnOf(table, column)).map((word) => values.filter((x) => x === Number(word)).length)
}
const refused = (name: string, params: object, words: string) => expect(load(name, params)).rejects.toThrow(words)

describe('what no memory holds is refused', () => {
  test.each([
    ['leaf-synthetic', { sizes: [2_500_000, 2_500_001], inputs: 8 }, '5000001 records of 10 numbers'],
    ['leaf-synthetic', { sizes: [5_000_001], inputs: 7, classes: 3 }, '5000001 records of 10 numbers'],
    ['leaf-synthetic', { sizes: [], clients: 5001, inputs: 8 }, '5001000 records of 10 numbers'],
    ['leaf-synthetic', { sizes: [1], inputs: 1, clusters: 8000 }, '8000 records of 8004 numbers'],
    ['metaclass-synthetic', { records: 5_000_001, inputs: 10 }, '5000001 records of 10 numbers'],
    ['tiny-images', { records: 10_000, side: 64, channels: 3 }, '10000 records of 12288 numbers'],
    ['toy-least-squares', { clients: 1000, recordsPerClient: 10_000 }, '10000000 records of 10 numbers'],
  ])('%s %j', async (name, params, words) => {
    await refused(name, params, `dataset ${name}: ${words} were asked for`)
  })
})

describe('the least and the most that may be asked for', () => {
  test.each([
    ['leaf-synthetic', { sizes: [1], inputs: 1, classes: 2, clusters: 1 }, 1],
    ['metaclass-synthetic', { records: 1, inputs: 1, metaclasses: 1 }, 1],
    ['metaclass-synthetic', { records: 3, inputs: 1, metaclasses: 26 }, 3],
    ['tiny-images', { records: 1, side: 2, channels: 1 }, 1],
    ['tiny-images', { records: 1, side: 2, channels: 3, classes: 100 }, 1],
    ['toy-least-squares', { clients: 1, recordsPerClient: 1, numericColumns: 0 }, 1],
  ])('%s %j has its rows', async (name, params, rows) => {
    expect((await load(name, params)).table.rows).toBe(rows)
  })
  test.each([
    ['leaf-synthetic', { sizes: [0] }, 'sizes[0] is 0'],
    ['leaf-synthetic', { sizes: [1.5] }, 'a whole number'],
    ['leaf-synthetic', { sizes: [], clients: 0 }, 'clients is 0'],
    ['leaf-synthetic', { inputs: 0 }, 'inputs is 0'],
    ['leaf-synthetic', { classes: 1 }, 'classes is 1'],
    ['leaf-synthetic', { clusters: 0 }, 'clusters is 0'],
    ['leaf-synthetic', { minorityShare: 0.41 }, 'up to 0.4 is needed'],
    ['metaclass-synthetic', { metaclasses: 27 }, 'up to 26 is needed'],
    ['metaclass-synthetic', { records: 0 }, 'records is 0'],
    ['tiny-images', { classes: 101 }, 'up to 100 is needed'],
    ['tiny-images', { side: 65 }, 'up to 64 is needed'],
    ['tiny-images', { side: 1 }, 'side is 1'],
    ['tiny-images', { channels: 4 }, 'up to 3 is needed'],
    ['toy-least-squares', { recordsPerClient: 0 }, 'recordsPerClient is 0'],
  ])('%s %j is refused', refused)
})

test('leaf-synthetic: the sizes of the paper unless told, or drawn between 5 and 1000', async () => {
  expect(countsOf((await load('leaf-synthetic')).table, 'client')).toEqual([350, 230, 1920, 320, 260])
  const small = { inputs: 1, clusters: 1 }
  expect(countsOf((await load('leaf-synthetic', { ...small, sizes: [7], clients: 3 })).table, 'client')).toEqual([7])
  expect(countsOf((await load('leaf-synthetic', { ...small, sizes: [] })).table, 'client')).toHaveLength(5)
  const drawn = countsOf((await load('leaf-synthetic', { ...small, sizes: [], clients: 150 })).table, 'client')
  // Some of a log-normal as wide as this lie beyond 1000.
  expect([drawn.length, Math.max(...drawn), Math.min(...drawn) >= 5]).toEqual([150, 1000, true])
})

test('leaf-synthetic: the share of the rarest class of every client', async () => {
  const { table } = await load('leaf-synthetic', { sizes: [20, 30, 25], minorityShare: 0.4 })
  const [classes, clients] = [numbersOf(table, 'class'), numbersOf(table, 'client')]
  for (const [k, n] of [20, 30, 25].entries()) {
    const ones = classes.filter((c, i) => clients[i] === k && c === 1).length
    expect(Math.min(ones, n - ones) / n).toBeGreaterThanOrEqual(0.4)
  }
})

test('metaclass-synthetic: 6,000 records of 30 inputs in four groups, named by letters', async () => {
  const { table } = await load('metaclass-synthetic')
  expect([table.rows, table.columns.length]).toEqual([6000, 32])
  expect(levelsOf(columnOf(table, 'metaclass'))).toEqual(['A', 'B', 'C', 'D'])
  // What noise adds has the deviation that is asked for: the same draws without it lie so far away.
  const noisy = numbersOf(table, 'y')
  const plain = numbersOf((await load('metaclass-synthetic', { noiseStd: 0 })).table, 'y')
  const std = Math.sqrt(noisy.reduce((sum, y, i) => sum + (y - plain[i]!) * (y - plain[i]!), 0) / 6000)
  expect(Math.abs(std / 0.2 - 1)).toBeLessThan(0.04)
  const narrow = numbersOf((await load('metaclass-synthetic', { withinStd: 0 })).table, 'x0')
  expect(new Set(narrow).size).toBe(4)
})

test('tiny-images: 600 grey pictures of 8 x 8 of four classes', async () => {
  const source = await load('tiny-images')
  expect([source.table.rows, source.pixels!.shape, source.pixels!.bytes.length]).toEqual([600, [1, 8, 8], 600 * 64])
  expect(countsOf(source.table, 'class')).toHaveLength(4)
  expect(source.label.levels).toEqual(['0', '1', '2', '3'])
  // Without noise there are at most nine pictures a class, one for each move.
  const still = (await load('tiny-images', { noiseStd: 0 })).pixels!.bytes
  const pictures = new Set(Array.from({ length: 600 }, (_, i) => still.subarray(64 * i, 64 * i + 64).join()))
  expect(pictures.size).toBe(36)
})

test('toy least squares: two clients of 1,024 records with noise of 0.1, and who has which', async () => {
  const clients = toyLeastSquares(rng(3))
  expect(clients.map(({ features }) => [features.rows, features.cols])).toEqual([[1024, 10], [1024, 10]]) // biome-ignore format: a list
  const plain = toyLeastSquares(rng(3), { noiseStd: 0 })
  const squares = clients.flatMap(({ labels }, k) => Array.from(labels, (y, i) => (y - plain[k]!.labels[i]!) ** 2))
  expect(Math.abs(Math.sqrt(squares.reduce((a, b) => a + b) / squares.length) / 0.1 - 1)).toBeLessThan(0.07)
  const { table } = await load('toy-least-squares', { clients: 2, recordsPerClient: 3 })
  expect([...numbersOf(table, 'client')]).toEqual([0, 0, 0, 1, 1, 1])
  const { records, columns } = encodeSource(await load('toy-least-squares'))
  expect([records.labels.length, columns.map(({ name }) => name).join()]).toEqual([2048, 'x0,x1,x2,x3,x4,x5,x6,x7,x8,coin']) // biome-ignore format: a line
})
