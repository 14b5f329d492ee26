import { describe, expect, test } from 'vitest'
import { bareProblem, type Tabled, tabledProblem } from '../../../../test/tabled-problem.js'
import { rng } from '../../../numeric/random/rng.js'
import { descend } from './projected-gradient.js'
import { plainMetric } from './residual-metric.js'

const passOf = ({ table, rounds }: Tabled, weights = rounds.map(() => 1)) => ({
  rounds: rounds.map((_, t) => t),
  weights,
  metric: plainMetric,
  offsets: rounds.map(() => new Float64Array(table[0]![0]!.length)),
})

/** One record whose share is best at 0.8. */
const single: Tabled = { table: [[[0]], [[2]]], rounds: [{ mean: [1.6] }] }

describe.each([
  ['with factors', tabledProblem],
  ['without', bareProblem],
])('one share, %s', (_, make) => {
  const run = (options: object = {}) => descend(make(single), passOf(single, [3]), options)

  test('goes by steps of 1 / 1.05 with momentum, and without where that leads uphill', () => {
    const left = 1 - 1 / 1.05
    const t = (1 + Math.sqrt(5)) / 2
    const ahead = (t - 1) / ((1 + Math.sqrt(1 + 4 * t * t)) / 2)
    const errors = [0.5 - 0.8]
    // The first step after a start has no momentum yet, the second takes none along, the third overshoots.
    for (let k = 0; k < 2; k++) {
      const one = left * errors.at(-1)!
      const two = left * one
      errors.push(one, two, left * (two + ahead * (two - one)))
    }
    for (const [k, error] of errors.entries()) {
      const found = run({ maxIterations: k, tolerance: 0 })
      expect(found.p[0]).toBeCloseTo(0.8 + error, 13)
      expect(found.gradient[0]).toBeCloseTo(12 * error, 11)
      expect([found.iterations, found.settled]).toEqual([k, false])
    }
  })

  test('ends where a step is shorter than the tolerance', () => {
    const told: number[][] = []
    const found = run({ tick: (...by: number[]) => told.push(by) })
    expect([found.iterations, found.settled]).toEqual([5, true])
    expect(told).toEqual([0, 1, 2, 3, 4].map((k) => [k, 150]))
    expect(run({ tolerance: 2e-4 }).iterations).toBe(4)
    expect(run({ tolerance: 2e-4, maxIterations: 3 })).toMatchObject({ iterations: 3, settled: false })
  })

  test('starts where it is told to, and leaves that alone', () => {
    const start = Float64Array.of(0.25)
    expect(run({ start, maxIterations: 1 }).p[0]).toBeCloseTo(0.8 - 0.55 * (1 - 1 / 1.05), 14)
    expect(start[0]).toBe(0.25)
    const far = { ...single, rounds: [{ mean: [4] }] }
    const corner = descend(make(far), passOf(far), { start: Float64Array.of(1), tolerance: 0 })
    expect(corner).toMatchObject({ p: Float64Array.of(1), iterations: 1, settled: true })
  })
})

test('the length of a step is what twelve powers say of the largest eigenvalue', () => {
  // One record of many values, whose scale is that of the largest.
  const lengths = Array.from({ length: 9 }, (_, v) => 2 + v / 4)
  const along = (v: number, x: number): number[] => lengths.map((_, j) => (v === j ? x : 0))
  const nothing = lengths.map(() => 0)
  const given = { table: [[nothing], ...lengths.map((x, v) => [along(v, x)])], rounds: [{ mean: nothing }] }
  const values = lengths.map((x) => (x * x) / 16)
  const grown = (power: number): number =>
    values.reduce((sum, x, i) => {
      let by = 1 + (i % 7) / 7
      for (let k = 0; k < power; k++) by *= x
      return sum + by * by
    }, 0)
  const largest = Math.sqrt(grown(12) / grown(11))
  expect(largest).toBeLessThan(0.999)
  const { p } = descend(tabledProblem(given), passOf(given, [0.01]), { maxIterations: 1 })
  for (const [v, x] of values.entries()) expect(p[v]).toBeCloseTo(0.1 - (0.1 * x) / (1.05 * largest), 12)
})

test('begins with shares that are all alike', () => {
  const table = [0, 1, 2, 3].map((v) => [[v]])
  const given = { table, rounds: [{ mean: [9] }] }
  expect([...descend(tabledProblem(given), passOf(given), { maxIterations: 0 }).p]).toEqual([0.25, 0.25, 0.25])
})

