import { describe, expect, test } from 'vitest'
import { featureWorld } from '../../../test/property-world.js'
import { describeWithShared, vector } from '../../../test/shared.js'
import { matrix, matrixOf } from '../../numeric/linalg/matrix.js'
import { sparseFromDense, sparseMultiply } from '../../numeric/linalg/sparse.js'
import { rng } from '../../numeric/random/rng.js'
import { expectedFeatures, firstRounds, leastSquaresRows } from './expected-features.js'

interface RidgeVector {
  readonly A: readonly (readonly number[])[]
  readonly G: readonly number[]
  readonly cases: readonly { lam: number; v: readonly number[]; x: readonly number[] }[]
}
describeWithShared('vector i', () => {
  const { A, G, cases } = vector<RidgeVector>('i')
  const sums = { A: sparseFromDense(matrixOf(A)), G: Float64Array.from(G) }
  test.each(cases)('lambda $lam', ({ lam, v, x }) => {
    for (const mostDense of [1e9, 0]) {
      const found = expectedFeatures(sums, { lambda: lam, weights: Float64Array.from(v), mostDense })
      for (const [i, expected] of x.entries()) expect(found[i]).toBeCloseTo(expected, mostDense === 0 ? 7 : 10)
    }
  })
})

describe('expected features', () => {
  const { features } = featureWorld({ seed: 3 })

  test('sparse and dense agree, also where the sums do not suffice', () => {
    for (const k of [40, 7]) {
      const part = firstRounds(features, k)
      const [dense, sparse] = [1e9, 0].map((mostDense) => expectedFeatures(part, { lambda: 0, mostDense }))
      for (const [i, x] of dense!.entries()) expect(sparse![i]).toBeCloseTo(x, 6)
    }
  })

  test('of several right-hand sides, each is solved', () => {
    const B = matrix(3, 40, rng(1).normals(120))
    const [dense, sparse] = [1e9, 0].map((mostDense) => leastSquaresRows(features.A, B, { mostDense }))
    for (const [at, x] of dense!.data.entries()) expect(sparse!.data[at]).toBeCloseTo(x, 6)
    const first = expectedFeatures({ A: features.A, G: B.data.slice(0, 40) }, { lambda: 0 })
    for (const [i, x] of first.entries()) expect(dense!.data[i]).toBeCloseTo(x, 9)
  })

  test('of a few clients are exact to what the condition allows, not to what an iteration stops at', () => {
    const hilbert = matrixOf(Array.from({ length: 8 }, (_, i) => Array.from({ length: 8 }, (_, j) => 1 / (i + j + 1))))
    const A = sparseFromDense(hilbert)
    const x = Float64Array.of(1, -2, 3, 5, -7, 1, 2, 4)
    const G = sparseMultiply(A, x)
    for (const found of [expectedFeatures({ A, G }, { lambda: 0 }), leastSquaresRows(A, matrix(1, 8, G)).data]) {
      for (const [i, value] of x.entries()) expect(found[i]).toBeCloseTo(value, 4)
    }
  })

  test('10,000 clients in 1,000 rounds, in bounded memory', () => {
    const { features: many, having } = featureWorld({
      seed: 1,
      N: 10_000,
      n: 1000,
      perRound: 100,
      positives: 100,
      gap: 8,
    })
    const v = Float64Array.from(many.shapes, (shape) => shape.v)
    const x = expectedFeatures(many, { lambda: 5, weights: v })
    const mean = (is: boolean) => {
      const own = Array.from(x).filter((_, i) => having[i] === is)
      return own.reduce((sum, value) => sum + value, 0) / own.length
    }
    // Ten sums a client: those who have it stand out on the mean though not one by one.
    expect(mean(true) - mean(false)).toBeGreaterThan(0.5)
    expect(sparseMultiply(many.A, x).length).toBe(1000)
  })
})
