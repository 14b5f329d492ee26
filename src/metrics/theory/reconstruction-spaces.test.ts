import { describe, expect, test } from 'vitest'
import { trainDetector } from '../../attacks/properties/detector/detector.js'
import { leastSquares } from '../../numeric/linalg/least-squares.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { denseFromSparse, type SparseMatrix, sparseFromTriplets, type Triplet } from '../../numeric/linalg/sparse.js'
import { rng } from '../../numeric/random/rng.js'
import { spaceErrors, weightNorm } from './reconstruction-spaces.js'

const [n, N, z] = [14, 6, 5]

function drawn(seed: number): SparseMatrix {
  const draws = rng(seed)
  const triplets = Array.from({ length: n }, (_, r) => r).flatMap((r) =>
    Array.from(draws.fork('round', r).sample(N, 3), (i): Triplet => [r, i, 1]),
  )
  return sparseFromTriplets({ rows: n, cols: N }, triplets)
}

/** Mean over many draws of ||g(A+ Omega)||_1 and of ||A+ Theta||_1, by the least squares that attacks use. */
function simulated(A: SparseMatrix, weights: readonly Float64Array[], update: Float64Array, feature: number) {
  const draws = rng(4)
  const dense = denseFromSparse(A)
  const t = weights.length
  const [sums, times] = [{ update: 0, feature: 0 }, 4000]
  for (let k = 0; k < times; k++) {
    const own = draws.fork(k)
    const noise = matrix(n, z + t)
    for (let r = 0; r < n; r++) {
      for (let j = 0; j < z + t; j++) noise.data[r * (z + t) + j] = own.normal() * (j < z ? update[j]! : feature)
    }
    const { X } = leastSquares(dense, noise)
    for (let i = 0; i < N; i++) {
      for (const [f, alpha] of weights.entries()) {
        let g = 0
        for (let j = 0; j < z; j++) g += alpha[j]! * X.data[i * (z + t) + j]!
        sums.update += Math.abs(g) / times
        sums.feature += Math.abs(X.data[i * (z + t) + z + f]!) / times
      }
    }
  }
  return sums
}

const alpha = Float64Array.of(1, -2, 0.5, 0, 3)
const beta = Float64Array.of(0.1, 0.2, 0, -0.4, 0)
const deviations = Float64Array.of(1, 0.5, 2, 1, 0.1)

describe('errors of least squares in the two spaces', () => {
  test('are what many draws of the noise give, for one feature and for two', () => {
    const A = drawn(1)
    for (const weights of [[alpha], [alpha, beta]]) {
      const found = spaceErrors({ A, weights, noise: { update: deviations, feature: 0.7 } })
      const real = simulated(A, weights, deviations, 0.7)
      expect(found.rank).toBe(N)
      expect(Math.abs(found.update / real.update - 1)).toBeLessThan(0.02)
      expect(Math.abs(found.feature / real.feature - 1)).toBeLessThan(0.02)
    }
  })

  test('have the ratio ||alpha||_2 whatever the participation, as the paper says for one feature', () => {
    for (const seed of [1, 2, 3]) {
      expect(spaceErrors({ A: drawn(seed), weights: [alpha] }).ratio).toBeCloseTo(Math.sqrt(14.25), 12)
    }
    // A norm below 1 makes whole updates the better space: how the paper explains BASELINE on ascent.
    expect(spaceErrors({ A: drawn(1), weights: [beta] }).ratio).toBeCloseTo(Math.sqrt(0.21), 12)
  })

  test('are the same where the noise of features is that of updates seen through them', () => {
    const { ratio } = spaceErrors({
      A: drawn(1),
      weights: [alpha],
      noise: { update: 0.3, feature: 0.3 * weightNorm(alpha) },
    })
    expect(ratio).toBeCloseTo(1, 12)
  })

  test('grow as rounds are fewer, and say when clients cannot be told apart', () => {
    const A = drawn(1)
    const few = { ...A, rows: 8, rowStart: A.rowStart.slice(0, 9) }
    const cut = { ...few, column: A.column.slice(0, 24), value: A.value.slice(0, 24) }
    expect(spaceErrors({ A: cut, weights: [alpha] }).feature).toBeGreaterThan(
      spaceErrors({ A, weights: [alpha] }).feature,
    )
    const together = sparseFromTriplets({ rows: 2, cols: 2 }, [
      [0, 0, 1],
      [0, 1, 1],
      [1, 0, 1],
      [1, 1, 1],
    ])
    expect(spaceErrors({ A: together, weights: [alpha] }).rank).toBe(1)
  })

  test('refuse noise and weights that make no sense', () => {
    const A = drawn(1)
    expect(() => spaceErrors({ A, weights: [] })).toThrow('weights of no feature')
    expect(() => spaceErrors({ A, weights: [alpha], noise: { feature: 0 } })).toThrow('deviation 0')
    expect(() => spaceErrors({ A, weights: [alpha], noise: { update: Float64Array.of(1) } })).toThrow(
      '1 deviations for 5',
    )
    expect(() => weightNorm(Float64Array.of(Number.NaN))).toThrow('finite')
  })
})

test("the norm of a detector's weights falls where the classes lie further apart", () => {
  // Updates of standard normal noise, those with the property shifted by `gap` along one coordinate.
  const detectorAt = (gap: number) => {
    const simulate = (having: boolean, i: number): Float64Array => {
      const own = rng(9).fork(having ? 'having' : 'lacking', i)
      return Float64Array.from({ length: z }, (_, j) => own.normal() + (having && j === 0 ? gap : 0))
    }
    return trainDetector(simulate, { pairs: 60, floor: 0.1 })
  }
  const near = detectorAt(3)
  expect(weightNorm(near.a)).toBe(Math.sqrt(near.a.reduce((sum, a) => sum + a * a, 0)))
  // In another unit the weights are others; over standardised updates they are the same.
  const scaled = near.a.map((a) => a / 10)
  expect(weightNorm(scaled, 10)).toBeCloseTo(weightNorm(near.a), 12)
  expect(weightNorm(detectorAt(30).a)).toBeLessThan(weightNorm(near.a))
})
