import { describe, expect, test } from 'vitest'
import { steadyInverse } from './steady-inverse.js'

/** X^T X A, which is the identity where X is the inverse of A's factor. */
function timesInverse(X: Float64Array, A: Float64Array, N: number): number[] {
  const inverse = Array.from({ length: N * N }, (_, at) => {
    const [i, j] = [Math.floor(at / N), at % N]
    let sum = 0
    for (let k = 0; k < N; k++) sum += X[k * N + i]! * X[k * N + j]!
    return sum
  })
  return inverse.map((_, at) => {
    const [i, j] = [Math.floor(at / N), at % N]
    let sum = 0
    for (let k = 0; k < N; k++) sum += inverse[i * N + k]! * A[k * N + j]!
    return sum
  })
}

describe('the inverse of a factor', () => {
  test('of a matrix in good order is its own', () => {
    const A = Float64Array.of(4, 1, 0, 1, 3, -1, 0, -1, 2)
    const X = steadyInverse(A, 3)!
    for (const [at, x] of timesInverse(X, A, 3).entries()) expect(x).toBeCloseTo(at % 4 === 0 ? 1 : 0, 12)
    expect([...A]).toEqual([4, 1, 0, 1, 3, -1, 0, -1, 2])
  })

  // [[1, 1], [1, 1 - off]] has the pivot -off; with its diagonal raised by `share` it is about 2 share - off.
  test.each([
    [0, 1e-15],
    [1.5e-12, 1e-12],
    [1.5e-9, 1e-9],
    [1.5e-7, 1e-7],
  ])('with a pivot of -%d lost to rounding is that of a diagonal raised by %d', (off, share) => {
    const size = 1e4 // the raise is a share of the largest entry
    const A = Float64Array.of(size * (1 - off), size, size, size)
    const X = steadyInverse(A, 2)!
    const pivot = 1 / (X[3]! * X[3]!)
    expect(pivot / size / (2 * share - off)).toBeGreaterThan(0.8)
    expect(pivot / size / (2 * share - off)).toBeLessThan(1.2)
    expect([...A]).toEqual([size * (1 - off), size, size, size])
  })

  test('of a matrix far from positive definite is none', () => {
    expect(steadyInverse(Float64Array.of(1, 2, 2, 1), 2)).toBeUndefined()
    expect(steadyInverse(Float64Array.of(1, 1, 1, 1 - 1e-5), 2)).toBeUndefined()
  })

  test('does not hide other errors', () => {
    expect(() => steadyInverse(Float64Array.of(1, Number.NaN, Number.NaN, 1), 2)).toThrow(/NaN/)
  })
})
