import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type HardKind,
  hardMatrices,
  randomMatrix,
  timesDiagonal,
  ulpsApart,
  ulpsFromOrthonormal,
  withSingularValues,
} from '../../../test/linalg-checks.js'
import { referenceSvd } from './linalg-reference.js'
import { type Matrix, matrix, matrixOf, multiply, transpose } from './matrix.js'
import { singularValues, svd } from './svd.js'

const kinds = Object.keys(hardMatrices) as HardKind[]

function expectSvd(A: Matrix): void {
  const { U, s, V } = svd(A)
  const r = Math.min(A.rows, A.cols)
  expect([U.rows, U.cols, s.length, V.rows, V.cols]).toEqual([A.rows, r, r, A.cols, r])
  expect(s.findIndex((x, k) => !(x >= 0 && (k === 0 || x <= s[k - 1]!)))).toBe(-1)
  expect(ulpsFromOrthonormal(U)).toBeLessThan(250)
  expect(ulpsFromOrthonormal(V)).toBeLessThan(250)
  expect(ulpsApart(multiply(timesDiagonal(U, s), transpose(V)), A, s[0])).toBeLessThan(50)
  expect(svd(A)).toEqual({ U, s, V })
  expect(singularValues(A)).toEqual(s)
}

describe('svd', () => {
  test('decomposes every kind of matrix of up to 32 columns', () => {
    const size = fc.integer({ min: 0, max: 32 })
    fc.assert(
      fc.property(fc.constantFrom(...kinds), size, size, fc.nat(1e6), (kind, rows, cols, seed) =>
        expectSvd(hardMatrices[kind]({ rows, cols }, seed)),
      ),
      { numRuns: 250 },
    )
  })

  test('decomposes every kind of larger matrix', () => {
    const size = fc.integer({ min: 33, max: 75 })
    fc.assert(
      fc.property(fc.constantFrom(...kinds), size, size, fc.nat(1e6), (kind, rows, cols, seed) =>
        expectSvd(hardMatrices[kind]({ rows, cols }, seed)),
      ),
      { numRuns: 60 },
    )
  })

  test.each(['bidiagonal over 20 orders', 'bidiagonal with zeros', 'clusters with noise'] as const)(
    'settles every pair of columns: %s',
    (kind) => {
      for (let seed = 0; seed < 80; seed++) {
        const n = 33 + (seed % 9)
        const { U, V } = svd(hardMatrices[kind]({ rows: n, cols: n }, seed))
        expect(Math.max(ulpsFromOrthonormal(U), ulpsFromOrthonormal(V)), `seed ${seed}`).toBeLessThan(100)
      }
    },
  )

  test.each([
    [1, 50],
    [50, 1],
    [130, 130],
    [200, 33],
    [34, 150],
  ])('decomposes %d x %d', (rows, cols) => expectSvd(randomMatrix({ rows, cols }, 3)))

  test('agrees with the reference', () => {
    for (const kind of kinds.filter((k) => k !== 'huge' && k !== 'tiny')) {
      for (const [rows, cols] of [
        [1, 1],
        [5, 5],
        [13, 7],
        [7, 13],
        [44, 40],
      ] as const) {
        const A = hardMatrices[kind]({ rows, cols }, 7)
        const plain = referenceSvd(A)
        expect(ulpsApart(matrix(plain.s.length, 1, svd(A).s), matrix(plain.s.length, 1, plain.s))).toBeLessThan(30)
      }
    }
  })

  test.each([8, 32, 33, 90])('finds the singular values that a matrix of %d columns was made of', (n) => {
    const values = Float64Array.from({ length: n }, (_, k) => 10 ** ((-15 * k) / (n - 1)))
    const A = withSingularValues({ rows: n + 5, cols: n }, values, 31)
    const s = singularValues(A)
    for (let k = 0; k < n; k++) expect(Math.abs(s[k]! - values[k]!)).toBeLessThan(20 * Number.EPSILON)
  })

  test.each([32, 33, 100])('separates no cluster that is not there: %d equal values', (n) => {
    const s = singularValues(withSingularValues({ rows: n, cols: n }, new Float64Array(n).fill(3), 8))
    for (const x of s) expect(Math.abs(x - 3)).toBeLessThan(30 * Number.EPSILON)
  })

  test('gives small values to full relative accuracy when columns only differ in scale', () => {
    // s1 s2 = |det| = 1e-100 and s1² + s2² = 2 + 1e-200, so s2 = 1e-100 / sqrt(2) to all digits.
    const { s } = svd(
      matrixOf([
        [1, 1],
        [0, 1e-100],
      ]),
    )
    expect(s[0]).toBeCloseTo(Math.SQRT2, 15)
    expect(s[1]! / 1e-100).toBeCloseTo(Math.SQRT1_2, 14)
    // A random square matrix times falling powers: the product of the values is |det|, over 120 orders of magnitude.
    const B = randomMatrix({ rows: 7, cols: 7 }, 77)
    const logs = (values: ArrayLike<number>) => Array.from(values, Math.log).reduce((a, b) => a + b, 0)
    const D = Float64Array.from({ length: 7 }, (_, j) => 10 ** (-20 * j))
    expect(logs(singularValues(timesDiagonal(B, D))) - logs(D)).toBeCloseTo(logs(referenceSvd(B).s), 11)
  })

  test('keeps exact zeros exact', () => {
    const A = matrix(40, 36)
    for (let k = 0; k < 20; k++) A.data[k * 36 + k] = k + 1
    const { s } = svd(A)
    expect(s.filter((x) => x === 0).length).toBe(16)
    for (let k = 0; k < 20; k++) expect(Math.abs(s[k]! - (20 - k))).toBeLessThan(40 * Number.EPSILON * 20)
    expect([...singularValues(matrix(3, 5))]).toEqual([0, 0, 0])
  })

  test('takes the largest and the smallest doubles', () => {
    expect(singularValues(matrixOf([[Number.MAX_VALUE]]))[0]).toBe(Number.MAX_VALUE)
    expect(singularValues(matrixOf([[Number.MIN_VALUE]]))[0]).toBe(Number.MIN_VALUE)
    const wide = svd(matrixOf([[3e-320, 4e-320]]))
    expect(wide.s[0]! / 5e-320).toBeCloseTo(1, 3)
    expect(Math.abs(wide.V.data[0]!)).toBeCloseTo(0.6, 3)
  })

  test('names the entry that is not a number', () => {
    const A = matrix(40, 40)
    A.data[81] = Number.NaN
    expect(() => svd(A)).toThrow('A[2, 1] is NaN')
    expect(() => singularValues(A)).toThrow(expect.objectContaining({ code: 'E_NON_FINITE' }))
  })

  test('agrees with numpy on the Hilbert matrix', () => {
    // numpy 1.24.4 (OpenBLAS): np.linalg.svd([[1/(i+j+1) for j in range(6)] for i in range(6)], compute_uv=False)
    const expected = [
      1.6188998589243393, 0.2423608705752095, 0.016321521319875812, 0.0006157483541826381, 1.257075712264247e-5,
      1.0827994844117585e-7,
    ]
    const H = matrixOf(Array.from({ length: 6 }, (_, i) => Array.from({ length: 6 }, (_, j) => 1 / (i + j + 1))))
    const s = singularValues(H)
    for (let k = 0; k < 6; k++) expect(Math.abs(s[k]! - expected[k]!)).toBeLessThan(4e-16)
  })
})
