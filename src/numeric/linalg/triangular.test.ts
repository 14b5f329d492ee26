import { describe, expect, test } from 'vitest'
import { rng } from '../random/rng.js'
import { type Matrix, matrix, matrixOf } from './matrix.js'
import { solveUpper, solveUpperTransposed } from './triangular.js'

/** A trapezoid with nonsense below its diagonal, which nobody may read. */
function trapezoid(rows: number, cols: number, seed: number): Matrix {
  const r = rng(seed)
  const R = matrix(rows, cols, new Float64Array(rows * cols))
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) {
      R.data[i * cols + j] = j < i ? Number.NaN : (i === j ? 2 : 0) + r.uniform()
    }
  }
  return R
}

/** The leading triangle of R, or its transpose, times Y. */
function times(R: Matrix, Y: Matrix, { transposed }: { transposed: boolean }): Matrix {
  const product = matrix(Y.rows, Y.cols, new Float64Array(Y.data.length))
  for (let i = 0; i < Y.rows; i++) {
    for (let p = 0; p < Y.rows; p++) {
      const [row, col] = transposed ? [p, i] : [i, p]
      if (col < row) continue
      for (let c = 0; c < Y.cols; c++)
        product.data[i * Y.cols + c]! += R.data[row * R.cols + col]! * Y.data[p * Y.cols + c]!
    }
  }
  return product
}

describe.each([
  ['T Y = C', solveUpper, false],
  ['the transpose of T times Y = C', solveUpperTransposed, true],
] as const)('%s', (_, solve, transposed) => {
  test.each([
    [1, 1, 1, 1],
    [3, 3, 2, 3],
    [3, 5, 1, 3],
    [5, 7, 3, 2],
    [4, 4, 4, 1],
    [2, 2, 1, 0],
  ])('T in a [%i, %i], %i right sides, size %i', (rows, cols, k, size) => {
    const R = trapezoid(rows, cols, 10 * rows + cols)
    const C = matrix(rows, k, rng(3).normals(rows * k))
    const before = C.data.slice()
    const Y = solve(R, C, size)
    expect([Y.rows, Y.cols]).toEqual([size, k])
    const again = times(R, Y, { transposed })
    for (let i = 0; i < size * k; i++) expect(again.data[i]).toBeCloseTo(C.data[i]!, 12)
    expect(C.data).toEqual(before)
  })
})

test('by hand, and the size is that of the rows unless told', () => {
  const R = matrixOf([
    [2, 1],
    [9, 4],
  ])
  expect([...solveUpper(R, matrixOf([[4], [8]])).data]).toEqual([1, 2])
  expect([...solveUpperTransposed(R, matrixOf([[4], [10]])).data]).toEqual([2, 2])
})
