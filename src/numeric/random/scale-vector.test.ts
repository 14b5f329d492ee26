import { describe, expect, test } from 'vitest'
import { scaleVector, usualScale } from './scale-vector.js'

describe('a vector from three numbers', () => {
  test.each([
    [0, 0.5, 0],
    [1, 0.01, 1],
    [10, 0, 0],
    [10, 0.31, 4],
    [10, 1, 10],
    [1001, 0.5, 501],
  ])('of %d coordinates, a part of %d: %d are scaled', (length, part, count) => {
    const vector = scaleVector(length, { factor: -2, part, key: 7 })
    expect(vector.length).toBe(length)
    expect(vector.filter((x) => x === -2).length).toBe(count)
    expect(vector.every((x) => x === -2 || x === 1)).toBe(true)
  })
  test('is the same whenever it is made, another for another key, and larger or smaller at the same places', () => {
    expect(scaleVector(50, usualScale)).toEqual(scaleVector(50, { ...usualScale }))
    expect(scaleVector(50, { ...usualScale, key: 1 })).not.toEqual(scaleVector(50, usualScale))
    const twice = scaleVector(50, { ...usualScale, factor: 2 * usualScale.factor })
    expect(twice.map((x) => (x === 1 ? 1 : x / 2))).toEqual(scaleVector(50, usualScale))
  })
})
