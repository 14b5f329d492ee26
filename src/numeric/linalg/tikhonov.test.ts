import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matrixWithSingularValues, normalMatrix, normalVector, spectrum } from '../../../test/matrices.js'
import { describeWithShared, vector } from '../../../test/shared.js'
import { matrix, matrixOf } from './matrix.js'
import { multiplyTransposedVector, multiplyVector, residual } from './matrix-vector.js'
import { ridge } from './ridge.js'
import {
  diagonalise,
  tikhonovBetas,
  tikhonovCurve,
  tikhonovPoint,
  tikhonovSolution,
  tikhonovSolutions,
} from './tikhonov.js'
import { cornerOfLCurve, leastCrossValidation, smallestBetaWithSlope } from './tikhonov-choice.js'
import { dot } from './vector.js'

interface Shared {
  cases: {
    name: string
    A: number[][]
    b: number[]
    x_pinv: number[]
    tikhonov: { beta: number; x: number[]; misfit2: number; norm2: number }[]
  }[]
}

describeWithShared('the shared vector e', () => {
  test.each(vector<Shared>('e').cases)('$name', ({ A, b, x_pinv, tikhonov }) => {
    const problem = diagonalise(matrixOf(A), Float64Array.from(b))
    for (const { beta, x, misfit2, norm2 } of tikhonov) {
      const found = tikhonovSolution(problem, beta)
      const point = tikhonovPoint(problem, beta)
      // the vectors were made by normal equations, whose own error is about 1e-16 (s1² + β) / (s_n² + β) ‖x‖
      const last = problem.s.length < A[0]!.length ? 0 : problem.s.at(-1)!
      const loss = (problem.s[0]! ** 2 + beta) / (last ** 2 + beta)
      x.forEach((value, j) => {
        expect(Math.abs(found[j]! - value)).toBeLessThan(1e-15 * (10 + loss) * Math.sqrt(norm2))
      })
      expect(Math.abs(point.normSq / norm2 - 1)).toBeLessThan(1e-9)
      expect(Math.abs(point.misfitSq / misfit2 - 1)).toBeLessThan(1e-8)
    }
    const shortest = tikhonovSolution(problem, 0)
    x_pinv.forEach((value, j) => {
      expect(Math.abs(shortest[j]! - value)).toBeLessThan(1e-10 * Math.max(1, Math.abs(value)))
    })
  })
})

const shapes = fc.record({
  seed: fc.integer(),
  rows: fc.integer({ min: 1, max: 9 }),
  cols: fc.integer({ min: 1, max: 9 }),
})
const weights = fc.double({ min: -12, max: 7, noNaN: true }).map(Math.exp)

test('agrees with ridge, and its figures are those of its solution', () => {
  fc.assert(
    fc.property(shapes, weights, (shape, beta) => {
      const A = normalMatrix(shape)
      const b = normalVector(`${shape.seed} b`, shape.rows)
      const problem = diagonalise(A, b)
      const x = tikhonovSolution(problem, beta)
      const point = tikhonovPoint(problem, beta)
      const other = ridge(A, b, { lambda: beta })
      x.forEach((value, j) => {
        expect(Math.abs(value - other.x[j]!)).toBeLessThan(1e-10 * (1 + Math.abs(value)))
      })
      const r = residual(A, x, b)
      expect(Math.abs(point.normSq - dot(x, x))).toBeLessThan(1e-12 * (1 + point.normSq))
      expect(Math.abs(point.misfitSq - dot(r, r))).toBeLessThan(1e-12 * (1 + dot(b, b)))
      expect(point.logMisfit).toBeCloseTo(Math.log(point.misfitSq) / 2, 12)
      expect(point.logNorm).toBeCloseTo(Math.log(point.normSq) / 2, 12)
    }),
    { numRuns: 200 },
  )
})

