import { describe, expect, test } from 'vitest'
import { rng } from '../../numeric/random/rng.js'
import { mostColluders } from '../checked-aggregation/graph-bounds.js'
import type { Policy } from '../checked-aggregation/terms.js'
import { everyPair, type Neighbours, regularGraph } from '../secure-aggregation/mask-graph.js'
import { findLists } from './find-lists.js'
import { secretsTold, smallestOpened } from './opened-sums.js'
import { checkedRules, curiousRules } from './sum-rules.js'

const withSelf = (masks: Neighbours): Neighbours => masks.map((own, i) => [...own, i + 1].sort((a, b) => a - b))
const none: ReadonlySet<number> = new Set()
const first = (c: number): ReadonlySet<number> => new Set(Array.from({ length: c }, (_, i) => i + 1))

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

describe('clients who sign one list', () => {
  const pairs: Policy = {
    ...{ variant: 'pairs', least: 3, directory: 'given' },
    ...{ corrupt: 0.05, dropouts: 0.1, secureBits: 40, correctBits: 10 },
  }
  const sizes = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 50, 51, 100, 200]
  const some = (most: number): number[] => [...new Set([0, 1, 2, Math.floor(most / 2), most - 1, most])]

  test.each(sizes)('n = %d, every pair: no sum of fewer than t opens, with up to 2t - n - 1 colluders', (n) => {
    const rules = checkedRules(n, pairs, rng(n))
    const most = mostColluders(n)
    for (const c of n <= 21 ? Array.from({ length: most + 1 }, (_, k) => k) : some(most)) {
      const found = findLists({ rules, colluders: first(c), below: rules.leastListed })
      expect(found?.opened, `${c} colluders`).toBeUndefined()
    }
  })

  test.each(sizes.filter((n) => n >= 9))('n = %d: one colluder more, and two lists are signed: it opens', (n) => {
    const rules = checkedRules(n, pairs, rng(n))
    const search = { rules, colluders: first(mostColluders(n) + 1), below: rules.leastListed }
    expect(findLists(search)?.opened.length).toBe(1)
  })

  test.each(sizes)('n = %d, a graph: no part of a sum opens, with as many colluders as it is sized for', (n) => {
    const policy = { ...pairs, variant: 'graph' } as const
    const rules = checkedRules(n, policy, rng(n))
    const most = Math.ceil(policy.corrupt * n)
    for (const c of n < 100 ? some(most) : [0, most]) {
      const found = findLists({ rules, colluders: first(c), below: rules.leastListed })
      expect(found?.opened, `${c} colluders`).toBeUndefined()
    }
  })

  const drawn = [...rng(2020).sample(196, 8)].map((i) => i + 5).sort((a, b) => a - b)
  test.each(drawn)(
    'n = %d, drawn by lot with its colluders: it opens above the bound, and nothing does up to it',
    (n) => {
      const rules = checkedRules(n, pairs, rng(n))
      const lot = rng(n).fork('colluders')
      const [most, t] = [mostColluders(n), rules.signers]
      const opened = (c: number) => findLists({ rules, colluders: first(c), below: rules.leastListed })?.opened.length
      expect(opened(lot.integer(most + 1))).toBeUndefined()
      if (most + 1 < t) expect(opened(most + 1 + lot.integer(t - most - 1))).toBe(1)
      const graph = checkedRules(n, { ...pairs, variant: 'graph' }, rng(n).fork('graph'))
      const few = first(lot.integer(Math.ceil(pairs.corrupt * n) + 1))
      expect(findLists({ rules: graph, colluders: few, below: graph.leastListed })).toBeUndefined()
    },
  )

  test('it is shares and the rule about neighbours that keep a graph together: without both, one update opens', () => {
    const rules = checkedRules(100, { ...pairs, variant: 'graph' }, rng(1))
    const opened = (change: Partial<typeof rules>) =>
      findLists({ rules: { ...rules, ...change }, colluders: none, below: 3 })?.opened.length
    expect(opened({ threshold: 1, leastHolders: 0 })).toBe(1)
    expect(opened({ threshold: 1 })).toBeUndefined()
    expect(opened({ leastHolders: 0 })).toBeUndefined()
  })

  test('without signatures the same clients give up far smaller sums', () => {
    const rules = { ...checkedRules(21, pairs, rng(1)), signers: 0 }
    const found = findLists({ rules, colluders: first(mostColluders(21)), below: rules.leastListed })
    expect(found?.opened.length).toBeLessThan(rules.leastListed - mostColluders(21))
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
