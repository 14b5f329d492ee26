import { describe, expect, test } from 'vitest'
import { rng } from '../../numeric/random/rng.js'
import { checkDegree, everyPair, regularGraph } from './mask-graph.js'

test('every pair: all others, rising', () => {
  expect(everyPair(3)).toEqual([[2, 3], [1, 3], [1, 2]]) // biome-ignore format: one line
  expect(everyPair(1)).toEqual([[]])
  expect(everyPair(0)).toEqual([])
})

describe('a regular graph', () => {
  test.each([
    [5, 2],
    [6, 4],
    [11, 4],
    [40, 10],
  ])('of %i with %i neighbours: mutual, rising, nobody twice, and in one piece', (n, k) => {
    const graph = regularGraph(n, k, rng(n))
    expect(graph.length).toBe(n)
    for (const [i, own] of graph.entries()) {
      expect(own.length).toBe(k)
      expect(new Set(own).size).toBe(k)
      expect([...own].sort((a, b) => a - b)).toEqual(own)
      expect(own).not.toContain(i + 1)
      for (const v of own) expect(graph[v - 1]).toContain(i + 1)
    }
    const reached = new Set([1])
    for (const u of reached) for (const v of graph[u - 1]!) reached.add(v)
    expect(reached.size).toBe(n)
  })

  test('is a ring in the order that was drawn', () => {
    const drawn = { permutation: () => Int32Array.of(2, 0, 4, 1, 3) } as never
    // 3 1 5 2 4, and round to 3 again.
    expect(regularGraph(5, 2, drawn)).toEqual([[3, 5], [4, 5], [1, 4], [2, 3], [1, 2]]) // biome-ignore format: one line
  })

  test('is every pair where there are no more than the neighbours asked for', () => {
    expect(regularGraph(5, 4, rng(1))).toEqual(everyPair(5))
    expect(regularGraph(4, 4, rng(1))).toEqual(everyPair(4))
    expect(regularGraph(2, 8, rng(1))).toEqual(everyPair(2))
  })
})

test('neighbours are an even number of at least 2', () => {
  for (const k of [2, 4, 100]) expect(() => checkDegree(k)).not.toThrow()
  for (const k of [0, -2, 1, 3, 2.5, Number.NaN]) {
    expect(() => checkDegree(k)).toThrow(`${k} neighbours; an even number of at least 2 is needed`)
    expect(() => regularGraph(9, k, rng(1))).toThrow('an even number')
  }
})
