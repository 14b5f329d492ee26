import { describe, expect, test } from 'vitest'
import { rng } from '../numeric/random/rng.js'
import { combinations, drawSums, leastP, reaches, repeatsToReach, upperP } from './randomisation.js'

describe('the least p', () => {
  test.each([
    [[2, 2], 9, 4, 1 / 4],
    [[10, 10], 9, 100, 1 / 100],
    [[10, 10], 9, 99, 1 / 10], // nine draws and the truth
    [[10, 10], 999, 99, 1 / 100], // no more than there are
    [[10, 10], 99, 99, 1 / 100],
    [[10, 10], 98, 99, 1 / 99],
    [[], 9, 1, 1],
  ])('of candidates %j with %i draws, all taken up to %i, is %d', (sizes, draws, enumerate, p) => {
    expect(leastP(sizes, { draws, enumerate })).toBe(p)
  })

  test.each([
    [0.05, [20], 1],
    [0.05, [19], 2],
    [0.01, [10], 2],
    [0.001, [10], 3],
    [0.001, [2, 5], 3],
    [0.0009, [10], 4],
    [1, [10], 1],
  ])('reaches %d with candidates %j after %i repeats', (level, sizes, repeats) => {
    expect(repeatsToReach(level, sizes)).toBe(repeats)
    const least = (S: number) => combinations(Array.from({ length: S }, () => combinations(sizes)))
    expect(reaches(1 / least(repeats), level)).toBe(true)
    if (repeats > 1) expect(reaches(1 / least(repeats - 1), level)).toBe(false)
  })

  test('is told from a level beyond rounding alone', () => {
    expect(reaches(0.05, 0.05)).toBe(true)
    expect(reaches(0.05 * (1 + 1e-13), 0.05)).toBe(true)
    expect(reaches(0.05 * (1 + 1e-11), 0.05)).toBe(false)
    expect(reaches(0.04, 0.05)).toBe(true)
  })
})

describe('sums over draws', () => {
  const row = [Float64Array.of(1, 2), Float64Array.of(10, 20, 30), Float64Array.of(100)]
  const options = { draws: 50, enumerate: 6, rng: rng(1) }

  test('are all combinations where these are few, the truth first', () => {
    const [sums] = drawSums([row], options)
    expect([...sums!]).toEqual([111, 121, 131, 112, 122, 132])
    expect(drawSums([[]], options).map((one) => [...one])).toEqual([[0]])
    expect(drawSums([], options)).toEqual([])
  })

  test('are else the truth and so many draws, the same for all rows, each deal by itself', () => {
    const twice = row.map((deal) => deal.map((x) => 2 * x))
    const [first, second] = drawSums([row, twice], { ...options, enumerate: 5 })
    expect(first).toHaveLength(51)
    expect(first![0]).toBe(111)
    expect([...second!]).toEqual(Array.from(first!, (x) => 2 * x))
    expect(new Set(first!.subarray(1))).toEqual(new Set([111, 121, 131, 112, 122, 132]))
    const [fewer] = drawSums([row.slice(0, 2)], { ...options, enumerate: 5 })
    expect([...fewer!]).toEqual(Array.from(first!, (x) => x - 100))
  })

  test('draw each candidate equally often', () => {
    const deal = Float64Array.of(0, 1, 2, 3)
    const [sums] = drawSums([[deal]], { draws: 8000, enumerate: 3, rng: rng(2) })
    for (const value of deal) {
      const count = sums!.subarray(1).filter((x) => x === value).length
      expect(Math.abs(count - 2000)).toBeLessThan(4 * Math.sqrt(1500))
    }
  })
})

test('p is the share of draws at or above the truth, itself among them', () => {
  expect(upperP(Float64Array.of(3, 1, 2, 4), 0)).toBe(2 / 4)
  expect(upperP(Float64Array.of(3, 3, 2, 4), 0)).toBe(3 / 4)
  expect(upperP(Float64Array.of(3, 3 - 1e-9, 2, 1), 1e-8)).toBe(2 / 4)
  expect(upperP(Float64Array.of(3, 3 - 1e-7, 2, 1), 1e-8)).toBe(1 / 4)
  expect(upperP(Float64Array.of(5), 0)).toBe(1)
})
