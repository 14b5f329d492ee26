import fc from 'fast-check'
import { expect, test } from 'vitest'
import { largestDifference, normalMatrix, normalVector } from '../../../test/matrices.js'
import { solve } from './lu.js'
import { identity, matrix, matrixOf, multiply, transpose } from './matrix.js'
import { woodburySolve } from './woodbury.js'

test('agrees with the dense solver', () => {
  const size = fc.integer({ min: 1, max: 9 })
  fc.assert(
    fc.property(fc.integer(), size, fc.integer({ min: 0, max: 4 }), (seed, n, k) => {
      const diagonal = normalVector(`${seed} D`, n).map((d) => Math.exp(d))
      const U = normalMatrix({ seed: `${seed} U`, rows: n, cols: k })
      const V = normalMatrix({ seed: `${seed} V`, rows: k, cols: n })
      const C = normalMatrix({ seed: `${seed} C`, rows: k, cols: k })
      const B = normalMatrix({ seed: `${seed} B`, rows: n, cols: 2 })
      const whole = multiply(U, multiply(C, V))
      for (let i = 0; i < n; i++) whole.data[i * n + i]! += diagonal[i]!
      const X = woodburySolve({ diagonal, U, C, V }, B)
      const expected = solve(whole, B)
      const size = 1 + Math.max(...expected.data.map(Math.abs))
      expect(largestDifference(X, expected)).toBeLessThan(1e-9 * size * size)
      const back = multiply(whole, X)
      expect(largestDifference(back, B)).toBeLessThan(1e-11 * size * (1 + Math.max(...whole.data.map(Math.abs))))
    }),
    { numRuns: 200 },
  )
})

test('D + U Uᵀ unless told; a singular C is allowed', () => {
  const U = normalMatrix({ seed: 1, rows: 5, cols: 2 })
  const B = normalMatrix({ seed: 2, rows: 5, cols: 1 })
  const diagonal = new Float64Array(5).fill(2)
  const whole = multiply(U, transpose(U))
  for (let i = 0; i < 5; i++) whole.data[i * 6]! += 2
  expect(largestDifference(woodburySolve({ diagonal, U }, B), solve(whole, B))).toBeLessThan(1e-13)
  expect(
    largestDifference(
      woodburySolve({ diagonal, U, C: matrix(2, 2) }, B),
      matrix(
        5,
        1,
        B.data.map((b) => b / 2),
      ),
    ),
  ).toBe(0)
})

test('a diagonal of 1e-12 under a large low-rank part: refinement keeps the residual small', () => {
  const n = 30
  const U = normalMatrix({ seed: 3, rows: n, cols: 2 })
  const diagonal = new Float64Array(n).fill(1e-6)
  const B = normalMatrix({ seed: 4, rows: n, cols: 1 })
  const X = woodburySolve({ diagonal, U }, B)
  const back = multiply(U, multiply(transpose(U), X))
  back.data.forEach((value, i) => {
    back.data[i] = value + 1e-6 * X.data[i]!
  })
  expect(largestDifference(back, B)).toBeLessThan(1e-8)
})

test('what is refused', () => {
  const U = matrixOf([[1], [1]])
  const diagonal = Float64Array.of(1, 1)
  expect(() => woodburySolve({ diagonal: Float64Array.of(1, 0), U }, matrix(2, 1))).toThrow(/diagonal\[1\] is 0/)
  expect(() => woodburySolve({ diagonal, U, C: identity(2) }, matrix(2, 1))).toThrow(/C is 2 x 2/)
  expect(() => woodburySolve({ diagonal, U, V: matrix(2, 1) }, matrix(2, 1))).toThrow(/V is 2 x 1/)
  expect(() => woodburySolve({ diagonal, U }, matrix(3, 1))).toThrow(/B has 3 rows/)
  expect(() => woodburySolve({ diagonal, U, C: matrixOf([[-0.5]]) }, matrix(2, 1))).toThrow(/singular/)
  expect(() => woodburySolve({ diagonal: Float64Array.of(NaN, 1), U }, matrix(2, 1))).toThrow(/NaN/)
})
