import { expect, test } from 'vitest'
import {
  columnAt,
  columnsOf,
  identity,
  matrix,
  matrixOf,
  multiply,
  perRecord,
  rowOf,
  rowsOf,
  transpose,
} from './matrix.js'

const A = matrixOf([
  [1, 2, 3],
  [4, 5, 6],
])

test('a row is a view, a column a copy', () => {
  const B = matrix(2, 3, A.data.slice())
  expect([...rowOf(B, 1)]).toEqual([4, 5, 6])
  expect([...columnAt(B, 1)]).toEqual([2, 5])
  rowOf(B, 1)[0] = 9
  columnAt(B, 1)[0] = 9
  expect([...B.data]).toEqual([1, 2, 3, 9, 5, 6])
})

test('rows and columns are taken in the order asked for, some of them twice', () => {
  expect(rowsOf(A, Int32Array.of(1, 0, 1))).toEqual(
    matrixOf([
      [4, 5, 6],
      [1, 2, 3],
      [4, 5, 6],
    ]),
  )
  expect(columnsOf(A, [2, 0])).toEqual(
    matrixOf([
      [3, 1],
      [6, 4],
    ]),
  )
  expect(rowsOf(A, [])).toEqual(matrix(0, 3))
  expect(columnsOf(A, [])).toEqual(matrix(2, 0))
})

test('values that do not fill a shape, rows of several lengths and inner sizes that differ are refused', () => {
  expect(() => matrix(2, 3, new Float64Array(5))).toThrow('a 2 x 3 matrix was given 5 values; it needs 6')
  expect(() => matrixOf([[1, 2], [3]])).toThrow('row 1 has 1 values, row 0 has 2')
  expect(() => matrixOf([[1], [2], [3, 4]])).toThrow('row 2 has 2 values, row 0 has 1')
  expect(() => multiply(A, A)).toThrow('cannot multiply 2 x 3 by 2 x 3; inner sizes must agree')
  expect(matrixOf([])).toEqual(matrix(0, 0))
  expect(matrixOf([[], []])).toEqual(matrix(2, 0))
})

test('values that lie record by record', () => {
  const values = Float64Array.of(1, 2, 3, 4, 5, 6)
  const shape = (records: number) => [perRecord(values, records).rows, perRecord(values, records).cols]
  expect([1, 2, 3, 6].map(shape)).toEqual([[1, 6], [2, 3], [3, 2], [6, 1]]) // biome-ignore format: a list
  expect(perRecord(values, 2).data).toBe(values)
  expect(perRecord(new Float64Array(0), 0)).toEqual(matrix(0, 0))
  expect(() => perRecord(values, 4)).toThrow('a 4 x 1 matrix was given 6 values')
})

test('products and transposes by hand', () => {
  expect(transpose(A)).toEqual(matrixOf([[1, 4], [2, 5], [3, 6]])) // biome-ignore format: a matrix
  expect(multiply(A, transpose(A))).toEqual(matrixOf([[14, 32], [32, 77]])) // biome-ignore format: a matrix
  expect(multiply(A, identity(3))).toEqual(A)
  expect(multiply(matrix(2, 0), matrix(0, 1))).toEqual(matrix(2, 1))
  expect([...rowOf(A, 0)]).toEqual([1, 2, 3])
})
