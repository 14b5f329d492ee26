import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type HardKind, hardMatrices, randomMatrix, withSingularValues } from '../../../test/linalg-checks.js'
import { conditionNumber, conditionNumbers, estimateCondition, trustedDigits } from './condition.js'
import { identity, matrix, matrixOf, transpose } from './matrix.js'

describe('conditionNumber', () => {
  test.each([1, 1e3, 1e6, 1e12])('finds the condition %d that a matrix was made with', (condition) => {
    for (const [rows, cols] of [
      [12, 12],
      [30, 12],
      [12, 30],
      [60, 50],
    ] as const) {
      const r = Math.min(rows, cols)
      const values = Float64Array.from({ length: r }, (_, k) => condition ** (-k / (r - 1)))
      const found = conditionNumber(withSingularValues({ rows, cols }, values, 41))
      expect(Math.abs(found / condition - 1)).toBeLessThan(50 * Number.EPSILON * condition)
    }
  })

  test('is exact where columns only differ in scale', () => {
    const D = matrix(5, 5)
    for (let k = 0; k < 5; k++) D.data[k * 5 + k] = [1, 1e-30, 1e-5, 1e-100, 7][k]!
    expect(conditionNumber(D)).toBe(7e100)
  })

  test('is infinite for singular matrices and one for empty ones', () => {
    expect(conditionNumber(matrix(3, 3))).toBe(Number.POSITIVE_INFINITY)
    expect(conditionNumber(matrix(40, 40))).toBe(Number.POSITIVE_INFINITY)
    expect(conditionNumber(matrix(0, 4))).toBe(1)
    expect(conditionNumber(matrixOf([[-5]]))).toBe(1)
    // Singular but for rounding: beyond 2^52, whatever the digits.
    expect(conditionNumber(hardMatrices['rank two']({ rows: 6, cols: 6 }, 4))).toBeGreaterThan(1 / Number.EPSILON)
  })
})

describe('estimateCondition', () => {
  test('stays below the condition number, and within a third of it', () => {
    const kinds = fc.constantFrom<HardKind>(
      'random',
      'small integers',
      'condition 1e15',
      'two clusters',
      'huge',
      'tiny',
    )
    const size = fc.integer({ min: 1, max: 45 })
    fc.assert(
      fc.property(kinds, size, size, fc.nat(1e6), (kind, rows, cols, seed) => {
        const A = hardMatrices[kind]({ rows, cols }, seed)
        const exact = conditionNumber(A)
        // Beyond 1e13 the smallest singular value is good to a digit or two only.
        fc.pre(exact < 1e13)
        const estimate = estimateCondition(A)
        expect(estimate).toBeLessThanOrEqual(exact * (1 + 1e-12 + 50 * Number.EPSILON * exact))
        expect(estimate).toBeGreaterThanOrEqual(exact / 3)
      }),
      { numRuns: 300 },
    )
  })

  test('knows singular and empty matrices', () => {
    expect(estimateCondition(matrix(3, 3))).toBe(Number.POSITIVE_INFINITY)
    expect(estimateCondition(matrix(3, 0))).toBe(1)
    expect(estimateCondition(hardMatrices['rank two']({ rows: 9, cols: 6 }, 4))).toBeGreaterThan(1e14)
    expect(estimateCondition(identity(9))).toBeCloseTo(1, 14)
  })
})

describe('conditionNumbers', () => {
  test.each([
    [1, 1, 7],
    [12, 12, 300],
    [5, 9, 40],
    [9, 5, 40],
    [40, 36, 5],
  ])('of %d x %d gives the bits that conditionNumber gives', (rows, cols, count) => {
    const batch = randomMatrix({ rows: count * rows, cols }, 6).data
    batch.fill(0, 2 * rows * cols, 3 * rows * cols) // one singular matrix
    const found = conditionNumbers(batch, { count, rows, cols })
    for (let b = 0; b < count; b++) {
      expect(found[b]).toBe(conditionNumber(matrix(rows, cols, batch.slice(b * rows * cols, (b + 1) * rows * cols))))
    }
    expect(found[2]).toBe(Number.POSITIVE_INFINITY)
  })

  test('goes through batches larger than it copies at a time', () => {
    const one = randomMatrix({ rows: 2, cols: 2 }, 1).data
    const count = 70_001
    const batch = new Float64Array(4 * count)
    for (let b = 0; b < count; b++) batch.set(one, 4 * b)
    const found = conditionNumbers(batch, { count, rows: 2, cols: 2 })
    expect(new Set(found)).toEqual(new Set([conditionNumber(matrix(2, 2, one))]))
    batch[4 * 70_000 + 3] = Number.NaN
    expect(() => conditionNumbers(batch, { count, rows: 2, cols: 2 })).toThrow('matrix 70000[1, 1] is NaN')
  })

  test('takes empty batches and empty matrices, and refuses wrong lengths', () => {
    expect(conditionNumbers(new Float64Array(0), { count: 0, rows: 3, cols: 3 })).toEqual(new Float64Array(0))
    expect([...conditionNumbers(new Float64Array(0), { count: 2, rows: 0, cols: 3 })]).toEqual([1, 1])
    expect(() => conditionNumbers(new Float64Array(5), { count: 1, rows: 2, cols: 2 })).toThrow('was given 5 values')
  })
})

test('trustedDigits counts down from fifteen', () => {
  expect([1, 10, 1e6, 1e15, 1e16, 1e300, Number.POSITIVE_INFINITY].map(trustedDigits)).toEqual([15, 14, 9, 0, 0, 0, 0])
})

test('a small condition has no more than fifteen digits', () => {
  expect([1e-2, 1e-9].map(trustedDigits)).toEqual([15, 15])
})

test('matrices as large as what is copied at a time, and larger, are taken one by one', () => {
  for (const cols of [40_000, 70_000]) {
    const batch = new Float64Array(2 * cols).fill(3)
    expect([...conditionNumbers(batch, { count: 2, rows: 1, cols })]).toEqual([1, 1])
  }
})

test('the first matrix that is not finite is named, be it the first of all', () => {
  const batch = Float64Array.of(1, Number.NaN, 0, 1, 1, 0, 0, 1)
  expect(() => conditionNumbers(batch, { count: 2, rows: 2, cols: 2 })).toThrow('matrix 0[0, 1] is NaN')
})

test('a wide matrix is as badly conditioned as it is standing', () => {
  const A = randomMatrix({ rows: 3, cols: 7 }, 5)
  expect(estimateCondition(A)).toBe(estimateCondition(transpose(A)))
  expect(estimateCondition(A)).toBeLessThanOrEqual(conditionNumber(A) * (1 + 1e-12))
})
