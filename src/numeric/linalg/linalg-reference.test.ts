import { describe, expect, test } from 'vitest'
import { randomMatrix, withSingularValues } from '../../../test/linalg-checks.js'
import {
  referenceCholesky,
  referenceQr,
  referenceQrPivoted,
  referenceSolve,
  referenceSvd,
  referenceSymmetricEigen,
} from './linalg-reference.js'
import { columnAt, identity, type Matrix, matrix, matrixOf, multiply, transpose } from './matrix.js'

function near(found: Matrix, wanted: Matrix | readonly (readonly number[])[], tolerance = 1e-14): void {
  const B = 'data' in wanted ? wanted : matrixOf(wanted)
  expect([found.rows, found.cols]).toEqual([B.rows, B.cols])
  for (const [i, x] of found.data.entries()) expect(Math.abs(x - B.data[i]!)).toBeLessThanOrEqual(tolerance)
}
const orthonormal = (Q: Matrix): void => near(multiply(transpose(Q), Q), identity(Q.cols))
const diagonal = (values: ArrayLike<number>): Matrix => {
  const D = identity(values.length)
  for (let k = 0; k < values.length; k++) D.data[k * values.length + k] = values[k]!
  return D
}

describe('QR', () => {
  test('by hand, with a diagonal that is not negative', () => {
    const { Q, R } = referenceQr(matrixOf([[3, 1], [4, 2]])) // biome-ignore format: a matrix
    near(Q, [[0.6, -0.8], [0.8, 0.6]]) // biome-ignore format: a matrix
    near(R, [[5, 2.2], [0, 0.4]]) // biome-ignore format: a matrix
    const negative = referenceQr(matrixOf([[-3, -1], [4, -2]])) // biome-ignore format: a matrix
    near(negative.R, [[5, -1], [0, 2]]) // biome-ignore format: a matrix
    near(negative.Q, [[-0.6, -0.8], [0.8, -0.6]]) // biome-ignore format: a matrix
  })
  test.each([
    [4, 4],
    [6, 3],
    [3, 6],
    [1, 4],
    [4, 1],
  ])('of %d x %d', (rows, cols) => {
    const A = randomMatrix({ rows, cols }, 7)
    for (const found of [referenceQr(A), referenceQrPivoted(A)]) {
      const { Q, R } = found
      expect([Q.cols, R.rows]).toEqual([Math.min(rows, cols), Math.min(rows, cols)])
      orthonormal(Q)
      for (let i = 0; i < R.rows; i++) {
        expect(R.data[i * cols + i]!).toBeGreaterThanOrEqual(0)
        for (let j = 0; j < i; j++) expect(Math.abs(R.data[i * cols + j]!)).toBe(0)
      }
      const order = 'permutation' in found ? (found.permutation as Int32Array) : Int32Array.from({ length: cols }, (_, j) => j) // biome-ignore format: a line
      const QR = multiply(Q, R)
      for (const [j, from] of order.entries()) near(matrix(rows, 1, columnAt(QR, j)), matrix(rows, 1, columnAt(A, from)), 1e-13) // biome-ignore format: a line
    }
  })
  test('pivots are the longest column that is left, the first of equal ones', () => {
    const { R, permutation } = referenceQrPivoted(matrixOf([[1, 0, 0, 3], [0, 2, 0, 0], [0, 0, 2, 0]])) // biome-ignore format: a matrix
    expect([...permutation]).toEqual([3, 1, 2, 0])
    near(R, [[3, 0, 0, 1], [0, 2, 0, 0], [0, 0, 2, 0]]) // biome-ignore format: a matrix
    // Once the first is taken off, the shorter of the others is longer.
    expect([...referenceQrPivoted(matrixOf([[5, 4, 0], [0, 1, 2], [0, 0, 0]])).permutation]).toEqual([0, 2, 1]) // biome-ignore format: a matrix
  })
  test('columns of nothing are left alone', () => {
    const { Q, R } = referenceQr(matrixOf([[0, 1], [0, 0], [0, 0]])) // biome-ignore format: a matrix
    near(R, [[0, 1], [0, 0]]) // biome-ignore format: a matrix
    orthonormal(Q)
    near(referenceQr(matrix(2, 2)).Q, identity(2), 0)
  })
})

