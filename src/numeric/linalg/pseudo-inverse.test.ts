import fc from 'fast-check'
import { expect, test } from 'vitest'
import { largestDifference, matrixWithSingularValues, spectrum } from '../../../test/matrices.js'
import { describeWithShared, vector } from '../../../test/shared.js'
import { matrix, matrixOf, multiply, transpose } from './matrix.js'
import { multiplyVector } from './matrix-vector.js'
import { pseudoInverse } from './pseudo-inverse.js'

interface Shared {
  cases: { name: string; A: number[][]; b: number[]; x_pinv: number[]; singular_values: number[] }[]
}

describeWithShared('the shared vector e', () => {
  test.each(vector<Shared>('e').cases)('$name', ({ A, b, x_pinv, singular_values }) => {
    const { inverse, rank, conditionNumber } = pseudoInverse(matrixOf(A))
    const x = multiplyVector(inverse, Float64Array.from(b))
    const kept = singular_values.filter((s) => s > 1e-12)
    expect(rank).toBe(kept.length)
    expect(conditionNumber / (kept[0]! / kept.at(-1)!)).toBeCloseTo(1, 10)
    x_pinv.forEach((value, j) => {
      expect(Math.abs(x[j]! - value)).toBeLessThan(1e-13 * conditionNumber * Math.max(1, Math.abs(value)))
    })
  })
})

test('the four conditions of Moore and Penrose, for any shape and rank', () => {
  const size = fc.integer({ min: 1, max: 8 })
  fc.assert(
    fc.property(fc.integer(), size, size, size, (seed, rows, cols, wanted) => {
      const rank = Math.min(wanted, rows, cols)
      const A = matrixWithSingularValues({ seed, rows, cols }, spectrum(rank, 1e4))
      const { inverse: P, rank: found, conditionNumber } = pseudoInverse(A)
      expect(found).toBe(rank)
      expect(conditionNumber / (rank === 1 ? 1 : 1e4)).toBeCloseTo(1, 8)
      const AP = multiply(A, P)
      const PA = multiply(P, A)
      expect(largestDifference(multiply(AP, A), A)).toBeLessThan(1e-10)
      expect(largestDifference(multiply(PA, P), P)).toBeLessThan(1e-7)
      expect(largestDifference(AP, transpose(AP))).toBeLessThan(1e-10)
      expect(largestDifference(PA, transpose(PA))).toBeLessThan(1e-10)
    }),
    { numRuns: 200 },
  )
})

test('tolerance, zeros, empty', () => {
  const A = matrixOf([
    [2, 0],
    [0, 1e-3],
  ])
  expect([...pseudoInverse(A).inverse.data]).toEqual([0.5, 0, 0, 1000])
  expect([...pseudoInverse(A, { tolerance: 1e-2 }).inverse.data]).toEqual([0.5, 0, 0, 0])
  expect(pseudoInverse(matrix(2, 3))).toMatchObject({ rank: 0, conditionNumber: 1, inverse: { rows: 3, cols: 2 } })
  expect(pseudoInverse(matrix(0, 3)).inverse).toMatchObject({ rows: 3, cols: 0 })
  expect(() => pseudoInverse(A, { tolerance: 2 })).toThrow(/relative/)
})
