import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { leastSquares } from '../../numeric/linalg/least-squares.js'
import { matrix, matrixOf, transpose } from '../../numeric/linalg/matrix.js'
import { sparseFromDense, sparseFromTriplets } from '../../numeric/linalg/sparse.js'
import { separability } from './separable-clients.js'

const of = (rows: number[][]) => separability(sparseFromDense(matrixOf(rows)))

test('two who are always together are never told apart, the others are', () => {
  const rows = [
    [1, 1, 0, 1],
    [1, 1, 1, 0],
    [0, 0, 1, 1],
    [0, 0, 1, 0],
  ]
  expect(of(rows)).toEqual({ rank: 3, inseparable: [0, 1], together: [[0, 1]] })
})

test('clients can be inseparable without ever being in the same rounds alone', () => {
  // Columns 0 and 1 sum to columns 2 and 3.
  const rows = [
    [1, 0, 1, 0],
    [1, 0, 0, 1],
    [0, 1, 1, 0],
    [0, 1, 0, 1],
  ]
  expect(of(rows)).toEqual({ rank: 3, inseparable: [0, 1, 2, 3], together: [] })
})

test('everybody in every round: nobody; one each: everybody', () => {
  expect(of([[1, 1, 1]])).toEqual({ rank: 1, inseparable: [0, 1, 2], together: [[0, 1, 2]] })
  expect(
    of([
      [1, 0],
      [0, 2],
    ]),
  ).toEqual({ rank: 2, inseparable: [], together: [] })
})

test('agrees with its definition: e_i is a combination of the rows', () => {
  const bits = fc.array(fc.constantFrom(0, 0, 1), { minLength: 5, maxLength: 5 })
  fc.assert(
    fc.property(fc.array(bits, { minLength: 1, maxLength: 6 }), (rows) => {
      const A = matrixOf(rows)
      const isolated = [0, 1, 2, 3, 4].filter((i) => {
        const unit = matrix(5, 1)
        unit.data[i] = 1
        return leastSquares(transpose(A), unit).residualNormSq[0]! > 1e-9
      })
      expect(separability(sparseFromDense(A)).inseparable).toEqual(isolated)
    }),
  )
})

test('of a crowd only equal columns are found', () => {
  const crowd = sparseFromTriplets({ rows: 2, cols: 700 }, [
    [0, 3, 1],
    [0, 9, 2],
    [1, 9, 2],
    [1, 3, 1],
    [0, 5, 1],
  ])
  const { rank, together } = separability(crowd)
  expect(rank).toBeNull()
  expect(together.map((group) => group.slice(0, 3))).toEqual(expect.arrayContaining([[3, 9]]))
})
