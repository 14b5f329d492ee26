import { describe, expect, test } from 'vitest'
import type { Node } from './graph.js'
import { interpret } from './reference.js'
import * as t from './trace.js'
import * as image from './trace-image.js'

const A = t.input('A', { rows: 2, cols: 3 })
const B = t.input('B', { rows: 2, cols: 3 })
const S = t.input('S', { rows: 3, cols: 2 })
const row = t.input('row', { rows: 1, cols: 3 })
const column = t.input('column', { rows: 2, cols: 1 })
const values = {
  A: Float64Array.of(1, 2, 3, -4, 5, 6),
  B: Float64Array.of(7, -8, 9, 1, 0, -2),
  S: Float64Array.of(1, 2, 3, 4, 5, 6),
  row: Float64Array.of(10, 20, 30),
  column: Float64Array.of(2, 3),
}
const meant = (n: Node, round?: (x: number) => number): number[] => [...interpret([n], values, round && { round })[0]!]

describe('every operation by hand', () => {
  const cases: readonly [string, Node, readonly number[]][] = [
    ['fill', t.fill(4, column), [4, 4]],
    ['A S', t.matmul(A, S), [22, 28, 41, 48]],
    ['A Bᵀ', t.matmul(A, B, 'nt'), [18, -5, -14, -16]],
    ['Aᵀ B', t.matmul(A, B, 'tn'), [3, -8, 17, 19, -16, 8, 27, -24, 15]],
    ['sum', t.add(A, B), [8, -6, 12, -3, 5, 4]],
    ['difference', t.sub(A, B), [-6, 10, -6, -5, 5, 8]],
    ['product', t.mul(A, B), [7, -16, 27, -4, 0, -12]],
    ['quotient', t.div(B, A), [7, -4, 3, -0.25, 0, -1 / 3]],
    ['gate', t.gate(A, B), [1, 0, 3, -4, 0, 0]],
    ['signed', t.signed(A, B), [1, -2, 3, -4, 0, -6]],
    ['scale', t.scale(A, 0.5), [0.5, 1, 1.5, -2, 2.5, 3]],
    ['offset', t.offset(A, 0.5), [1.5, 2.5, 3.5, -3.5, 5.5, 6.5]],
    ['relu', t.relu(B), [7, 0, 9, 1, 0, 0]],
    ['abs', t.abs(A), [1, 2, 3, 4, 5, 6]],
    ['sqrt', t.sqrt(t.mul(A, A)), [1, 2, 3, 4, 5, 6]],
    ['sum of all', t.sumAll(A), [13]],
    ['sums over rows', t.sumRows(A), [-3, 7, 9]],
    ['sums over columns', t.sumCols(A), [6, 7]],
    ['dot', t.dot(A, B), [2]],
    ['dot of each row', t.rowDot(A, B), [18, -16]],
    ['a row stretched', t.broadcast(row, A), [10, 20, 30, 10, 20, 30]],
    ['a column stretched', t.broadcast(column, A), [2, 2, 2, 3, 3, 3]],
    ['one value stretched', t.broadcast(t.dot(A, B), S), [2, 2, 2, 2, 2, 2]],
    ['slice', t.slice(A, 2, { rows: 1, cols: 3 }), [3, -4, 5]],
    ['concatenation', t.concat([column, row]), [2, 3, 10, 20, 30]],
    ['chosen columns', t.gatherCols(A, [2, 0, 2, 1]), [3, 1, 3, 2, 6, -4, 6, 5]],
    ['columns put elsewhere', t.scatterCols(A, [3, 0, 3], 4), [2, 0, 0, 4, 5, 0, 0, 2]],
    ['repeated columns', image.repeatCols(A, 2), [1, 1, 2, 2, 3, 3, -4, -4, 5, 5, 6, 6]],
    ['sums of neighbours', image.sumGroups(A, 3), [6, 7]],
  ]
  test.each(cases)('%s', (_, n, wanted) => {
    const found = meant(n)
    expect(found).toHaveLength(wanted.length)
    for (const [i, x] of found.entries()) expect(x).toBeCloseTo(wanted[i]!, 14)
  })

  test('softmax and the logarithm of the sum of exponentials, without overflow', () => {
    const shares = (list: readonly number[]) => {
      const e = list.map((x) => Math.exp(x - Math.max(...list)))
      return e.map((x) => x / e.reduce((p, q) => p + q))
    }
    const wanted = [...shares([1, 2, 3]), ...shares([-4, 5, 6])]
    for (const shift of [0, 1000]) {
      for (const [i, x] of meant(t.softmax(t.offset(A, shift))).entries()) expect(x).toBeCloseTo(wanted[i]!, 12)
      const logs = [Math.log(Math.E + Math.exp(2) + Math.exp(3)), Math.log(Math.exp(-4) + Math.exp(5) + Math.exp(6))]
      for (const [i, x] of meant(t.logSumExp(t.offset(A, shift))).entries()) expect(x).toBeCloseTo(logs[i]! + shift, 11)
    }
  })

  test('functions of one value', () => {
    const functions = [
      [t.exp, Math.exp],
      [t.tanh, Math.tanh],
      [t.sigmoid, (x: number) => 1 / (1 + Math.exp(-x))],
      [t.softplus, (x: number) => Math.log1p(Math.exp(x))],
    ] as const
    for (const [traced, f] of functions) {
      const found = meant(traced(A))
      for (const [i, x] of found.entries()) expect(x / f(values.A[i]!)).toBeCloseTo(1, 13)
    }
    for (const [i, x] of meant(t.log(S)).entries()) expect(x).toBeCloseTo(Math.log(values.S[i]!), 14)
  })

  test('signs of zero, and of what is no number', () => {
    const by = t.input('by', { rows: 1, cols: 4 })
    const a = t.input('a', by)
    const [signed, gated] = interpret([t.signed(a, by), t.gate(a, by)], { a: Float64Array.of(2, 2, 2, 2), by: Float64Array.of(0, Number.NaN, -3, 0.1) }) // biome-ignore format: a line
    expect([[...signed!], [...gated!]]).toEqual([
      [0, Number.NaN, -2, 2],
      [0, 2, 0, 2],
    ])
  })
})

