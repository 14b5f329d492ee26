import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matrixWithSingularValues, normalMatrix, normalVector, spectrum } from '../../../test/matrices.js'
import { type Matrix, matrix, matrixOf } from './matrix.js'
import { multiplyTransposedVector, multiplyVector, residual } from './matrix-vector.js'
import { simplexLeastSquares } from './simplex-least-squares.js'
import { dot } from './vector.js'

function expectOptimal(A: Matrix, b: Float64Array, total: number, slack: number): void {
  const { x, residualNormSq, kktViolation } = simplexLeastSquares(A, b, { total })
  const r = residual(A, x, b)
  expect(residualNormSq).toBeCloseTo(dot(r, r), 10)
  expect(Math.abs(x.reduce((s, v) => s + v, 0) - total)).toBeLessThan(1e-12 * total)
  const w = multiplyTransposedVector(A, r)
  const mu = dot(w, x) / total
  const scale = Math.hypot(...A.data) * (Math.hypot(...b) + total * Math.hypot(...A.data)) + 1e-300
  for (let j = 0; j < A.cols; j++) {
    expect(x[j]).toBeGreaterThanOrEqual(0)
    expect((w[j]! - mu) / scale).toBeLessThan(slack)
    if (x[j]! > 0) expect(Math.abs(w[j]! - mu) / scale).toBeLessThan(slack)
  }
  expect(kktViolation).toBeLessThan(slack * 100)
}

test('the conditions of Karush, Kuhn and Tucker hold, for any shape, rank and total', () => {
  const size = fc.integer({ min: 1, max: 10 })
  const total = fc.double({ min: -7, max: 7, noNaN: true }).map(Math.exp)
  fc.assert(
    fc.property(fc.integer(), size, size, size, total, (seed, rows, cols, wanted, total) => {
      const rank = Math.min(wanted, rows, cols)
      const A = matrixWithSingularValues({ seed, rows, cols }, spectrum(rank, 100))
      expectOptimal(A, normalVector(`${seed} b`, rows), total, 1e-13)
    }),
    { numRuns: 300 },
  )
})

test('ill-conditioned to 1e15', () => {
  for (let seed = 0; seed < 20; seed++) {
    const A = matrixWithSingularValues({ seed, rows: 12, cols: 9 }, spectrum(9, [1e8, 1e12, 1e15][seed % 3]!))
    expectOptimal(A, normalVector(`${seed} b`, 12), 3, 1e-11)
  }
})

test('with the identity it is the projection onto the simplex', () => {
  // projection by sorting: x = max(b − θ, 0) with θ fixed by the sum
  fc.assert(
    fc.property(fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 1, maxLength: 8 }), (values) => {
      const n = values.length
      const I = matrix(n, n)
      for (let i = 0; i < n; i++) I.data[i * n + i] = 1
      const sorted = [...values].sort((p, q) => q - p)
      let theta = 0
      let sum = 0
      for (const [i, v] of sorted.entries()) {
        sum += v
        if (v - (sum - 1) / (i + 1) > 0) theta = (sum - 1) / (i + 1)
      }
      const { x } = simplexLeastSquares(I, Float64Array.from(values), { total: 1 })
      x.forEach((value, j) => {
        expect(value).toBeCloseTo(Math.max(0, values[j]! - theta), 12)
      })
    }),
    { numRuns: 300 },
  )
})

test('counts that made the data are found again', () => {
  const A = normalMatrix({ seed: 3, rows: 12, cols: 6 })
  const counts = Float64Array.of(10, 0, 25, 5, 0, 0)
  const { x, residualNormSq } = simplexLeastSquares(A, multiplyVector(A, counts), { total: 40 })
  x.forEach((value, j) => {
    expect(value).toBeCloseTo(counts[j]!, 11)
  })
  expect(residualNormSq).toBeLessThan(1e-24)
})

test('equal columns, zero columns, one column, total 0', () => {
  expectOptimal(
    matrixOf([
      [1, 1, 0],
      [2, 2, 0],
    ]),
    Float64Array.of(0.3, 0.2),
    1,
    1e-14,
  )
  expect([...simplexLeastSquares(matrixOf([[5]]), Float64Array.of(0), { total: 2 }).x]).toEqual([2])
  expect([...simplexLeastSquares(matrix(2, 2), Float64Array.of(1, 1), { total: 2 }).x]).toEqual([2, 0])
  expect([...simplexLeastSquares(matrix(0, 2), new Float64Array(0), { total: 2 }).x]).toEqual([2, 0])
  const none = simplexLeastSquares(matrixOf([[1, 2]]), Float64Array.of(3), { total: 0 })
  expect([...none.x, none.residualNormSq]).toEqual([0, 0, 9])
})

test('what is refused', () => {
  const A = matrixOf([[1, 2]])
  for (const total of [-1, NaN, Infinity]) {
    expect(() => simplexLeastSquares(A, Float64Array.of(1), { total })).toThrow(/total must be/)
  }
  expect(() => simplexLeastSquares(matrix(1, 0), Float64Array.of(1), { total: 1 })).toThrow(/0 shares/)
  expect(() => simplexLeastSquares(A, Float64Array.of(NaN), { total: 1 })).toThrow(/NaN/)
  const wide = normalMatrix({ seed: 3, rows: 20, cols: 8 })
  const b = multiplyVector(wide, new Float64Array(8).fill(1))
  expect(() => simplexLeastSquares(wide, b, { total: 8, maxIterations: 3 })).toThrow(/within 3 minimisations/)
})
