import { describe, expect, test } from 'vitest'
import type { Source } from '../../data/dataset.js'
import { fitSource } from '../../data/dataset.js'
import { numberColumn, tableOf } from '../../data/table.js'
import { rng } from '../../numeric/random/rng.js'
import { concentratedRows } from './concentrated-rows.js'
import { directionOf } from './planted-labels.js'
import { relabelled } from './planted-pools.js'

const source: Source = { name: 's', task: 'regression', table: tableOf([numberColumn('known', [10, 20, 7]), numberColumn('secret', [0, 1, 5]), numberColumn('flat', [3, 3, 3]), numberColumn('y', [0, 0, 0])]), rules: [{ column: 'secret', encode: 'number' }, { column: 'known', encode: 'number' }, { column: 'flat', encode: 'number' }], label: { column: 'y', encode: 'number' }, sensitive: ['secret'] } // biome-ignore format: a line
const direction = (seed: number, worths: readonly ((row: number) => number)[], from = source) => {
  const towards = directionOf({ source: from, fitted: fitSource(from) }, { rows: [0, 1], worths, rng: rng(seed) })
  return [towards(0), towards(1)].map((x) => Number(x.toFixed(12)))
}
const offsets = (values: number[][]): string[] => [...new Set(values.map((one) => one.join()))].sort()
const seeds = Array.from({ length: 12 }, (_, k) => k)
const exact = (...pairs: number[][]): string[] => pairs.map((pair) => pair.map((x) => Number(x.toFixed(12))).join()).sort() // biome-ignore format: a line

describe('the direction of a row', () => {
  const secret = (row: number) => row
  test('is its secret, half of what is known and an offset of either sign, scaled to length 1', () => {
    // Of two rows each column is -1 and 1: weights 1, 1/2 and 1 have the length 3/2.
    expect(offsets(seeds.map((seed) => direction(seed, [secret])))).toEqual(exact([-0.5 / 1.5, 2.5 / 1.5], [-2.5 / 1.5, 0.5 / 1.5])) // biome-ignore format: a line
  })
  test('of two secrets each weighs as much as both may', () => {
    const half = Math.SQRT1_2
    const both = exact([(-2 * half + 0.5) / 1.5, (2 * half + 1.5) / 1.5], [(-2 * half - 1.5) / 1.5, (2 * half - 0.5) / 1.5]) // biome-ignore format: a line
    expect(offsets(seeds.map((seed) => direction(seed, [secret, secret])))).toEqual(both)
  })
  test('without a secret that varies, or anything known that does, these have no part', () => {
    const length = Math.sqrt(1.25)
    expect(offsets(seeds.map((seed) => direction(seed, [() => 4])))).toEqual(exact([0.5 / length, 1.5 / length], [-1.5 / length, -0.5 / length])) // biome-ignore format: a line
    const alone = { ...source, rules: source.rules.filter(({ column }) => column !== 'known') }
    expect(offsets(seeds.map((seed) => direction(seed, [secret], alone)))).toEqual(exact([0, Math.SQRT2], [-Math.SQRT2, 0])) // biome-ignore format: a line
  })
})

test('labels of planted rows stand in the place of theirs, output by output', () => {
  const labelOf = (row: number, output: number) => (row === 9 ? 10 * output : undefined)
  expect([...relabelled(Float64Array.of(1, 2, 3, 4), [7, 9], labelOf)]).toEqual([1, 2, 0, 10])
  expect([...relabelled(Float64Array.of(1, 2), [9, 7], labelOf)]).toEqual([0, 2])
  expect([...relabelled(Float64Array.of(5), [9], () => 0)]).toEqual([0])
  expect(relabelled(new Float64Array(0), [], labelOf)).toHaveLength(0)
})

describe('rows of one group', () => {
  const groupOf = (row: number): string => (row % 2 === 0 ? 'even' : 'odd')
  const clients = [['a', [0, 1, 3, 5]], ['b', [2, 4, 6, 8]], ['c', [7, 10, 12, 9]]].map(([id, rows]) => ({ id: id as string, rows: Int32Array.from(rows as number[]) })) // biome-ignore format: a list
  const made = (targets: string[], share: number, seed: number) => concentratedRows(clients, { targets: new Set(targets), share, groupOf, rng: rng(seed) }) // biome-ignore format: a line
  const evens = (rows: Int32Array): number => rows.filter((row) => row % 2 === 0).length
  test('are as many of the target as are asked for, where others have them to give', () => {
    for (const [share, least] of [
      [0.75, 3],
      [1, 4],
      [0.5, 2],
      [0, 1],
    ] as const) {
      // biome-ignore format: a list
      for (const seed of seeds) {
        const [a, b, c] = made(['a'], share, seed).map(({ rows }) => rows) as [Int32Array, Int32Array, Int32Array]
        expect([...a, ...b, ...c].sort((x, y) => x - y)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12])
        expect([a.length, b.length, c.length]).toEqual([4, 4, 4])
        // Either the even ones are brought up to the share, or the odd ones, of which there are three already.
        expect([evens(a) === least, 4 - evens(a) === Math.max(3, Math.round(4 * share))]).toContain(true)
      }
    }
    const counts = new Set(seeds.map((seed) => evens(made(['a'], 1, seed)[0]!.rows)))
    expect([...counts].sort()).toEqual([0, 4])
  })
  test('are left where they are by clients that are attacked, too, and by nobody else', () => {
    const moved = made(['a', 'b', 'c'], 1, 1)
    expect(moved).toEqual(clients)
    expect(moved[0]!.rows).not.toBe(clients[0]!.rows)
    expect(made([], 1, 1)).toEqual(clients)
  })
})
