import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalMatrix } from '../../../test/matrices.js'
import { type Matrix, matrix, matrixOf } from '../linalg/matrix.js'
import { rng } from '../random/rng.js'
import { kMeans } from './k-means.js'

function distanceSq(points: Matrix, i: number, centres: Matrix, c: number): number {
  let sum = 0
  for (let j = 0; j < points.cols; j++)
    sum += (points.data[i * points.cols + j]! - centres.data[c * points.cols + j]!) ** 2
  return sum
}

test('at rest: each point is with its nearest centre, each centre is the mean of its points, none is empty', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 6 }), (seed, n, wanted) => {
      const k = Math.min(wanted, n)
      const points = normalMatrix({ seed, rows: n, cols: 2 })
      const { centres, labels, sizes, inertia, converged } = kMeans(points, { k, rng: rng(seed) })
      expect(converged).toBe(true)
      let total = 0
      for (let i = 0; i < n; i++) {
        const own = distanceSq(points, i, centres, labels[i]!)
        total += own
        for (let c = 0; c < k; c++) expect(own).toBeLessThanOrEqual(distanceSq(points, i, centres, c))
      }
      expect(inertia).toBeCloseTo(total, 12)
      for (let c = 0; c < k; c++) {
        const members = [...labels.keys()].filter((i) => labels[i] === c)
        expect(sizes[c]).toBe(members.length)
        expect(members.length).toBeGreaterThan(0)
        for (const j of [0, 1]) {
          const mean = members.reduce((sum, i) => sum + points.data[i * 2 + j]!, 0) / members.length
          expect(centres.data[c * 2 + j]).toBeCloseTo(mean, 12)
        }
      }
    }),
    { numRuns: 200 },
  )
})

test('clusters far apart are found exactly', () => {
  const points = normalMatrix({ seed: 1, rows: 300, cols: 3 })
  points.data.forEach((value, i) => {
    points.data[i] = value + 100 * (Math.floor(i / 3) % 5)
  })
  const { labels, sizes } = kMeans(points, { k: 5, rng: rng('far') })
  expect([...sizes]).toEqual([60, 60, 60, 60, 60])
  for (let i = 5; i < 300; i++) expect(labels[i]).toBe(labels[i % 5])
})

test('the same stream gives the same clusters, and is not moved on; another may give others', () => {
  const points = normalMatrix({ seed: 2, rows: 60, cols: 2 })
  const stream = rng('same')
  const once = kMeans(points, { k: 6, rng: stream })
  expect(kMeans(points, { k: 6, rng: stream })).toEqual(once)
  const inertias = new Set(
    Array.from({ length: 10 }, (_, s) => kMeans(points, { k: 6, rng: rng(s) }).inertia.toFixed(9)),
  )
  expect(inertias.size).toBeGreaterThan(1)
})

test('restarts keep the best', () => {
  const points = normalMatrix({ seed: 2, rows: 60, cols: 2 })
  const stream = rng('restarts')
  const costs = [1, 2, 5, 20].map((restarts) => kMeans(points, { k: 6, rng: stream, restarts }).inertia)
  for (let i = 1; i < costs.length; i++) expect(costs[i]).toBeLessThanOrEqual(costs[i - 1]!)
  expect(costs[3]).toBeLessThan(costs[0]!)
})

describe('few points', () => {
  const five = matrixOf([
    [0, 0],
    [0, 0],
    [1, 1],
    [1, 1],
    [2, 0],
  ])

  test('k distinct points are their own centres', () => {
    const { inertia, sizes } = kMeans(five, { k: 3, rng: rng(1) })
    expect(inertia).toBe(0)
    expect([...sizes].sort()).toEqual([1, 2, 2])
  })

  test('more clusters than distinct points is an error that counts them', () => {
    expect(() => kMeans(five, { k: 4, rng: rng(1) })).toThrow(/only 3 are distinct.*at most 3/)
    expect(() => kMeans(matrix(0, 2), { k: 1, rng: rng(1) })).toThrow(/only 0 are distinct/)
  })

  test('one cluster is the mean', () => {
    expect([...kMeans(five, { k: 1, rng: rng(1) }).centres.data]).toEqual([0.8, 0.4])
  })
})

describe('starting from given centres', () => {
  const line = matrix(6, 1, Float64Array.of(0, 1, 2, 10, 11, 12))

  test('is Lloyd alone, and leaves them as they were', () => {
    const start = matrixOf([[0], [3]])
    const { centres, labels } = kMeans(line, { k: 2, rng: rng(1), start })
    expect([...centres.data]).toEqual([1, 11])
    expect([...labels]).toEqual([0, 0, 0, 1, 1, 1])
    expect([...start.data]).toEqual([0, 3])
  })

  test('a centre that nobody is near takes the point farthest from its own', () => {
    const { sizes, inertia, converged } = kMeans(line, { k: 3, rng: rng(1), start: matrixOf([[1], [1000], [-1000]]) })
    expect(converged).toBe(true)
    expect([...sizes].sort()).toEqual([1, 2, 3])
    expect(inertia).toBe(2.5)
  })

  test('the point to move is the farthest that is not alone, the first of several', () => {
    const moved = (points: number[], start: number[]) =>
      kMeans(matrixOf(points.map((x) => [x])), {
        k: start.length,
        start: matrixOf(start.map((x) => [x])),
        maxIterations: 1,
      })
    expect([...moved([10, 0, 1, 2], [3, 1000]).labels]).toEqual([1, 0, 0, 0])
    expect([...moved([2, 8, 0, 1], [3, 1000]).labels]).toEqual([0, 1, 0, 0])
    expect([...moved([1, 5, 3], [3, 1000]).labels]).toEqual([1, 0, 0])
    // The one at 50 is alone with its centre, far as it is.
    expect([...moved([50, 0, 4], [1, 90, 1000]).labels]).toEqual([1, 0, 2])
    expect(moved([10, 0, 1, 2], [3, 1000])).toMatchObject({ inertia: 9 + 4 + 1, iterations: 1, converged: false })
  })

  test('a centre too many is an error that counts the points', () => {
    const twice = matrixOf([[1], [1], [5], [5]])
    expect(() => kMeans(twice, { k: 3, rng: rng(1), start: matrixOf([[1], [5], [9]]) })).toThrow(/only 2 are distinct/)
    expect(() => kMeans(line, { k: 3, rng: rng(1), start: matrix(2, 1) })).toThrow(/start is 2 x 1; it must be 3 x 1/)
  })
})

test('a cap is told, nonsense refused', () => {
  const points = normalMatrix({ seed: 4, rows: 200, cols: 2 })
  expect(kMeans(points, { k: 8, rng: rng(1), maxIterations: 2 })).toMatchObject({ converged: false, iterations: 2 })
  for (const k of [0, -1, 1.5, NaN]) expect(() => kMeans(points, { k, rng: rng(1) })).toThrow(/integer, 1 or above/)
  expect(() => kMeans(matrixOf([[NaN]]), { k: 1, rng: rng(1) })).toThrow(/points\[0, 0\] is NaN/)
})
