import { describe, expect, test } from 'vitest'
import { tabledProblem } from '../../../../test/tabled-problem.js'
import { rng } from '../../../numeric/random/rng.js'
import { plainMetric } from './residual-metric.js'
import { assemble, linearPart, ratesOf } from './weighted-squares.js'

const drawn = (rows: number, P: number, seed: number): number[][] =>
  Array.from({ length: rows }, (_, i) => [...rng(seed).fork(i).normals(P)])

const [n, P] = [3, 7]
const rounds = [1, 2, 0.5].map((by, t) => ({ by, mean: [...rng(20 + t).normals(P)] }))
const given = { table: [1, 2, 3].map((seed) => drawn(n, P, seed)), rounds }
const length = Math.sqrt(P)
const metric = { directions: [new Float64Array(P).fill(1 / length)], damping: [0.75] }
const pass = {
  ...{ rounds: [2, 0], weights: [1, 100, 0.5], metric },
  offsets: rounds.map((_, t) => rng(30 + t).normals(P)),
}

test('b by itself is that of the whole quadratic', () => {
  const problem = tabledProblem(given)
  const { factors, gram } = problem
  const { b } = assemble(problem, pass, { factors, gram })
  const alone = linearPart(problem, pass, factors)
  expect(alone).toHaveLength(2 * n)
  for (const [c, x] of b.entries()) expect(alone[c]).toBeCloseTo(x, 12)
})

test('each round that is used is told of', () => {
  const problem = tabledProblem(given)
  let told = 0
  assemble(problem, pass, { ...problem, tick: () => told++ })
  expect(told).toBe(2)
})

describe('sums are single', () => {
  /** Entries of Q for two records of which the first has a column of length 1 in the round in the middle. */
  const entries = (weights: number[], single?: boolean) => {
    const table = [[[0, 0], [0, 0]], [[1, 0], [1 / 3, 0.5]]] // biome-ignore format: a line
    const scaled = weights.map((_, t) => ({ by: t === weights.length >> 1 ? 1 : 2, mean: [0, 0] }))
    const problem = tabledProblem({ table, rounds: scaled })
    const places = weights.map((_, t) => t)
    const some = { rounds: places, weights, metric: plainMetric, offsets: places.map(() => new Float64Array(2)) }
    return [...assemble(problem, some, { ...problem, single }).Q]
  }
  const double = (...weights: number[]) => entries(weights)

  test('only if they may be, and where no entry comes to three million', () => {
    for (const w of [2_999_999, 2_999_999.5]) {
      expect(entries([w], true)).not.toEqual(double(w))
      for (const [at, q] of double(w).entries()) expect(entries([w], true)[at]! / q).toBeCloseTo(1, 6)
      expect(entries([w], false)).toEqual(double(w))
    }
    for (const w of [3_000_000, 3_000_000.5, 4e6]) expect(entries([w], true)).toEqual(double(w))
  })

  test('by the round in the middle, as if all of them were like it', () => {
    const few = [1e6, 5e5, 5e5, 5e5, 4e5]
    expect(entries(few, true)).not.toEqual(double(...few))
    const more = [1e6, 5e5, 5e5, 5e5, 6e5]
    expect(entries(more, true)).toEqual(double(...more))
  })
})

test('a rate is the one that makes messages fit the sums best: known, one for all, or each by itself', () => {
  const sums = rounds.map((_, t) => rng(40 + t).normals(P))
  const inner = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
    let [plain, x, y] = [0, 0, 0]
    for (let j = 0; j < P; j++) {
      plain += a[j]! * b[j]!
      x += a[j]! / length
      y += b[j]! / length
    }
    return plain - 0.75 * x * y
  }
  const fit = rounds.map(({ mean }, t) => inner(mean, sums[t]!.map((x, j) => x + pass.offsets[t]![j]!))) // biome-ignore format: a line
  const square = rounds.map(({ mean }) => inner(mean, mean))
  const total = (of: number[]): number => of.reduce((sum, x, t) => sum + pass.weights[t]! * x, 0)
  const rates = (rate: 'known' | 'one' | 'each') => ratesOf(tabledProblem({ ...given, rate, samples: 5 }), sums, pass)
  expect(rates('known')).toEqual([1, 1, 1])
  for (const t of [0, 1, 2]) {
    expect(rates('each')[t]).toBeCloseTo(fit[t]! / square[t]! / 5, 12)
    expect(rates('one')[t]).toBeCloseTo(total(fit) / total(square) / 5, 12)
  }
})
