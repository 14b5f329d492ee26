import { describe, expect, test } from 'vitest'
import {
  largestMagnitude,
  meanOf,
  meanPerRecord,
  medianOf,
  rangeOf,
  squaresAbout,
  totalOf,
  varianceOf,
} from './summaries.js'

describe.each([
  ['doubles', (x: number[]) => Float64Array.from(x)],
  ['a plain list', (x: number[]) => x],
  ['whole numbers', (x: number[]) => Int32Array.from(x)],
])('of %s', (_, listOf) => {
  const four = listOf([3, -1, 2, 4])
  const none = listOf([])

  test('sums and means', () => {
    expect([totalOf(four), meanOf(four)]).toEqual([8, 2])
    expect([totalOf(none), meanOf(none)]).toEqual([0, Number.NaN])
  })
  test('spreads', () => {
    expect(squaresAbout(four, 2)).toBe(14) // 1 + 9 + 0 + 4
    expect(squaresAbout(four, 0)).toBe(30)
    expect([varianceOf(four), varianceOf(four, 3)]).toEqual([14 / 4, 14 / 3])
    expect(varianceOf(none)).toBeNaN()
  })
  test('ranges', () => {
    expect(rangeOf(four)).toEqual({ min: -1, max: 4 })
    expect(rangeOf(none)).toEqual({ min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY })
    expect([largestMagnitude(listOf([1, -7, 4])), largestMagnitude(none)]).toEqual([7, 0])
  })
  test('medians', () => {
    expect([medianOf(four), medianOf(listOf([5, 1, 3]))]).toEqual([2.5, 3])
  })
})

test('are added from the first to the last', () => {
  expect(totalOf([1e16, 1, -1e16])).toBe(0)
  expect(totalOf([1e16, -1e16, 1])).toBe(1)
  expect(totalOf([0.1, 0.2, 0.3])).toBe(0.1 + 0.2 + 0.3)
})

test('hand NaN on', () => {
  const some = [1, Number.NaN, 2]
  expect([totalOf(some), meanOf(some), squaresAbout(some, 0), largestMagnitude(some)]).toEqual(
    Array(4).fill(Number.NaN),
  )
  expect(rangeOf(some)).toEqual({ min: Number.NaN, max: Number.NaN })
})

test('a mean for each record, or the numbers themselves where each has one', () => {
  const six = Float64Array.of(1, 3, 5, 9, 2, 2)
  expect([...meanPerRecord(six, 3)]).toEqual([2, 7, 2])
  expect([...meanPerRecord(six, 2)]).toEqual([3, 13 / 3])
  expect([...meanPerRecord(six, 1)]).toEqual([22 / 6])
  expect(meanPerRecord(six, 6)).toBe(six)
  const none = new Float64Array(0)
  expect(meanPerRecord(none, 0)).toBe(none)
})
