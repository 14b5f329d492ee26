import { expect, test } from 'vitest'
import { matrix, matrixOf } from './matrix.js'
import {
  columnNorms,
  columnOf,
  multiplyTransposedVector,
  multiplyVector,
  requireVector,
  residual,
} from './matrix-vector.js'

const A = matrixOf([
  [1, 2, 3],
  [-4, 5, 6],
])

test('products by hand', () => {
  expect([...multiplyVector(A, Float64Array.of(1, 10, 100))]).toEqual([321, 646])
  expect([...multiplyTransposedVector(A, Float64Array.of(1, 10))]).toEqual([-39, 52, 63])
  expect([...residual(A, Float64Array.of(1, 10, 100), Float64Array.of(1, 2))]).toEqual([-320, -644])
  expect([...multiplyVector(matrix(2, 0), new Float64Array(0))]).toEqual([0, 0])
  expect([...multiplyTransposedVector(matrix(0, 2), new Float64Array(0))]).toEqual([0, 0])
})

test('a vector is a matrix of one column, the values shared', () => {
  const b = Float64Array.of(7, 8)
  const B = columnOf(b)
  expect([B.rows, B.cols]).toEqual([2, 1])
  expect(B.data).toBe(b)
})

test('norms of columns, however large or small', () => {
  const B = [
    [3, 0, 1],
    [-4, 0, 2],
    [0, 0, -2],
  ]
  expect([...columnNorms(matrixOf(B))]).toEqual([5, 0, 3])
  for (const scale of [2 ** 1010, 2 ** -1010]) {
    expect([...columnNorms(matrixOf(B.map((row) => row.map((x) => x * scale))))]).toEqual([5 * scale, 0, 3 * scale])
  }
  // A column far below the largest entry keeps its norm.
  expect([...columnNorms(matrixOf([[1, 3e-200], [0, 4e-200]]))][1]! / 5e-200).toBeCloseTo(1, 14) // biome-ignore format: a matrix
  expect([...columnNorms(matrix(0, 2))]).toEqual([0, 0])
})

test('vectors of another length or with what is not finite are refused', () => {
  expect(() => requireVector(Float64Array.of(1, 2), { length: 3 })).toThrow('b has 2 values; it needs 3')
  expect(() => requireVector(Float64Array.of(1, Number.NaN), { length: 2, name: 'c' })).toThrow('c[1] is NaN; every entry must be finite') // biome-ignore format: a line
  expect(() => requireVector(Float64Array.of(Number.NEGATIVE_INFINITY), { length: 1 })).toThrow('b[0] is -Infinity')
  expect(() => requireVector(Float64Array.of(1), { length: 1 })).not.toThrow()
  expect(() => requireVector(new Float64Array(0), { length: 0 })).not.toThrow()
})
