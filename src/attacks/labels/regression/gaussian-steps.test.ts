import { describe, expect, test } from 'vitest'
import { matrixOf } from '../../../numeric/linalg/matrix.js'
import { addMatrixInto, addOuterInto, averaged, conditioned, geometric, traceOf } from './gaussian-steps.js'

const of = (...values: number[]) => Float64Array.from(values)

test('matrices are added, and outer products, by their scale', () => {
  const B = matrixOf([[1, 2], [3, 4]]) // biome-ignore format: one line
  addMatrixInto(B, matrixOf([[10, 20], [30, 40]]), 0.5) // biome-ignore format: one line
  expect([...B.data]).toEqual([6, 12, 18, 24])
  addOuterInto(B, of(1, -2), 3)
  expect([...B.data]).toEqual([9, 6, 12, 36])
  addOuterInto(B, of(0, 2), 1)
  expect([...B.data]).toEqual([9, 6, 12, 40])
  expect(traceOf(B)).toBe(49)
  addOuterInto(B, of(1, 0), 1)
  expect([...B.data]).toEqual([10, 6, 12, 40])
})

describe('a Gaussian', () => {
  test('is conditioned: S^-1 r, its evidence, and S^-1 of other columns', () => {
    const { weights, logEvidence, solve } = conditioned(matrixOf([[2, 1], [1, 2]]), of(3, 0)) // biome-ignore format: one line
    expect(weights[0]!).toBeCloseTo(2, 12)
    expect(weights[1]!).toBeCloseTo(-1, 12)
    expect(logEvidence).toBeCloseTo(-0.5 * (6 + Math.log(3)), 12)
    const solved = solve(matrixOf([[3, 0], [0, 3]])).data // biome-ignore format: one line
    for (const [i, v] of [2, -1, -1, 2].entries()) expect(solved[i]!).toBeCloseTo(v, 12)
  })

  /** With r = 0 the evidence is that of the determinant alone. */
  const determinant = (rows: readonly (readonly number[])[]) =>
    Math.exp(-2 * conditioned(matrixOf(rows), new Float64Array(rows.length)).logEvidence)

  test('that rounding has made indefinite gets the smallest grain that helps, of its own size', () => {
    // (1 + g)^2 - (1 + d)^2 = 2 (g - d), where the grain is g.
    const off = (d: number, scale = 1) => [[scale, scale * (1 + d)], [scale * (1 + d), scale]] // biome-ignore format: one line
    for (const [d, grain] of [
      [3e-13, 1e-12],
      [1e-10, 1e-9],
      [1e-7, 1e-6],
    ] as const) {
      // biome-ignore format: one line
      expect(determinant(off(d)) / (2 * (grain - d))).toBeCloseTo(1, 2)
      for (const scale of [100, 0.01])
        expect(determinant(off(d, scale)) / scale / scale / (2 * (grain - d))).toBeCloseTo(1, 2)
    }
    expect(determinant(off(3e-15)) / 1.4e-14).toBeGreaterThan(0.8)
    expect(determinant(off(3e-15)) / 1.4e-14).toBeLessThan(1.2)
    expect(() => determinant(off(1e-5))).toThrow('a covariance of 2 numbers is not positive definite')
  })

  test('of no size gets a grain of one', () => {
    expect(determinant([[0, 0], [0, 0]]) / 1e-28).toBeCloseTo(1, 9) // biome-ignore format: one line
  })
})

describe('hypotheses', () => {
  const one = (logEvidence: number, mean: number, variance: number) => ({
    ...{ means: of(mean, 0), variances: of(variance, 0), logEvidence },
  })

  test.each([0, 5000, -5000])('around %i are weighted by their evidence', (base) => {
    const { means, variances, best } = averaged([one(base, 1, 2), one(base + Math.log(3), 5, 4)])
    expect(best).toBe(1)
    expect(means[0]!).toBeCloseTo(0.25 * 1 + 0.75 * 5, 9)
    // 1/4 (2 + 1) + 3/4 (4 + 25) - 16
    expect(variances[0]!).toBeCloseTo(6.5, 9)
    expect([means[1], variances[1]]).toEqual([0, 0])
  })

  test('that are equally likely: the first is the best; one alone is itself', () => {
    expect(averaged([one(1, 0, 0), one(1, 0, 0)]).best).toBe(0)
    expect(averaged([one(1, 3, 0.5)])).toEqual({ means: of(3, 0), variances: of(0.5, 0), best: 0 })
    // 3 / 10 squared, by rounding, is more than the mean of squares: no variance is below 0.
    expect(averaged([one(0, 0.1, 0), one(0, 0.1, 0), one(0, 0.1, 0)]).variances[0]!).toBeGreaterThanOrEqual(0)
  })
})

test('a geometric progression goes from the one end to the other', () => {
  const found = geometric(1, 100, 3)
  expect(found.length).toBe(3)
  for (const [i, v] of [1, 10, 100].entries()) expect(found[i]! / v).toBeCloseTo(1, 12)
  expect(geometric(0.5, 8, 5).map((v) => Math.round(100 * v) / 100)).toEqual([0.5, 1, 2, 4, 8])
})
