import { describe, expect, test } from 'vitest'
import { matrix, matrixOf } from '../../../numeric/linalg/matrix.js'
import { groupsOf, meanAmong, meanRow, scatterOf } from './metaclass-groups.js'

const features = matrixOf([[0, 7], [10, 7], [0, 7], [0, 7], [10, 7]]) // biome-ignore format: one line
const of = (...values: number[]) => Float64Array.from(values)
const grouped = (
  view: object,
  { by = 'column', clusters = 2 }: { by?: 'column' | 'clusters'; clusters?: number } = {},
) => groupsOf({ auxiliary: { columns: [], features }, ...view } as never, { by, clusters })
const column = (...numbers: number[]) => ({ 'auxiliary.metaclass': of(...numbers) })

describe('by a column', () => {
  test('records are those of each number, with names and shares', () => {
    expect(grouped({ ...column(1, 0, 1, 2, 1), metaclasses: ['a', 'b', 'c', 'd'] })).toEqual({
      rows: [[1], [0, 2, 4], [3], []],
      names: ['a', 'b', 'c', 'd'],
      shares: of(0.2, 0.6, 0.2, 0),
    })
    expect(grouped(column(1, 0, 1, 2, 1)).names).toEqual(['0', '1', '2'])
    expect(grouped(column(0, 0, 0, 0, 0)).names).toEqual(['0'])
  })

  test.each([3, -1, 0.5, Number.NaN])('%f is no metaclass of three', (bad) => {
    const view = { ...column(0, 1, 2, bad, 0), metaclasses: ['a', 'b', 'c'] }
    expect(() => grouped(view)).toThrow(`auxiliary record 3 is of metaclass ${bad}; there are 3 metaclasses`)
    const first = { ...column(bad, 1, 2, 0, 0), metaclasses: ['a', 'b', 'c'] }
    expect(() => grouped(first)).toThrow(`auxiliary record 0 is of metaclass ${bad}`)
  })

  test('without a column, of another length, or of no records it is refused', () => {
    expect(() => grouped({})).toThrow('the auxiliary data name no metaclasses')
    expect(() => grouped(column(0, 1))).toThrow('2 metaclasses for 5 auxiliary records; one each is needed')
    const none = { auxiliary: { columns: [], features: matrix(0, 2) } }
    for (const by of ['column', 'clusters'] as const) {
      expect(() => grouped(none, { by })).toThrow('the auxiliary data hold no record')
    }
  })
})

test('by clusters: the largest first, with centres in the units of the features and their deviations', () => {
  const { rows, names, shares, clusters } = grouped({}, { by: 'clusters' })
  expect(rows).toEqual([[0, 2, 3], [1, 4]]) // biome-ignore format: one line
  expect(names).toEqual(['cluster 0', 'cluster 1'])
  expect(shares).toEqual(of(0.6, 0.4))
  // The mean is 4: 3 * 16 + 2 * 36 over 5; a column of one value keeps its units.
  expect(clusters!.scales[0]!).toBeCloseTo(Math.sqrt(24), 12)
  expect(clusters!.scales[1]).toBe(1)
  for (const [c, centre] of [[0, 7], [10, 7]].entries()) // biome-ignore format: one line
    for (const [j, v] of centre.entries()) expect(clusters!.centres[c]![j]!).toBeCloseTo(v, 12)
})

test('by clusters: columns count alike, whatever their units', () => {
  // The second column tells two groups apart, the first is a thousand times as large and tells little.
  const rows = [0, 0, 0, 1, 1, 1, 1].map((group, i) => [1000 * (i % 2), 0.001 * group])
  const given = { auxiliary: { columns: [], features: matrixOf(rows) } }
  const found = grouped(given, { by: 'clusters', clusters: 4 })
  for (const own of found.rows) expect(new Set(own.map((i) => rows[i]!.join())).size).toBe(1)
})

test('by clusters: a column of small numbers has their deviation', () => {
  const small = { auxiliary: { columns: [], features: matrixOf([[0], [0.01], [0], [0.01]]) } }
  expect(grouped(small, { by: 'clusters' }).clusters!.scales[0]!).toBeCloseTo(0.005, 12)
})

test('means and scatter are those of the rows that are named', () => {
  const points = matrixOf([[1, 2], [50, 60], [3, 8]]) // biome-ignore format: one line
  expect([...meanRow(points, [0, 2])]).toEqual([2, 5])
  expect(meanAmong(of(1, 50, 4), [0, 2])).toBe(2.5)
  expect([...scatterOf(points, [0, 2], of(2, 5)).data]).toEqual([2, 6, 6, 18])
  // Entries at the mean add nothing.
  expect([...scatterOf(points, [0, 2], of(1, 8)).data]).toEqual([4, 0, 0, 36])
})