describe('rounding', () => {
  // To whole numbers, towards zero: what is rounded where is seen at a glance.
  const rounded = (n: Node, inputs: Record<string, number[]>) => {
    const given = Object.fromEntries(Object.entries(inputs).map(([name, list]) => [name, Float64Array.from(list)]))
    return [...interpret([n], given, { round: Math.trunc })[0]!]
  }
  const [x, y] = [t.input('x', { rows: 1, cols: 2 }), t.input('y', { rows: 1, cols: 2 })]
  test('of inputs, constants and factors', () => {
    expect(rounded(t.add(x, y), { x: [1.9, -2.9], y: [1.9, 0.9] })).toEqual([2, -2])
    expect(rounded(t.concat([t.fill(2.7), x]), { x: [1.9, 1] })).toEqual([2, 1, 1])
    expect(rounded(t.scale(x, 2.9), { x: [3, -1] })).toEqual([6, -2])
    expect(rounded(t.offset(x, 2.9), { x: [3, -1] })).toEqual([5, 1])
  })
  test('of every quotient, function and share', () => {
    expect(rounded(t.div(x, y), { x: [7, -7], y: [2, 2] })).toEqual([3, -3])
    expect(rounded(t.sqrt(x), { x: [8, 15] })).toEqual([2, 3])
    expect(rounded(t.softmax(x), { x: [3, 3] })).toEqual([0, 0])
    expect(rounded(t.logSumExp(x), { x: [2, 2] })).toEqual([2])
  })
  test('of products and sums one after another, in single precision', () => {
    const round = Math.fround
    const list = [1, 2 ** -24, 2 ** -24, 2 ** -24]
    const z = t.input('z', { rows: 1, cols: 4 })
    const tall = t.input('z', { rows: 4, cols: 1 })
    const sums = [t.sumAll(z), t.sumCols(z), t.sumRows(tall), t.dot(z, z), t.rowDot(z, z), t.matmul(z, z, 'nt'), image.sumGroups(z, 4)] // biome-ignore format: a list
    // Each of the small ones is half of a unit beside 1, and is lost by itself.
    for (const one of sums) expect([...interpret([one], { z: Float64Array.from(list) }, { round })[0]!]).toEqual([1])
    expect([...interpret([sums[0]!], { z: Float64Array.from(list) })[0]!]).toEqual([1 + 3 * 2 ** -24])
    const scattered = t.scatterCols(z, [0, 0, 0, 0], 1)
    expect([...interpret([scattered], { z: Float64Array.from(list) }, { round })[0]!]).toEqual([1])
    // Products are rounded before they are added: 1 + 2^-23 squared less 1 + 2^-22 is nothing.
    const near = 1 + 2 ** -23
    const pair = [t.dot(x, y), t.rowDot(x, y), t.matmul(x, y, 'nt')]
    for (const one of pair) expect([...interpret([one], { x: Float64Array.of(near, -1), y: Float64Array.of(near, 1 + 2 ** -22) }, { round })[0]!]).toEqual([0]) // biome-ignore format: a line
  })
})

