import { describe, expect, test } from 'vitest'
import { matrixOf } from '../../../numeric/linalg/matrix.js'
import { partsOf } from './label-prior-terms.js'

// Two metaclasses: means (1, 1) and (1, 5), variances 2 and 4 of the second entry; the mean of the batch is (1, 4).
const embeddings = matrixOf([[1, 0], [1, 7], [1, 3], [1, 2], [1, 5]]) // biome-ignore format: one line
const shape = { embeddings, w: Float64Array.of(0.5, 2), rows: [[0, 3], [1, 2, 4]], counts: [1, 3] } // biome-ignore format: one line
const parts = partsOf(shape, Float64Array.of(2, -1))

const near = (found: { readonly data: Float64Array } | Float64Array, expected: readonly number[], digits = 12) => {
  const values = 'data' in found ? found.data : found
  expect(values.length).toBe(expected.length)
  for (const [i, v] of expected.entries()) expect(values[i]!).toBeCloseTo(v, digits)
}

describe('two metaclasses of 1 and 3 records', () => {
  test('lie where their means are, so far apart', () => {
    near(parts.columns[0]!, [0.25, 0.25])
    near(parts.columns[1]!, [0.75, 3.75])
    expect(parts.within).toEqual([2, 4])
    expect(parts.counts).toEqual([1, 3])
    // 1/4 (2 + 9) + 3/4 (4 + 1)
    expect(parts.spread).toBeCloseTo(6.5, 12)
    near(Float64Array.from(parts.predicted), [4 * 2, 4 * 4])
  })

  test('have the drift of their own embeddings, and a grain where the bias is not', () => {
    // p^2 (1/k + 1/n): 3/32 and 3/8.
    const [first, second] = [3 / 32, 3 / 8]
    near(parts.drift[0], [0, 0, 0, (first * 4 * 2 + second * 1 * 4) * (1 + 0.5e-6)], 11)
    near(parts.drift[1], [0, 0, 0, first * 2 + second * 4])
    // (p / K) var(e) besides: errors vary by what the linear part makes of the embeddings, and by noise.
    near(parts.drift[2], [0, 0, 0, (first * (2 / 1 + 9) + 2 / 16) * 2 + (second * (4 / 3 + 1) + (3 * 4) / 16) * 4])
    near(parts.drift[3], [0, 0, 0, (first / 1 + 1 / 16) * 2 + (second / 3 + 3 / 16) * 4])
  })

  test('have the covariances of the gradient that follow from the model', () => {
    // T h of the linear part: sum of columns times offsets (0, -3) and (0, 1), and 3/4 * 2/3 of the second covariance.
    const T = -3 * 0.25 + 1 * 3.75 + 0.5 * 4
    const drift = parts.drift.map(({ data }) => data[3]!)
    near(parts.gradient[0], [0, 0, 0, (2 * T) ** 2 + drift[0]!])
    near(parts.gradient[1], [0.625, 2.875, 2.875, 14.125 + drift[1]!])
    const inside = [2 / 16 + (4 / 3) * 0.5625, 2 / 16 + (4 / 3) * 2.8125, 2 / 16 + (4 / 3) * 14.0625]
    near(parts.gradient[2], [inside[0]!, inside[1]!, inside[1]!, inside[2]! + T * T + drift[2]!])
    const noise = [1 / 16 + 0.5625 / 3, 1 / 16 + 2.8125 / 3, 1 / 16 + 14.0625 / 3]
    near(parts.gradient[3], [noise[0]!, noise[1]!, noise[1]!, noise[2]! + drift[3]!])
  })

  test('have the covariances of their errors with it, and their variances', () => {
    // w . offset: -6 and 2; T offset: (0, -15) and (0, 5); T w: (0, 10).
    near(parts.cross[0], [0, 0, -60, 20])
    near(parts.cross[1], [0.25, 0.75, 0.25, 3.75])
    near(parts.cross[2], [0.5, 1, 0.5 - 15, 5 + 5])
    near(parts.cross[3], [0.25, 0.25, 0.25, 1.25])
    near(parts.own[0], [36, 4])
    near(parts.own[1], [1, 1])
    near(parts.own[2], [9 + 2, 1 + 4 / 3])
    near(parts.own[3], [1, 1 / 3])
  })
})

test('a metaclass of one auxiliary record has no variance that is known', () => {
  const { within, drift, predicted } = partsOf({ ...shape, rows: [[0], [4]], counts: [2, 2] }, Float64Array.of(1, 1))
  expect(within).toEqual([0, 0])
  expect(predicted).toEqual([0, 0])
  for (const part of drift) near(part, [0, 0, 0, 0])
})
