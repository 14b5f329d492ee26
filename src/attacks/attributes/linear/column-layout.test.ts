import { expect, test } from 'vitest'
import { layersLayout, shownSquares, writtenLayout } from './column-layout.js'

test('layers: public columns and the bias meet the first factor, the hidden columns and later layers the rest', () => {
  // Two records of three columns, the second hidden; two units with a bias, and an output of two weights and a bias.
  const layout = layersLayout({ n: 2, values: 3, features: Float64Array.of(1, 9, 3, 4, 9, 6), k: 3, h: 2, bias: 1, places: [1], size: 11 }) // biome-ignore format: a line
  expect(layout).toEqual({
    ...{ n: 2, N: 4, size: 11, h: 2, e: 5, k1: 3 },
    shown: Float64Array.of(1, 3, 1, 4, 6, 1),
    meetsFirst: Int32Array.of(0, 2, 6, 3, 5, 7),
    meetsRest: Int32Array.of(1, 4, 8, 9, 10),
  })
  expect(shownSquares(layout)).toEqual(Float64Array.of(11, 53))
})

test('without a bias nothing is shown but the public columns', () => {
  const layout = layersLayout({ n: 1, values: 2, features: Float64Array.of(5, 7), k: 2, h: 1, bias: 0, places: [0], size: 2 }) // biome-ignore format: a line
  expect(layout).toEqual({
    ...{ n: 1, N: 1, size: 2, h: 1, e: 1, k1: 1 },
    ...{ shown: Float64Array.of(7), meetsFirst: Int32Array.of(1), meetsRest: Int32Array.of(0) },
  })
})

test('what is written down is all in the rest', () => {
  expect(writtenLayout({ n: 3, values: 4, size: 2 })).toEqual({
    ...{ n: 3, N: 9, size: 2, h: 1, e: 2, k1: 0 },
    ...{ shown: new Float64Array(0), meetsFirst: new Int32Array(0), meetsRest: Int32Array.of(0, 1) },
  })
})
