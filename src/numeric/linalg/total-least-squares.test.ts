import { describe, expect, test } from 'vitest'
import {
  largestDifference,
  matrixWithSingularValues,
  normalMatrix,
  normalVector,
  spectrum,
} from '../../../test/matrices.js'
import { rng } from '../random/rng.js'
import { type Matrix, matrix, matrixOf, multiply } from './matrix.js'
import { columnOf } from './matrix-vector.js'
import { singularValues } from './svd.js'
import { totalLeastSquares } from './total-least-squares.js'

test.each([
  [8, 3, 1],
  [8, 3, 2],
  [5, 5, 1],
])('consistent %d x %d with %d right-hand sides: the solution, no correction', (rows, cols, k) => {
  const A = normalMatrix({ seed: rows, rows, cols })
  const X = normalMatrix({ seed: 'X', rows: cols, cols: k })
  const found = totalLeastSquares(A, multiply(A, X))
  expect(largestDifference(found.X, X)).toBeLessThan(1e-12)
  expect(found.correctionNormSq).toBeLessThan(1e-25)
  expect(found.gap).toBeCloseTo(1, 12)
})

test('a line through points: the principal axis, which the mirrored problem also finds', () => {
  const stream = rng('line')
  const t = stream.normals(50)
  const a = t.map((v) => v + stream.normal({ std: 0.1 }))
  const b = t.map((v) => 2 * v + stream.normal({ std: 0.1 }))
  const slope = totalLeastSquares(columnOf(a), columnOf(b)).X.data[0]!
  const mirrored = totalLeastSquares(columnOf(b), columnOf(a)).X.data[0]!
  expect(slope * mirrored).toBeCloseTo(1, 12)
  // angle of the principal axis of the scatter: tan(2 φ) = 2 Sab / (Saa − Sbb)
  const sum = (f: (i: number) => number): number => a.reduce((s, _, i) => s + f(i), 0)
  const [saa, sbb, sab] = [sum((i) => a[i]! ** 2), sum((i) => b[i]! ** 2), sum((i) => a[i]! * b[i]!)]
  expect(slope).toBeCloseTo(Math.tan(Math.atan2(2 * sab, saa - sbb) / 2), 12)
})

test('the correction is the smallest: the dropped singular values of [A B]', () => {
  const A = normalMatrix({ seed: 1, rows: 9, cols: 3 })
  const B = normalMatrix({ seed: 2, rows: 9, cols: 2 })
  const { X, correctionNormSq } = totalLeastSquares(A, B)
  // [E F] = −[A B] P, P the projector on span [X; −I]: then (A + E) X = B + F and ‖[E F]‖² is as stated
  const joined = join(A, B)
  const N = join(transposeOf(X), negativeIdentity(2)) // rows span the dropped space
  const s = singularValues(joined)
  expect(correctionNormSq).toBeCloseTo(s[3]! ** 2 + s[4]! ** 2, 12)
  const miss = multiply(joined, transposeOf(N)) // A X − B
  const M = multiply(N, transposeOf(N)) // [2, 2]
  const [p, q, r] = [M.data[0]!, M.data[1]!, M.data[3]!]
  const det = p * r - q * q
  let size = 0 // trace(miss M⁻¹ missᵀ)
  for (let i = 0; i < 9; i++) {
    const [u, v] = [miss.data[2 * i]!, miss.data[2 * i + 1]!]
    size += (r * u * u - 2 * q * u * v + p * v * v) / det
  }
  expect(correctionNormSq).toBeCloseTo(size, 11)
})

describe('edges', () => {
  test('fewer rows than unknowns and right-hand sides', () => {
    const A = matrixOf([[1, 2]])
    const { X, gap } = totalLeastSquares(A, matrixOf([[5]]))
    expect(multiply(A, X).data[0]).toBeCloseTo(5, 12)
    expect(gap).toBeLessThan(1e-10) // one of many
  })

  test('ill-conditioned', () => {
    const A = matrixWithSingularValues({ seed: 4, rows: 10, cols: 4 }, spectrum(4, 1e6))
    const X = columnOf(normalVector('x', 4))
    expect(largestDifference(totalLeastSquares(A, multiply(A, X)).X, X)).toBeLessThan(1e-9)
  })

  test('a deficient A that B has nothing to do with has no solution', () => {
    const A = matrixOf([
      [1, 0],
      [0, 0],
      [0, 0],
    ])
    expect(() => totalLeastSquares(A, matrixOf([[0], [1], [0]]))).toThrow(/no total least squares solution/)
  })

  test('nothing unknown, nothing asked, NaN', () => {
    expect(totalLeastSquares(matrix(2, 0), matrixOf([[3], [4]]))).toMatchObject({ correctionNormSq: 25 })
    expect(totalLeastSquares(matrixOf([[1], [2]]), matrix(2, 0)).X).toMatchObject({ rows: 1, cols: 0 })
    expect(() => totalLeastSquares(matrixOf([[NaN]]), matrixOf([[1]]))).toThrow(/NaN/)
  })
})

function join(A: Matrix, B: Matrix): Matrix {
  const rows = Array.from({ length: A.rows }, (_, i) => [
    ...A.data.slice(i * A.cols, (i + 1) * A.cols),
    ...B.data.slice(i * B.cols, (i + 1) * B.cols),
  ])
  return matrixOf(rows)
}

function transposeOf(A: Matrix): Matrix {
  return matrixOf(
    Array.from({ length: A.cols }, (_, j) => Array.from({ length: A.rows }, (_, i) => A.data[i * A.cols + j]!)),
  )
}

function negativeIdentity(n: number): Matrix {
  return matrixOf(Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => (i === j ? -1 : 0))))
}
