import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  largestDifference,
  matrixWithSingularValues,
  normalMatrix,
  normalVector,
  spectrum,
} from '../../../test/matrices.js'
import { leastSquares } from './least-squares.js'
import { matrix, matrixOf, multiply, transpose } from './matrix.js'
import { columnOf } from './matrix-vector.js'
import { pseudoInverse } from './pseudo-inverse.js'

const sizes = fc.record({
  seed: fc.integer(),
  rows: fc.integer({ min: 1, max: 9 }),
  cols: fc.integer({ min: 1, max: 9 }),
})

test('the residual is orthogonal to the columns, whatever the shape and rank', () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 9 }), (shape, wanted) => {
      const rank = Math.min(wanted, shape.rows, shape.cols)
      const A = matrixWithSingularValues(shape, spectrum(rank, 100))
      const B = normalMatrix({ seed: `${shape.seed} B`, rows: shape.rows, cols: 2 })
      const found = leastSquares(A, B)
      expect(found.rank).toBe(rank)
      expect(found.minimumNorm).toBe(rank < shape.cols)
      const fit = multiply(A, found.X)
      const R = matrix(
        B.rows,
        2,
        B.data.map((b, i) => b - fit.data[i]!),
      )
      const gradient = multiply(transpose(A), R)
      expect(Math.max(...gradient.data.map(Math.abs))).toBeLessThan(1e-12)
      for (const c of [0, 1]) {
        const sum = R.data.filter((_, i) => i % 2 === c).reduce((total, r) => total + r * r, 0)
        expect(found.residualNormSq[c]).toBeCloseTo(sum, 12)
      }
      // the shortest: what the pseudo-inverse gives
      expect(largestDifference(found.X, multiply(pseudoInverse(A).inverse, B))).toBeLessThan(1e-10)
    }),
    { numRuns: 200 },
  )
})

test('scaling b scales x, scaling A divides it, at the ends of the range too', () => {
  const A = normalMatrix({ seed: 1, rows: 7, cols: 4 })
  const b = normalVector(2, 7)
  const x = leastSquares(A, columnOf(b)).X.data
  for (const [byA, byB] of [
    [1e-200, 1],
    [1e150, 1e-100],
    [3, -2],
  ] as const) {
    const scaled = leastSquares(
      matrix(
        7,
        4,
        A.data.map((a) => a * byA),
      ),
      columnOf(b.map((v) => v * byB)),
    ).X.data
    scaled.forEach((value, j) => {
      expect((value / byB) * byA).toBeCloseTo(x[j]!, 12)
    })
  }
})

describe('ill-conditioned', () => {
  test.each([1e3, 1e8, 1e13])('condition %d: digits lost as said, residual none', (condition) => {
    const A = matrixWithSingularValues({ seed: condition, rows: 12, cols: 6 }, spectrum(6, condition))
    const x = normalVector('x', 6)
    const { X, rank, conditionEstimate, trustedDigits, residualNormSq } = leastSquares(A, multiply(A, columnOf(x)))
    expect(rank).toBe(6)
    expect(conditionEstimate).toBeGreaterThan(condition / 30)
    expect(conditionEstimate).toBeLessThan(condition * 1.01)
    expect(trustedDigits).toBeLessThanOrEqual(Math.ceil(17.2 - Math.log10(condition)))
    expect(largestDifference(X, columnOf(x))).toBeLessThan(10 * condition * 2.2e-16)
    expect(Math.sqrt(residualNormSq[0]!)).toBeLessThan(1e-14)
  })

  test('1e17 is singular to working precision: the shortest solution, small and with no residual', () => {
    const A = matrixWithSingularValues({ seed: 5, rows: 8, cols: 4 }, [1, 0.5, 0.1, 1e-17])
    const found = leastSquares(A, multiply(A, columnOf(normalVector('x', 4))))
    expect([found.rank, found.minimumNorm]).toEqual([3, true])
    expect(found.residualNormSq[0]).toBeLessThan(1e-28)
    expect(Math.hypot(...found.X.data)).toBeLessThan(10)
  })

  test('a tolerance of the caller cuts earlier', () => {
    const A = matrixWithSingularValues({ seed: 6, rows: 8, cols: 3 }, [1, 0.5, 1e-6])
    const B = columnOf(normalVector('b', 8))
    expect(leastSquares(A, B).rank).toBe(3)
    expect(leastSquares(A, B, { tolerance: 1e-4 }).rank).toBe(2)
  })
})

test('no rows, no columns, no right-hand sides, only zeros', () => {
  expect(leastSquares(matrix(3, 0), matrix(3, 1))).toMatchObject({
    X: { rows: 0, cols: 1 },
    rank: 0,
    minimumNorm: false,
  })
  expect(leastSquares(matrix(0, 2), matrix(0, 1))).toMatchObject({ rank: 0, minimumNorm: true })
  expect([...leastSquares(matrix(0, 2), matrix(0, 1)).X.data]).toEqual([0, 0])
  expect(leastSquares(matrixOf([[1], [2]]), matrix(2, 0)).X).toMatchObject({ rows: 1, cols: 0 })
  const zero = leastSquares(matrix(2, 2), matrixOf([[3], [4]]))
  expect([...zero.X.data, ...zero.residualNormSq, zero.rank]).toEqual([0, 0, 25, 0])
})

test('what is refused', () => {
  expect(() => leastSquares(matrix(3, 2), matrix(2, 1))).toThrow(/B has 2 rows/)
  expect(() => leastSquares(matrixOf([[NaN]]), matrixOf([[1]]))).toThrow(/A\[0, 0\] is NaN/)
  expect(() => leastSquares(matrixOf([[1]]), matrixOf([[Infinity]]))).toThrow(/B\[0, 0\] is Infinity/)
  for (const tolerance of [-1, 1, NaN])
    expect(() => leastSquares(matrix(1, 1), matrix(1, 1), { tolerance })).toThrow(/relative/)
})
