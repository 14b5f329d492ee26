import { describe, expect, test } from 'vitest'
import { worldsLowerBound } from './repeated-worlds.js'

/** Clopper and Pearson's interval for n of n successes begins at (alpha / 2)^(1 / n), and mirrored for none of n. */
const sure = (n: number, confidence = 0.9): number => ((1 - confidence) / 2) ** (1 / n)
const bound = (worldsWith: number, alarmsWith: number, worldsWithout: number, alarmsWithout: number, delta: number) =>
  worldsLowerBound({ worldsWith, alarmsWith, worldsWithout, alarmsWithout }, { delta, confidence: 0.9 })

describe('guesses that were never wrong', () => {
  test.each([0, 0.1])('alarms say more where there are more worlds without the record, delta %d', (delta) => {
    expect(bound(20, 20, 200, 0, delta)).toBeCloseTo(Math.log((sure(20) - delta) / (1 - sure(200))), 9)
  })
  test.each([0, 0.1])('silence says more where there are more worlds with it, delta %d', (delta) => {
    expect(bound(200, 200, 20, 0, delta)).toBeCloseTo(Math.log((sure(20) - delta) / (1 - sure(200))), 9)
  })
})

test('what delta excuses shows nothing', () => {
  // Neither an alarm nor silence is more frequent than delta for certain.
  expect(bound(20, 0, 20, 20, 0.1)).toBe(0)
  expect(bound(20, 0, 20, 20, 0)).toBe(0)
  expect(bound(20, 20, 200, 0, 0.99)).toBe(0)
  // Silence that may be excused as a whole leaves no room for alarms either, and the other way round.
  expect(bound(200, 200, 2, 0, 0.5)).toBe(0)
  expect(bound(2, 2, 200, 0, 0.5)).toBe(0)
})

test('guesses that are as often right as wrong show nothing', () => {
  expect(bound(20, 10, 20, 10, 0)).toBe(0)
  expect(bound(20, 3, 20, 17, 0)).toBe(0)
})

test.each([-1e-9, 1, 1.5, Number.NaN])('a delta of %d is refused', (delta) => {
  expect(() => bound(20, 20, 20, 0, delta)).toThrow(`delta is ${delta}; it must lie in 0..1`)
})
