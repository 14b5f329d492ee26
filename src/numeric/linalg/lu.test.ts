import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type HardKind,
  hardMatrices,
  largest,
  randomMatrix,
  randomOrthogonal,
  ulpsApart,
} from '../../../test/linalg-checks.js'
import { referenceSolve } from './linalg-reference.js'
import { determinant, lu, solve } from './lu.js'
import { identity, type Matrix, matrix, matrixOf, multiply } from './matrix.js'

const kinds = Object.keys(hardMatrices) as HardKind[]
const rowsOf = (A: Matrix, order: Int32Array): Matrix =>
  matrix(
    A.rows,
    A.cols,
    A.data.map((_, at) => A.data[order[Math.floor(at / A.cols)]! * A.cols + (at % A.cols)]!),
  )

describe('lu', () => {
  test('factors every kind of matrix with multipliers of at most one', () => {
    const size = fc.integer({ min: 0, max: 60 })
    fc.assert(
      fc.property(fc.constantFrom(...kinds), size, size, fc.nat(1e6), (kind, rows, cols, seed) => {
        const A = hardMatrices[kind]({ rows, cols }, seed)
        const { L, U, permutation, sign } = lu(A)
        const r = Math.min(rows, cols)
        expect([...permutation].sort((a, b) => a - b)).toEqual(Array.from({ length: rows }, (_, i) => i))
        const wrongL = L.data.findIndex((x, at) => {
          const below = Math.floor(at / r) - (at % r)
          return below > 0 ? !(Math.abs(x) <= 1) : x !== (below === 0 ? 1 : 0)
        })
        const wrongU = U.data.findIndex((x, at) => Math.floor(at / cols) > at % cols && x !== 0)
        expect([wrongL, wrongU]).toEqual([-1, -1])
        const size = Math.max(largest(A.data), largest(U.data))
        expect(ulpsApart(multiply(L, U), rowsOf(A, permutation), size)).toBeLessThan(40)
        expect(sign).toBe(parity(permutation))
        expect(lu(A)).toEqual({ L, U, permutation, sign })
      }),
      { numRuns: 150 },
    )
  })
})

function parity(order: Int32Array): number {
  let sign = 1
  for (let i = 0; i < order.length; i++) for (let j = 0; j < i; j++) if (order[j]! > order[i]!) sign = -sign
  return sign
}

describe('solve', () => {
  test('leaves a residual of rounding size', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 7 }), fc.nat(1e6), (n, k, seed) => {
        const A = randomMatrix({ rows: n, cols: n }, seed)
        const B = randomMatrix({ rows: n, cols: k }, seed + 1)
        const X = solve(A, B)
        const size = n * largest(A.data) * largest(X.data) + largest(B.data)
        expect(ulpsApart(multiply(A, X), B, size)).toBeLessThan(20)
        expect(solve(A, B)).toEqual(X)
      }),
      { numRuns: 80 },
    )
  })

  test('agrees with the reference on well-conditioned systems', () => {
    for (const n of [1, 2, 5, 24, 25, 60]) {
      const A = randomOrthogonal(n, n)
      const B = randomMatrix({ rows: n, cols: 5 }, n)
      expect(ulpsApart(solve(A, B), referenceSolve(A, B)!)).toBeLessThan(100)
    }
  })

  test('needs its row exchanges', () => {
    const A = matrixOf([
      [1e-20, 1],
      [1, 1],
    ])
    expect([...solve(A, matrixOf([[1], [2]])).data]).toEqual([1, 1])
  })

  test('takes matrices scaled by 1e150 and 1e-150', () => {
    for (const by of [1e150, 1e-150]) {
      const A = randomMatrix({ rows: 40, cols: 40 }, 3)
      const scaled = matrix(
        40,
        40,
        A.data.map((x) => x * by),
      )
      const back = solve(scaled, identity(40)).data.map((x) => x * by)
      expect(ulpsApart(matrix(40, 40, back), solve(A, identity(40)))).toBeLessThan(1e4)
    }
  })

  test('names the column of a singular matrix', () => {
    const A = matrixOf([
      [1, 2, 3],
      [2, 4, 5],
      [3, 6, 9],
    ])
    expect(() => solve(A, identity(3))).toThrow('A is singular: no pivot is left in column 1')
    expect(() => solve(matrix(2, 3), identity(2))).toThrow(expect.objectContaining({ code: 'E_SHAPE' }))
    expect(() => solve(identity(3), identity(2))).toThrow('B has 2 rows')
    const B = matrix(3, 1, Float64Array.of(0, Number.NaN, 0))
    expect(() => solve(identity(3), B)).toThrow('B[1, 0] is NaN')
  })
})

describe('determinant', () => {
  test('knows sign and size', () => {
    expect(determinant(matrix(0, 0))).toEqual({ sign: 1, logAbs: 0 })
    expect(determinant(matrixOf([[-3]]))).toEqual({ sign: -1, logAbs: Math.log(3) })
    const swapped = matrixOf([
      [0, 2],
      [3, 0],
    ])
    expect(determinant(swapped).sign).toBe(-1)
    expect(determinant(swapped).logAbs).toBeCloseTo(Math.log(6), 14)
    expect(determinant(hardMatrices.ones({ rows: 4, cols: 4 }))).toEqual({ sign: 0, logAbs: Number.NEGATIVE_INFINITY })
  })

  test('multiplies, where the plain product overflows', () => {
    const A = hardMatrices.huge({ rows: 30, cols: 30 }, 1)
    const B = randomMatrix({ rows: 30, cols: 30 }, 2)
    const [a, b, ab] = [determinant(A), determinant(B), determinant(multiply(A, B))]
    expect(ab.sign).toBe(a.sign * b.sign)
    expect(ab.logAbs).toBeCloseTo(a.logAbs + b.logAbs, 8)
    expect(ab.logAbs).toBeGreaterThan(1000)
  })
})