test('slope and curvature are those of finite differences of the curve', () => {
  fc.assert(
    fc.property(shapes, fc.double({ min: -6, max: 4, noNaN: true }), (shape, logBeta) => {
      const problem = diagonalise(normalMatrix(shape), normalVector(`${shape.seed} b`, shape.rows))
      const h = 1e-3
      const [p, q, r] = [logBeta - h, logBeta, logBeta + h].map((t) => tikhonovPoint(problem, Math.exp(t))) as [
        ReturnType<typeof tikhonovPoint>,
        ReturnType<typeof tikhonovPoint>,
        ReturnType<typeof tikhonovPoint>,
      ]
      const u1 = (r.logMisfit - p.logMisfit) / (2 * h)
      const w1 = (r.logNorm - p.logNorm) / (2 * h)
      const u2 = (r.logMisfit - 2 * q.logMisfit + p.logMisfit) / (h * h)
      const w2 = (r.logNorm - 2 * q.logNorm + p.logNorm) / (h * h)
      if (Math.hypot(u1, w1) < 1e-2) return // too still for differences
      expect(Math.abs(q.slope - u1 / w1)).toBeLessThan(1e-4 * (1 + Math.abs(q.slope)) ** 2)
      const curvature = (u1 * w2 - u2 * w1) / Math.hypot(u1, w1) ** 3
      expect(Math.abs(q.curvature - curvature)).toBeLessThan(
        2e-3 * (1 + Math.abs(curvature)) + 1e-8 / Math.hypot(u1, w1) ** 3,
      )
    }),
    { numRuns: 300 },
  )
})

test('degrees of freedom and cross-validation are those of the hat matrix', () => {
  const [rows, cols, beta] = [5, 3, 0.3]
  const A = normalMatrix({ seed: 8, rows, cols })
  const b = normalVector('b', rows)
  let trace = 0
  let leaveOneOut = 0
  for (let i = 0; i < rows; i++) {
    const unit = new Float64Array(rows)
    unit[i] = 1
    const fit = tikhonovSolution(diagonalise(A, unit), beta)
    const hat = dot(fit, A.data.slice(i * cols, (i + 1) * cols))
    trace += hat
    // leaving row i out: error r_i / (1 − h_i)
    const r = residual(A, tikhonovSolution(diagonalise(A, b), beta), b)[i]!
    const without = [...Array(rows).keys()].filter((k) => k !== i)
    const A1 = matrix(
      rows - 1,
      cols,
      Float64Array.from(without.flatMap((k) => [...A.data.slice(k * cols, (k + 1) * cols)])),
    )
    const x1 = tikhonovSolution(
      diagonalise(
        A1,
        Float64Array.from(without, (k) => b[k]!),
      ),
      beta,
    )
    const miss = b[i]! - dot(x1, A.data.slice(i * cols, (i + 1) * cols))
    expect(miss).toBeCloseTo(r / (1 - hat), 12)
    leaveOneOut += miss * miss
  }
  const point = tikhonovPoint(diagonalise(A, b), beta)
  expect(point.degreesOfFreedom).toBeCloseTo(trace, 12)
  expect(point.gcv).toBeCloseTo((rows * point.misfitSq) / (rows - trace) ** 2, 12)
  expect(leaveOneOut / rows / point.gcv).toBeGreaterThan(0.2) // the same thing, with each leverage in place of their mean
  expect(leaveOneOut / rows / point.gcv).toBeLessThan(5)
})

