import { describe, expect, test } from 'vitest'
import { type Matrix, matrixOf } from '../../../numeric/linalg/matrix.js'
import { classEmbeddings, roundedTo, solveCounts, splitEmbeddings } from './class-counts.js'

const gradientOf = (rows: readonly (readonly number[])[], biases: readonly number[], recordCount = 4) => ({
  gradW: matrixOf(rows),
  gradB: Float64Array.from(biases),
  recordCount,
})
const layerOf = (W: readonly (readonly number[])[], b: readonly number[]) => ({
  W: matrixOf(W),
  b: Float64Array.from(b),
})
const near = (found: Matrix | Float64Array, expected: readonly number[], digits = 12) => {
  const values = 'data' in found ? found.data : found
  expect(values.length).toBe(expected.length)
  for (const [i, v] of expected.entries()) expect(values[i]!).toBeCloseTo(v, digits)
}

describe('an embedding for each class', () => {
  test('is the row by its bias, where the bias is more than rounding', () => {
    near(classEmbeddings(gradientOf([[2, 4], [-3, 1]], [0.5, -0.5])), [4, 8, 6, -2]) // biome-ignore format: one line
    // 1e-12 of the largest entry is rounding yet, a little more is not.
    const of = (b: number) => classEmbeddings(gradientOf([[3], [-3], [5e-12]], [1, -1, b])).data[2]!
    expect(of(1e-12)).toBeCloseTo(3, 9)
    expect(of(2e-12)).toBeCloseTo(2.5, 9)
    expect(of(-2e-12)).toBeCloseTo(-2.5, 9)
  })

  test('is elsewhere the common one, as far as the misfit does not make it noise', () => {
    // a = (3 + 1) / 2; it misses both rows by 1, so that its variance is 2 / (2 * 2) and 1 - 1/8 of it is kept.
    near(classEmbeddings(gradientOf([[3], [-1], [0]], [1, -1, 0])), [3, 1, 1.75])
    // Two columns: the variance is that of both, 1/2 against 8.
    near(classEmbeddings(gradientOf([[3, 2], [-1, -2], [0, 0]], [1, -1, 0])), [3, 2, 1, 2, 1.875, 1.875]) // biome-ignore format: one line
    // Three rows that fit: all of it. None that does: nothing.
    near(classEmbeddings(gradientOf([[6, -2], [-3, 1], [0, 0]], [2, -1, 0])), [3, -1, 3, -1, 3, -1]) // biome-ignore format: one line
    near(classEmbeddings(gradientOf([[1], [1], [0]], [1, -1, 0])), [1, -1, 0])
    near(classEmbeddings(gradientOf([[3], [1], [0]], [1, -1, 0])), [3, -1, 0])
  })

  test('is 0 where there is no bias gradient, or one whose squares underflow', () => {
    near(classEmbeddings(gradientOf([[1], [2]], [0, 0])), [0, 0])
    near(classEmbeddings(gradientOf([[2e-200], [-4e-200], [7]], [1e-200, -1e-200, 0])), [2, 4, 0])
  })
})

describe('embeddings that other classes are taken out of', () => {
  const gradient = gradientOf([[1], [-0.5]], [0.25, -0.25])
  const even = layerOf([[0], [0]], [0, 0])

  test('lie off the common one by the rest of the row over the share of the class', () => {
    // a = 3, its variance 1, of which 8/9 is kept: 8/3. The shares are 1/2 - 1/4 and 1/2 + 1/4.
    near(splitEmbeddings(gradient, even), [8 / 3 - 1 / 3 / 0.25, 8 / 3 - 1 / 6 / 0.75])
  })

  test('take a class for half a record at least', () => {
    near(splitEmbeddings({ ...gradient, recordCount: 1 }, even), [8 / 3 - 1 / 3 / 0.5, 8 / 3 - 1 / 6 / 0.75])
  })

  test('take the shares that the layer gives at the common one', () => {
    // z = (ln 3 / (8/3)) a = ln 3 at a = 8/3: probabilities 3/4 and 1/4.
    const layer = layerOf([[(3 * Math.log(3)) / 8], [0]], [0, 0])
    near(splitEmbeddings(gradient, layer), [8 / 3 - 1 / 3 / 0.5, 8 / 3 - 1 / 6 / 0.5])
    near(splitEmbeddings(gradient, layerOf([[0], [0]], [Math.log(3), 0])), [8 / 3 - 1 / 3 / 0.5, 8 / 3 - 1 / 6 / 0.5])
  })

  test('of several columns are each its own', () => {
    // Rows that fit: all embeddings are the common one.
    const fits = gradientOf([[1, 2, -1], [-1, -2, 1]], [0.25, -0.25]) // biome-ignore format: one line
    near(splitEmbeddings(fits, layerOf([[0, 0, 0], [0, 0, 0]], [0, 0])), [4, 8, -4, 4, 8, -4]) // biome-ignore format: one line
  })
})

