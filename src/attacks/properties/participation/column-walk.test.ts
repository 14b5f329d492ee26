import { expect, test } from 'vitest'
import { matrix, multiply, transpose } from '../../../numeric/linalg/matrix.js'
import { qr } from '../../../numeric/linalg/qr.js'
import { type Rng, rng } from '../../../numeric/random/rng.js'
import { type ColumnProblem, nearestColumns } from './column-search.js'

const numbers = (n: number) => Array.from({ length: n }, (_, r) => r)

/** Outside of a random space of N directions, windows of 12 rounds at most, a third of each ones. */
function problemOf(seed: number, n: number, N: number): ColumnProblem {
  const { Q } = qr(matrix(n, N, rng(seed).normals(n * N)))
  const inside = multiply(Q, transpose(Q))
  const windows = numbers(Math.ceil(n / 12)).map((w) => numbers(n).slice(12 * w, 12 * w + 12))
  return {
    outside: inside.data.map((x, at) => (at % (n + 1) === 0 ? 1 : 0) - x),
    rounds: n,
    windows,
    counts: windows.map((places) => Math.ceil(places.length / 3)),
  }
}

const beyond = ({ outside, rounds: n }: ColumnProblem, ones: readonly number[]) =>
  numbers(n).map((r) => ones.reduce((sum, one, s) => sum + one * outside[r * n + s]!, 0))
const costOf = (problem: ColumnProblem, ones: readonly number[]) =>
  beyond(problem, ones).reduce((sum, x, r) => sum + x * ones[r]!, 0)

/** Ones where the values of a window are greatest. */
function cut({ windows, counts, rounds }: ColumnProblem, values: ArrayLike<number>): number[] {
  const chosen = new Set(
    windows.flatMap((places, w) => [...places].sort((r, s) => values[s]! - values[r]! || r - s).slice(0, counts[w])),
  )
  return numbers(rounds).map((r) => (chosen.has(r) ? 1 : 0))
}

/** The best column of one beginning, every cost formed anew. */
function walked(problem: ColumnProblem, steps: number, draws: Rng): { ones: number[]; cost: number } {
  const { rounds: n, windows } = problem
  let ones = cut(problem, draws.normals(n))
  for (let k = 0; k < 40; k++) {
    const off = beyond(problem, ones)
    const next = cut(
      problem,
      ones.map((one, r) => one - off[r]!),
    )
    if (next.join() === ones.join()) break
    ones = next
  }
  let best = { ones, cost: costOf(problem, ones) }
  const rests = new Array<number>(n).fill(0)
  for (let step = 0; step < steps && best.cost > 1e-9 * n; step++) {
    let taken = { ones, cost: Number.POSITIVE_INFINITY, out: -1, into: -1 }
    for (const places of windows) {
      for (const out of places.filter((r) => ones[r] === 1)) {
        for (const into of places.filter((r) => ones[r] === 0)) {
          const other = ones.map((one, r) => (r === out ? 0 : r === into ? 1 : one))
          const cost = costOf(problem, other)
          const resting = rests[out]! > step || rests[into]! > step
          if (cost < taken.cost && !(resting && cost >= best.cost - 1e-12)) taken = { ones: other, cost, out, into }
        }
      }
    }
    if (taken.out < 0) break
    const longest = Math.min(5, Math.ceil(n / 12))
    for (const place of [taken.out, taken.into]) rests[place] = step + 2 + draws.integer(longest)
    ones = taken.ones
    if (taken.cost < best.cost - 1e-12) best = { ones, cost: taken.cost }
  }
  return best
}

test.each([
  [9, 3, 40],
  [13, 5, 40],
  [24, 8, 25],
  [30, 12, 25],
  [73, 30, 9],
])('%d rounds, %d directions: a walk of up to %d swaps is that in which every cost is formed anew', (n, N, steps) => {
  const better = new Set<number>()
  for (let seed = 0; seed < 4; seed++) {
    const problem = problemOf(seed, n, N)
    for (const some of [0, 1, 3, steps]) {
      const asked = walked(problem, some, rng(seed).fork('start', 0))
      const [found] = nearestColumns(problem, { starts: 1, steps: some, keep: 1, rng: rng(seed) })
      expect([...found!.ones], `seed ${seed}, ${some} swaps`).toEqual(asked.ones)
      expect(found!.cost).toBeCloseTo(asked.cost, 10)
      better.add(asked.cost)
    }
  }
  expect(better.size).toBeGreaterThan(4)
})

test('a walk ends where no two rounds may change places', () => {
  const problem = problemOf(1, 6, 2)
  const full = { ...problem, windows: [numbers(6)], counts: [6] }
  const [found] = nearestColumns(full, { starts: 1, steps: 5, keep: 1, rng: rng(1) })
  expect([...found!.ones]).toEqual([1, 1, 1, 1, 1, 1])
  expect(found!.cost).toBeCloseTo(costOf(full, [1, 1, 1, 1, 1, 1]), 12)
})
