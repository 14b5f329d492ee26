import { describe, expect, test } from 'vitest'
import type { ModelFunctions } from '../../../models/functions.js'
import { matrix, matrixOf } from '../../../numeric/linalg/matrix.js'
import type { RegressionUpdate } from './mean-gradient.js'
import { logitsOf, type SeenRound, scoresOf, seenWith, strayedBy } from './record-scores.js'
import { outputs, type RegressionHead } from './regression-head.js'

const of = (...values: number[]) => Float64Array.from(values)

test('logits are w . a + b', () => {
  expect([...logitsOf(matrixOf([[1, 2], [0, -1]]), { w: of(3, 5), b: 0.5 })]).toEqual([13.5, -4.5]) // biome-ignore format: one line
})

describe('a round seen with auxiliary records', () => {
  const features = matrixOf([[1, 2], [0, -1]]) // biome-ignore format: one line
  const functions = {
    penultimate: (theta: Float64Array, X: typeof features) =>
      matrix(
        X.rows,
        X.cols,
        X.data.map((x) => theta[0]! * x),
      ),
  } as unknown as ModelFunctions
  const update = {
    ...{ round: 4, theta: of(1), w: of(3, 5), b: 0.5, gradW: of(6, 8), gradB: 2 },
  } as unknown as RegressionUpdate
  const head = (change: Partial<RegressionHead> = {}) =>
    ({
      output: outputs.identity,
      sloped: true,
      factor: 2,
      width: 2,
      weightAt: 0,
      biasAt: 2,
      ...change,
    }) as RegressionHead
  const seen = (change: Partial<RegressionHead> = {}, given = features) =>
    seenWith(update, { head: head(change), functions, features: given })

  test('has a 1 before each embedding where there is a bias', () => {
    const found = seen()
    expect(found).toMatchObject({
      round: 4,
      biased: true,
      predictions: of(13.5, -4.5),
      w: of(0.5, 3, 5),
      grad: of(1, 3, 4),
    })
    expect(found.embeddings).toEqual(matrixOf([[1, 1, 2], [1, 0, -1]])) // biome-ignore format: one line
  })

  test('has none without', () => {
    const found = seen({ biasAt: undefined, factor: 4 })
    expect(found).toMatchObject({ biased: false, w: of(3, 5), grad: of(1.5, 2) })
    expect(found.embeddings).toEqual(matrixOf([[1, 2], [0, -1]])) // biome-ignore format: one line
  })

  test('has embeddings times the slope of the output, where that enters', () => {
    const found = seen({ output: outputs.relu })
    expect(found.predictions).toEqual(of(13.5, 0))
    expect([...found.embeddings.data].map((x) => x + 0)).toEqual([1, 1, 2, 0, 0, 0])
    expect(seen({ output: outputs.relu, sloped: false }).embeddings).toEqual(matrixOf([[1, 1, 2], [1, 0, -1]])) // biome-ignore format: one line
  })

  test('is refused where the output is flat for all of them, not where there are none', () => {
    expect(() => seen({ output: outputs.relu }, matrixOf([[0, -1], [0, -2]]))).toThrow('the output is flat for all auxiliary records') // biome-ignore format: one line
    expect(() => seen({ output: outputs.relu }, matrixOf([[0, -1]]))).toThrow('the output is flat')
    expect(seen({ output: outputs.relu }, matrix(0, 2)).embeddings.rows).toBe(0)
  })
})

test('a stray is taken out of the place of the layer, in the units of the gradient', () => {
  const seen = { grad: of(1, 2, 3) } as unknown as SeenRound
  const stray = of(10, 20, 30, 40, 50)
  const at = (place: object) => strayedBy(seen, { width: 2, factor: 10, ...place } as RegressionHead, stray).grad
  expect([...at({ weightAt: 1, biasAt: 4 })]).toEqual([1 + 5, 2 + 2, 3 + 3])
  expect([...at({ weightAt: 2, biasAt: undefined, width: 3 })]).toEqual([1 + 3, 2 + 4, 3 + 5])
})

test('scores are errors times embeddings', () => {
  const seen = { embeddings: matrixOf([[1, 2], [3, 4]]), predictions: of(5, 1) } as unknown as SeenRound // biome-ignore format: one line
  expect([...scoresOf(seen, of(3, 2)).data]).toEqual([2, 4, -3, -4])
})
