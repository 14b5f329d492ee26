import { describe, expect, test } from 'vitest'
import { rng } from '../../numeric/random/rng.js'
import { type Policy, sizeFor } from '../checked-aggregation/terms.js'
import { everyPair, regularGraph } from '../secure-aggregation/mask-graph.js'
import { secretsTold, smallestOpened } from './opened-sums.js'
import { checkedRules, curiousRules, rulesFor } from './sum-rules.js'

const set = (...places: number[]) => new Set(places)
const ring = [[2, 5], [1, 3], [2, 4], [3, 5], [1, 4]] // biome-ignore format: one line

describe('the smallest sum that opens', () => {
  const opened = (
    masks: readonly (readonly number[])[],
    { seeds = set(1, 2, 3, 4, 5), keys = set(), colluders = set() } = {},
  ) => smallestOpened({ masks, seeds, keys, colluders })

  test('is all of a graph of masks that nobody knows, in the order of places', () => {
    expect(opened(everyPair(4))).toEqual([1, 2, 3, 4])
    expect(opened([[3], [3], [1, 2]])).toEqual([1, 2, 3])
    expect(opened(ring, { seeds: set(1, 2, 3, 4) })).toBeUndefined()
    expect(opened([])).toBeUndefined()
  })

  test('is one client whose key and seed are known, the first of them', () => {
    expect(opened(everyPair(4), { keys: set(2) })).toEqual([2])
    expect(opened(everyPair(4), { keys: set(2, 3) })).toEqual([2])
    expect(opened(everyPair(4), { keys: set(2, 3), seeds: set(1, 3, 4) })).toEqual([3])
    expect(opened(everyPair(4), { keys: set(2), seeds: set(1, 3, 4) })).toEqual([1, 3, 4])
  })

  test('is what colluders cut off, without them', () => {
    expect(opened(ring, { colluders: set(2, 5) })).toEqual([1])
    expect(opened(ring, { colluders: set(2, 5), seeds: set(3, 4) })).toEqual([3, 4])
    expect(opened(ring, { colluders: set(2, 5), seeds: set(3) })).toBeUndefined()
    expect(opened(ring, { colluders: set(1, 2, 3, 4, 5) })).toBeUndefined()
  })

  test('of a later part is found where it is smaller', () => {
    const parts = [[2, 3], [1, 3], [1, 2], [5], [4]] // biome-ignore format: one line
    expect(opened(parts)).toEqual([4, 5])
  })
})

test('listed clients give up seeds, others keys, colluders both; so many shares as the threshold are enough', () => {
  const told = (threshold: number) => {
    const lists = new Map([[1, set(1, 2)], [2, set(1)]]) // biome-ignore format: one line
    const holders = [[1, 2, 3], [1, 2, 3], [1, 2, 3], [4]] // biome-ignore format: one line
    const { seeds, keys } = secretsTold({ masks: [], holders, threshold, colluders: set(3), lists })
    return [[...seeds], [...keys]]
  }
  // Shares of seeds: 3, 2, 1; of keys: 1, 2, 3. Whoever holds for the fourth does not answer.
  expect(told(1)).toEqual([[1, 2, 3], [1, 2, 3]]) // biome-ignore format: one line
  expect(told(2)).toEqual([[1, 2], [2, 3]]) // biome-ignore format: one line
  expect(told(3)).toEqual([[1], [3]])
  expect(told(4)).toEqual([[], []])
})

describe('what clients go by', () => {
  const pairs: Policy = {
    ...{ variant: 'pairs', least: 3, directory: 'given' },
    ...{ corrupt: 0.05, dropouts: 0.1, secureBits: 40, correctBits: 10 },
  }
  const graph: Policy = { ...pairs, variant: 'graph', corrupt: 0.02, secureBits: 12, correctBits: 5 }

  test('where they are curious: more than half of those who hold their shares', () => {
    const rules = curiousRules(everyPair(5))
    expect(rules).toMatchObject({ threshold: 3, leastListed: 3, signers: 0, leastHolders: 0 })
    expect(rules.holders).toEqual(new Array(5).fill([1, 2, 3, 4, 5]))
    expect(curiousRules(everyPair(4)).threshold).toBe(3)
    expect(curiousRules([[3], [3], [1, 2]]).holders).toEqual([[1, 3], [2, 3], [1, 2, 3]]) // biome-ignore format: one line
    expect(curiousRules([]).threshold).toBe(1)
  })

  test('where they check every pair: more than two thirds sign, and the least number is listed', () => {
    const rules = checkedRules(6, pairs, rng(1))
    expect(rules).toMatchObject({ threshold: 5, leastListed: 5, signers: 5, leastHolders: 0 })
    expect(rules.masks).toEqual(everyPair(6))
    expect(rules.holders).toEqual(new Array(6).fill([1, 2, 3, 4, 5, 6]))
    expect(checkedRules(6, { ...pairs, least: 6 }, rng(1)).leastListed).toBe(6)
  })

  test('where they check a graph: each draws its own holders, and masks with those who drew it as well', () => {
    const n = 60
    const { degree, shares, threshold } = sizeFor(n, graph)
    const { masks, holders, ...rules } = checkedRules(n, graph, rng(2))
    expect(rules).toEqual({ threshold: shares, leastListed: threshold, signers: threshold, leastHolders: shares })
    const drawn = new Set<number>()
    for (const [i, own] of holders.entries()) {
      expect(own.length).toBe(degree! + 1)
      expect(own).toContain(i + 1)
      expect(own).toEqual([...new Set(own)].sort((a, b) => a - b))
      for (const v of own) drawn.add(v)
      const both = new Set(own.filter((v) => v !== i + 1))
      for (const [k, theirs] of holders.entries()) if (k !== i && theirs.includes(i + 1)) both.add(k + 1)
      expect([...masks[i]!].sort((a, b) => a - b)).toEqual([...both].sort((a, b) => a - b))
    }
    expect([...drawn].sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i + 1))
  })

  test('follows from the parameters of the defence', () => {
    const rules = (server: string, policy: Policy) => rulesFor(20, { server, neighbours: 4, policy }, rng(3))
    expect(rules('malicious', pairs)).toEqual(checkedRules(20, pairs, rng(3)))
    expect(rules('curious', pairs)).toEqual(curiousRules(everyPair(20)))
    expect(rules('curious', graph)).toEqual(curiousRules(regularGraph(20, 4, rng(3).fork('graph'))))
  })
})