describe('counts', () => {
  // Whatever the embeddings, p = (1/2, 1/4, 1/4); counts (1, 2, 1) of 4 have the bias gradient p - k / 4.
  const layer = layerOf([[0], [0], [0]], [Math.log(2), 0, 0])
  const embeddings = matrixOf([[1], [2], [3]])
  const biases = [0.25, -0.25, 0]

  test('are those behind the bias gradient; the weights then fit', () => {
    // (8 p_i - k_i a_i) / 4, as 1 * 1 + 2 * 2 + 1 * 3 = 8.
    const found = solveCounts(embeddings, layer, gradientOf([[0.75], [-0.5], [-0.25]], biases))
    near(found.unrounded, [1, 2, 1])
    expect([...found.counts]).toEqual([1, 2, 1])
    expect(found.minimumNorm).toBe(false)
    expect(found.misfit).toBeLessThan(1e-12)
  })

  test('that explain the weights badly are told by how much', () => {
    const found = solveCounts(embeddings, layer, gradientOf([[0.75], [-0.5], [0.75]], biases))
    expect(found.misfit).toBeCloseTo(1 / Math.sqrt(0.75 ** 2 + 0.5 ** 2 + 0.75 ** 2), 12)
    expect(solveCounts(embeddings, layer, gradientOf([[0], [0], [0]], biases)).misfit).toBe(0)
  })

  test('a class without records takes no part in the misfit', () => {
    // Counts (3, 0, 1): the embedding of the second class is not asked.
    const gradW = [3 * 1 + 1 * 3, 0, 0].map((_, i) => [(6 * [0.5, 0.25, 0.25][i]! - [3, 0, 3][i]!) / 4])
    for (const stray of [2, 50]) {
      const found = solveCounts(matrixOf([[1], [stray], [3]]), layer, gradientOf(gradW, [-0.25, 0.25, 0]))
      expect([...found.counts]).toEqual([3, 0, 1])
      expect(found.misfit).toBeLessThan(1e-12)
    }
  })

  test('a shift of all biases is no count: it is the residual', () => {
    const found = solveCounts(
      embeddings,
      layer,
      gradientOf(
        [[0], [0], [0]],
        biases.map((b) => b + 0.1),
      ),
    )
    near(found.unrounded, [1, 2, 1])
  })

  test('the condition is bounded by rows and by the longest answer to vectors of signs', () => {
    const even = (n: number) => {
      const zeros = Array.from({ length: n }, () => [0])
      return solveCounts(matrixOf(zeros), layerOf(zeros, new Array(n).fill(0)), gradientOf(zeros, new Array(n).fill(0)))
    }
    // Of n equal classes the matrix is 2 / n in every place, less the unit matrix, and its own inverse.
    expect(even(2).conditionAtLeast).toBeCloseTo(1, 12)
    expect(even(3).conditionAtLeast).toBeCloseTo((5 / 3) ** 2, 12)
    // The signs + + + + - find it: 2/5 * 3 + 1.
    expect(even(5).conditionAtLeast).toBeCloseTo(2.2 ** 2, 12)
    near(even(5).unrounded, [0.8, 0.8, 0.8, 0.8, 0.8])
  })

  test('of classes that are all sure of themselves are the shortest of many', () => {
    const sure = layerOf([[2000, 0], [0, 2000]], [0, 0]) // biome-ignore format: one line
    const found = solveCounts(matrixOf([[1, 0], [0, 1]]), sure, gradientOf([[0, 0], [0, 0]], [0, 0])) // biome-ignore format: one line
    near(found.unrounded, [2, 2])
    expect([...found.counts]).toEqual([2, 2])
    expect(found).toMatchObject({ minimumNorm: true, conditionAtLeast: Number.POSITIVE_INFINITY })
  })

  test('of more than a thousand times the records are those of a singular system', () => {
    // With 1e-5 off the diagonal, a bias gradient of (g, -g) asks for K / 2 -+ K g / 2e-5.
    const odds = Math.log((1 - 1e-5) / 1e-5)
    const found = (g: number) =>
      solveCounts(matrixOf([[1, 0], [0, 1]]), layerOf([[odds, 0], [0, odds]], [0, 0]), gradientOf([[0, 0], [0, 0]], [g, -g])) // biome-ignore format: one line
    expect(found(0.01998).unrounded[0]! / 4).toBeCloseTo(0.5 - 999, 3)
    expect(found(0.01998)).toMatchObject({ minimumNorm: false })
    expect(found(0.01998).conditionAtLeast).toBeLessThan(1e6)
    expect([...found(-0.01998).counts]).toEqual([4, 0])
    for (const g of [0.02, -0.02]) {
      near(found(g).unrounded, [2, 2], 4)
      expect(found(g)).toMatchObject({ minimumNorm: true, conditionAtLeast: Number.POSITIVE_INFINITY })
    }
  })
})

describe('whole numbers', () => {
  const rounded = (total: number, ...real: number[]) => [...roundedTo(total, Float64Array.from(real))]

  test('are rounded, and stay so where they sum to the total', () => {
    expect(rounded(4, 0.9, 2.2, 1.1)).toEqual([1, 2, 1])
    expect(rounded(0, 0.2, 0.3)).toEqual([0, 0])
  })

  test('what is short goes to those that were rounded down the furthest, the first of them on a tie', () => {
    expect(rounded(3, 1.4, 1.3, 0.2)).toEqual([2, 1, 0])
    expect(rounded(3, 1.25, 1.25, 0.2)).toEqual([2, 1, 0])
    expect(rounded(5, 1, 1)).toEqual([3, 2])
    expect(rounded(2, 0.1, 0.4, -5)).toEqual([1, 1, 0])
  })

  test('what is too much is taken from those that were rounded up the furthest and have some', () => {
    expect(rounded(3, 1.6, 1.5, 0.9)).toEqual([1, 1, 1])
    expect(rounded(1, -3, 0.6, 0.7)).toEqual([0, 0, 1])
    expect(rounded(1, 0.6, -3, 0.7)).toEqual([0, 0, 1])
  })

  test('what is no number gets none', () => {
    expect(rounded(2, Number.NaN, Number.NaN)).toEqual([0, 0])
    expect(rounded(2, Number.NaN, 0.2)).toEqual([0, 2])
  })

  test('none is below 0 or above the total', () => {
    expect(rounded(2, 5, -1)).toEqual([2, 0])
    expect(rounded(3, 1000, 1002)).toEqual([0, 3])
  })
})
