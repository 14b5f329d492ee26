import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import type { Table } from '../../transcript/encoded-table.js'
import { batchHalves, contrastsOf, equalHalves, type Halves, joined, labellings, wholeList } from './asked-records.js'

/** Rows that hold their own number. */
const numbered = (from: number, n: number): Table => ({
  columns: ['x', 'y'],
  features: matrix(
    n,
    2,
    Float64Array.from({ length: 2 * n }, (_, i) => from + Math.floor(i / 2)),
  ),
  labels: Float64Array.from({ length: n }, (_, i) => from + i),
})

const halves = (n: number, m: number): Halves => ({
  trained: numbered(0, n),
  held: numbered(n, m),
  trainedIds: Array.from({ length: n }, (_, i) => `t${i}`),
  heldIds: Array.from({ length: m }, (_, i) => `h${n + i}`),
})

const sizes = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 30 }), fc.integer())

describe('records asked about', () => {
  test('are all of both halves, in an order that does not tell which is which', () => {
    fc.assert(
      fc.property(sizes, ([n, m, seed]) => {
        const list = wholeList(halves(n, m), rng(seed))
        const row = (place: number): number => list.table.features.data[2 * place]!
        expect(Array.from(list.trained, row)).toEqual(Array.from({ length: n }, (_, i) => i))
        expect(Array.from(list.held, row)).toEqual(Array.from({ length: m }, (_, i) => n + i))
        for (const [place, id] of list.ids.entries())
          expect(id).toBe(row(place) < n ? `t${row(place)}` : `h${row(place)}`)
        expect(list.table.labels).toEqual(Float64Array.from(list.ids, (id) => Number(id.slice(1))))
      }),
    )
    const first = Array.from({ length: 400 }, (_, seed) => wholeList(halves(3, 3), rng(seed)).trained.includes(0))
    expect(first.filter(Boolean).length).toBeGreaterThan(160)
    expect(first.filter(Boolean).length).toBeLessThan(240)
  })

  test('are cut to equal halves, of which every record has the same chance', () => {
    const counts = new Map<number, number>()
    for (let seed = 0; seed < 600; seed++) {
      const list = equalHalves(wholeList(halves(6, 3), rng(seed)), rng(seed))
      expect([list.trained.length, list.held.length, list.table.features.rows]).toEqual([3, 3, 9])
      for (const place of list.trained) {
        const row = list.table.features.data[2 * place]!
        expect(row).toBeLessThan(6)
        counts.set(row, (counts.get(row) ?? 0) + 1)
      }
    }
    for (const count of counts.values()) expect(Math.abs(count - 300)).toBeLessThan(60)
  })

  test('of a batch are its rows and as many that were held back; none where those are too few', () => {
    const whole = wholeList(halves(6, 4), rng(1))
    const list = batchHalves(whole, [5, 2], rng(1))!
    expect(Array.from(list.trained, (place) => whole.ids[place])).toEqual(['t5', 't2'])
    expect(new Set(Array.from(list.held, (place) => whole.ids[place]![0]))).toEqual(new Set(['h']))
    expect(new Set(list.held).size).toBe(2)
    expect(batchHalves(whole, undefined, rng(1))).toBeUndefined()
    expect(batchHalves(wholeList(halves(4, 4), rng(1)), undefined, rng(1))!.held).toHaveLength(4)
  })

  test('keep their numbers under every candidate, and the truth comes first', () => {
    fc.assert(
      fc.property(sizes, ([n, m, seed]) => {
        const list = equalHalves(wholeList(halves(n, m), rng(seed)), rng(seed))
        const candidates = labellings(list, 20, rng(seed))
        expect(candidates[0]).toEqual({ trained: list.trained.slice().sort(), held: list.held.slice().sort() })
        for (const { trained, held } of candidates) {
          expect(new Set([...trained, ...held]).size).toBe(list.trained.length + list.held.length)
        }
        const contrasts = contrastsOf(candidates)
        expect(contrasts[0]).toBe(1)
        for (const c of contrasts) expect(Math.abs(c)).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('of tables one below the other keep their labels only where both have them', () => {
    const { labels: _, ...bare } = numbered(0, 2)
    expect(joined(bare, numbered(2, 1)).labels).toBeUndefined()
    expect(joined(numbered(0, 2), numbered(2, 1)).labels).toEqual(Float64Array.of(0, 1, 2))
  })
})