describe('choosing', () => {
  // smooth truth, condition 1e8, noise of 0.01: a textbook L
  const [rows, cols] = [40, 20]
  const A = matrixWithSingularValues({ seed: 22, rows, cols }, spectrum(cols, 1e8))
  const truth = multiplyTransposedVector(A, normalVector('truth', rows))
  const noise = normalVector('noise', rows)
  const b = multiplyVector(A, truth).map((v, i) => v + 0.01 * noise[i]!)
  const problem = diagonalise(A, b)
  const betas = tikhonovBetas(problem, { from: 1e-17 })
  const curve = tikhonovCurve(problem, betas)
  const errorAt = (beta: number): number => {
    const x = tikhonovSolution(problem, beta)
    return Math.hypot(...x.map((value, j) => value - truth[j]!))
  }
  const least = Math.min(...[...betas].map(errorAt))

  test('corner and cross-validation come near the best in hindsight, where no regularisation is lost', () => {
    expect(errorAt(betas[0]!)).toBeGreaterThan(1e4 * least)
    expect(errorAt(cornerOfLCurve(curve).beta)).toBeLessThan(4 * least)
    expect(errorAt(leastCrossValidation(curve).beta)).toBeLessThan(4 * least)
  })

  test('the slope rule takes the first crossing, or the steepest point and says so', () => {
    const { point, reached } = smallestBetaWithSlope(curve, -0.01)
    expect(reached).toBe(true)
    expect(curve.filter((p) => p.beta < point.beta && p.slope <= -0.01)).toEqual([])
    expect(point.slope).toBeLessThanOrEqual(-0.01)
    const never = smallestBetaWithSlope(curve, -1e9)
    expect(never.reached).toBe(false)
    expect(never.point.slope).toBe(Math.min(...curve.map((p) => p.slope)))
  })

  test('the slope tends to 0 at both ends when b has a part that A misses', () => {
    expect(Math.abs(curve[0]!.slope)).toBeLessThan(1e-2)
    expect(Math.abs(tikhonovPoint(problem, 1e12).slope)).toBeLessThan(1e-6)
  })

  test('with nothing to choose from it is an error', () => {
    const flat = diagonalise(matrixOf([[1], [0]]), Float64Array.of(0, 1))
    expect(() => cornerOfLCurve(tikhonovCurve(flat, [0.1, 1]))).toThrow(/none of 2 Tikhonov points/)
    expect(() => leastCrossValidation([])).toThrow(/none of 0/)
  })
})

test('the grid is geometric, relative to the largest singular value squared', () => {
  const problem = diagonalise(
    matrixOf([
      [3, 0],
      [0, 1],
    ]),
    Float64Array.of(1, 1),
  )
  const betas = tikhonovBetas(problem)
  expect(betas.length).toBe(161)
  expect(betas[0]! / 9e-12).toBeCloseTo(1, 12)
  expect(betas[160]! / 9e4).toBeCloseTo(1, 12)
  expect(betas[80]! / Math.sqrt(9e-12 * 9e4)).toBeCloseTo(1, 12)
  expect(tikhonovSolutions(problem, [0, 1])).toEqual(
    matrixOf([
      [1 / 3, 1],
      [3 / 10, 1 / 2],
    ]),
  )
})

test('rank-deficient and empty: the figures stay those of the shortest solution', () => {
  const problem = diagonalise(
    matrixOf([
      [1, 1],
      [1, 1],
    ]),
    Float64Array.of(1, 3),
  )
  expect(problem.s.length).toBe(1)
  expect(tikhonovPoint(problem, 0)).toMatchObject({ slope: -0 })
  expect(tikhonovPoint(problem, 0).misfitSq).toBeCloseTo(2, 14)
  expect(tikhonovPoint(problem, 0).normSq).toBeCloseTo(2, 14)
  expect([...tikhonovSolution(diagonalise(matrix(0, 2), new Float64Array(0)), 1)]).toEqual([0, 0])
})

test('what is refused', () => {
  const problem = diagonalise(matrixOf([[1]]), Float64Array.of(1))
  for (const beta of [-1, NaN, Infinity]) {
    expect(() => tikhonovSolution(problem, beta)).toThrow(/beta must be 0 or above/)
    expect(() => tikhonovPoint(problem, beta)).toThrow(/beta must be 0 or above/)
  }
  expect(() => tikhonovBetas(problem, { from: 1, to: 1 })).toThrow(/0 < from < to/)
  expect(() => tikhonovBetas(problem, { points: 1 })).toThrow(/2 points or more/)
  expect(() => diagonalise(matrixOf([[1]]), Float64Array.of(1, 2))).toThrow(/b has 2 values/)
})
