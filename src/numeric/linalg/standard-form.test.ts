import { describe, expect, test } from 'vitest'
import { normalMatrix, normalVector } from '../../../test/matrices.js'
import { identity, type Matrix, matrix, matrixOf } from './matrix.js'
import { multiplyTransposedVector, multiplyVector, residual } from './matrix-vector.js'
import { standardForm } from './standard-form.js'
import { diagonalise, tikhonovSolution } from './tikhonov.js'
import { dot } from './vector.js'

const solved = (A: Matrix, b: Float64Array, { L, beta }: { L: Matrix; beta: number }): Float64Array => {
  const { B, c, back } = standardForm(A, b, L)
  return back(tikhonovSolution(diagonalise(B, c), beta))
}

/** Differences of neighbours, which see no common part. */
const differences = (n: number): Matrix =>
  matrixOf(
    Array.from({ length: n - 1 }, (_, i) => Array.from({ length: n }, (_, j) => Number(j === i + 1) - Number(j === i))),
  )
const centred = (n: number): Matrix =>
  matrix(
    n,
    n,
    identity(n).data.map((x) => x - 1 / n),
  )

describe('with any L', () => {
  const cases: [string, Matrix, Matrix][] = [
    ['square', normalMatrix({ rows: 9, cols: 5, seed: 1 }), normalMatrix({ rows: 5, cols: 5, seed: 2 })],
    ['tall', normalMatrix({ rows: 9, cols: 5, seed: 3 }), normalMatrix({ rows: 7, cols: 5, seed: 4 })],
    ['differences', normalMatrix({ rows: 9, cols: 5, seed: 5 }), differences(5)],
    ['centred', normalMatrix({ rows: 9, cols: 6, seed: 6 }), centred(6)],
    ['differences of more unknowns than rows', normalMatrix({ rows: 4, cols: 6, seed: 7 }), differences(6)],
  ]
  test.each(cases)('%s: the gradient vanishes', (_, A, L) => {
    const b = normalVector(8, A.rows)
    for (const beta of [1e-3, 0.1, 10]) {
      const x = solved(A, b, { L, beta })
      const pull = multiplyTransposedVector(L, multiplyVector(L, x))
      const push = multiplyTransposedVector(A, residual(A, x, b))
      const gradient = pull.map((p, j) => beta * p - push[j]!)
      expect(dot(gradient, gradient)).toBeLessThan(1e-18)
    }
  })

  test('the identity changes nothing', () => {
    const [A, b] = [normalMatrix({ rows: 8, cols: 4, seed: 9 }), normalVector(10, 8)]
    const plain = tikhonovSolution(diagonalise(A, b), 0.3)
    for (const [j, value] of solved(A, b, { L: identity(4), beta: 0.3 }).entries())
      expect(value).toBeCloseTo(plain[j]!, 12)
  })

  test('where only differences cost, a great weight leaves the one value that fits best', () => {
    const [A, b] = [normalMatrix({ rows: 8, cols: 4, seed: 11 }), normalVector(12, 8)]
    const sums = multiplyVector(A, new Float64Array(4).fill(1))
    const common = dot(sums, b) / dot(sums, sums)
    for (const value of solved(A, b, { L: centred(4), beta: 1e9 })) expect(value).toBeCloseTo(common, 6)
  })

  test('another number of columns is refused', () => {
    expect(() => standardForm(normalMatrix({ rows: 3, cols: 2, seed: 1 }), normalVector(1, 3), identity(3))).toThrow(
      'L has 3 columns and A has 2',
    )
  })
})

test('both forms cost the same, whatever is put in', () => {
  const [A, b] = [normalMatrix({ rows: 7, cols: 5, seed: 21 }), normalVector(22, 7)]
  const squares = (x: Float64Array) => dot(x, x)
  for (const L of [differences(5), identity(5), normalMatrix({ rows: 6, cols: 5, seed: 23 })]) {
    const { B, c, back } = standardForm(A, b, L)
    const seen = multiplyVector(L, back(normalVector(24, B.cols)))
    // What L makes of a solution is the other unknown: it comes back as it was.
    const x = back(seen)
    expect(squares(residual(A, x, b))).toBeCloseTo(squares(residual(B, seen, c)), 10)
    for (const [i, y] of multiplyVector(L, x).entries()) expect(y).toBeCloseTo(seen[i]!, 10)
  }
  expect(() => standardForm(A, b.slice(1), identity(5))).toThrow('b has 6 values; it needs 7')
})
