import { describe, expect, test } from 'vitest'
import { engine } from '../../../numeric/engine/engine.js'
import { cholesky, choleskySolve } from '../../../numeric/linalg/cholesky.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { diagonalBlocks, gaussianOf, variancesOf } from './gaussian-posterior.js'

/** The whole covariance, one unit vector after the other. */
function covarianceOf(A: Float64Array, N: number): Float64Array {
  const unit = matrix(N, N)
  for (let i = 0; i < N; i++) unit.data[i * N + i] = 1
  return choleskySolve(cholesky(matrix(N, N, A)), unit).data
}

describe.each([
  [1, 1],
  [5, 1],
  [97, 1],
  [4, 3],
  [41, 5],
])('%d records of %d unknowns each', (n, m) => {
  test('have the mean and the covariances of the whole inverse', () => {
    const N = n * m
    const F = rng(1).normals(N * (N + 2))
    const Q = new Float64Array(N * N)
    for (let i = 0; i < N; i++)
      for (let j = 0; j < N; j++)
        for (let k = 0; k < N + 2; k++) Q[i * N + j]! += F[i * (N + 2) + k]! * F[j * (N + 2) + k]!
    const blocks = new Float64Array(n * m * m)
    for (let i = 0; i < n; i++)
      for (let a = 0; a < m; a++) for (let c = 0; c < m; c++) blocks[(i * m + a) * m + c] = a === c ? 3 + i : 0.5
    const rhs = rng(2).normals(N)
    const A = Q.map((x) => x / 4)
    for (let i = 0; i < n; i++)
      for (let a = 0; a < m; a++)
        for (let c = 0; c < m; c++) A[(a * n + i) * N + c * n + i]! += blocks[(i * m + a) * m + c]!
    const whole = covarianceOf(A, N)
    const gaussian = gaussianOf(Q, n)
    const { mean, blocks: found, square } = gaussian.solve({ dispersion: 4, blocks, rhs })!
    let total = 0
    for (let c = 0; c < N; c++) {
      let sum = 0
      for (let d = 0; d < N; d++) sum += whole[c * N + d]! * rhs[d]!
      expect(mean[c]).toBeCloseTo(sum, 9)
      total += sum * rhs[c]!
    }
    expect(square).toBeCloseTo(total, 8)
    for (let i = 0; i < n; i++)
      for (let a = 0; a < m; a++)
        for (let c = 0; c < m; c++)
          expect(found[(i * m + a) * m + c]).toBeCloseTo(whole[(a * n + i) * N + c * n + i]!, 9)
    const image = gaussian.times(rhs)
    for (let c = 0; c < N; c++)
      expect(image[c]).toBeCloseTo(
        rhs.reduce((sum, x, d) => sum + x * Q[c * N + d]!, 0),
        8,
      )
    gaussian.release()
  })
})

test.each([
  [6, 1],
  [5, 2],
])('%d records of %d unknowns, two of them open: the others move by what the open ones leave of them', (n, m) => {
  const N = n * m
  const F = rng(5).normals(N * (N + 2))
  const Q = new Float64Array(N * N)
  for (let i = 0; i < N; i++)
    for (let j = 0; j < N; j++)
      for (let k = 0; k < N + 2; k++) Q[i * N + j]! += F[i * (N + 2) + k]! * F[j * (N + 2) + k]!
  const open = [1, 3]
  const blocks = diagonalBlocks((c) => (open.includes(c % n) ? 2 : 50), n, m)
  const [rhs, before] = [rng(6).normals(N), rng(7).normals(N)]
  const gaussian = gaussianOf(Q, n)
  const { mean, blocks: found } = gaussian.solveOpen({ dispersion: 3, blocks, rhs }, { open, mean: before })!
  gaussian.release()

  /** Mean and covariance of some unknowns with all others where they were. */
  const given = (own: readonly number[]) => {
    const A = matrix(own.length, own.length)
    for (const [a, c] of own.entries()) {
      for (const [b, d] of own.entries())
        A.data[a * own.length + b] =
          Q[c * N + d]! / 3 + (c === d ? blocks[((c % n) * m + Math.floor(c / n)) * m + Math.floor(c / n)]! : 0)
    }
    const side = own.map((c) => {
      let sum = rhs[c]!
      for (let d = 0; d < N; d++) if (!own.includes(d)) sum -= (Q[c * N + d]! * before[d]!) / 3
      return sum
    })
    const whole = covarianceOf(A.data, own.length)
    const at = own.map((_, a) => side.reduce((sum, x, b) => sum + whole[a * own.length + b]! * x, 0))
    return { at, whole }
  }
  const unknowns = (records: readonly number[]) =>
    Array.from({ length: N }, (_, c) => c).filter((c) => records.includes(c % n))
  for (let i = 0; i < n; i++) {
    const own = unknowns(open.includes(i) ? open : [...open, i])
    const { at, whole } = given(own)
    for (let a = 0; a < m; a++) {
      const place = own.indexOf(a * n + i)
      expect(mean[a * n + i]).toBeCloseTo(at[place]!, 8)
      for (let c = 0; c < m; c++)
        expect(found[(i * m + a) * m + c]).toBeCloseTo(whole[place * own.length + own.indexOf(c * n + i)]!, 8)
    }
  }
})

