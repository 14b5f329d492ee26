import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rng } from '../../numeric/random/rng.js'
import { everyPair, regularGraph } from './mask-graph.js'
import { checkRange, dequantiseSum, quantise, quantiseAtRandom } from './quantise.js'

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

describe('rounding at random', () => {
  const meanAndVariance = (x: number, quantisation: { clip: number; levels: number }, scale = 1) => {
    const n = 20_000
    const { values } = quantiseAtRandom(new Float64Array(n).fill(x), quantisation, { scale, rng: rng('rounding') })
    const step = (2 * quantisation.clip) / (quantisation.levels - 1)
    const back = Array.from(values, (q) => q * step - quantisation.clip)
    const mean = back.reduce((sum, y) => sum + y, 0) / n
    return { step, mean, variance: back.reduce((sum, y) => sum + (y - mean) ** 2, 0) / n, n }
  }

  test('has the value for its expectation, and f (1 - f) step^2 for its variance', () => {
    for (const x of [-0.9, -0.31, 0, 0.02, 0.5]) {
      const { step, mean, variance, n } = meanAndVariance(x, { clip: 1, levels: 17 })
      const f = (x + 1) / step - Math.floor((x + 1) / step)
      expect(Math.abs(mean - x)).toBeLessThanOrEqual(5 * step * Math.sqrt(Math.max(f * (1 - f), 1e-12) / n))
      expect(Math.abs(variance - f * (1 - f) * step * step)).toBeLessThanOrEqual(0.05 * step * step)
      expect(variance).toBeLessThanOrEqual((1.05 * step * step) / 4)
    }
  })

  test('of 1e-4 with the levels of 100 clients: the mean stays within a hundredth at a hundredth of the largest weight', () => {
    const levels = Math.floor((2 ** 32 - 1) / 100) + 1
    for (const share of [0.1, 0.01]) {
      const { mean, variance } = meanAndVariance(1e-4, { clip: 8, levels }, share)
      expect(Math.abs(mean / (1e-4 * share) - 1)).toBeLessThan(0.01)
      expect(Math.sqrt(variance) / (1e-4 * share)).toBeLessThan(0.002 / share)
    }
  })

  test('stays between the levels, at both ends', () => {
    const { values, clipped } = quantiseAtRandom(Float64Array.of(-9, -8, 8, 9), { clip: 8, levels: 5 }, { scale: 1, rng: rng(1) }) // biome-ignore format: a line
    expect([[...values], clipped]).toEqual([[0, 0, 4, 4], 2])
  })
})
