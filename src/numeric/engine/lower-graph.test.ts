import { describe, expect, test } from 'vitest'
import type { Node } from './graph.js'
import { lower, type Update, wholeOf } from './lower-graph.js'
import * as t from './trace.js'

const shape = { rows: 3, cols: 4 }
const [a, b, row, by] = [t.input('a', shape), t.input('b', { rows: 4, cols: 4 }), t.input('row', { rows: 1, cols: 4 }), t.input('by', shape)] // biome-ignore format: a list
const product = t.matmul(a, b)
const titles = (outputs: readonly Node[], updates: readonly Update[] = []) =>
  lower(outputs, updates).instructions.map(({ title }) => title)

describe('what is fused', () => {
  test('a product with the row that is added to it, from either side, and a relu after it', () => {
    expect(titles([t.add(product, row)])).toEqual(['matmul+bias'])
    expect(titles([t.add(row, product)])).toEqual(['matmul+bias'])
    expect(titles([t.relu(t.add(product, row))])).toEqual(['matmul+bias+relu'])
  })
  test('not where the product or the sum is read besides', () => {
    const sum = t.add(product, row)
    expect(titles([sum, product])).toEqual(['matmul', 'add'])
    expect(titles([t.relu(sum), sum])).toEqual(['matmul+bias', 'relu'])
    expect(titles([t.relu(sum), product])).toEqual(['matmul', 'add', 'relu'])
  })
  test('not with what is no row of as many columns, nor where nothing is a product', () => {
    expect(titles([t.add(product, by)])).toEqual(['matmul', 'add'])
    expect(titles([t.add(product, t.input('column', { rows: 3, cols: 1 }))])).toEqual(['matmul', 'add'])
    expect(titles([t.add(product, t.input('one', { rows: 1, cols: 1 }))])).toEqual(['matmul', 'add'])
    expect(titles([t.relu(t.add(a, row))])).toEqual(['add', 'relu'])
    expect(titles([t.relu(product)])).toEqual(['matmul', 'relu'])
    expect(titles([t.relu(a)])).toEqual(['relu'])
  })
  test('a gate after a product, by values that lie as they are', () => {
    expect(titles([t.gate(product, by)])).toEqual(['matmul+gate'])
    expect(titles([t.gate(product, by), product])).toEqual(['matmul', 'gate'])
    expect(titles([t.gate(product, t.broadcast(row, product))])).toEqual(['matmul', 'gate'])
    expect(titles([t.gate(a, by)])).toEqual(['gate'])
    // One column is a matrix times a vector, which ends in no gate.
    const column = t.matmul(a, t.input('v', { rows: 4, cols: 1 }))
    expect(titles([t.gate(column, t.input('g', { rows: 3, cols: 1 }))])).toEqual(['matmul', 'gate'])
    expect(titles([t.add(column, t.input('s', { rows: 1, cols: 1 }))])).toEqual(['matmul', 'add'])
  })
})

describe('what is computed', () => {
  test('only what is asked for and what that needs, operands first', () => {
    expect(titles([t.sumAll(t.exp(a))])).toEqual(['exp', 'sumAll'])
    expect(titles([])).toEqual([])
    const { inputs, outputs, constants, concats } = lower([t.add(a, by), t.concat([a, t.fill(2, shape)])])
    expect(inputs.map(({ attrs }) => attrs.name)).toEqual(['a', 'by'])
    expect(outputs).toHaveLength(2)
    expect(concats).toEqual([outputs[1]])
    expect(constants).toEqual([])
    expect(lower([t.matmul(a, t.fill(3, b))]).constants.map(({ attrs }) => attrs.value)).toEqual([3])
  })
  test('stretched values are read where they are', () => {
    expect(titles([t.mul(a, t.broadcast(row, a))])).toEqual(['mul'])
    expect(titles([t.broadcast(row, a)])).toEqual(['broadcast'])
    expect(titles([t.slice(t.exp(a), 4, { rows: 2, cols: 2 })])).toEqual(['exp'])
    expect(titles([t.concat([t.exp(a), t.reshape(t.tanh(a), { rows: 1, cols: 12 })])])).toEqual(['exp', 'tanh'])
  })
  test('the value behind a change of shape', () => {
    expect(wholeOf(t.reshape(t.reshape(a, { rows: 12, cols: 1 }), { rows: 2, cols: 6 }))).toBe(a)
    const part = t.slice(a, 0, { rows: 1, cols: 4 })
    expect(wholeOf(part)).toBe(part)
    const late = t.slice(a, 4, { rows: 2, cols: 4 })
    expect(wholeOf(late)).toBe(late)
  })
})

