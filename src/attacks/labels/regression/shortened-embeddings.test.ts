import { describe, expect, test } from 'vitest'
import { type Matrix, matrix, matrixOf, multiply, transpose } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import type { SeenRound } from './record-scores.js'
import { reduced } from './shortened-embeddings.js'

const seenOf = (embeddings: Matrix): SeenRound => ({
  round: 1,
  embeddings,
  predictions: new Float64Array(embeddings.rows),
  w: Float64Array.from({ length: embeddings.cols }, (_, j) => j + 1),
  grad: Float64Array.from({ length: embeddings.cols }, (_, j) => 10 - j),
  biased: true,
})
const gram = (E: Matrix) => multiply(E, transpose(E)).data
const near = (found: Float64Array, expected: Float64Array) => {
  expect(found.length).toBe(expected.length)
  for (const [i, v] of expected.entries()) expect(found[i]!).toBeCloseTo(v, 8)
}
/** n rows of the numbers of these rows, one after the other. */
const repeated = (n: number, row: (i: number) => readonly number[]) => matrixOf(Array.from({ length: n }, (_, i) => row(i))) // biome-ignore format: one line

test('embeddings that are short enough stay as they are', () => {
  const seen = seenOf(matrixOf([[1, 2, 3]]))
  expect(reduced(seen, 3)).toBe(seen)
  expect(reduced(seen, 2)).not.toBe(seen)
})

describe('directions', () => {
  test.each([
    [3, 6],
    [9, 6],
    [6, 6],
  ])('of %i records of %i numbers keep all that the records say', (n, m) => {
    // Rank 3: nothing is lost in 4 directions, and no more than 3 are kept.
    const E = multiply(matrix(n, 3, rng('left').normals(3 * n)), matrix(3, m, rng('right').normals(3 * m)))
    const found = reduced(seenOf(E), 4)
    expect(found.embeddings.cols).toBe(3)
    near(gram(found.embeddings), gram(E))
    expect(found.biased).toBe(false)
    // What w says of records is said by the short w of the short ones.
    const said = (one: SeenRound) => multiply(one.embeddings, matrix(one.w.length, 1, one.w)).data
    near(said(found), said(seenOf(E)))
    expect(found.grad.length).toBe(3)
  })

  test.each([true, false])('are the widest ones, and of unit length (more records than numbers: %s)', (tall) => {
    const rows = [[0, 3, 0, 0], [5, 0, 0, 0], [0, 0, 0.5, 0]] // biome-ignore format: one line
    const E = matrixOf(tall ? [...rows, [0, 0, 0, 0.1], [0, 0, 0, 0]] : rows)
    const found = reduced(seenOf(E), 2)
    expect(found.embeddings.cols).toBe(2)
    const sizes = (values: Float64Array) => [...values].map((x) => Math.round(1e9 * Math.abs(x)) / 1e9)
    expect(sizes(found.w)).toEqual([1, 2])
    expect(sizes(found.grad)).toEqual([10, 9])
    expect(sizes(found.embeddings.data).slice(0, 6)).toEqual([0, 3, 5, 0, 0, 0])
  })

  test('that are next to nothing beside the widest are left out', () => {
    const width = (small: number) => reduced(seenOf(matrixOf([[1, 0, 0], [0, small, 0], [0, 0, 0]])), 2).embeddings.cols // biome-ignore format: one line
    expect(width(1e-5)).toBe(2)
    expect(width(1e-7)).toBe(1)
    const tiny = matrixOf([[1e-8, 0, 0], [0, 2e-8, 0], [0, 0, 0]]) // biome-ignore format: one line
    expect(reduced(seenOf(tiny), 2).embeddings.cols).toBe(2)
  })
})

describe('of many records', () => {
  test('500 decide, evenly spaced', () => {
    const last = (n: number) => reduced(seenOf(repeated(n, (i) => (i === n - 1 ? [0, 1, 0] : [1, 0, 0]))), 2)
    expect(last(500).embeddings.cols).toBe(2)
    expect(last(501).embeddings.cols).toBe(1)
    expect(last(501).embeddings.rows).toBe(501)
    const odd = (n: number) => reduced(seenOf(repeated(n, (i) => (i % 2 ? [0, 1, 0] : [1, 0, 0]))), 2)
    expect(odd(400).embeddings.cols).toBe(2)
    expect(odd(1000).embeddings.cols).toBe(1)
  })
})