describe('a step ends at the nearest shares', () => {
  const third = 0.4 / 3
  test.each([
    [
      [0.3, 0.4, 0.1],
      [0.3, 0.4, 0.1],
    ],
    [
      [-0.2, 0.5, 0],
      [0, 0.5, 0],
    ],
    [
      [0.25, 0.5, 0.25],
      [0.25, 0.5, 0.25],
    ],
    [
      [0.9, 0.5, -1],
      [0.7, 0.3, 0],
    ],
    [
      [-0.5, 0.5, 0.9],
      [0, 0.3, 0.7],
    ],
    [
      [1.5, 0.1, 0.1],
      [1, 0, 0],
    ],
    [
      [0.1, -3, 1.25],
      [0, 0, 1],
    ],
    [
      [0.9, 0.4, 0.1],
      [0.75, 0.25, 0],
    ],
    [
      [0.3, 0.5, 0.6],
      [0.3 - third, 0.5 - third, 0.6 - third],
    ],
  ])('of %j', (wanted, nearest) => {
    // Two records whose columns are orthonormal; the other stays where it is.
    const [n, m] = [2, 3]
    const start = Float64Array.of(0.25, 0.25, 0.125, 0.25, 0.5, 0.25)
    const at = Float64Array.from(start, (x, c) => (c % n === 1 ? x : wanted[c / n]!))
    const table = Array.from({ length: m + 1 }, (_, v) =>
      [0, 1].map((i) => Array.from(start, (_, c) => Number(v > 0 && c === (v - 1) * n + i))),
    )
    const given = { table, rounds: [{ mean: Array.from(start, (x, c) => (x + 1.05 * (at[c]! - x)) / n) }] }
    const { p } = descend(tabledProblem(given), passOf(given), { start, maxIterations: 1 })
    for (const [v, x] of nearest.entries()) {
      expect(p[v * n]).toBeCloseTo(x, 12)
      expect(p[v * n + 1]).toBeCloseTo(start[v * n + 1]!, 12)
    }
  })
})

describe('the scale of a step', () => {
  test('is one for all values of a record, that of the largest', () => {
    const given = { table: [[[0, 0]], [[2, 0]], [[0, 1]]], rounds: [{ mean: [1, 1] }] }
    const { p, diagonal } = descend(tabledProblem(given), passOf(given), { maxIterations: 1, start: Float64Array.of(0.125, 0.25) }) // biome-ignore format: a line
    expect([...diagonal]).toEqual([4, 1])
    expect(p[0]).toBeCloseTo(0.125 + (2 - 0.5) / (4 * 1.05), 12)
    expect(p[1]).toBeCloseTo(0.25 + (1 - 0.25) / (4 * 1.05), 12)
  })

  test.each([0.5, 4])('is a millionth of the largest at least, whose column is %d', (d) => {
    const given = {
      table: [
        [[0], [0]],
        [[d], [0]],
      ],
      rounds: [{ mean: [0] }],
    }
    const linear = Float64Array.of(0, 1e-7 * d * d)
    const { p, diagonal } = descend(tabledProblem(given), passOf(given), { linear, maxIterations: 1 })
    expect([...diagonal]).toEqual([d * d, 0])
    expect(p[1]).toBeCloseTo(0.5 + 0.1 / 1.05, 10)
  })

  test('does not matter where messages say nothing', () => {
    const given = {
      table: [
        [[1], [2]],
        [[1], [2]],
      ],
      rounds: [{ mean: [5] }],
    }
    expect(descend(tabledProblem(given), passOf(given))).toEqual({
      ...{ p: Float64Array.of(0.5, 0.5), gradient: new Float64Array(2), diagonal: new Float64Array(2) },
      ...{ iterations: 1, settled: true },
    })
    const linear = Float64Array.of(0.25, -0.5)
    const { p } = descend(bareProblem(given), passOf(given), { linear, maxIterations: 1 })
    expect(p[0]).toBeCloseTo(0.5 + 0.25 / 1.05, 14)
    expect(p[1]).toBeCloseTo(0.5 - 0.5 / 1.05, 14)
  })

  test.each([
    [3, [0, 1, 2]],
    [4, [0, 1, 2, 3]],
    [5, [0, 2, 4]],
    [9, [0, 3, 6]],
  ])('comes from up to four of %d rounds, for all of them', (count, some) => {
    const rounds = Array.from({ length: count + 1 }, (_, t) => ({ by: 1 + t, mean: [0] }))
    const given = {
      table: [
        [[0], [1]],
        [[3], [2]],
      ],
      rounds,
    }
    const weights = rounds.map((_, t) => 1 + (t % 3))
    const used = rounds.map((_, t) => count - t).slice(0, count) // all but the first, from the last one on
    const pass = { ...passOf(given, weights), rounds: used }
    const precision = Float64Array.of(0.5, 7)
    const total = (places: number[], of: (t: number) => number): number => places.reduce((sum, t) => sum + of(t), 0)
    const chosen = some.map((k) => used[k]!)
    const share = total(used, (t) => weights[t]!) / total(chosen, (t) => weights[t]!)
    const each = share * total(chosen, (t) => weights[t]! * (1 + t) * (1 + t))
    const { diagonal } = descend(tabledProblem(given), pass, { maxIterations: 0, precision })
    for (const [i, square] of [9, 1].entries()) expect(diagonal[i]! / (square * each + precision[i]!)).toBeCloseTo(1, 12) // biome-ignore format: a line
    expect([...descend(bareProblem(given), pass, { maxIterations: 0, precision }).diagonal]).toEqual([1.5, 8])
  })
})

