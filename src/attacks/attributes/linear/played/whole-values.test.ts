import { describe, expect, test } from 'vitest'
import { matrix } from '../../../../numeric/linalg/matrix.js'
import { rng } from '../../../../numeric/random/rng.js'
import { fewEnough, likelihoods, wholeValues } from './whole-values.js'

/** Sums over records that are known to six digits, some of whole numbers; values are rare or not. */
function sums({ n, values, seed, rare = 0.3 }: { n: number; values: number; seed: number; rare?: number }) {
  const r = rng(seed).fork('sums')
  const N = n * (values - 1)
  const truth = Int32Array.from({ length: n }, () => (r.uniform() < rare ? 1 + r.integer(values - 1) : 0))
  // For each value: how many have it, two counts, and a real number of each record.
  const rows = 4 * (values - 1)
  const A = matrix(rows, N)
  for (let c = 0; c < N; c++) {
    const from = 4 * Math.floor(c / n)
    const own = [1, r.integer(2), r.integer(20) / 5, r.normal()]
    for (const [e, x] of own.entries()) A.data[(from + e) * N + c] = 1e6 * x
  }
  const y = Float64Array.from({ length: rows }, (_, e) => {
    let sum = r.normal() / 4
    for (const [i, v] of truth.entries()) if (v > 0) sum += A.data[e * N + (v - 1) * n + i]!
    return sum
  })
  return { A, y, n, truth }
}

test.each([1, 2, 3, 4])('who of thirty has a value, from four sums (%i)', (seed) => {
  const { truth, ...given } = sums({ n: 30, values: 2, seed })
  const found = wholeValues(given)
  expect(found.points[0]!.guesses).toEqual(truth)
  expect(found.complete).toBe(true)
  expect(Math.min(...likelihoods(found))).toBeGreaterThan(0.99)
})

test.each([5, 6])('which of three values twenty records have (%i)', (seed) => {
  const { truth, ...given } = sums({ n: 20, values: 3, seed })
  expect(wholeValues(given).points[0]!.guesses).toEqual(truth)
})

test('records that are alike are told apart by nobody: both points are found, and each is as likely', () => {
  const { A, y, n } = sums({ n: 12, values: 2, seed: 7 })
  // The second record becomes the first one again; one of the two has the value.
  const [one, other] = [0, 1]
  const twins = matrix(A.rows, A.cols, A.data.slice())
  for (let e = 0; e < A.rows; e++) twins.data[e * n + other] = A.data[e * n + one]!
  const truth = Int32Array.from({ length: n }, (_, i) => Number(i === one || i === 5))
  for (let e = 0; e < A.rows; e++) y[e] = twins.data[e * n + one]! + twins.data[e * n + 5]!
  const found = wholeValues({ A: twins, y, n })
  expect(found.points.length).toBe(2)
  expect(found.points.map(({ guesses }) => guesses[one]! + guesses[other]!)).toEqual([1, 1])
  const beside = likelihoods(found)
  expect(beside[one]).toBeCloseTo(0.5, 6)
  expect(beside[other]).toBeCloseTo(0.5, 6)
  expect(beside[5]).toBe(1)
  expect(found.points.some(({ guesses }) => guesses.join() === truth.join())).toBe(true)
})

test('sums of real numbers alone, known to so many digits that the right point lies millions of vectors away', () => {
  const r = rng('real sums')
  const [n, rows] = [60, 9]
  const A = matrix(rows, n)
  for (let at = 0; at < A.data.length; at++) A.data[at] = (at < n ? 1 : 3 * r.normal()) * 6e7
  const truth = Int32Array.from({ length: n }, () => Number(r.uniform() < 0.3))
  const y = Float64Array.from({ length: rows }, (_, e) => {
    let sum = 0
    for (const [i, v] of truth.entries()) sum += v * A.data[e * n + i]!
    return sum
  })
  const { points, complete } = wholeValues({ A, y, n })
  expect(complete).toBe(true)
  expect(points.map(({ guesses }) => guesses)).toEqual([truth])
  // Every place costs the same on the mean, and the equations nothing.
  expect(points[0]!.cost).toBeCloseTo(n, 6)
})

describe('where nothing can be found', () => {
  test('sums of no whole values have no point', () => {
    const { A, y, n } = sums({ n: 15, values: 2, seed: 8 })
    const off = y.map((x, e) => x + (e === 3 ? 3e5 : 0))
    expect(wholeValues({ A, y: off, n })).toEqual({ points: [], complete: true })
  })
  test('too few digits for so many records: nothing is sought for long', () => {
    const { A, y, n } = sums({ n: 120, values: 2, seed: 9, rare: 0.5 })
    expect(wholeValues({ A, y, n })).toEqual({ points: [], complete: false })
  })
})

test('nobody has the value, or everybody: the ends of what is common', () => {
  for (const all of [0, 1]) {
    const { A, n } = sums({ n: 10, values: 2, seed: 10 })
    const y = Float64Array.from({ length: A.rows }, (_, e) => {
      let sum = 0
      for (let c = 0; c < n; c++) sum += all * A.data[e * n + c]!
      return sum
    })
    expect(wholeValues({ A, y, n }).points[0]!.guesses).toEqual(new Int32Array(n).fill(all))
  }
})

test('of two points the one that costs more counts for less', () => {
  const points = [
    { guesses: Int32Array.of(0, 1), cost: 30 },
    { guesses: Int32Array.of(1, 1), cost: 30 + 2 * Math.LN2 },
  ]
  const [first, second] = likelihoods({ points })
  expect(first).toBeCloseTo(2 / 3, 12)
  expect(second).toBe(1)
})

test('no unknown, and more than a basis is worth', () => {
  expect([fewEnough(0), fewEnough(1), fewEnough(128), fewEnough(129)]).toEqual([false, true, true, false])
})
