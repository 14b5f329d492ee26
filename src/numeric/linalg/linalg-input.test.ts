import { describe, expect, test } from 'vitest'
import {
  powerOfTwo,
  requireFinite,
  requireRows,
  requireSquare,
  requireSymmetric,
  scaleExponent,
  timesPowerInto,
} from './linalg-input.js'
import { matrix, matrixOf } from './matrix.js'

describe('what is refused', () => {
  test('entries that are not finite, by their place', () => {
    const at = (i: number, value: number) => {
      const data = Float64Array.of(1, 2, 3, 4, 5, 6)
      data[i] = value
      return () => requireFinite(matrix(2, 3, data), 'L')
    }
    expect(at(0, Number.NaN)).toThrow('L[0, 0] is NaN; every entry must be finite')
    expect(at(4, Number.POSITIVE_INFINITY)).toThrow('L[1, 1] is Infinity')
    expect(at(5, Number.NEGATIVE_INFINITY)).toThrow('L[1, 2] is -Infinity')
    expect(at(5, Number.MAX_VALUE)).not.toThrow()
    expect(() => requireFinite(matrixOf([[1], [Number.NaN]]))).toThrow('A[1, 0] is NaN')
    expect(() => requireFinite(matrix(0, 3))).not.toThrow()
  })

  test('shapes that do not fit', () => {
    expect(() => requireSquare(matrix(2, 3))).toThrow('A is 2 x 3; it must be square')
    expect(() => requireSquare(matrix(3, 2), 'R')).toThrow('R is 3 x 2')
    expect(() => requireSquare(matrix(0, 0))).not.toThrow()
    expect(() => requireRows(matrix(2, 1), 3)).toThrow('B has 2 rows; it needs 3, as many as A')
    expect(() => requireRows(matrix(3, 1), 3)).not.toThrow()
  })

  test('triangles that differ by more than 1e-10 of the largest entry', () => {
    const differing = (by: number) => () => requireSymmetric(matrixOf([[8, 1, 2], [1, 0, 3], [2, 3 + by, -4]])) // biome-ignore format: a matrix
    expect(differing(0)).not.toThrow()
    expect(() => requireSymmetric(matrix(2, 2))).not.toThrow()
    expect(differing(7.9e-10)).not.toThrow()
    expect(differing(8.1e-10)).toThrow(/^A\[2, 1\] is 3\.0+81\d* but A\[1, 2\] is 3; A must be symmetric/)
    expect(differing(-8.1e-10)).toThrow('A[2, 1] is 2.99')
    expect(() => requireSymmetric(matrixOf([[1, 5], [0, 1]]))).toThrow('A[1, 0] is 0 but A[0, 1] is 5') // biome-ignore format: a matrix
    expect(() => requireSymmetric(matrix(2, 3))).toThrow('it must be square')
  })
})

test('powers of two are exact over all exponents of a double that is not denormal', () => {
  for (const e of [-1022, -1000, -53, -1, 0, 1, 52, 1000, 1023]) expect(powerOfTwo(e)).toBe(2 ** e)
  // Whatever was looked at before.
  scaleExponent(Math.PI)
  expect(powerOfTwo(3)).toBe(8)
})

describe('scales', () => {
  test('bring a size to between the target and twice it', () => {
    for (const size of [1, 1.999, 2, 3e-50, 1e70, 0.75]) {
      for (const target of [240, 0, -20]) {
        const scaled = size * 2 ** scaleExponent(size, target)
        expect(scaled).toBeGreaterThanOrEqual(2 ** target)
        expect(scaled).toBeLessThan(2 ** (target + 1))
      }
    }
    expect([scaleExponent(1), scaleExponent(2), scaleExponent(0)]).toEqual([240, 239, 0])
  })
  test('are whole numbers from -1000 to 1000', () => {
    expect([scaleExponent(5e-324), scaleExponent(2 ** -760), scaleExponent(2 ** -761)]).toEqual([1000, 1000, 1000])
    expect([scaleExponent(2 ** -759), scaleExponent(Number.MAX_VALUE), scaleExponent(Number.MAX_VALUE, -100)]).toEqual([999, -783, -1000]) // biome-ignore format: a list
  })
})

test('a factor that no double holds is applied in two steps', () => {
  const values = Float64Array.of(1, -3, 0)
  expect(timesPowerInto(values, 5)).toBe(values)
  expect([...values]).toEqual([32, -96, 0])
  expect([...timesPowerInto(Float64Array.of(2 ** -1000, -(2 ** -990)), 1999)]).toEqual([2 ** 999, -(2 ** 1009)])
  expect([...timesPowerInto(Float64Array.of(2 ** 1000), -1501)]).toEqual([2 ** -501])
  expect([...timesPowerInto(Float64Array.of(3), -1)]).toEqual([1.5])
})
