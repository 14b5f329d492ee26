import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matrixWithSingularValues, normalMatrix, normalVector, spectrum } from '../../../test/matrices.js'
import { rng } from '../random/rng.js'
import { leastSquares } from './least-squares.js'
import { lsqr } from './lsqr.js'
import { matrix, matrixOf } from './matrix.js'
import { columnOf, multiplyVector } from './matrix-vector.js'
import { ridge } from './ridge.js'
import { sparseFromDense, sparseFromTriplets, sparseMultiply, type Triplet } from './sparse.js'

const size = fc.integer({ min: 1, max: 9 })

test('agrees with the dense solver, whatever the shape and rank', () => {
  fc.assert(
    fc.property(fc.integer(), size, size, size, (seed, rows, cols, wanted) => {
      const A = matrixWithSingularValues({ seed, rows, cols }, spectrum(Math.min(wanted, rows, cols), 30))
      const b = normalVector(`${seed} b`, rows)
      const { x, stop, residualNorm } = lsqr(sparseFromDense(A), b)
      const dense = leastSquares(A, columnOf(b))
      expect(['consistent', 'least-squares']).toContain(stop)
      x.forEach((value, j) => {
        expect(Math.abs(value - dense.X.data[j]!)).toBeLessThan(1e-8)
      })
      expect(Math.abs(residualNorm - Math.sqrt(dense.residualNormSq[0]!))).toBeLessThan(1e-10)
    }),
    { numRuns: 200 },
  )
})

test('damped, it agrees with ridge', () => {
  fc.assert(
    fc.property(fc.integer(), size, size, fc.constantFrom(1e-4, 0.1, 1, 100), (seed, rows, cols, beta) => {
      const A = normalMatrix({ seed, rows, cols })
      const b = normalVector(`${seed} b`, rows)
      const { x, residualNorm } = lsqr(A, b, { beta })
      const dense = ridge(A, b, { lambda: beta })
      x.forEach((value, j) => {
        expect(Math.abs(value - dense.x[j]!)).toBeLessThan(1e-7)
      })
      expect(residualNorm).toBeCloseTo(Math.sqrt(dense.objective), 9)
    }),
    { numRuns: 200 },
  )
})

test('a sparse system of 3000 unknowns', () => {
  const stream = rng('sparse')
  const triplets: Triplet[] = []
  for (let i = 0; i < 4000; i++) {
    if (i < 3000) triplets.push([i, i, 4])
    for (let k = 0; k < 3; k++) triplets.push([i, stream.integer(3000), stream.normal()])
  }
  const A = sparseFromTriplets({ rows: 4000, cols: 3000 }, triplets)
  const truth = stream.normals(3000)
  const { x, stop, iterations } = lsqr(A, sparseMultiply(A, truth), { tolerance: 1e-13 })
  expect(stop).toBe('consistent')
  expect(iterations).toBeLessThan(400)
  expect(Math.max(...x.map((v, j) => Math.abs(v - truth[j]!)))).toBeLessThan(1e-10)
})

describe('stopping', () => {
  const A = matrixWithSingularValues({ seed: 3, rows: 30, cols: 15 }, spectrum(15, 1e6))
  const b = multiplyVector(A, normalVector('x', 15))

  test('the cap, the condition limit', () => {
    expect(lsqr(A, b, { maxIterations: 2 })).toMatchObject({ stop: 'iterations', iterations: 2 })
    const limited = lsqr(A, normalVector('b', 30), { conditionLimit: 100, tolerance: 0 })
    expect(limited.stop).toBe('condition')
    expect(limited.conditionEstimate).toBeGreaterThan(100)
  })

  test('the condition estimate is of the order of the condition', () => {
    const { conditionEstimate } = lsqr(A, b, { tolerance: 1e-15, maxIterations: 300 })
    expect(conditionEstimate).toBeGreaterThan(1e5)
    expect(conditionEstimate).toBeLessThan(1e8)
  })

  test('a residual is small beside b and what A makes of x', () => {
    const diagonal = matrixOf([
      [100, 0, 0],
      [0, 1, 0],
      [0, 0, 0.01],
    ])
    // After three steps ‖r‖ = 2.8e-4, ‖b‖ + ‖A‖ ‖x‖ = 1e4; the fourth leaves rounding alone.
    for (const [tolerance, iterations] of [
      [1e-5, 3],
      [1e-9, 4],
    ] as const) {
      expect(lsqr(diagonal, Float64Array.of(1, 1, 1), { tolerance })).toMatchObject({ stop: 'consistent', iterations })
    }
  })

  test('a zero b, a b out of reach, exact in one step', () => {
    expect(lsqr(A, new Float64Array(30))).toMatchObject({ stop: 'consistent', iterations: 0 })
    expect(lsqr(matrixOf([[1], [0]]), Float64Array.of(0, 2))).toMatchObject({ stop: 'least-squares', residualNorm: 2 })
    const twice = matrixOf([
      [2, 0],
      [0, 2],
    ])
    const once = lsqr(twice, Float64Array.of(2, 4))
    expect(once.iterations).toBe(1)
    expect(once.x[0]).toBeCloseTo(1, 14)
    expect(once.x[1]).toBeCloseTo(2, 14)
    expect([...lsqr(matrix(0, 2), new Float64Array(0)).x]).toEqual([0, 0])
    expect(lsqr(matrix(2, 0), Float64Array.of(1, 1)).stop).toBe('least-squares')
  })
})

test('what is refused', () => {
  expect(() => lsqr(matrix(2, 2), new Float64Array(3))).toThrow(/b has 3 values/)
  expect(() => lsqr(matrixOf([[1]]), Float64Array.of(1), { beta: -1 })).toThrow(/beta -1/)
  expect(() => lsqr(matrixOf([[1]]), Float64Array.of(NaN))).toThrow(/NaN/)
  expect(() => lsqr(matrixOf([[NaN]]), Float64Array.of(1))).toThrow(/NaN/)
})
