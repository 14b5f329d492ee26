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

test('the tails hold what they promise, counted one by one', () => {
  const n = 40
  const bounds = { ...usual, corrupt: 0.1, secureBits: 12 }
  const { degree, shares } = graphSize(n, bounds)
  const choose = (a: number, b: number): number => (b < 0 || b > a ? 0 : b === 0 ? 1 : (choose(a - 1, b - 1) * a) / b)
  const tail = (marked: number, from: number): number => {
    let sum = 0
    for (let x = from; x <= degree!; x++)
      sum += (choose(marked, x) * choose(n - 1 - marked, degree! - x)) / choose(n - 1, degree!)
    return sum
  }
  // One more corrupt neighbour than leaves three honest ones among t.
  expect(n * tail(4, shares - 3 + 1)).toBeLessThanOrEqual(2 ** -12)
  expect(n * tail(4, degree! - shares + 1)).toBeLessThanOrEqual(2 ** -10)
})

test('more is needed where more is feared, and everybody where nothing smaller will do', () => {
  const k = (n: number, change: Partial<GraphBounds> = {}) => graphSize(n, { ...usual, ...change }).degree ?? n - 1
  expect(k(200)).toBeLessThan(k(200, { corrupt: 0.15 }))
  expect(k(200)).toBeLessThan(k(200, { dropouts: 0.3 }))
  expect(k(1000)).toBeLessThan(100)
  for (const n of [3, 5]) expect(graphSize(n, usual)).toEqual({ degree: null, shares: quorum(n) })
  expect(() => checkBounds({ corrupt: 0.5, dropouts: 0.5 })).toThrow(/less than 1/)
})