describe('a precision that is hardly positive', () => {
  test('in good order is left as it is', () => {
    const A = Float64Array.of(4, 1, 0, 1, 3, -1, 0, -1, 2)
    const whole = covarianceOf(A, 3)
    const found = variancesOf(A, 3, () => 0)!
    for (let c = 0; c < 3; c++) expect(found[c]).toBeCloseTo(whole[4 * c]!, 12)
    expect([...A]).toEqual([4, 1, 0, 1, 3, -1, 0, -1, 2])
  })

  // [[1, 1], [1, 1 - off]] has the pivot -off; with its diagonal raised by `share` it is about 2 share - off.
  test.each([
    [0, 1e-15],
    [1.5e-12, 1e-12],
    [1.5e-9, 1e-9],
    [1.5e-7, 1e-7],
  ])('with a pivot of -%d lost to rounding has its diagonal raised by %d', (off, share) => {
    const size = 1e4 // the raise is a share of the largest entry
    const A = Float64Array.of(size * (1 - off), size, size, size)
    const pivot = 1 / variancesOf(A, 2, () => 0)![1]!
    expect(pivot / size / (2 * share - off)).toBeGreaterThan(0.8)
    expect(pivot / size / (2 * share - off)).toBeLessThan(1.2)
  })

  test('and far from positive has no covariance', () => {
    expect(variancesOf(Float64Array.of(1, 2, 2, 1), 2, () => 0)).toBeUndefined()
    expect(variancesOf(Float64Array.of(1, 1, 1, 1 - 1e-5), 2, () => 0)).toBeUndefined()
  })

  test('is refused where it holds NaN', () => {
    expect(() => variancesOf(Float64Array.of(1, Number.NaN, Number.NaN, 1), 2, () => 0)).toThrow(/Q\[0, 1\] is NaN/)
  })

  test('takes what is added on its diagonal, unknown by unknown', () => {
    expect([...diagonalBlocks((c) => c + 1, 2, 2)]).toEqual([1, 0, 0, 3, 2, 0, 0, 4])
    const variances = variancesOf(new Float64Array(4), 2, (c) => 2 + 2 * c)!
    for (const [c, wanted] of [0.5, 0.25].entries()) expect(variances[c]).toBeCloseTo(wanted, 12)
  })
})

test.each([
  [[-1e-12, 5], 2.5e11],
  [[5, -1e-12], 2.5e11],
  [[2, -1e-12, 5], 2.5e11],
])(
  'a precision %j that rounding has made indefinite is raised by as little of its largest entry as helps',
  (diagonal, variance) => {
    const N = diagonal.length
    const Q = new Float64Array(N * N)
    for (const [i, x] of diagonal.entries()) Q[i * N + i] = x
    const found = variancesOf(Q, N, () => 0)!
    expect(found[diagonal.indexOf(-1e-12)]! / variance).toBeCloseTo(1, 3)
    expect(found[diagonal.indexOf(5)]).toBeCloseTo(0.2, 9)
    expect(variancesOf(Float64Array.of(-1), 1, () => 0)).toBeUndefined()
  },
)

describe('a precision that rounding has cost its last positive pivot', () => {
  const variances = (...diagonal: number[]) => {
    const n = diagonal.length
    return variancesOf(Float64Array.from({ length: n * n }, (_, at) => (at % (n + 1) === 0 ? diagonal[at % n]! : 0)), n, () => 0) // biome-ignore format: a line
  }
  test('is raised by up to a millionth of its largest entry, tenfold each time', () => {
    expect(variances(1, -5e-7)![1]! / 2e6).toBeCloseTo(1, 6)
    expect(variances(1, -5e-8)![1]! / 2e7).toBeCloseTo(1, 6)
    expect(variances(2 ** -20, -(2 ** -20) * 5e-7)![1]! / (2e6 * 2 ** 20)).toBeCloseTo(1, 6)
    expect(variances(4, -2e-6)![1]! / 5e5).toBeCloseTo(1, 6)
    expect(variances(4, 1)).toEqual(Float64Array.of(0.25, 1))
  })
  test('and is refused where that does not do', () => {
    expect(variances(1, -1.5e-6)).toBeUndefined()
    expect(variances(1, -5e-6)).toBeUndefined()
  })
})

test('of no record there is nothing, and the first number may not be NaN', () => {
  expect(variancesOf(new Float64Array(0), 0, () => 1)).toEqual(new Float64Array(0))
  expect(() => gaussianOf(Float64Array.of(Number.NaN, 0, 0, 1), 2)).toThrow('Q[0, 0] is NaN')
  expect(() => gaussianOf(Float64Array.of(1, 0, Number.POSITIVE_INFINITY, 1), 2)).toThrow('Q[1, 0] is Infinity')
})

test('kernel memory is given back', () => {
  const before = engine().inUse()
  variancesOf(Float64Array.of(2, 1, 1, 2), 2, () => 1)
  expect(engine().inUse()).toBe(before)
  variancesOf(Float64Array.of(2, 1, 1, -2), 2, () => 1)
  expect(engine().inUse()).toBe(before)
})