describe('images by hand', () => {
  const g = { channels: 1, height: 2, width: 3, filters: 2, kernel: 2, stride: 1, padding: 0 }
  const x = t.input('x', { rows: 1, cols: 6 })
  const w = t.input('w', { rows: 2, cols: 4 })
  const c = t.input('c', { rows: 1, cols: 4 })
  const given = { x: Float64Array.of(1, 2, 3, 4, 5, 6), w: Float64Array.of(1, 0, 0, 1, 1, -1, 2, -2), c: Float64Array.of(1, 2, 3, 4) } // biome-ignore format: a list
  const of = (n: Node): number[] => [...interpret([n], given)[0]!]
  test('a convolution and its two transposes', () => {
    expect(of(image.conv(x, w, g))).toEqual([1 + 5, 2 + 6, 1 - 2 + 8 - 10, 2 - 3 + 10 - 12])
    // Each output sends its value back through its filter.
    expect(of(image.convInput(c, w, g))).toEqual([1 + 3, 2 - 3 + 4, -4, 6, 1 - 6 + 8, 2 - 8])
    expect(of(image.convWeight(x, c, g))).toEqual([1 + 4, 2 + 6, 4 + 10, 5 + 12, 3 + 8, 6 + 12, 12 + 20, 15 + 24])
  })
  test('strides and padding', () => {
    const far = { ...g, filters: 1, stride: 2, padding: 1 }
    const one = t.input('w', { rows: 1, cols: 4 })
    const out = [...interpret([image.conv(x, one, far)], { ...given, w: Float64Array.of(1, 10, 100, 1000) })[0]!]
    // Corners of the padded 4 x 5 image: its rows are 0, (0 1 2 3 0), (0 4 5 6 0), 0.
    expect(out).toEqual([1000, 200 + 3000, 40, 5 + 60])
  })
  test('of two images, each by itself', () => {
    const two = t.input('x', { rows: 2, cols: 6 })
    const twice = { ...given, x: Float64Array.of(1, 2, 3, 4, 5, 6, 2, 4, 6, 8, 10, 12) }
    const [found] = interpret([image.conv(two, w, g)], twice)
    expect([...found!]).toEqual([6, 8, -3, -3, 12, 16, -6, -6])
    const c2 = t.input('c', { rows: 2, cols: 4 })
    const cs = { ...twice, c: Float64Array.of(1, 2, 3, 4, 0, 0, 0, 1) }
    const [back, weight] = interpret([image.convInput(c2, w, g), image.convWeight(two, c2, g)], cs)
    expect([...back!.slice(6)]).toEqual([0, 1, -1, 0, 2, -2])
    expect([...weight!]).toEqual([5, 8, 14, 17, 11 + 4, 18 + 6, 32 + 10, 39 + 12])
  })
  test('what is no number wins a window, the first of two', () => {
    const pool = { channels: 1, height: 2, width: 2, size: 2, stride: 1 }
    const z = t.input('z', { rows: 1, cols: 4 })
    const chosen = (...list: number[]) => interpret([image.maxPool(z, pool).inputs[1]!], { z: Float64Array.from(list) })[0]![0] // biome-ignore format: a line
    expect([chosen(1, Number.NaN, 5, 2), chosen(Number.NaN, 3, Number.NaN, 9), chosen(1, 2, 2, 0)]).toEqual([1, 0, 1])
  })
})
