import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalVector } from '../../../test/matrices.js'
import { type Matrix, matrix, matrixOf } from './matrix.js'
import { multiplyTransposedVector, multiplyVector } from './matrix-vector.js'
import {
  denseFromSparse,
  operatorOf,
  sparseFromDense,
  sparseFromTriplets,
  sparseMultiply,
  sparseMultiplyTransposed,
  type Triplet,
} from './sparse.js'

const matrices = fc
  .record({ rows: fc.integer({ min: 0, max: 6 }), cols: fc.integer({ min: 0, max: 6 }) })
  .chain(({ rows, cols }) =>
    fc
      .array(fc.constantFrom(0, 0, 0, 1, -2.5, 3), { minLength: rows * cols, maxLength: rows * cols })
      .map((values): Matrix => matrix(rows, cols, Float64Array.from(values))),
  )

test('dense and back; products as the dense ones', () => {
  fc.assert(
    fc.property(matrices, fc.integer(), (A, seed) => {
      const S = sparseFromDense(A)
      expect(denseFromSparse(S)).toEqual(A)
      expect(S.value.every((v) => v !== 0)).toBe(true)
      const x = normalVector(seed, A.cols)
      const y = normalVector(seed, A.rows)
      const [forth, back] = [multiplyVector(A, x), multiplyTransposedVector(A, y)]
      for (const operator of [operatorOf(S), operatorOf(A)]) {
        operator.apply(x).forEach((v, i) => {
          expect(v).toBeCloseTo(forth[i]!, 13)
        })
        operator.applyTransposed(y).forEach((v, j) => {
          expect(v).toBeCloseTo(back[j]!, 13)
        })
      }
    }),
  )
})

test('triplets in any order, with duplicates and zeros', () => {
  const triplets: Triplet[] = [
    [2, 1, 5],
    [0, 2, 1],
    [2, 0, 4],
    [0, 2, 2],
    [1, 1, 3],
    [1, 1, -3],
    [2, 2, 0],
  ]
  const S = sparseFromTriplets({ rows: 4, cols: 3 }, triplets)
  expect(denseFromSparse(S)).toEqual(
    matrixOf([
      [0, 0, 3],
      [0, 0, 0],
      [4, 5, 0],
      [0, 0, 0],
    ]),
  )
  expect([...S.rowStart]).toEqual([0, 1, 1, 3, 3])
  expect([...S.column]).toEqual([2, 0, 1])
})

test('what is refused', () => {
  const shape = { rows: 2, cols: 2 }
  for (const bad of [
    [2, 0, 1],
    [0, -1, 1],
    [0.5, 0, 1],
  ] as const) {
    expect(() => sparseFromTriplets(shape, [bad])).toThrow(/lies outside/)
  }
  expect(() => sparseFromTriplets(shape, [[0, 0, NaN]])).toThrow(/must be finite/)
  const S = sparseFromTriplets(shape, [[0, 0, 1]])
  expect(() => sparseMultiply(S, new Float64Array(3))).toThrow(/x has 3 values/)
  expect(() => sparseMultiplyTransposed(S, new Float64Array(1))).toThrow(/y has 1 values/)
})

test('entries are sorted by row and column, whatever order they come in', () => {
  const S = sparseFromTriplets({ rows: 3, cols: 4 }, [[2, 3, 1], [0, 2, 5], [2, 0, -9], [0, 1, 7], [2, 1, 4], [0, 2, 1]]) // biome-ignore format: a list
  expect([...S.rowStart]).toEqual([0, 2, 2, 5])
  expect([...S.column]).toEqual([1, 2, 0, 1, 3])
  expect([...S.value]).toEqual([7, 6, -9, 4, 1])
  expect([...sparseFromTriplets({ rows: 3, cols: 4 }, [[0, 0, 1]]).rowStart]).toEqual([0, 1, 1, 1])
})
