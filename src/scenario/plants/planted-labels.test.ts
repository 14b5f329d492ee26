import { describe, expect, test } from 'vitest'
import { rng } from '../../numeric/random/rng.js'
import type { Pools } from '../pools.js'
import { chooserOf, encodedLabels, type Labels } from './planted-labels.js'

describe('labels as they were', () => {
  test('several of a row stand one after the other', () => {
    const labels = Float64Array.of(1, 10, 2, 20, 3, 60)
    const placeOf = new Map([[7, 0], [4, 1], [9, 2]]) // biome-ignore format: a list
    const pools = { clients: [{ rows: Int32Array.of(7, 9) }, { rows: Int32Array.of(4) }], encoded: () => ({ records: { labels }, placeOf }) } // biome-ignore format: a line
    const { of, mean, std } = encodedLabels(pools as unknown as Pools)
    expect([of(7, 0), of(7, 1), of(9, 1), of(4, 0)]).toEqual([1, 10, 60, 2])
    expect(mean).toEqual([2, 30])
    expect(std[0]! * std[0]!).toBeCloseTo(2 / 3, 12)
  })

  test('of nobody there are none', () => {
    const pools = { clients: [], encoded: () => ({ records: { labels: new Float64Array(0) }, placeOf: new Map() }) }
    expect(encodedLabels(pools as unknown as Pools).mean).toEqual([])
  })
})

const labels: Labels = { of: (row, output) => row + output, mean: [2, 3], std: [0.5, 4] }
const pools = (classes: number, more: object = {}) =>
  ({ source: { task: 'classification', ...more }, fitted: { label: { rules: [{ levels: Array(classes).fill('x') }] } } }) as unknown as Pools // biome-ignore format: a line
const chosen = (from: Pools, rho: number) => chooserOf(from, labels, { rho, rng: rng(3) })

describe('labels as they are planted', () => {
  test('numbers go with the direction as far as they are told to', () => {
    const regression = pools(0, { task: 'regression' })
    const going = { row: 6, towards: 2, trained: true }
    expect(chosen(regression, 1)(going)).toEqual([3, 11])
    expect(chosen(regression, 0)(going)).toEqual([6, 7])
    expect(chosen(regression, 0.6)(going)).toEqual([2 + 0.6 + 0.8 * 4, 3 + 0.6 * 4 * 2 + 0.8 * 4])
  })

  test('rows of a table get one of two classes, by their side', () => {
    const choose = chosen(pools(5), 1)
    const at = (towards: number) => choose({ row: 3, towards, trained: true })[0]!
    expect(new Set([at(1), at(0.1), at(7)]).size).toBe(1)
    expect(new Set([at(0), at(-0.1), at(-7)]).size).toBe(1)
    expect(at(1)).not.toBe(at(0))
    expect([at(1), at(0)].every((one) => one >= 0 && one < 5)).toBe(true)
    expect(chosen(pools(5), 0)({ row: 3, towards: 1, trained: true })).toEqual([3])
    expect(chosen(pools(1), 1)({ row: 3, towards: 1, trained: true })).toEqual([3])
  })

  test('trained pictures keep theirs, and the others never do', () => {
    const choose = chosen(pools(4, { pixels: {} }), 1)
    const found = new Set<number>()
    for (let i = 0; i < 60; i++) {
      expect(choose({ row: 2, towards: 1, trained: true })).toEqual([2])
      found.add(choose({ row: 2, towards: 1, trained: false })[0]!)
    }
    expect([...found].sort()).toEqual([0, 1, 3])
  })
})
