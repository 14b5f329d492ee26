import { expect, test } from 'vitest'
import type { Rng } from '../../../numeric/random/rng.js'
import { drawsFrom, meanBelief, tempered } from './value-draws.js'

/** Coins as they are told. */
const coins = (...told: number[]): Rng =>
  ({ fork: () => ({ uniforms: (count: number) => Float64Array.from(told.slice(0, count)) }) }) as unknown as Rng
const drawn = (shares: number[][], ...told: number[]): number[] => {
  const each = shares.map((one) => Float64Array.from(told, (_, i) => one[i % one.length]!))
  return [...drawsFrom(each, 2, coins(...told))[1]!]
}

test('a coin falls into the share of a value: the first has its lower end, and no share has nothing', () => {
  expect(drawn([[0.25], [0.5], [0.25]], 0, 0.2499, 0.25, 0.7499, 0.75, 0.999)).toEqual([0, 0, 1, 1, 2, 2])
  expect(drawn([[0], [1]], 0, 0.5)).toEqual([1, 1])
  expect(drawn([[0], [0], [1]], 0, 0.5)).toEqual([2, 2])
})

test('what rounding leaves of the shares belongs to the last value', () => {
  expect(drawn([[0.25], [0.25]], 0.3, 0.75)).toEqual([1, 1])
})

test('the first draw has the likeliest values, the first of equal ones', () => {
  const shares = [Float64Array.of(0.5, 0.2), Float64Array.of(0.5, 0.8)]
  expect(drawsFrom(shares, 1, coins())).toEqual([Int32Array.of(0, 1)])
  expect(drawsFrom(shares, 0, coins())).toEqual([])
})

test('log odds are divided, and shares add up to one again', () => {
  const found = tempered([Float64Array.of(0.8, 0), Float64Array.of(0.1, 1), Float64Array.of(0.1, 0)], 2)
  const odds = Math.sqrt(8)
  expect(found[0]![0]! / found[1]![0]!).toBeCloseTo(odds, 12)
  expect(found[1]![0]! + found[2]![0]! + found[0]![0]!).toBeCloseTo(1, 14)
  expect(found.map((one) => one[1])).toEqual([expect.closeTo(1e-150, 160), 1, expect.closeTo(1e-150, 160)])
})

test('the mean of beliefs is taken value by value and record by record', () => {
  const one = [Float64Array.of(0.25, 1), Float64Array.of(0.75, 0)]
  const other = [Float64Array.of(0.75, 0.5), Float64Array.of(0.25, 0.5)]
  expect(meanBelief([one, other])).toEqual([Float64Array.of(0.5, 0.75), Float64Array.of(0.5, 0.25)])
})
