import { expect, test } from 'vitest'
import { rng } from '../../../numeric/random/rng.js'
import { medianOf } from '../../../numeric/special/summaries.js'
import { type SpaceOfSums, spacesOfSums } from './space-of-sums.js'

/** Sums of the rounds 5, 6, ..., and how often one was read. */
function heard(sums: readonly (readonly number[])[]) {
  const rounds = sums.map((_, r) => 5 + r)
  let reads = 0
  const read = async (round: number) => {
    reads++
    return { round, dThetaSum: Float64Array.from(sums[round - 5]!), derived: false }
  }
  return { rounds, aggregates: { rounds, read }, reads: () => reads }
}

const spaces = async (sums: readonly (readonly number[])[], clients: number) => {
  const { aggregates, rounds } = heard(sums)
  return spacesOfSums(aggregates, rounds, clients)
}

const diagonal = (lengths: readonly number[]) => lengths.map((x, r) => lengths.map((_, j) => (j === r ? x : 0)))

/** Of rounds with nothing in common: those whose squares are largest lie inside. */
function expectLargest({ outside, rank, left }: SpaceOfSums, squares: readonly number[], clients: number) {
  const n = squares.length
  const order = squares.map((_, r) => r).sort((r, s) => squares[s]! - squares[r]!)
  const inside = order.slice(0, clients)
  expect(rank).toBe(inside.length)
  for (let at = 0; at < n * n; at++) {
    const [r, s] = [Math.floor(at / n), at % n]
    expect(outside[at]).toBeCloseTo(r === s && !inside.includes(r) ? 1 : 0, 12)
  }
  const total = (rows: readonly number[]) => rows.reduce((sum, r) => sum + squares[r]!, 0)
  expect(left).toBeCloseTo(1 - total(inside) / total(order), 12)
}

test('columns of who took part lie in the space, whatever clients return', async () => {
  const [n, N, z] = [7, 3, 11]
  const took = Array.from({ length: n }, (_, r) => [1, r % 2, r % 3].map((x) => x + 1))
  const own = Array.from({ length: N }, (_, i) => rng(1).fork(i).normals(z))
  const sums = took.map((row) =>
    Array.from({ length: z }, (_, j) => row.reduce((sum, x, i) => sum + x * own[i]![j]!, 0)),
  )
  const [asHeard, levelled] = await spaces(sums, N)
  expect([asHeard!.levelled, levelled!.levelled, asHeard!.rank, levelled!.rank]).toEqual([false, true, N, N])
  expect(asHeard!.left).toBeCloseTo(0, 12)
  for (let i = 0; i < N; i++) {
    for (let r = 0; r < n; r++) {
      const off = took.reduce((sum, row, s) => sum + asHeard!.outside[r * n + s]! * row[i]!, 0)
      expect(off).toBeCloseTo(0, 11)
    }
  }
  const trace = took.reduce((sum, _, r) => sum + asHeard!.outside[r * n + r]!, 0)
  expect(trace).toBeCloseTo(n - N, 11)
})

test.each([1, 2, 4, 5, 9])('of five directions the %d longest, and the share of what is left', async (clients) => {
  const lengths = [3, 1, 5, 2, 4]
  const [asHeard, levelled] = await spaces(diagonal(lengths), clients)
  const squares = lengths.map((x) => x * x)
  expectLargest(asHeard!, squares, clients)
  expectLargest(levelled!, squares, clients) // five rounds have one usual length
})

test('levelled: in units of the median of ten rounds on either side', async () => {
  const lengths = Array.from({ length: 33 }, (_, r) => 50 * 0.8 ** r * (1 + ((7 * r) % 11) / 7))
  const [asHeard, levelled] = await spaces(diagonal(lengths), 6)
  expectLargest(
    asHeard!,
    lengths.map((x) => x * x),
    6,
  )
  const usual = lengths.map((_, r) => medianOf(lengths.filter((_, s) => Math.abs(r - s) <= 10)))
  expectLargest(
    levelled!,
    lengths.map((x, r) => (x / usual[r]!) ** 2),
    6,
  )
})

test('directions that are rounding are none', async () => {
  const near = (off: number) => [
    [1, 0, 0],
    [1, off, 0],
    [0, 0, 1],
  ]
  expect((await spaces(near(1e-3), 3))[0]!.rank).toBe(3)
  expect((await spaces(diagonal([1000, 0.1, 1e-4]), 3))[0]!.rank).toBe(2)
  expect((await spaces(diagonal([1e-3, 1e-7, 1e-11]), 3))[0]!.rank).toBe(2)
  const [dropped] = await spaces(near(1e-8), 3)
  expect(dropped!.rank).toBe(2)
  // What the first two have in common lies inside, their difference outside.
  for (const [at, x] of [0.5, -0.5, 0, -0.5, 0.5, 0, 0, 0, 0].entries()) expect(dropped!.outside[at]).toBeCloseTo(x, 7)
})

test('a single sum', async () => {
  const [asHeard] = await spaces([[2, 1]], 1)
  expect([asHeard!.rank, asHeard!.left]).toEqual([1, 0])
  expect(asHeard!.outside[0]).toBeCloseTo(0, 12)
})

test('where usual sums are nothing they cannot be levelled, and of nothing nothing is left', async () => {
  const some = await spaces([[0], [3], [0]], 1)
  expect(some.map(({ levelled, rank }) => [levelled, rank])).toEqual([[false, 1]])
  const [none, ...more] = await spaces([[0], [0]], 2)
  expect([none!.rank, none!.left, more.length, ...none!.outside]).toEqual([0, 0, 0, 1, 0, 0, 1])
})

test('sums that fit into memory are read once, the first of them twice', async () => {
  const long = diagonal([1, 2, 3, 4]).map((row) => [...row, ...new Array(60).fill(0)])
  const { aggregates, rounds, reads } = heard(long)
  await spacesOfSums(aggregates, rounds, 2)
  expect(reads()).toBe(5)
})

test('of sums that take more than 256 MB together some are read again', async () => {
  // All of them are one, of 128 MB and a number more.
  const dThetaSum = new Float64Array(2 ** 24 + 1)
  dThetaSum[0] = 1
  const rounds = [5, 6]
  let reads = 0
  const read = async (round: number) => {
    reads++
    return { round, dThetaSum, derived: false }
  }
  const [asHeard] = await spacesOfSums({ rounds, read }, rounds, 1)
  expect([asHeard!.rank, reads]).toEqual([1, 4])
})
