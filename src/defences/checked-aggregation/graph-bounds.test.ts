import { expect, test } from 'vitest'
import { checkBounds, type GraphBounds, graphSize, mostColluders, quorum } from './graph-bounds.js'

const usual: GraphBounds = { corrupt: 0.05, dropouts: 0.1, secureBits: 40, correctBits: 10, least: 3 }

test('quorums exceed two thirds, and with so many colluders two of them meet in somebody honest', () => {
  for (let n = 1; n <= 300; n++) {
    const [t, c] = [quorum(n), mostColluders(n)]
    expect(3 * t).toBeGreaterThan(2 * n)
    expect(3 * (t - 1)).toBeLessThanOrEqual(2 * n)
    if (c === 0 && 2 * t <= n) throw new Error('none at all')
    expect(2 * (t - c)).toBeGreaterThan(n - c)
    expect(2 * (t - (c + 1))).toBeLessThanOrEqual(n - (c + 1))
  }
})

const choose = (a: number, b: number): number => (b < 0 || b > a ? 0 : b === 0 ? 1 : (choose(a - 1, b - 1) * a) / b)

test.each([
  { n: 40, corrupt: 0.1, secureBits: 12 },
  { n: 60, corrupt: 0.05, secureBits: 20 },
])('n = $n: the tails hold what they promise, counted one by one, and one share less would not', (given) => {
  const { n, corrupt, secureBits } = given
  const { degree, shares: t, roster } = graphSize(n, { ...usual, ...given })
  const k = degree!
  const tail = (marked: number, of: number, from: number): number => {
    let sum = 0
    for (let x = from; x <= k; x++) sum += (choose(marked, x) * choose(of - marked, k - x)) / choose(of, k)
    return sum
  }
  expect(roster).toBe(n - n / 10)
  const cutOff = (needed: number): number =>
    [1, 2, 3].reduce((sum, s) => sum + choose(n, s) * tail(corrupt * n + s - 1, roster - 1, needed) ** s, 0)
  expect(cutOff(t)).toBeLessThanOrEqual(2 ** -secureBits)
  expect(cutOff(t - 1)).toBeGreaterThan(2 ** -secureBits)
  expect(n * tail(n / 10, n - 1, k - t + 1)).toBeLessThanOrEqual(2 ** -10)
})

test('n = 5..200, 0 to t - 1 colluders: so many groups of honest clients can sign a list each, and two where the bound ends', () => {
  for (let n = 5; n <= 200; n++) {
    const t = quorum(n)
    for (let c = 0; c < t; c++) {
      // A list has t signatures at least, those of all colluders among them, and an honest client signs one.
      const groups = Math.floor((n - c) / (t - c))
      expect(groups >= 2, `n = ${n}, ${c} colluders`).toBe(c > mostColluders(n))
    }
  }
})

test('n = 5..200: a graph of the default bounds holds what it promises, or is every pair', () => {
  let graphs = 0
  for (let n = 5; n <= 200; n++) {
    const { degree: k, shares: t, roster } = graphSize(n, usual)
    if (k === null) continue
    graphs++
    const [bad, gone] = [Math.ceil(0.05 * n), Math.ceil(0.1 * n)]
    expect(roster).toBe(Math.max(quorum(n), n - gone))
    const tail = (marked: number, of: number, from: number): number => {
      let sum = 0
      for (let x = from; x <= Math.min(k, marked); x++)
        sum += (choose(marked, x) * choose(of - marked, k - x)) / choose(of, k)
      return sum
    }
    const cutOff = [1, 2, 3].reduce((sum, s) => sum + choose(n, s) * tail(bad + s - 1, roster - 1, t) ** s, 0)
    expect(cutOff, `n = ${n}`).toBeLessThanOrEqual(2 ** -40)
    expect(n * tail(gone, n - 1, k - t + 1), `n = ${n}`).toBeLessThanOrEqual(2 ** -10)
  }
  expect(graphs).toBeGreaterThan(150)
})

test('more is needed where more is feared, and everybody where nothing smaller will do', () => {
  const k = (n: number, change: Partial<GraphBounds> = {}) => graphSize(n, { ...usual, ...change }).degree ?? n - 1
  expect(k(200)).toBeLessThan(k(200, { corrupt: 0.15 }))
  expect(k(200)).toBeLessThan(k(200, { dropouts: 0.3 }))
  expect(k(1000)).toBeLessThan(100)
  for (const n of [3, 5]) expect(graphSize(n, usual)).toEqual({ degree: null, shares: quorum(n), roster: quorum(n) })
  expect(() => checkBounds({ corrupt: 0.5, dropouts: 0.5 })).toThrow(/less than 1/)
})

test('where everybody may vanish no smaller number will do', () => {
  const all = { ...usual, corrupt: 0, dropouts: 0.96 } // 19.2 of 20
  expect(graphSize(20, all)).toEqual({ degree: null, shares: quorum(20), roster: quorum(20) })
})
