import { describe, expect, test } from 'vitest'
import { gradient } from './derive.js'
import type { Convolution, Node, Pooling } from './graph.js'
import { interpret } from './reference.js'
import * as t from './trace.js'
import * as image from './trace-image.js'

const g: Convolution = { channels: 2, height: 4, width: 3, filters: 3, kernel: 2, stride: 1, padding: 0 }
const input = (rows: number, cols: number, name = 'a') => t.input(name, { rows, cols })
const [x, w, c] = [input(5, 24, 'x'), input(3, 8, 'w'), input(5, 18, 'c')]
const shapeOf = ({ op, rows, cols }: Node) => [op, rows, cols]

test('sizes of what comes out', () => {
  expect(image.outputSize(g)).toEqual({ height: 3, width: 2 })
  expect(image.outputSize({ ...g, padding: 1, stride: 2 })).toEqual({ height: 3, width: 2 })
  expect(image.outputSize({ ...g, height: 7, width: 8, kernel: 3, stride: 2 })).toEqual({ height: 3, width: 3 })
  expect(image.poolSize({ channels: 1, height: 7, width: 8, size: 3, stride: 2 })).toEqual({ height: 3, width: 3 })
  expect(image.poolSize({ channels: 1, height: 2, width: 3, size: 2, stride: 5 })).toEqual({ height: 1, width: 1 })
})

describe('convolutions', () => {
  test('have a row for each image, or for each filter', () => {
    expect(shapeOf(image.conv(x, w, g))).toEqual(['conv', 5, 18])
    expect(shapeOf(image.convInput(c, w, g))).toEqual(['convInput', 5, 24])
    expect(shapeOf(image.convWeight(x, c, g))).toEqual(['convWeight', 3, 8])
  })
  test('with zeros are zero', () => {
    const zero = (like: Node, value = 0) => t.fill(value, like)
    for (const made of [image.conv(zero(x), w, g), image.conv(x, zero(w), g)]) expect(shapeOf(made)).toEqual(['fill', 5, 18]) // biome-ignore format: a line
    for (const made of [image.convInput(zero(c), w, g), image.convInput(c, zero(w), g)]) expect(shapeOf(made)).toEqual(['fill', 5, 24]) // biome-ignore format: a line
    for (const made of [image.convWeight(zero(x), c, g), image.convWeight(x, zero(c), g)]) expect(shapeOf(made)).toEqual(['fill', 3, 8]) // biome-ignore format: a line
    for (const made of [image.conv(x, zero(w, 1), g), image.convInput(c, zero(w, 1), g), image.convWeight(x, zero(c, 1), g)]) expect(made.op).not.toBe('fill') // biome-ignore format: a line
    for (const made of [image.conv(zero(x), w, g), image.convInput(zero(c), w, g), image.convWeight(zero(x), c, g)]) expect(made).toMatchObject({ attrs: { value: 0 } }) // biome-ignore format: a line
  })
  test('that fit nothing are refused, with the columns that are needed', () => {
    expect(() => image.conv(x, input(3, 7), g)).toThrow('conv: filter is [3 x 7]; it needs 8 columns')
    expect(() => image.conv(input(5, 23), w, g)).toThrow('conv: image is [5 x 23]; it needs 24 columns')
    expect(() => image.convInput(input(5, 17), w, g)).toThrow('convInput: cotangent is [5 x 17]; it needs 18 columns')
    expect(() => image.convWeight(x, input(5, 17), g)).toThrow('convWeight: cotangent is [5 x 17]; it needs 18 columns')
    for (const odd of [{ height: 1 }, { width: 1 }, { stride: 0 }, { padding: -1, height: 9, width: 9 }]) {
      expect(() => image.conv(x, w, { ...g, ...odd })).toThrow('has no output; the kernel must fit the padded image')
    }
    const least = { ...g, height: 2, width: 2 }
    expect(shapeOf(image.conv(input(1, 8), w, least))).toEqual(['conv', 1, 3])
  })
})

