import { describe, expect, test } from 'vitest'
import { createModel, type ModelSpec } from '../../models/index.js'
import { firstLayerOf, firstRows, rankOneMisfit, singleInput } from './first-layer.js'

const mlp = (change: object = {}) =>
  createModel({ kind: 'mlp', inputs: 3, hidden: [2], outputs: 1, ...change } as unknown as ModelSpec)
const layer = { units: 2, inputs: 3, biasAt: 6 }

describe('the first layer', () => {
  test('is dense and has biases, or is none', () => {
    expect(firstLayerOf(mlp())).toEqual(layer)
    expect(firstLayerOf(createModel({ kind: 'linear', inputs: 3, outputs: 1 }))).toEqual({
      units: 1,
      inputs: 3,
      biasAt: 3,
    })
    expect(firstLayerOf(mlp({ bias: false }))).toBeUndefined()
    const model = mlp()
    const [weight, bias, ...rest] = model.parameters
    const like = (...parameters: unknown[]) => firstLayerOf({ ...model, parameters: parameters as never })
    expect(like({ ...weight, shape: [2, 3, 1] }, bias, ...rest)).toBeUndefined()
    expect(like({ ...weight, shape: [2, 4] }, bias, ...rest)).toBeUndefined()
    expect(like({ ...weight, role: 'bias' }, bias, ...rest)).toBeUndefined()
    expect(like(weight, { ...bias, shape: [3] }, ...rest)).toBeUndefined()
    expect(like(weight, weight, ...rest)).toBeUndefined()
    expect(like()).toBeUndefined()
  })
  test('is read row by row', () => {
    const { W, b } = firstRows(Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9), layer)
    expect({ rows: W.rows, cols: W.cols, W: [...W.data], b: [...b] }).toEqual({ rows: 2, cols: 3, W: [1, 2, 3, 4, 5, 6], b: [7, 8] }) // biome-ignore format: one line
  })
})

describe('the input of a single record', () => {
  test('is what the rows are multiples of, by their biases', () => {
    const { x, misfit } = singleInput(Float64Array.of(2, 4, -6, -1, -2, 3, 2, -1), layer)!
    expect([...x]).toEqual([1, 2, -3])
    expect(misfit).toBeLessThan(1e-15)
  })
  test('is the least squares over units where they disagree', () => {
    // Rows (2, 0, 0) of bias 2 and (2, 0, 0) of bias 1: x = (2 * 2 + 1 * 2) / 5, and 0.4 and 0.8 are left of 2 and 2.
    const { x, misfit } = singleInput(Float64Array.of(2, 0, 0, 2, 0, 0, 2, 1), layer)!
    expect([...x]).toEqual([1.2, 0, 0].map((v) => expect.closeTo(v, 14)))
    expect(misfit).toBeCloseTo(Math.sqrt((0.16 + 0.64) / 8), 14)
  })
  test('is not known where no bias moved, and as exact where all are tiny', () => {
    expect(singleInput(Float64Array.of(2, 4, 6, 1, 2, 3, 0, 0), layer)).toBeUndefined()
    const tiny = Float64Array.of(2, 4, -6, -1, -2, 3, 2, -1).map((v) => v * 2 ** -600)
    expect([...singleInput(tiny, layer)!.x]).toEqual([1, 2, -3])
    expect(singleInput(Float64Array.of(0, 0, 0, 0, 0, 0, 1, 1), layer)).toEqual({ x: new Float64Array(3), misfit: 0 })
  })
})

describe('what is not of rank one', () => {
  const misfit = (...rows: number[][]) => rankOneMisfit(Float64Array.from(rows.flat()), mlp())
  test('is nothing for multiples of one row', () => {
    expect(misfit([1, 2, 3], [-2, -4, -6])).toBeLessThan(1e-14)
    expect(misfit([0, 0, 0], [0, 5, 0])).toBeLessThan(1e-14)
  })
  test('is the second singular value beside the first', () => {
    expect(misfit([4, 0, 0], [0, 3, 0])).toBeCloseTo(3 / 5, 10)
    expect(misfit([3, 0, 0], [0, 4, 0])).toBeCloseTo(3 / 5, 10)
    // Singular values sqrt(3) and 1 of (1, 1, 0), (0, 1, 1).
    expect(misfit([1, 1, 0], [0, 1, 1])).toBeCloseTo(1 / 2, 10)
  })
  test('cannot be told from nothing, or from another layer', () => {
    expect(misfit([0, 0, 0], [0, 0, 0])).toBe(Number.POSITIVE_INFINITY)
    const model = mlp()
    const other = { ...model, parameters: [{ ...model.parameters[0]!, shape: [2, 5] }] }
    expect(rankOneMisfit(new Float64Array(10).fill(1), other)).toBe(Number.POSITIVE_INFINITY)
  })
})