describe('updates', () => {
  const times = t.input('times', { rows: 1, cols: 1 })
  const theta = t.input('theta', { rows: 1, cols: 28 })
  const outer = t.matmul(a, t.input('c', { rows: 3, cols: 4 }), 'tn') // [4 x 4]
  const changing = (addend: Node, input: Node = theta): Update => ({ input, addend, times })
  const flat = (n: Node) => t.reshape(n, { rows: 1, cols: n.rows * n.cols })

  test('a product that nobody else reads is added as it is formed', () => {
    const W = t.input('W', { rows: 4, cols: 4 })
    expect(titles([], [changing(outer, W)])).toEqual(['matmul+update'])
    expect(titles([outer], [changing(outer, W)])).toEqual(['matmul', 'update'])
    expect(titles([], [changing(t.exp(W), W)])).toEqual(['exp', 'update'])
    expect(titles([], [changing(t.fill(0, W), W)])).toEqual([])
    expect(titles([], [changing(t.fill(1, W), W)])).toEqual(['update'])
  })
  test('a concatenation is taken part by part, each at its place', () => {
    const joined = t.concat([flat(outer), flat(t.exp(a))])
    const { instructions, concats } = lower([], [changing(joined)])
    expect(instructions.map(({ title, update }) => [title, update?.offset])).toEqual([['exp', undefined], ['matmul+update', 0], ['update', 16]]) // biome-ignore format: a list
    expect(concats).toEqual([])
    const zeros = lower([], [changing(t.concat([t.fill(0, { rows: 1, cols: 12 }), flat(outer)]))])
    expect(zeros.instructions.map(({ title, update }) => [title, update?.offset])).toEqual([['matmul+update', 12]])
  })
  test('a concatenation that is read besides stays whole', () => {
    const joined = t.concat([flat(outer), flat(t.exp(a))])
    const { instructions, concats } = lower([joined], [changing(joined)])
    expect(instructions.map(({ title }) => title)).toEqual(['matmul', 'exp', 'update'])
    expect(concats).toHaveLength(1)
    const square = (rows: number) => t.reshape(joined, { rows, cols: 28 / rows })
    expect(titles([square(2)], [changing(square(4))])).toEqual(['matmul', 'exp', 'update'])
    expect(titles([], [changing(square(4))])).toEqual(['exp', 'matmul+update', 'update'])
  })
  test('several inputs are changed, each by its own', () => {
    const [V, W] = [t.input('V', { rows: 4, cols: 4 }), t.input('W', shape)]
    const { instructions, inputs } = lower([], [changing(outer, V), { ...changing(t.exp(by), W), times: t.input('other', times) }]) // biome-ignore format: a line
    expect(instructions.map(({ title, update, reads }) => [title, update?.input.label, reads.at(-1)!.label])).toEqual([
      ['exp', undefined, 'by'],
      ['matmul+update', 'V', 'times'],
      ['update', 'W', 'other'],
    ])
    expect(inputs).toHaveLength(7)
    const besides = lower([t.tanh(V)], [changing(outer, V), changing(t.exp(by), W)]).instructions
    expect(besides.map(({ title, update }) => `${title} ${update?.input.label}`)).toEqual(['tanh undefined', 'exp undefined', 'matmul+update V', 'update W']) // biome-ignore format: a list
  })
  test('sums of more than 512 are formed apart, as are products of what is changed', () => {
    const long = (k: number) => changing(t.matmul(t.input('x', { rows: k, cols: 4 }), t.input('y', { rows: k, cols: 4 }), 'tn'), t.input('W', { rows: 4, cols: 4 })) // biome-ignore format: a line
    expect(titles([], [long(512)])).toEqual(['matmul+update'])
    expect(titles([], [long(513)])).toEqual(['matmul', 'update'])
    const wide = (k: number) => changing(t.matmul(t.input('x', { rows: 4, cols: k }), t.input('y', { rows: k, cols: 4 })), t.input('W', { rows: 4, cols: 4 })) // biome-ignore format: a line
    expect(titles([], [wide(512)])).toEqual(['matmul+update'])
    expect(titles([], [wide(513)])).toEqual(['matmul', 'update'])
    const W = t.input('W', { rows: 4, cols: 4 })
    expect(titles([], [changing(t.matmul(W, b), W)])).toEqual(['matmul', 'update'])
    const own = t.matmul(t.slice(theta, 0, { rows: 4, cols: 4 }), b)
    expect(titles([], [changing(t.concat([flat(own), flat(t.exp(a))]))])).toEqual(['matmul', 'exp', 'update', 'update'])
    expect(titles([], [changing(t.matmul(b, t.slice(t.reshape(W, { rows: 2, cols: 8 }), 0, { rows: 4, cols: 4 })), W)])).toEqual(['matmul', 'update']) // biome-ignore format: a line
  })
  test('what does not fit is refused', () => {
    const wrong = (change: Partial<Update>) => () => lower([], [{ ...changing(t.fill(1, theta)), ...change }])
    expect(wrong({ addend: row })).toThrow('update: input [1 x 28] += [1 x 1] * [1 x 4]; an input, an addend of its size and a scalar are needed') // biome-ignore format: a line
    expect(wrong({ times: row })).toThrow('update: input [1 x 28] += [1 x 4] * [1 x 28]')
    expect(wrong({ input: t.exp(theta) })).toThrow('update: exp [1 x 28] +=')
    expect(wrong({ addend: t.fill(1, { rows: 28, cols: 1 }) })).not.toThrow()
  })
})