describe('pools', () => {
  const pooling: Pooling = { channels: 2, height: 4, width: 3, size: 2, stride: 1 }
  const values = Float64Array.from({ length: 24 }, (_, i) => (7 * i) % 24)
  const windows = (
    reduce: (list: number[]) => number,
    { channels, height, width, size, stride }: Pooling = pooling,
  ) => {
    const out: number[] = []
    for (let ch = 0; ch < channels; ch++)
      for (let i = 0; i + size <= height; i += stride)
        for (let j = 0; j + size <= width; j += stride) {
          const list: number[] = []
          for (let a = 0; a < size; a++) for (let b = 0; b < size; b++) list.push(values[ch * height * width + (i + a) * width + j + b]!) // biome-ignore format: a line
          out.push(reduce(list))
        }
    return out
  }
  test.each([
    [2, 1],
    [2, 2],
    [3, 1],
    [1, 2],
  ])('of size %d and stride %d: the largest and the mean of every window', (size, stride) => {
    // biome-ignore format: a line
    const one = { ...pooling, size, stride }
    const a = input(1, 24)
    const [most, mean] = interpret([image.maxPool(a, one), image.averagePool(a, one)], { a: values })
    expect([...most!]).toEqual(windows((list) => Math.max(...list), one))
    for (const [i, wanted] of windows((list) => list.reduce((p, q) => p + q) / list.length, one).entries()) expect(mean![i]).toBeCloseTo(wanted, 12) // biome-ignore format: a line
  })
  test('of two images at once, each by itself', () => {
    const a = input(2, 24)
    const both = Float64Array.of(...values, ...values.map((v) => -v))
    const [most] = interpret([image.maxPool(a, pooling)], { a: both })
    expect([...most!]).toEqual([...windows((list) => Math.max(...list)), ...windows((list) => -Math.min(...list))])
  })
  test('the gradient goes to the first of equals', () => {
    const a = input(1, 4)
    const pool = image.maxPool(a, { channels: 1, height: 2, width: 2, size: 2, stride: 1 })
    const of = (...list: number[]) => [...interpret(gradient(t.sumAll(pool), [a]), { a: Float64Array.of(...list) })[0]!]
    expect([of(1, 3, 3, 2), of(5, 5, 5, 5), of(-4, -3, -2, -1)]).toEqual([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]]) // biome-ignore format: a list
  })
  test('windows that do not fit are refused', () => {
    expect(() => image.maxPool(input(1, 23), pooling)).toThrow('maxPool: {"channels":2,"height":4,"width":3,"size":2,"stride":1} of [1 x 23]; windows must fit the image') // biome-ignore format: a line
    for (const size of [4, 5])
      expect(() => image.maxPool(input(1, 24), { ...pooling, size })).toThrow('windows must fit')
    expect(() => image.maxPool(input(1, 24), { ...pooling, height: 3, width: 4, size: 4 })).toThrow('windows must fit')
  })
})

describe('picks, places, repeats and groups', () => {
  const a = input(2, 3)
  const index = input(2, 2, 'index')
  const A = Float64Array.of(1, 2, 3, 4, 5, 6)
  const where = Float64Array.of(2, 0, 1, 1)
  test('by hand', () => {
    const outputs = [image.pick(a, index), image.place(image.pick(a, index), index, 4), image.repeatCols(a, 2), image.sumGroups(a, 3)] // biome-ignore format: a list
    expect(interpret(outputs, { a: A, index: where }).map((one) => [...one])).toEqual([
      [3, 1, 5, 5],
      [1, 0, 3, 0, 0, 10, 0, 0],
      [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6],
      [6, 15],
    ])
    expect(outputs.map(({ rows, cols }) => [rows, cols])).toEqual([[2, 2], [2, 4], [2, 6], [2, 1]]) // biome-ignore format: a list
  })
  test('of constants are constants, and of one column each nothing is done', () => {
    const said = (n: Node) => [n.op, (n.attrs as { value?: number }).value, n.rows, n.cols]
    expect(said(image.pick(t.fill(7, a), index))).toEqual(['fill', 7, 2, 2])
    expect(said(image.place(t.fill(0, index), index, 9))).toEqual(['fill', 0, 2, 9])
    expect(image.place(t.fill(1, index), index, 9).op).toBe('place')
    expect(said(image.repeatCols(t.fill(7, a), 3))).toEqual(['fill', 7, 2, 9])
    expect(said(image.sumGroups(t.fill(7, a), 3))).toEqual(['fill', 21, 2, 1])
    expect(image.repeatCols(a, 1)).toBe(a)
    expect(image.sumGroups(a, 1)).toBe(a)
  })
  test('that do not fit are refused', () => {
    expect(() => image.pick(a, input(3, 2))).toThrow('pick: [2 x 3] by [3 x 2]')
    expect(() => image.place(a, index, 4)).toThrow('place: [2 x 3] by [2 x 2]')
    expect(() => image.sumGroups(a, 2)).toThrow('sumGroups of 2 over [2 x 3]')
  })
  test('what a pool placed is summed by channel without being placed', () => {
    const pooling = { channels: 2, height: 4, width: 3, size: 2, stride: 1 }
    const z = input(5, 24, 'z')
    const chosen = image.maxPool(z, pooling).inputs[1]!
    const placed = image.place(input(5, 12, 'v'), chosen, 24)
    const ops = (n: Node): string[] => [n.op, ...n.inputs.flatMap(ops)]
    expect(ops(image.sumGroups(placed, 12))).toEqual(['sumGroups', 'input'])
    expect(ops(image.sumGroups(t.sumRows(placed), 12))).toEqual(['sumGroups', 'sumRows', 'input'])
    for (const size of [6, 24, 3]) expect(ops(image.sumGroups(placed, size))[1]).toBe('place')
    // What was picked lies in order of its windows: 16 of them are not a channel of 4 x 4.
    const square = { channels: 4, height: 4, width: 4, size: 2, stride: 2 }
    expect(shapeOf(image.sumGroups(image.maxPool(input(1, 64), square), 16))).toEqual(['sumGroups', 1, 1])
    expect(image.sumGroups(placed, 12)).toMatchObject({ rows: 5, cols: 2, attrs: { size: 6 } })
  })
})
