import { describe, expect, test } from 'vitest'
import { rng } from '../../numeric/random/rng.js'
import { everyPair, type Neighbours, regularGraph } from '../secure-aggregation/mask-graph.js'
import { findLists, type ListRules } from './find-lists.js'
import { secretsTold, smallestOpened } from './opened-sums.js'

const withSelf = (masks: Neighbours): Neighbours => masks.map((own, i) => [...own, i + 1].sort((a, b) => a - b))
const none: ReadonlySet<number> = new Set()
const first = (c: number): ReadonlySet<number> => new Set(Array.from({ length: c }, (_, i) => i + 1))

/** What clients of the honest-but-curious protocol go by. */
function curiousRules(masks: Neighbours): ListRules {
  const threshold = Math.floor((masks[0]!.length + 1) / 2) + 1
  return { masks, holders: withSelf(masks), threshold, leastListed: threshold, signers: 0, leastHolders: 0 }
}

describe('clients who believe what they are told', () => {
  test.each([20, 50, 100, 200])('n = %d, a graph: the server alone gets one update', (n) => {
    for (const k of [8, 16, 32].filter((one) => one < n - 1)) {
      const rules = curiousRules(regularGraph(n, k, rng(n)))
      expect(findLists({ rules, colluders: none, below: 3 })?.opened.length, `k = ${k}`).toBe(1)
    }
  })

  test('every pair: an odd number gives a sum of two, one colluder a single update', () => {
    for (let n = 5; n <= 200; n += n < 20 ? 1 : 15) {
      const rules = curiousRules(everyPair(n))
      const alone = findLists({ rules, colluders: none, below: 3 })
      expect(alone?.opened.length, `n = ${n}`).toBe(n % 2 === 1 ? 2 : undefined)
      const helped = findLists({ rules, colluders: first(1), below: 3 })
      expect(helped?.opened.length, `n = ${n} with one colluder`).toBe(n % 2 === 1 ? 1 : 2)
    }
  })

  test('accept the lists that are found: each names its reader, enough others, and nobody unknown to it', () => {
    const rules = curiousRules(everyPair(21))
    const { lists } = findLists({ rules, colluders: first(1), below: 3 })!
    expect(lists.size).toBe(20)
    for (const [c, list] of lists) {
      expect(list.has(c)).toBe(true)
      expect(list.size).toBeGreaterThanOrEqual(rules.threshold)
      for (const o of list) expect(rules.holders[o - 1]).toContain(c)
    }
  })
})

describe('what opens', () => {
  const masks = everyPair(4)
  const known = (seeds: number[], keys: number[], colluders: number[] = []) =>
    smallestOpened({ masks, seeds: new Set(seeds), keys: new Set(keys), colluders: new Set(colluders) })

  test('is all of those whose unknown masks hang together, and nothing without a seed', () => {
    expect(known([1, 2, 3, 4], [])).toEqual([1, 2, 3, 4])
    expect(known([1, 2], [3, 4])).toEqual([1, 2])
    expect(known([1], [2, 3, 4])).toEqual([1])
    expect(known([1, 2, 3], [])).toBeUndefined()
    expect(known([1, 2], [1])).toEqual([1])
    expect(known([1, 2], [3], [4])).toEqual([1, 2])
  })

  test('follows from the shares that were told: seeds of those listed, keys of the others', () => {
    const holders = withSelf(masks)
    const lists = new Map([1, 2, 3].map((c) => [c, new Set([1, 2, 3])] as const))
    const { seeds, keys } = secretsTold({ masks, holders, threshold: 3, colluders: none, lists })
    expect([[...seeds], [...keys]]).toEqual([[1, 2, 3], [4]])
  })
})