describe('singular values', () => {
  test.each([
    [5, 3],
    [3, 5],
    [4, 4],
    [1, 3],
    [3, 1],
  ])('of %d x %d', (rows, cols) => {
    const wanted = Array.from({ length: Math.min(rows, cols) }, (_, k) => 3 - k * 0.75)
    const A = withSingularValues({ rows, cols }, wanted, 3)
    const { U, s, V } = referenceSvd(A)
    for (const [k, value] of s.entries()) expect(value).toBeCloseTo(wanted[k]!, 13)
    orthonormal(U)
    orthonormal(V)
    near(multiply(multiply(U, diagonal(s)), transpose(V)), A, 1e-13)
  })
  test('of a matrix that has columns of its own, in falling order', () => {
    const { U, s, V } = referenceSvd(matrixOf([[0, -3], [2, 0], [0, 0]])) // biome-ignore format: a matrix
    expect([...s]).toEqual([3, 2])
    near(U, [[-1, 0], [0, 1], [0, 0]], 0) // biome-ignore format: a matrix
    near(V, [[0, 1], [1, 0]], 0) // biome-ignore format: a matrix
  })
  test('that are zero have directions nevertheless', () => {
    const nothing = referenceSvd(matrix(3, 2))
    expect([...nothing.s]).toEqual([0, 0])
    near(nothing.U, [[1, 0], [0, 1], [0, 0]], 0) // biome-ignore format: a matrix
    near(nothing.V, identity(2), 0)
    const flat = referenceSvd(diagonal([2, 1, 0]))
    near(flat.U, identity(3), 0)
    near(flat.V, identity(3), 0)
    const A = matrixOf([[1, 2, 3], [2, 4, 6], [-1, -2, -3], [0, 0, 0]]) // biome-ignore format: a matrix
    const { U, s, V } = referenceSvd(A)
    expect(s[0]).toBeCloseTo(Math.sqrt(84), 13)
    expect(s[1]!).toBeLessThan(1e-14)
    orthonormal(U)
    orthonormal(V)
    near(multiply(multiply(U, diagonal(s)), transpose(V)), A, 1e-13)
  })
  test('that is zero has a direction at right angles to all others to the last bit', () => {
    // Columns that sum to 0, but for the last, which is none: what is left is along (1, 1, ...), nearest to no axis.
    const n = 20
    const A = randomMatrix({ rows: n, cols: n }, 5)
    for (let j = 0; j < n; j++) {
      let sum = 0
      for (let i = 0; i + 1 < n; i++) sum += A.data[i * n + j]!
      A.data[(n - 1) * n + j] = -sum
      A.data[j * n + n - 1] = 0
    }
    const { U } = referenceSvd(A)
    const last = columnAt(U, n - 1)
    for (let j = 0; j + 1 < n; j++) {
      const product = columnAt(U, j).reduce((sum, u, i) => sum + u * last[i]!, 0)
      expect(Math.abs(product)).toBeLessThan(3e-16)
    }
  })
  test('below 1e-60 of the largest are none', () => {
    expect([...referenceSvd(matrixOf([[1, 0], [0, 1.1e-60]])).s]).toEqual([1, 1.1e-60]) // biome-ignore format: a matrix
    expect([...referenceSvd(matrixOf([[1, 0], [0, 0.9e-60]])).s]).toEqual([1, 0]) // biome-ignore format: a matrix
    expect([...referenceSvd(matrixOf([[0.9e-60, 0], [0, 1]])).s]).toEqual([1, 0]) // biome-ignore format: a matrix
    expect([...referenceSvd(matrixOf([[1e-3, 0], [0, 1e-62]])).s]).toEqual([1e-3, 1e-62]) // biome-ignore format: a matrix
    expect([...referenceSvd(matrixOf([[4, 0], [0, 1.1e-60]])).s]).toEqual([4, 0]) // biome-ignore format: a matrix
  })
})

