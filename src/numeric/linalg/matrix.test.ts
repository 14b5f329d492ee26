import { expect, test } from 'vitest'
import { columnAt, columnsOf, matrix, matrixOf, rowOf, rowsOf } from './matrix.js'

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
