import { expect, test } from 'vitest'
import { cholesky, choleskySolve } from '../../numeric/linalg/cholesky.js'
import { type Matrix, matrix, multiply, transpose } from '../../numeric/linalg/matrix.js'
import { columnOf } from '../../numeric/linalg/matrix-vector.js'
import { sparseFromDense, sparseFromTriplets } from '../../numeric/linalg/sparse.js'
import { dot } from '../../numeric/linalg/vector.js'
import { rng } from '../../numeric/random/rng.js'
import { shrunkShares } from './shrunk-shares.js'

/** By the covariance of the sums itself: noise^2 + A A' / ratio, the largest likelihood of all ratios. */
function byCovariance(A: Matrix, y: Float64Array, noise: Float64Array) {
  const n = A.rows
  const one = columnOf(new Float64Array(A.cols).fill(1))
  const tried = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000].map((ratio) => {
    const C = multiply(A, transpose(A))
    for (let at = 0; at < n * n; at++) C.data[at] = C.data[at]! / ratio + (at % (n + 1) === 0 ? noise[at % n]! ** 2 : 0)
    const L = cholesky(C)
    const over = (b: Float64Array) => choleskySolve(L, columnOf(b)).data
    const ones = multiply(A, one).data
    const common = dot(ones, over(y)) / dot(ones, over(ones))
    const left = y.map((v, r) => v - common * ones[r]!)
    let logs = -n * Math.log(dot(left, over(left)) / n)
    for (let r = 0; r < n; r++) logs -= 2 * Math.log(L.data[r * n + r]!)
    const x = multiply(transpose(A), columnOf(over(left))).data.map((v) => common + v / ratio)
    return { ratio, common, x, logs }
  })
  return tried.reduce((best, one) => (one.logs > best.logs ? one : best))
}

function world(
  seed: number,
  { spread, std = 1, n = 12, N = 5 }: { spread: number; std?: number; n?: number; N?: number },
) {
  const draws = rng(seed)
  const shares = draws.fork('shares').normals(N, { mean: 2, std: spread })
  const A = matrix(n, N)
  for (let r = 0; r < n; r++) for (const i of draws.fork('round', r).sample(N, 3)) A.data[r * N + i] = 1 + (r % 3) / 2
  const noise = Float64Array.from({ length: n }, (_, r) => 0.5 + (r % 4))
  const errors = draws.fork('noise').normals(n)
  const y = multiply(A, columnOf(shares)).data.map((v, r) => v + std * noise[r]! * errors[r]!)
  return { A, y, noise }
}

test('the ratio of largest likelihood, the common mean and the shares that the covariance itself gives', () => {
  const ratios = new Set<number>()
  for (let seed = 0; seed < 12; seed++) {
    for (const [spread, n] of [
      [0.01, 12],
      [0.1, 60],
      [0.2, 60],
      [1, 12],
      [4, 12],
      [1000, 12],
      [1, 3], // fewer rounds than clients
    ] as const) {
      const { A, y, noise } = world(seed, { spread, n })
      const [found, asked] = [shrunkShares(sparseFromDense(A), y, noise), byCovariance(A, y, noise)]
      expect(found.ratio).toBe(asked.ratio)
      expect(found.common).toBeCloseTo(asked.common, 9)
      expect(found.x).toHaveLength(5)
      for (const [i, x] of found.x.entries()) expect(x / asked.x[i]!).toBeCloseTo(1, 8)
      ratios.add(found.ratio)
    }
  }
  expect([...ratios].sort((a, b) => a - b)).toEqual([0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000])
})

test('rounds without anybody tell nothing, and sums that are all explained are no error', () => {
  const nobody = sparseFromTriplets({ rows: 2, cols: 3 }, [])
  const alone = shrunkShares(nobody, Float64Array.of(1, 2), Float64Array.of(1, 1))
  expect([alone.common, ...alone.x, alone.ratio]).toEqual([0, 0, 0, 0, 0.01]) // of ratios that are equal the first
  const alike = sparseFromTriplets(
    { rows: 3, cols: 3 },
    [0, 1, 2].map((i) => [i, i, 1] as const),
  )
  const { x, common } = shrunkShares(alike, Float64Array.of(4, 4, 4), Float64Array.of(1, 1, 1))
  for (const share of [common, ...x]) expect(share).toBeCloseTo(4, 12)
})