describe('eigenvalues', () => {
  test('by hand, in rising order', () => {
    const { values, vectors } = referenceSymmetricEigen(matrixOf([[2, 1], [1, 2]])) // biome-ignore format: a matrix
    expect(values[0]).toBeCloseTo(1, 15)
    expect(values[1]).toBeCloseTo(3, 15)
    near(multiply(multiply(vectors, diagonal(values)), transpose(vectors)), [[2, 1], [1, 2]]) // biome-ignore format: a matrix
    const sorted = referenceSymmetricEigen(diagonal([3, -1, 2]))
    expect([...sorted.values]).toEqual([-1, 2, 3])
    near(sorted.vectors, [[0, 0, 1], [1, 0, 0], [0, 1, 0]], 0) // biome-ignore format: a matrix
  })
  test('of a matrix with known ones', () => {
    const V = referenceQr(randomMatrix({ rows: 5, cols: 5 }, 11)).Q
    const wanted = [-4, -1, 0, 2, 7]
    const A = multiply(multiply(V, diagonal(wanted)), transpose(V))
    const { values, vectors } = referenceSymmetricEigen(A)
    for (const [k, value] of values.entries()) expect(Math.abs(value - wanted[k]!)).toBeLessThan(1e-13)
    orthonormal(vectors)
    near(multiply(multiply(vectors, diagonal(values)), transpose(vectors)), A, 1e-13)
  })
  test('of small numbers as of large ones', () => {
    const { values } = referenceSymmetricEigen(matrixOf([[2e-20, 1e-20], [1e-20, 2e-20]])) // biome-ignore format: a matrix
    expect([values[0]! / 1e-20, values[1]! / 3e-20].map((x) => Math.abs(x - 1) < 1e-14)).toEqual([true, true])
  })
  test('of nothing', () => {
    expect([...referenceSymmetricEigen(matrix(2, 2)).values]).toEqual([0, 0])
    expect(referenceSymmetricEigen(matrix(0, 0)).values).toHaveLength(0)
  })
})

describe('Cholesky', () => {
  test('by hand', () => {
    near(referenceCholesky(matrixOf([[4, 2, -2], [2, 10, 2], [-2, 2, 6]]))!, [[2, 0, 0], [1, 3, 0], [-1, 1, 2]], 0) // biome-ignore format: a matrix
  })
  test('needs pivots above 0', () => {
    expect(referenceCholesky(matrixOf([[1, 2], [2, 4]]))).toBeUndefined() // biome-ignore format: a matrix
    expect(referenceCholesky(matrixOf([[-1]]))).toBeUndefined()
    expect(referenceCholesky(matrixOf([[Number.NaN]]))).toBeUndefined()
    expect(referenceCholesky(matrix(0, 0))).toEqual(matrix(0, 0))
  })
})

describe('linear systems', () => {
  test('by hand, with rows that must be exchanged', () => {
    const A = matrixOf([[0, 2, 1], [1, 1, 0], [2, 0, -4]]) // biome-ignore format: a matrix
    const X = matrixOf([[1, -1], [2, 0], [3, 5]]) // biome-ignore format: a matrix
    near(referenceSolve(A, multiply(A, X))!, X)
  })
  test('the largest pivot is taken: none that is next to nothing', () => {
    const X = referenceSolve(matrixOf([[1e-20, 1], [1, 1]]), matrixOf([[1], [2]]))! // biome-ignore format: a matrix
    near(X, [[1], [1]])
    near(referenceSolve(matrixOf([[1e-20, 1], [-1, 1]]), matrixOf([[1], [0]]))!, [[1], [1]]) // biome-ignore format: a matrix
  })
  test('of dependent rows have no answer', () => {
    expect(referenceSolve(matrixOf([[1, 2], [2, 4]]), matrixOf([[1], [2]]))).toBeUndefined() // biome-ignore format: a matrix
    expect(referenceSolve(matrix(1, 1), matrix(1, 1))).toBeUndefined()
  })
})
