import { expect, test } from 'vitest'
import { denseFromSparse, sparseFromTriplets } from '../../numeric/linalg/sparse.js'
import { byClient, firstRows, rowSums, scaledRows } from './participation-matrix.js'

/** Four rounds of five clients; nobody in the second round, the fourth client in none. */
const A = sparseFromTriplets({ rows: 4, cols: 5 }, [
  [0, 0, 1],
  [0, 2, 0.5],
  [2, 0, 2],
  [2, 1, 3],
  [2, 4, 5],
  [3, 2, 7],
])

test('sums and products by row', () => {
  expect([...rowSums(A)]).toEqual([1.5, 0, 10, 7])
  const scaled = denseFromSparse(scaledRows(A, Float64Array.of(2, 3, 10, -1)))
  expect([...scaled.data]).toEqual([2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 20, 30, 0, 0, 50, 0, 0, -7, 0, 0])
  expect([...A.value]).toEqual([1, 0.5, 2, 3, 5, 7])
})

test.each([0, 1, 2, 3, 4])('the first %d rounds are those alone', (k) => {
  const { rows, cols, rowStart, column, value } = firstRows(A, k)
  expect([rows, cols, rowStart.length, column.length, value.length]).toEqual([k, 5, k + 1, rowStart[k], rowStart[k]])
  expect([...denseFromSparse({ rows, cols, rowStart, column, value }).data]).toEqual([
    ...denseFromSparse(A).data.subarray(0, 5 * k),
  ])
})

test('the same entries client by client, rounds rising', () => {
  const { clients, rounds, start, round, weight } = byClient(A)
  expect([clients, rounds]).toEqual([5, 4])
  expect([...start]).toEqual([0, 2, 3, 5, 5, 6])
  expect([...round]).toEqual([0, 2, 2, 0, 3, 2])
  expect([...weight]).toEqual([1, 2, 3, 0.5, 7, 5])
})
