import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matrixWithSingularValues, normalMatrix, normalVector, spectrum } from '../../../test/matrices.js'
import { type Matrix, matrix, matrixOf } from './matrix.js'
import { multiplyTransposedVector, multiplyVector, residual } from './matrix-vector.js'
import { nnls } from './nnls.js'
import { dot } from './vector.js'

/** x >= 0; no column at zero is on the residual's side; no free column is on either. Cosines. */
function expectOptimal(A: Matrix, b: Float64Array, slack: number): void {
  const { x, residualNormSq, free, kktViolation } = nnls(A, b)
  const r = residual(A, x, b)
  expect(residualNormSq).toBeCloseTo(dot(r, r), 12)
  const w = multiplyTransposedVector(A, r)
  const norms = Array.from(
    { length: A.cols },
    (_, j) => Math.hypot(...Array.from({ length: A.rows }, (_, i) => A.data[i * A.cols + j]!)) + 1e-300,
  )
  const scale = Math.hypot(...b) + norms.reduce((sum, size, j) => sum + size * x[j]!, 1e-300) // what rounding of r scales with
  for (let j = 0; j < A.cols; j++) {
    const cosine = w[j]! / norms[j]! / scale
    expect(x[j]).toBeGreaterThanOrEqual(0)
    expect(cosine).toBeLessThan(slack)
    if (x[j]! > 0) expect(Math.abs(cosine)).toBeLessThan(slack)
  }
  expect([...free]).toEqual([...x.keys()].filter((j) => x[j]! > 0))
  expect(kktViolation).toBeLessThan(slack)
}

test('the conditions of Karush, Kuhn and Tucker hold, for any shape and rank', () => {
  const size = fc.integer({ min: 1, max: 10 })
  fc.assert(
    fc.property(fc.integer(), size, size, size, (seed, rows, cols, wanted) => {
      const rank = Math.min(wanted, rows, cols)
      const A = matrixWithSingularValues({ seed, rows, cols }, spectrum(rank, 100))
      expectOptimal(A, normalVector(`${seed} b`, rows), 1e-12)
    }),
    { numRuns: 300 },
  )
})

test('coordinate descent from other starts finds nothing better', () => {
  for (let seed = 0; seed < 30; seed++) {
    const [rows, cols] = [6, 5]
    const A = normalMatrix({ seed, rows, cols })
    const b = normalVector(`${seed} b`, rows)
    const { residualNormSq } = nnls(A, b)
    for (let start = 0; start < 4; start++) {
      const x = normalVector(`${seed} ${start}`, cols).map(Math.abs)
      for (let sweep = 0; sweep < 300; sweep++) {
        for (let j = 0; j < cols; j++) {
          const column = Float64Array.from({ length: rows }, (_, i) => A.data[i * cols + j]!)
          x[j] = Math.max(0, x[j]! + dot(column, residual(A, x, b)) / dot(column, column))
        }
      }
      const r = residual(A, x, b)
      expect(dot(r, r)).toBeGreaterThanOrEqual(residualNormSq * (1 - 1e-12))
    }
  }
})

test('a non-negative solution of a consistent system is found again', () => {
  const A = normalMatrix({ seed: 3, rows: 20, cols: 8 })
  const x = Float64Array.of(0, 1, 0, 2.5, 0, 1e-3, 7, 0)
  const found = nnls(A, multiplyVector(A, x))
  found.x.forEach((value, j) => {
    expect(value).toBeCloseTo(x[j]!, 12)
  })
  expect([...found.free]).toEqual([1, 3, 5, 6])
})

describe('ill-conditioned', () => {
  test.each([1e8, 1e12, 1e15])('condition %d', (condition) => {
    for (let seed = 0; seed < 10; seed++) {
      const A = matrixWithSingularValues({ seed, rows: 12, cols: 9 }, spectrum(9, condition))
      expectOptimal(A, normalVector(`${seed} b`, 12), 1e-13)
    }
  })

  test('columns that differ by rounding, and columns of very different size', () => {
    const A = matrixOf([
      [1, 1 + 1e-16, 1 + 3e-16, 1e-9, 0],
      [2, 2, 2 + 5e-16, 3e-9, 0],
      [1, 1, 1 - 1e-16, -1e-9, 0],
    ])
    expectOptimal(A, Float64Array.of(1, 3, 0.5), 1e-12)
  })
})

test('one row, one column, none, zeros, and a b that no column points to', () => {
  expect([...nnls(matrixOf([[2]]), Float64Array.of(3)).x]).toEqual([1.5])
  expect([...nnls(matrixOf([[2]]), Float64Array.of(-3)).x]).toEqual([0])
  expect(
    [...nnls(matrixOf([[1, 4, 2]]), Float64Array.of(8)).x].reduce((s, v, j) => s + v * [1, 4, 2][j]!, 0),
  ).toBeCloseTo(8, 12)
  expect(nnls(matrix(2, 0), Float64Array.of(3, 4)).residualNormSq).toBe(25)
  expect([...nnls(matrix(0, 2), new Float64Array(0)).x]).toEqual([0, 0])
  expect([...nnls(matrix(2, 2), Float64Array.of(1, 1)).x]).toEqual([0, 0])
  expect(nnls(matrixOf([[1], [1]]), new Float64Array(2))).toMatchObject({ iterations: 0, residualNormSq: 0 })
})

test('a cap that is too low is an error that names it; NaN is refused', () => {
  const A = normalMatrix({ seed: 3, rows: 20, cols: 8 })
  const b = multiplyVector(A, new Float64Array(8).fill(1))
  expect(() => nnls(A, b, { maxIterations: 3 })).toThrow(/within 3 minimisations.*maxIterations/)
  expect(() => nnls(A, b.slice(1))).toThrow(/b has 19 values/)
  expect(() => nnls(matrixOf([[NaN]]), Float64Array.of(1))).toThrow(/NaN/)
})
