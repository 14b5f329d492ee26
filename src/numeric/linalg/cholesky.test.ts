import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { largest, randomMatrix, timesDiagonal, ulpsApart } from '../../../test/linalg-checks.js'
import { cholesky, choleskySolve, lowerInverse } from './cholesky.js'

import { referenceCholesky } from './linalg-reference.js'
import { solve } from './lu.js'
import { identity, type Matrix, matrix, matrixOf, multiply, transpose } from './matrix.js'

/** Symmetric positive definite. */
function definite(n: number, seed: number): Matrix {
  const A = randomMatrix({ rows: n + 3, cols: n }, seed)
  return multiply(transpose(A), A)
}

describe('cholesky', () => {
  test('gives a lower factor that multiplies to A', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 70 }), fc.constantFrom(1, 1e150, 1e-150), fc.nat(1e6), (n, by, seed) => {
        const A = timesDiagonal(definite(n, seed), new Float64Array(n).fill(by))
        const L = cholesky(A)
        const wrong = L.data.findIndex((x, at) => {
          const above = (at % n) - Math.floor(at / n)
          return above > 0 ? x !== 0 : above === 0 && !(x > 0)
        })
        expect(wrong).toBe(-1)
        expect(ulpsApart(multiply(L, transpose(L)), A)).toBeLessThan(20)
        expect(cholesky(A)).toEqual(L)
        expect(ulpsApart(cholesky(definite(n, seed)), referenceCholesky(definite(n, seed))!)).toBeLessThan(1e6)
      }),
      { numRuns: 40 },
    )
  })

  test('gives a known factor', () => {
    const A = matrixOf([
      [4, 12, -16],
      [12, 37, -43],
      [-16, -43, 98],
    ])
    expect(cholesky(A)).toEqual(
      matrixOf([
        [2, 0, 0],
        [6, 1, 0],
        [-8, 5, 3],
      ]),
    )
  })

  test.each([0, 1, 5, 16, 17, 40])('names the pivot that is not positive: %d', (pivot) => {
    const A = identity(41)
    A.data[pivot * 41 + pivot] = -2
    expect(() => cholesky(A)).toThrow(
      expect.objectContaining({ code: 'E_VALUE', message: expect.stringContaining(`pivot ${pivot} is -2;`) }),
    )
  })

  test('refuses what is only semidefinite, not symmetric, not square or not finite', () => {
    expect(() => cholesky(matrix(2, 2))).toThrow('pivot 0 is 0')
    expect(() => cholesky(matrix(2, 2, Float64Array.of(2, 1, 0, 2)))).toThrow('A must be symmetric')
    expect(() => cholesky(matrix(2, 1))).toThrow('it must be square')
    expect(() => cholesky(matrixOf([[Number.NaN]]))).toThrow('A[0, 0] is NaN')
  })
})

describe('choleskySolve', () => {
  test('solves what LU solves', () => {
    for (const [n, k] of [
      [0, 2],
      [1, 1],
      [7, 1],
      [33, 4],
      [70, 9],
    ] as const) {
      const A = definite(n, n)
      const B = randomMatrix({ rows: n, cols: k }, 9)
      const X = choleskySolve(cholesky(A), B)
      const size = n * largest(A.data) * largest(X.data)
      expect(ulpsApart(multiply(A, X), B, size)).toBeLessThan(20)
      expect(ulpsApart(X, solve(A, B))).toBeLessThan(1e9)
    }
  })

  test('refuses a factor with a zero on its diagonal', () => {
    for (const i of [0, 1, 2]) {
      const L = identity(3)
      L.data[4 * i] = 0
      expect(() => choleskySolve(L, matrix(3, 1))).toThrow(`L[${i}, ${i}] is 0`)
    }
    expect(() => choleskySolve(identity(3), matrix(2, 1))).toThrow('B has 2 rows')
  })
})

test('lowerInverse undoes a factor, block by block', () => {
  for (const n of [0, 1, 5, 97, 200]) {
    const L = cholesky(definite(n, n))
    const X = lowerInverse(L)
    expect(ulpsApart(multiply(L, X), identity(n), Math.max(1, n * largest(L.data) * largest(X.data)))).toBeLessThan(20)
    for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) expect(X.data[i * n + j]).toBe(0)
  }
})
