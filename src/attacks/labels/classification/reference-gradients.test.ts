import { describe, expect, test } from 'vitest'
import type { ModelFunctions } from '../../../models/functions.js'
import { type Matrix, matrix, matrixOf } from '../../../numeric/linalg/matrix.js'
import type { ClassHead } from './class-head.js'
import {
  affineOf,
  embeddingsOf,
  knownModel,
  meanReference,
  probabilities,
  referenceOf,
  referencesOf,
} from './reference-gradients.js'

const layer = { W: matrixOf([[1], [0]]), b: undefined }
/** Even chances, whatever is read. */
const even = { W: matrixOf([[0], [0]]), b: undefined }
const evidence = { weigh: (a: Float64Array) => 10 * a[0]! } as Parameters<typeof referenceOf>[2]

test('without the model that was sent, or its last layer, nothing is known', () => {
  const functions = {} as ModelFunctions
  const theta = Float64Array.of(1)
  const head = (change: object) => ({ update: { theta, round: 7 }, layer, ...change }) as unknown as ClassHead
  expect(knownModel(functions, head({}))).toEqual({ functions, theta, layer })
  for (const change of [{ update: { round: 7 } }, { layer: undefined }]) {
    expect(() => knownModel(functions, head(change))).toThrow('round 7 lacks the model that was sent')
  }
})

describe('embeddings', () => {
  const sizes: number[] = []
  const functions = {
    // Twice as wide as what it reads: each value and its opposite.
    penultimate(theta: Float64Array, { rows, cols, data }: Matrix) {
      sizes.push(rows)
      return matrix(rows, 2 * cols, Float64Array.from({ length: 2 * data.length }, (_, i) => theta[0]! * (i % 2 ? -1 : 1) * data[i >> 1]!)) // biome-ignore format: one line
    },
  } as unknown as ModelFunctions

  test.each([
    [1, [1]],
    [64, [64]],
    [65, [64, 1]],
    [150, [64, 64, 22]],
  ])('of %i rows go through in chunks of 64', (rows, chunks) => {
    sizes.length = 0
    const features = matrix(
      rows,
      3,
      Float64Array.from({ length: 3 * rows }, (_, i) => i + 1),
    )
    const found = embeddingsOf({ functions, theta: Float64Array.of(3), layer }, features)
    expect(sizes).toEqual(chunks)
    expect([found.rows, found.cols]).toEqual([rows, 6])
    expect(found.data.every((v, i) => v === 3 * (i % 2 ? -1 : 1) * ((i >> 1) + 1))).toBe(true)
  })

  test('of no rows are none', () => {
    const found = embeddingsOf({ functions, theta: Float64Array.of(3), layer }, matrix(0, 3))
    expect([found.rows, found.cols, found.data.length]).toEqual([0, 0, 0])
  })
})

test('probabilities are the softmax of the layer, with and without a bias', () => {
  const p = (b: Float64Array | undefined) => probabilities(matrixOf([[0], [Math.log(3)]]), { W: layer.W, b }).data
  for (const [i, v] of [0.5, 0.5, 0.75, 0.25].entries()) expect(p(undefined)[i]!).toBeCloseTo(v, 13)
  for (const [i, v] of [0.25, 0.75, 0.5, 0.5].entries())
    expect(p(Float64Array.of(0, Math.log(3)))[i]!).toBeCloseTo(v, 13)
})

describe('references', () => {
  test('are the means of each group, and undefined for a group without rows', () => {
    const embeddings = matrixOf([[1], [2], [6]])
    const found = referencesOf(embeddings, { groupOf: [0, 2, 0], groups: 3 }, { layer: even, evidence })
    expect(found[1]).toBeUndefined()
    expect(found[0]!.weight).toBeCloseTo(35, 12)
    expect(found[2]!.weight).toBeCloseTo(20, 12)
    for (const [group, half] of [
      [0, 17.5],
      [2, 10],
    ] as const) {
      // biome-ignore format: one line
      for (const v of found[group]!.products) expect(v).toBeCloseTo(half, 12)
    }
  })

  test.each([64, 65, 130])('of %i rows are the same as of all at once', (rows) => {
    const data = Float64Array.from({ length: rows }, (_, i) => (i % 7) / 10)
    const found = referenceOf(matrix(rows, 1, data), layer, evidence)
    let [weight, first] = [0, 0]
    for (const a of data) {
      weight += (10 * a) / rows
      first += (10 * a) / (1 + Math.exp(-a)) / rows
    }
    expect(found.weight).toBeCloseTo(weight, 10)
    expect(found.products[0]!).toBeCloseTo(first, 10)
    expect(found.products[1]!).toBeCloseTo(weight - first, 10)
  })

  test('are averaged with equal weights', () => {
    const found = meanReference([
      { weight: 1, products: Float64Array.of(2, 3) },
      { weight: 3, products: Float64Array.of(4, 9) },
    ])
    expect(found).toEqual({ weight: 2, products: Float64Array.of(3, 6) })
    const one = { weight: 5, products: Float64Array.of(7) }
    expect(meanReference([one])).toEqual(one)
  })
})

describe('slope and offsets', () => {
  const of = (weight: number, ...products: number[]) => ({ weight, products: Float64Array.from(products) })

  test('are the mean of the own entries, a class in n more, and of the others’', () => {
    // Own: 1 - 6, 2 - 7, 3 - 5: -12 over 3 classes and 4 records.
    const found = affineOf([of(6, 1, 10, 20), of(7, 30, 2, 40), of(5, 50, 60, 3)], 4)
    expect(found.slope).toBeCloseTo(((4 / 3) * -12) / (3 * 4), 14)
    expect([...found.offsets!]).toEqual([40, 35, 30])
  })

  test('leave out classes of which nothing is known', () => {
    const found = affineOf([of(6, 1, 10, 20), undefined, of(5, 50, 60, 3)], 2)
    expect(found.slope).toBeCloseTo(((4 / 3) * (-5 - 2)) / (2 * 2), 14)
    expect([...found.offsets!]).toEqual([50, 35, 20])
    // One class alone: there are no others.
    expect([...affineOf([of(6, 1, 10), undefined], 2).offsets!]).toEqual([0, 10])
  })

  test('are refused where records of a class do not lower its number', () => {
    expect(() => affineOf([of(1, 1, 0), of(1, 0, 1)], 2)).toThrow('(slope 0)')
    expect(() => affineOf([of(1, 2, 0), of(1, 0, 2)], 2)).toThrow('do not lower its evidence')
    expect(() => affineOf([of(1, Number.NaN, 0), of(1, 0, 2)], 2)).toThrow('(slope NaN)')
    expect(() => affineOf([undefined, undefined], 2)).toThrow('do not lower')
  })
})
