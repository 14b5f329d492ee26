import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rng } from '../../numeric/random/rng.js'
import { everyPair, regularGraph } from './mask-graph.js'
import { checkRange, dequantiseSum, quantise } from './quantise.js'

describe('numbers as levels', () => {
  test('sums come back to half a level a participant', () => {
    const values = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(values, fc.integer({ min: 2, max: 1 << 22 }), fc.constantFrom(3, 8), (x, levels, clip) => {
        const sum = new Uint32Array(1)
        for (const v of x) sum[0]! += quantise(Float64Array.of(v), { clip, levels }).values[0]!
        const [found] = dequantiseSum(sum, { clip, levels }, x.length)
        const exact = x.reduce((total, v) => total + v, 0)
        expect(Math.abs(found! - exact)).toBeLessThanOrEqual((x.length * clip * (1 + 1e-9)) / (levels - 1) + 1e-12)
      }),
    )
  })

  test('what lies beyond the clip is cut off and counted', () => {
    const { values, clipped } = quantise(Float64Array.of(-9, -8, 0, 8, 1e300), { clip: 8, levels: 17 })
    expect([Array.from(values), clipped]).toEqual([[0, 0, 8, 16, 16], 2])
    expect(Array.from(quantise(Float64Array.of(1), { clip: 8, levels: 17 }, 4).values)).toEqual([12])
    expect(() => quantise(Float64Array.of(1, Number.NaN), { clip: 8, levels: 17 })).toThrow(/holds NaN at 1/)
  })

  test('participants x (levels - 1) < 2^32, else refused', () => {
    expect(() => checkRange({ clip: 8, levels: 1 << 22 }, 1024)).not.toThrow()
    expect(() => checkRange({ clip: 8, levels: 1 << 22 }, 1025)).toThrow(/at most 1024/)
    expect(() => checkRange({ clip: 8, levels: 2 }, 4_294_967_295)).not.toThrow()
    expect(() => checkRange({ clip: 8, levels: 2 }, 4_294_967_296)).toThrow(/do not fit/)
    expect(() => checkRange({ clip: 0, levels: 4 }, 3)).toThrow(/clip is 0/)
    expect(() => checkRange({ clip: 1, levels: 1 }, 3)).toThrow(/levels is 1/)
  })
})

describe('who masks with whom', () => {
  test.each([
    [10, 4],
    [101, 32],
    [7, 2],
  ])('%d clients with %d neighbours each: mutual, and all hang together', (n, k) => {
    const graph = regularGraph(n, k, rng(1))
    for (const [i, own] of graph.entries()) {
      expect(own.length).toBe(k)
      expect(new Set(own).size).toBe(k)
      expect(own).not.toContain(i + 1)
      for (const v of own) expect(graph[v - 1]).toContain(i + 1)
    }
    const reached = new Set([1])
    for (const u of reached) for (const v of graph[u - 1]!) reached.add(v)
    expect(reached.size).toBe(n)
  })

  test('few clients mask with all; odd numbers of neighbours are refused', () => {
    expect(regularGraph(4, 32, rng(1))).toEqual(everyPair(4))
    expect(everyPair(3)).toEqual([
      [2, 3],
      [1, 3],
      [1, 2],
    ])
    expect(() => regularGraph(9, 3, rng(1))).toThrow(/3 neighbours/)
  })
})
