import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matrixWithSingularValues, normalVector, spectrum } from '../../../test/matrices.js'
import { conjugateGradient } from './conjugate-gradient.js'
import { solve } from './lu.js'
import { matrix, matrixOf, multiply, transpose } from './matrix.js'
import { columnOf } from './matrix-vector.js'
import { sparseFromDense, sparseFromTriplets, type Triplet } from './sparse.js'

test('agrees with the dense solver', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 12 }), (seed, n) => {
      const H = matrixWithSingularValues({ seed, rows: n, cols: n }, spectrum(n, 30))
      const A = multiply(H, transpose(H))
      const b = normalVector(`${seed} b`, n)
      const { x, converged, residualNorm } = conjugateGradient(sparseFromDense(A), b)
      const dense = solve(A, columnOf(b)).data
      expect(converged).toBe(true)
      expect(residualNorm).toBeLessThan(1e-11 * Math.hypot(...b))
      x.forEach((value, j) => {
        expect(Math.abs(value - dense[j]!)).toBeLessThan(1e-8 * Math.hypot(...dense))
      })
    }),
    { numRuns: 100 },
  )
})

test('the right preconditioner saves steps and changes nothing', () => {
  const n = 200
  const triplets: Triplet[] = []
  for (let i = 0; i < n; i++) {
    triplets.push([i, i, 2 + i * i])
    if (i > 0) triplets.push([i, i - 1, -1], [i - 1, i, -1])
  }
  const A = sparseFromTriplets({ rows: n, cols: n }, triplets)
  const b = normalVector('b', n)
  const plain = conjugateGradient(A, b)
  const better = conjugateGradient(A, b, { precondition: (r) => r.map((v, i) => v / (2 + i * i)) })
  expect(better.iterations).toBeLessThan(plain.iterations / 4)
  better.x.forEach((value, j) => {
    expect(value).toBeCloseTo(plain.x[j]!, 9)
  })
})

test('says when it has not converged', () => {
  const A = matrixWithSingularValues({ seed: 1, rows: 20, cols: 20 }, spectrum(20, 1e4))
  const { converged, iterations } = conjugateGradient(multiply(A, transpose(A)), normalVector('b', 20), {
    maxIterations: 3,
  })
  expect([converged, iterations]).toEqual([false, 3])
})

test('zero b, no unknowns, indefinite, not square', () => {
  expect(conjugateGradient(matrixOf([[2]]), Float64Array.of(0))).toMatchObject({ iterations: 0, converged: true })
  expect(conjugateGradient(matrix(0, 0), new Float64Array(0))).toMatchObject({ iterations: 0, converged: true })
  expect(() =>
    conjugateGradient(
      matrixOf([
        [1, 0],
        [0, -1],
      ]),
      Float64Array.of(1, 2),
    ),
  ).toThrow(/not positive definite/)
  expect(() => conjugateGradient(matrix(2, 2), Float64Array.of(1, 2))).toThrow(/not positive definite/)
  expect(() => conjugateGradient(matrix(2, 3), Float64Array.of(1, 2))).toThrow(/square/)
})

test('unless told it gives up after ten steps for each unknown', () => {
  // Not symmetric: directions have curvature, and are not conjugate.
  const turning = matrixOf([[1, -1], [1, 1]]) // biome-ignore format: a matrix
  expect(conjugateGradient(turning, Float64Array.of(1, 0))).toMatchObject({ iterations: 20, converged: false })
})
