import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type HardKind,
  hardMatrices,
  largest,
  randomMatrix,
  randomOrthogonal,
  timesDiagonal,
  ulpsApart,
  ulpsFromOrthonormal,
} from '../../../test/linalg-checks.js'
import { symmetricEigen } from './eigen.js'
import { referenceSymmetricEigen } from './linalg-reference.js'
import { type Matrix, matrix, matrixOf, multiply, transpose } from './matrix.js'

const kinds = Object.keys(hardMatrices) as HardKind[]

function symmetric(A: Matrix): Matrix {
  const T = transpose(A)
  return matrix(
    A.rows,
    A.rows,
    A.data.map((x, i) => 0.5 * x + 0.5 * T.data[i]!),
  )
}

function expectEigen(A: Matrix): void {
  const { values, vectors } = symmetricEigen(A)
  expect(values.findIndex((x, k) => !(k === 0 || x >= values[k - 1]!))).toBe(-1)
  expect(ulpsFromOrthonormal(vectors)).toBeLessThan(150)
  const size = largest(values)
  expect(ulpsApart(multiply(timesDiagonal(vectors, values), transpose(vectors)), A, size)).toBeLessThan(50)
  expect(symmetricEigen(A)).toEqual({ values, vectors })
}

/** -1, 2, -1: its eigenvalues are 2 - 2 cos(k pi / (n + 1)). */
function secondDifference(n: number): Matrix {
  const A = matrix(n, n)
  for (let i = 0; i < n; i++) {
    A.data[i * n + i] = 2
    if (i > 0) {
      A.data[i * n + i - 1] = -1
      A.data[(i - 1) * n + i] = -1
    }
  }
  return A
}

describe('symmetricEigen', () => {
  test('decomposes every kind of symmetric matrix', () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.integer({ min: 0, max: 60 }), fc.nat(1e6), (kind, n, seed) =>
        expectEigen(symmetric(hardMatrices[kind]({ rows: n, cols: n }, seed))),
      ),
      { numRuns: 150 },
    )
  })

  test.each([1, 2, 24, 25, 49, 50, 160])('finds the eigenvalues of the second difference of %d points', (n) => {
    const A = secondDifference(n)
    expectEigen(A)
    const { values } = symmetricEigen(A)
    for (let k = 0; k < n; k++) {
      expect(Math.abs(values[k]! - (2 - 2 * Math.cos(((k + 1) * Math.PI) / (n + 1))))).toBeLessThan(1e-14)
    }
  })

  test('agrees with the reference', () => {
    for (const n of [1, 2, 3, 10, 30, 41]) {
      const A = symmetric(randomMatrix({ rows: n, cols: n }, n))
      const plain = referenceSymmetricEigen(A)
      expect(ulpsApart(matrix(n, 1, symmetricEigen(A).values), matrix(n, 1, plain.values))).toBeLessThan(100)
    }
  })

  test.each([20, 70])('keeps repeated, opposite and zero eigenvalues: %d', (n) => {
    const values = Float64Array.from({ length: n }, (_, k) => [-2, 0, 0, 1e-12, 2][k % 5]!).sort()
    const Q = randomOrthogonal(n, 12)
    const A = symmetric(multiply(timesDiagonal(Q, values), transpose(Q)))
    expectEigen(A)
    const found = symmetricEigen(A).values
    for (let k = 0; k < n; k++) expect(Math.abs(found[k]! - values[k]!)).toBeLessThan(100 * Number.EPSILON)
  })

  test('decomposes glued and nearly decoupled matrices', () => {
    // Blocks of the second difference coupled by 1e-14: the halves of a division agree almost exactly.
    const n = 96
    const A = secondDifference(n)
    for (let i = 12; i < n; i += 12) {
      A.data[i * n + i - 1] = 1e-14
      A.data[(i - 1) * n + i] = 1e-14
    }
    expectEigen(A)
    // Wilkinson's: pairs of eigenvalues that agree to 15 digits.
    const W = secondDifference(61)
    for (let i = 0; i < 61; i++) W.data[i * 61 + i] = Math.abs(i - 30)
    expectEigen(W)
    const { values } = symmetricEigen(W)
    expect(values[60]! - values[59]!).toBeLessThan(1e-13)
  })

  test('averages triangles that differ by rounding and refuses others', () => {
    const A = matrixOf([
      [1, 2],
      [2 + 4e-13, 1],
    ])
    expect(symmetricEigen(A).values[1]).toBeCloseTo(3 + 2e-13, 15)
    A.data[2] = 2.5
    expect(() => symmetricEigen(A)).toThrow('A[1, 0] is 2.5 but A[0, 1] is 2')
    expect(() => symmetricEigen(matrix(2, 3))).toThrow(expect.objectContaining({ code: 'E_SHAPE' }))
    A.data[2] = Number.NaN
    expect(() => symmetricEigen(A)).toThrow('A[1, 0] is NaN')
  })
})
