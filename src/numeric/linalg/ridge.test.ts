import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matrixWithSingularValues, normalMatrix, normalVector, spectrum } from '../../../test/matrices.js'
import { describeWithShared, vector } from '../../../test/shared.js'
import { leastSquares } from './least-squares.js'
import { matrix, matrixOf } from './matrix.js'
import { columnOf, multiplyTransposedVector, residual } from './matrix-vector.js'
import { ridge } from './ridge.js'

interface Shared {
  A: number[][]
  G: number[]
  cases: { lam: number; v: number[]; x: number[]; objective: number }[]
}

describeWithShared('the shared vector i', () => {
  const { A, G, cases } = vector<Shared>('i')
  test.each(cases)('lambda $lam', ({ lam, v, x, objective }) => {
    const found = ridge(matrixOf(A), Float64Array.from(G), { lambda: lam, weights: Float64Array.from(v) })
    x.forEach((value, j) => {
      expect(found.x[j]).toBeCloseTo(value, 12)
    })
    expect(found.objective).toBeCloseTo(objective, 12)
    expect(found.minimumNorm).toBe(false)
  })
})

test('the gradient vanishes: Aᵀ V (b − A x) = λ x, tall and wide', () => {
  const shape = fc.record({
    seed: fc.integer(),
    rows: fc.integer({ min: 1, max: 9 }),
    cols: fc.integer({ min: 1, max: 9 }),
  })
  const lambda = fc.double({ min: -14, max: 7, noNaN: true }).map(Math.exp)
  fc.assert(
    fc.property(shape, lambda, (s, lambda) => {
      const A = normalMatrix(s)
      const b = normalVector(`${s.seed} b`, s.rows)
      const weights = normalVector(`${s.seed} v`, s.rows).map(Math.abs)
      const { x, misfitSq, normSq, objective } = ridge(A, b, { lambda, weights })
      const r = residual(A, x, b)
      const gradient = multiplyTransposedVector(
        A,
        r.map((value, i) => weights[i]! * value),
      )
      const size = 1 + lambda + Math.hypot(...x)
      gradient.forEach((value, j) => {
        expect(Math.abs(value - lambda * x[j]!)).toBeLessThan(1e-12 * size * size)
      })
      expect(objective).toBeCloseTo(misfitSq + lambda * normSq, 12)
    }),
    { numRuns: 300 },
  )
})

describe('where normal equations would fail', () => {
  // x = V (s c / (s² + λ)) for A = U diag(s) Vᵀ: here one singular value of 1e-9 with λ = 1e-18 beside it; AᵀA has no trace of it
  test('condition 1e9: tall and wide agree with the filter', () => {
    const s = [1, 1e-3, 1e-9]
    const lambda = 1e-18
    for (const [rows, cols] of [
      [6, 3],
      [3, 6],
    ] as const) {
      const A = matrixWithSingularValues({ seed: 9, rows, cols }, s)
      const whole = leastSquares(A, columnOf(normalVector('b', rows))).X.data
      const b = new Float64Array(rows)
      A.data.forEach((a, i) => {
        b[Math.floor(i / cols)]! += a * whole[i % cols]!
      })
      const { x } = ridge(A, b, { lambda, weights: new Float64Array(rows).fill(1) })
      const halved = Math.hypot(...x) / Math.hypot(...whole) // the 1e-9 part dominates, and its filter is 1/2
      expect(halved).toBeCloseTo(0.5, 4)
    }
  })
})

test('lambda 0 without full rank gives the shortest, and says so; a hair of lambda comes to the same', () => {
  const A = matrixWithSingularValues({ seed: 3, rows: 4, cols: 6 }, spectrum(3, 10))
  const b = normalVector('b', 4)
  const plain = ridge(A, b, { lambda: 0 })
  expect(plain.minimumNorm).toBe(true)
  const hair = ridge(A, b, { lambda: 1e-60 })
  hair.x.forEach((value, j) => {
    expect(value).toBeCloseTo(plain.x[j]!, 12)
  })
})

test('a weight of 0 is a row left out', () => {
  const A = normalMatrix({ seed: 4, rows: 6, cols: 3 })
  const b = normalVector('b', 6)
  const some = ridge(A, b, { lambda: 0.1, weights: Float64Array.of(1, 1, 1, 1, 0, 0) }).x
  const fewer = ridge(matrix(4, 3, A.data.slice(0, 12)), b.slice(0, 4), { lambda: 0.1 }).x
  some.forEach((value, j) => {
    expect(value).toBeCloseTo(fewer[j]!, 13)
  })
})

test('empty systems, and what is refused', () => {
  expect([...ridge(matrix(0, 2), new Float64Array(0), { lambda: 1 }).x]).toEqual([0, 0])
  expect(ridge(matrix(2, 0), Float64Array.of(3, 4), { lambda: 1 })).toMatchObject({ misfitSq: 25, objective: 25 })
  const A = matrixOf([[1]])
  const b = Float64Array.of(1)
  for (const lambda of [-1, NaN, Infinity]) expect(() => ridge(A, b, { lambda })).toThrow(/lambda/)
  expect(() => ridge(A, b, { lambda: 1, weights: Float64Array.of(-1) })).toThrow(/weights\[0\] is -1/)
  expect(() => ridge(A, b, { lambda: 1, weights: new Float64Array(2) })).toThrow(/weights has 2 values/)
  expect(() => ridge(A, Float64Array.of(NaN), { lambda: 1 })).toThrow(/b\[0\] is NaN/)
})