test.each(['known', 'one', 'each'] as const)('the gradient is the slope of the sum of squares (%s)', (rate) => {
  const [n, P, samples] = [2, 5, 3]
  const drawn = (seed: number) => Array.from({ length: n }, (_, i) => [...rng(seed).fork(i).normals(P)])
  const rounds = [1, 2, 0.5].map((by, t) => ({ by, mean: [...rng(20 + t).normals(P)] }))
  const given = { table: [1, 2, 3].map(drawn), rounds, rate, samples }
  const length = Math.sqrt(P)
  const metric = { directions: [new Float64Array(P).fill(1 / length)], damping: [0.75] }
  const pass = { rounds: [2, 0], weights: [1, 100, 0.5], metric, offsets: rounds.map((_, t) => rng(30 + t).normals(P)) }
  const [precision, linear] = [rng(5).uniforms(4), rng(6).normals(4)]
  const start = Float64Array.of(0.25, 0.5, 0.125, 0.25)
  const inner = (a: readonly number[], b: readonly number[]): number => {
    const along = (x: readonly number[]): number => x.reduce((sum, v) => sum + v / length, 0)
    return a.reduce((sum, x, j) => sum + x * b[j]!, 0) - 0.75 * along(a) * along(b)
  }
  const cost = (p: Float64Array): number => {
    const parts = pass.rounds.map((t) => {
      const { by, mean } = rounds[t]!
      const tau = mean.map((x) => samples * x)
      const rest = Array.from(pass.offsets[t]!, (offset, j) => {
        let sum = offset
        for (let i = 0; i < n; i++) {
          const shares = [1 - p[i]! - p[n + i]!, p[i]!, p[n + i]!]
          for (const [v, share] of shares.entries()) sum += share * by * given.table[v]![i]![j]!
        }
        return sum
      })
      const w = pass.weights[t]!
      return { tt: w * inner(tau, tau), tr: w * inner(tau, rest), rr: w * inner(rest, rest) }
    })
    const all = (key: 'tt' | 'tr'): number => parts.reduce((sum, part) => sum + part[key], 0)
    const squares = parts.reduce((sum, { tt, tr, rr }) => {
      const rho = rate === 'known' ? 1 : rate === 'each' ? tr / tt : all('tr') / all('tt')
      return sum + (rho * rho * tt - 2 * rho * tr + rr) / 2
    }, 0)
    return p.reduce((sum, x, c) => sum + (precision[c]! * x * x) / 2 - linear[c]! * x, squares)
  }
  const { gradient, p } = descend(bareProblem(given), pass, { start, precision, linear, maxIterations: 0 })
  expect(p).toEqual(start)
  for (let c = 0; c < 4; c++) {
    const moved = (by: number): number => cost(start.map((x, at) => (at === c ? x + by : x)))
    expect(gradient[c]).toBeCloseTo((moved(1e-4) - moved(-1e-4)) / 2e-4, 6)
  }
})
