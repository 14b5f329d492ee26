import { describe, expect, test } from 'vitest'
import { leadingEigen } from '../../../numeric/linalg/eigen.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { type Rng, rng } from '../../../numeric/random/rng.js'
import { type ColumnProblem, costAtRandom, nearestColumns } from './column-search.js'

/** All columns of these counts, with what each costs: the reference. */
function everyColumn({ outside, rounds: n, windows, counts }: ColumnProblem): { ones: number[]; cost: number }[] {
  const costOf = (ones: readonly number[]): number => {
    let sum = 0
    for (let r = 0; r < n; r++) for (let s = 0; s < n; s++) sum += ones[r]! * outside[r * n + s]! * ones[s]!
    return sum
  }
  let all: number[][] = [new Array<number>(n).fill(0)]
  for (const [w, places] of windows.entries()) {
    const chosen = subsets(places, counts[w]!)
    all = all.flatMap((ones) => chosen.map((set) => ones.map((x, r) => (set.includes(r) ? 1 : x))))
  }
  return all.map((ones) => ({ ones, cost: costOf(ones) })).sort((a, b) => a.cost - b.cost)
}

function subsets(of: readonly number[], count: number): number[][] {
  if (count === 0) return [[]]
  return of.flatMap((first, k) => subsets(of.slice(k + 1), count - 1).map((rest) => [first, ...rest]))
}

/** The space of sums of clients whose updates are drawn once, with some noise in each sum. */
function problemOf(draws: Rng, { n, N, noise }: { n: number; N: number; noise: number }) {
  const took = Array.from({ length: n }, (_, r) => {
    return Array.from({ length: N }, (_, i) => (draws.fork('took', r, i).uniform() < 0.45 ? 1 : 0))
  })
  const updates = Array.from({ length: N }, (_, i) => draws.fork('update', i).normals(20))
  const sums = took.map((row, r) => {
    const off = draws.fork('noise', r).normals(20, { std: noise })
    return off.map((x, j) => row.reduce((sum, one, i) => sum + one * updates[i]![j]!, x))
  })
  const products = matrix(n, n)
  for (let r = 0; r < n; r++) {
    for (let s = 0; s < n; s++) products.data[r * n + s] = sums[r]!.reduce((sum, x, j) => sum + x * sums[s]![j]!, 0)
  }
  const { rows } = leadingEigen(products, N)
  const outside = new Float64Array(n * n)
  for (let r = 0; r < n; r++) {
    for (let s = 0; s < n; s++) {
      outside[r * n + s] = Number(r === s)
      for (let k = 0; k < N; k++) outside[r * n + s]! -= rows.data[k * n + r]! * rows.data[k * n + s]!
    }
  }
  return { took, outside }
}

const windows = [
  [0, 1, 2, 3, 4, 5],
  [6, 7, 8, 9, 10, 11],
]
const n = 12

describe('the nearest column of given counts', () => {
  test.each([0, 0.2, 1])('is the best of all there are, with noise of %d', (noise) => {
    for (let seed = 0; seed < 6; seed++) {
      const draws = rng(seed).fork('world')
      const { took, outside } = problemOf(draws, { n, N: 4, noise })
      for (let i = 0; i < 4; i++) {
        const counts = windows.map((places) => places.filter((r) => took[r]![i] === 1).length)
        const problem = { outside, rounds: n, windows, counts }
        const all = everyColumn(problem)
        const [found] = nearestColumns(problem, { starts: 12, steps: 60, keep: 1, rng: draws.fork('search', i) })
        expect(found!.cost).toBeCloseTo(all[0]!.cost, 10)
        if (all[1]!.cost > all[0]!.cost + 1e-9) expect([...found!.ones]).toEqual(all[0]!.ones)
        if (noise === 0) expect(found!.cost).toBeLessThan(1e-9)
        const mean = all.reduce((sum, { cost }) => sum + cost / all.length, 0)
        expect(costAtRandom(problem)).toBeCloseTo(mean, 10)
      }
    }
  })

  test('comes with the next best ones, each once', () => {
    const { took, outside } = problemOf(rng(3), { n, N: 4, noise: 0.5 })
    const counts = windows.map((places) => places.filter((r) => took[r]![0] === 1).length)
    const problem = { outside, rounds: n, windows, counts }
    const found = nearestColumns(problem, { starts: 40, steps: 1, keep: 3, rng: rng(1) })
    const all = everyColumn(problem)
    expect(new Set(found.map(({ ones }) => ones.join())).size).toBe(found.length)
    expect(found[0]!.cost).toBeCloseTo(all[0]!.cost, 10)
    for (const [k, { cost }] of found.entries()) if (k > 0) expect(cost).toBeGreaterThanOrEqual(found[k - 1]!.cost)
  })

  test('has its counts, where a window is full or empty too', () => {
    const { outside } = problemOf(rng(4), { n, N: 4, noise: 0 })
    const [found] = nearestColumns(
      { outside, rounds: n, windows, counts: [6, 0] },
      { starts: 3, steps: 20, keep: 1, rng: rng(1) },
    )
    expect([...found!.ones]).toEqual([1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
  })
})

describe('a search ends', () => {
  /** How many beginnings it takes; n rounds of which `ones` are ones, every column at the same cost a one. */
  function beginnings(
    costOfOne: number,
    { places, ones, starts, keep }: Record<'places' | 'ones' | 'starts' | 'keep', number>,
  ) {
    const outside = new Float64Array(places * places)
    for (let r = 0; r < places; r++) outside[r * places + r] = costOfOne
    const windows = [Array.from({ length: places }, (_, r) => r)]
    let ticks = 0
    const tick = () => {
      ticks++
    }
    const found = nearestColumns(
      { outside, rounds: places, windows, counts: [ones] },
      { starts, steps: 0, keep, rng: rng(1), tick },
    )
    return [ticks, found.length]
  }

  test('after eight beginnings, when the best was found often', () => {
    expect(beginnings(1, { places: 3, ones: 3, starts: 20, keep: 1 })).toEqual([8, 1])
    expect(beginnings(1, { places: 3, ones: 3, starts: 6, keep: 1 })).toEqual([6, 1])
    expect(beginnings(1, { places: 3, ones: 3, starts: 9, keep: 2 })).toEqual([9, 1])
    expect(beginnings(1, { places: 3, ones: 3, starts: 0, keep: 2 })).toEqual([0, 0])
  })

  test('or when it costs nothing, and not because it costs little', () => {
    expect(beginnings(0, { places: 20, ones: 10, starts: 20, keep: 1 })).toEqual([8, 1])
    expect(beginnings(0, { places: 20, ones: 10, starts: 20, keep: 3 })).toEqual([8, 3])
    expect(beginnings(0.1, { places: 20, ones: 10, starts: 20, keep: 1 })).toEqual([20, 1])
  })
})

test('what random columns cost, with windows of one and two rounds', () => {
  const { outside } = problemOf(rng(5), { n: 5, N: 2, noise: 1 })
  const windows = [[0], [1, 2], [3], [4]]
  for (const counts of [
    [1, 2, 0, 1],
    [0, 1, 1, 1],
    [1, 0, 1, 0],
  ]) {
    const problem = { outside, rounds: 5, windows, counts }
    const all = everyColumn(problem)
    expect(costAtRandom(problem)).toBeCloseTo(
      all.reduce((sum, { cost }) => sum + cost / all.length, 0),
      10,
    )
  }
})
