import { describe, expect, test } from 'vitest'
import { matrix, matrixOf } from '../../../../numeric/linalg/matrix.js'
import { errorLaw } from './error-law.js'

// Around (10, 20): deviations 3 and 1, and a column of one value.
const embeddings = matrixOf([[13, 21, 5], [13, 19, 5], [7, 21, 5], [7, 19, 5]]) // biome-ignore format: one line
const sizes = (values: Float64Array) => [...values].map((x) => Math.round(1e9 * x) / 1e9)
const signless = (values: Float64Array) => sizes(values.map((x) => x / values[0]!))

describe('errors by a law', () => {
  test('are a constant and slopes along directions of unit variance, the widest first', () => {
    const law = errorLaw(embeddings, { most: 5, known: undefined })
    expect(law.size).toBe(3)
    expect([...law.start]).toEqual([1e-9, 0, 0])
    expect(sizes(law.errors(Float64Array.of(4, 0, 0)))).toEqual([4, 4, 4, 4])
    const [first, second] = [law.errors(Float64Array.of(0, 1, 0)), law.errors(Float64Array.of(0, 0, 1))]
    expect(signless(first)).toEqual([1, 1, -1, -1])
    expect(signless(second)).toEqual([1, -1, 1, -1])
    expect([Math.abs(first[0]!), Math.abs(second[0]!)].map((x) => Math.round(1e9 * x) / 1e9)).toEqual([1, 1])
    const both = law.errors(Float64Array.of(4, 2, -3))
    for (const i of both.keys()) expect(both[i]!).toBeCloseTo(4 + 2 * first[i]! - 3 * second[i]!, 12)
  })

  test('have the same slopes for embeddings four times as large', () => {
    const large = matrix(4, 3, embeddings.data.map((x) => 4 * x)) // biome-ignore format: one line
    const [law, same] = [errorLaw(large, { most: 2, known: undefined }), errorLaw(embeddings, { most: 2, known: undefined })] // biome-ignore format: one line
    for (const c of [Float64Array.of(0, 1, 0), Float64Array.of(0, 0, 1)]) {
      expect(signless(law.errors(c))).toEqual(signless(same.errors(c)))
      expect(Math.abs(law.errors(c)[0]!)).toBeCloseTo(1, 12)
    }
  })

  test('have no more slopes than are asked for', () => {
    const law = errorLaw(embeddings, { most: 1, known: undefined })
    expect(law.size).toBe(2)
    expect(signless(law.errors(Float64Array.of(0, 1)))).toEqual([1, 1, -1, -1])
    expect(errorLaw(embeddings, { most: 0, known: undefined }).size).toBe(1)
  })

  test('have no slope along a direction that is next to nothing beside the widest', () => {
    const size = (small: number, wide = 1) =>
      errorLaw(matrixOf([[wide, small], [wide, -small], [-wide, small], [-wide, -small]]), { most: 5, known: undefined }).size // biome-ignore format: one line
    for (const wide of [1, 1000, 1e-3]) {
      expect(size(1e-4 * wide, wide)).toBe(3)
      expect(size(1e-5 * wide, wide)).toBe(2)
    }
    expect(errorLaw(matrix(3, 2, new Float64Array(6).fill(7)), { most: 5, known: undefined }).size).toBe(1)
  })

  test('begin with known ones as they are, whose weight comes before the slopes', () => {
    const known = Float64Array.of(1, 2, 3, 6)
    const law = errorLaw(embeddings, { most: 1, known })
    expect(law.size).toBe(3)
    expect([...law.start]).toEqual([3, 1, 0])
    expect(sizes(law.errors(law.start))).toEqual([1, 2, 3, 6])
    expect(sizes(law.errors(Float64Array.of(5, 2, 0)))).toEqual([1, 3, 5, 11])
  })
})
