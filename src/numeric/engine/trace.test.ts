import { describe, expect, test } from 'vitest'
import { type Node, node, type Shape } from './graph.js'
import { interpret } from './reference.js'
import * as t from './trace.js'

/** A graph in a line: the operation, what it carries, its shape where nothing else tells, its operands. */
function text(n: Node): string {
  if (n.op === 'input') return n.attrs.name
  if (n.op === 'fill') return `${n.attrs.value}[${n.rows},${n.cols}]`
  const values = Object.values(n.attrs)
  const shape = n.op === 'broadcast' || n.op === 'slice' ? `[${n.rows},${n.cols}]` : ''
  return `${n.op}${values.length === 0 ? '' : `{${values.join(' ')}}`}${shape}(${n.inputs.map(text).join(' ')})`
}

const shape = (rows: number, cols: number): Shape => ({ rows, cols })
const A = t.input('A', shape(2, 3))
const B = t.input('B', shape(2, 3))
const C = t.input('C', shape(3, 2))
const row = t.input('row', shape(1, 3))
const column = t.input('column', shape(2, 1))
const one = t.input('one', shape(1, 1))
const values = {
  A: Float64Array.of(1, -2, 3, 4, 5, -6),
  B: Float64Array.of(2, 7, -1, 8, 3, 5),
  C: Float64Array.of(1, 2, -3, 4, 0, 6),
  row: Float64Array.of(10, 20, 30),
  column: Float64Array.of(-1, 2),
  one: Float64Array.of(4),
}
/** What stands for the same without any algebra done. */
const raw = {
  fill: (value: number, s: Shape = A) => node('fill', { value }, [], s),
  add: (a: Node, b: Node) => node('add', {}, [a, b], a),
  sub: (a: Node, b: Node) => node('sub', {}, [a, b], a),
  mul: (a: Node, b: Node) => node('mul', {}, [a, b], a),
  div: (a: Node, b: Node) => node('div', {}, [a, b], a),
  gate: (a: Node, b: Node) => node('gate', {}, [a, b], a),
  signed: (a: Node, b: Node) => node('signed', {}, [a, b], a),
  scale: (a: Node, by: number) => node('scale', { by }, [a], a),
  offset: (a: Node, by: number) => node('offset', { by }, [a], a),
  dot: (a: Node, b: Node) => node('dot', {}, [a, b], shape(1, 1)),
  rowDot: (a: Node, b: Node) => node('rowDot', {}, [a, b], shape(a.rows, 1)),
  sumAll: (a: Node) => node('sumAll', {}, [a], shape(1, 1)),
  sumRows: (a: Node) => node('sumRows', {}, [a], shape(1, a.cols)),
  sumCols: (a: Node) => node('sumCols', {}, [a], shape(a.rows, 1)),
  broadcast: (a: Node, s: Shape) => node('broadcast', {}, [a], s),
  slice: (a: Node, offset: number, s: Shape) => node('slice', { offset }, [a], s),
  matmul: (a: Node, b: Node, form: 'nn' | 'nt' | 'tn', s: Shape) => node('matmul', { form }, [a, b], s),
  gather: (a: Node, index: readonly number[]) => node('gatherCols', { index }, [a], shape(a.rows, index.length)),
  scatter: (a: Node, index: readonly number[], cols: number) =>
    node('scatterCols', { index }, [a], shape(a.rows, cols)),
  concat: (parts: readonly Node[], cols: number) => node('concat', {}, parts, shape(1, cols)),
}
const zero = t.fill(0, A)
const scaled = t.scale(A, 3)
const wide = t.scatterCols(A, [4, 0, 2], 5)
const wider = t.scatterCols(column, [1], 5)
const five = t.input('five', shape(2, 5))
const rowOfC = t.matmul(A, C)

describe('algebra that is done at once', () => {
  const rest = { ...values, five: Float64Array.from({ length: 10 }, (_, i) => i * i - 7) }
  const cases: readonly [string, Node, Node][] = [
    ['B', t.add(zero, B), raw.add(raw.fill(0), B)],
    ['A', t.add(A, zero), raw.add(A, raw.fill(0))],
    ['scale{2}(A)', t.add(A, A), raw.add(A, A)],
    ['offset{5}(A)', t.add(A, t.fill(5)), raw.add(A, raw.fill(5))],
    ['offset{5}(A)', t.add(t.fill(5), A), raw.add(raw.fill(5), A)],
    ['add(A broadcast[2,3](row))', t.add(A, row), raw.add(A, raw.broadcast(row, A))],
    ['add(broadcast[2,3](column) A)', t.add(column, A), raw.add(raw.broadcast(column, A), A)],
    [
      'add(broadcast[2,3](column) broadcast[2,3](row))',
      t.add(column, row),
      raw.add(raw.broadcast(column, A), raw.broadcast(row, A)),
    ],
    ['A', t.sub(A, zero), raw.sub(A, raw.fill(0))],
    ['scale{-1}(B)', t.sub(zero, B), raw.sub(raw.fill(0), B)],
    ['offset{-5}(A)', t.sub(A, t.fill(5)), raw.sub(A, raw.fill(5))],
    ['sub(5[2,3] A)', t.sub(t.fill(5), A), raw.sub(raw.fill(5), A)],
    ['sub(A B)', t.sub(A, B), raw.sub(A, B)],
    ['scale{5}(A)', t.mul(A, t.fill(5)), raw.mul(A, raw.fill(5))],
    ['scale{5}(A)', t.mul(t.fill(5), A), raw.mul(raw.fill(5), A)],
    ['scale{3}(mul(A B))', t.mul(scaled, B), raw.mul(raw.scale(A, 3), B)],
    ['scale{3}(mul(B A))', t.mul(B, scaled), raw.mul(B, raw.scale(A, 3))],
    ['mul(A B)', t.mul(A, B), raw.mul(A, B)],
    ['0[2,3]', t.div(zero, B), raw.div(raw.fill(0), B)],
    ['div(B 5[2,3])', t.div(B, t.fill(5)), raw.div(B, raw.fill(5))],
    ['div(1[2,3] B)', t.div(t.fill(1), B), raw.div(raw.fill(1), B)],
    ['scale{3}(div(A B))', t.div(scaled, B), raw.div(raw.scale(A, 3), B)],
    ['0[2,3]', t.gate(zero, B), raw.gate(raw.fill(0), B)],
    ['gate(A B)', t.gate(A, B), raw.gate(A, B)],
    ['0[2,3]', t.signed(zero, B), raw.signed(raw.fill(0), B)],
    ['signed(A B)', t.signed(A, B), raw.signed(A, B)],
    ['A', t.scale(A, 1), raw.scale(A, 1)],
    ['0[2,3]', t.scale(A, 0), raw.scale(A, 0)],
    ['6[2,3]', t.scale(t.fill(2, A), 3), raw.scale(raw.fill(2), 3)],
    ['scale{12}(A)', t.scale(scaled, 4), raw.scale(raw.scale(A, 3), 4)],
    ['A', t.offset(A, 0), raw.offset(A, 0)],
    ['5[2,3]', t.offset(t.fill(2, A), 3), raw.offset(raw.fill(2), 3)],
    ['offset{3}(A)', t.offset(A, 3), raw.offset(A, 3)],
    ['one', t.sumAll(one), raw.sumAll(one)],
    ['12[1,1]', t.sumAll(t.fill(2, A)), raw.sumAll(raw.fill(2))],
    ['scale{3}(sumAll(A))', t.sumAll(scaled), raw.sumAll(raw.scale(A, 3))],
    ['dot(A B)', t.sumAll(t.mul(A, B)), raw.sumAll(raw.mul(A, B))],
    ['scale{0.16666666666666666}(sumAll(A))', t.mean(A), raw.scale(raw.sumAll(A), 1 / 6)],
    ['row', t.sumRows(row), raw.sumRows(row)],
    ['4[1,3]', t.sumRows(t.fill(2, A)), raw.sumRows(raw.fill(2))],
    ['scale{3}(sumRows(A))', t.sumRows(scaled), raw.sumRows(raw.scale(A, 3))],
    ['column', t.sumCols(column), raw.sumCols(column)],
    ['6[2,1]', t.sumCols(t.fill(2, A)), raw.sumCols(raw.fill(2))],
    ['scale{3}(sumCols(A))', t.sumCols(scaled), raw.sumCols(raw.scale(A, 3))],
    ['rowDot(A B)', t.sumCols(t.mul(A, B)), raw.sumCols(raw.mul(A, B))],
    ['sumCols(mul(A broadcast[2,3](row)))', t.sumCols(t.mul(A, row)), raw.sumCols(raw.mul(A, raw.broadcast(row, A)))],
    ['mul(column column)', t.rowDot(column, column), raw.rowDot(column, column)],
    ['scale{2}(sumAll(B))', t.dot(t.fill(2, B), B), raw.dot(raw.fill(2), B)],
    ['scale{2}(sumAll(B))', t.dot(B, t.fill(2, B)), raw.dot(B, raw.fill(2))],
    ['scale{3}(dot(A B))', t.dot(scaled, B), raw.dot(raw.scale(A, 3), B)],
    ['scale{3}(dot(B A))', t.dot(B, scaled), raw.dot(B, raw.scale(A, 3))],
    ['A', t.broadcast(A, A), raw.slice(A, 0, A)],
    ['5[2,3]', t.broadcast(t.fill(5), A), raw.broadcast(raw.fill(5, one), A)],
    ['scale{3}(broadcast[2,3](row))', t.broadcast(t.scale(row, 3), A), raw.broadcast(raw.scale(row, 3), A)],
    ['broadcast[2,3](one)', t.broadcast(t.broadcast(one, row), A), raw.broadcast(raw.broadcast(one, row), A)],
    ['A', t.slice(A, 0, A), raw.slice(A, 0, A)],
    ['slice{0}[3,2](A)', t.reshape(A, C), raw.slice(A, 0, C)],
    ['5[1,2]', t.slice(t.fill(5, A), 1, shape(1, 2)), raw.slice(raw.fill(5), 1, shape(1, 2))],
    [
      'slice{3}[1,2](A)',
      t.slice(t.slice(A, 2, shape(1, 4)), 1, shape(1, 2)),
      raw.slice(raw.slice(A, 2, shape(1, 4)), 1, shape(1, 2)),
    ],
    ['slice{1}[1,5](B)', t.slice(t.concat([A, B]), 7, shape(1, 5)), raw.slice(raw.concat([A, B], 12), 7, shape(1, 5))],
    ['B', t.slice(t.concat([A, B]), 6, B), raw.slice(raw.concat([A, B], 12), 6, B)],
    [
      'slice{5}[1,2](concat(A B))',
      t.slice(t.concat([A, B]), 5, shape(1, 2)),
      raw.slice(raw.concat([A, B], 12), 5, shape(1, 2)),
    ],
    ['slice{0}[1,6](A)', t.concat([A, t.fill(1, shape(0, 3))]), raw.slice(A, 0, shape(1, 6))],
    ['0[1,12]', t.concat([zero, zero]), raw.concat([raw.fill(0), raw.fill(0)], 12)],
    ['concat(0[2,3] A)', t.concat([zero, A]), raw.concat([raw.fill(0), A], 12)],
    ['5[2,2]', t.gatherCols(t.fill(5, A), [2, 0]), raw.gather(raw.fill(5), [2, 0])],
    ['gatherCols{2,0}(A)', t.gatherCols(A, [2, 0]), raw.gather(A, [2, 0])],
    ['matmul{nn}(A gatherCols{1}(C))', t.gatherCols(rowOfC, [1]), raw.gather(raw.matmul(A, C, 'nn', shape(2, 2)), [1])],
    ['0[2,4]', t.scatterCols(zero, [0, 1, 3], 4), raw.scatter(raw.fill(0), [0, 1, 3], 4)],
    ['scatterCols{0,1,3}(A)', t.scatterCols(A, [0, 1, 3], 4), raw.scatter(A, [0, 1, 3], 4)],
    ['0[2,2]', t.matmul(zero, C), raw.matmul(raw.fill(0), C, 'nn', shape(2, 2))],
    ['0[2,2]', t.matmul(A, t.fill(0, C)), raw.matmul(A, raw.fill(0, C), 'nn', shape(2, 2))],
    ['0[2,2]', t.matmul(zero, B, 'nt'), raw.matmul(raw.fill(0), B, 'nt', shape(2, 2))],
    ['0[3,3]', t.matmul(A, zero, 'tn'), raw.matmul(A, raw.fill(0), 'tn', shape(3, 3))],
    [
      'matmul{nt}(A gatherCols{4,0,2}(five))',
      t.matmul(wide, five, 'nt'),
      raw.matmul(raw.scatter(A, [4, 0, 2], 5), five, 'nt', shape(2, 2)),
    ],
    [
      'scatterCols{4,0,2}(matmul{tn}(five A))',
      t.matmul(five, wide, 'tn'),
      raw.matmul(five, raw.scatter(A, [4, 0, 2], 5), 'tn', shape(5, 5)),
    ],
    [
      'add(matmul{nt}(A gatherCols{4,0,2}(five)) matmul{nt}(column gatherCols{1}(five)))',
      t.matmul(t.add(wide, wider), five, 'nt'),
      raw.matmul(raw.add(raw.scatter(A, [4, 0, 2], 5), raw.scatter(column, [1], 5)), five, 'nt', shape(2, 2)),
    ],
    [
      'add(scatterCols{4,0,2}(matmul{tn}(five A)) scatterCols{1}(matmul{tn}(five column)))',
      t.matmul(five, t.add(wide, wider), 'tn'),
      raw.matmul(five, raw.add(raw.scatter(A, [4, 0, 2], 5), raw.scatter(column, [1], 5)), 'tn', shape(5, 5)),
    ],
    [
      'matmul{nn}(C scatterCols{4,0,2}(A))',
      t.matmul(C, wide),
      raw.matmul(C, raw.scatter(A, [4, 0, 2], 5), 'nn', shape(3, 5)),
    ],
    [
      'matmul{nt}(add(scatterCols{4,0,2}(A) five) five)',
      t.matmul(t.add(wide, five), five, 'nt'),
      raw.matmul(raw.add(raw.scatter(A, [4, 0, 2], 5), five), five, 'nt', shape(2, 2)),
    ],
  ]

  test.each(cases)('%s', (expected, simple, plain) => {
    expect(text(simple)).toBe(expected)
    expect([simple.rows, simple.cols]).toEqual([plain.rows, plain.cols])
    const [found, meant] = interpret([simple, plain], rest)
    expect(found!.length).toBe(meant!.length)
    for (const [i, x] of found!.entries()) expect(x).toBeCloseTo(meant![i]!, 10)
  })
})

describe('shapes that do not fit are told', () => {
  test.each([
    ['matmul nn: [2 x 3] does not fit [2 x 3]; inner sizes are 3 and 2', () => t.matmul(A, B)],
    ['matmul nt: [2 x 3] does not fit [3 x 2]; inner sizes are 3 and 2', () => t.matmul(A, C, 'nt')],
    ['matmul tn: [2 x 3] does not fit [3 x 2]; inner sizes are 2 and 3', () => t.matmul(A, C, 'tn')],
    ['add: [2 x 3] against [3 x 2]', () => t.add(A, C)],
    ['sub: [2 x 1] against [3 x 2]', () => t.sub(column, C)],
    ['mul: [1 x 3] against [3 x 2]', () => t.mul(row, C)],
    ['gate: [2 x 3] against [1 x 3]', () => t.gate(A, row)],
    ['signed: [2 x 3] against [1 x 3]', () => t.signed(A, row)],
    ['rowDot: [2 x 3] against [1 x 3]', () => t.rowDot(A, row)],
    ['dot: [2 x 3] against [3 x 2]', () => t.dot(A, C)],
    ['broadcast: [2 x 3] to [3 x 3]', () => t.broadcast(A, shape(3, 3))],
    ['broadcast: [2 x 3] to [2 x 4]', () => t.broadcast(A, shape(2, 4))],
    ['slice: [1 x 2] from -1 of [2 x 3]; it holds 6 values', () => t.slice(A, -1, shape(1, 2))],
    ['slice: [1 x 2] from 5 of [2 x 3]; it holds 6 values', () => t.slice(A, 5, shape(1, 2))],
    ['gatherCols: index[1] is 3; columns are 0 to 2', () => t.gatherCols(A, [2, 3])],
    ['gatherCols: index[0] is -1; columns are 0 to 2', () => t.gatherCols(A, [-1])],
    ['gatherCols: index[0] is 0.5; columns are 0 to 2', () => t.gatherCols(A, [0.5])],
    ['scatterCols: 2 indices for 3 columns', () => t.scatterCols(A, [0, 1], 5)],
    ['scatterCols: index[2] is 5; columns are 0 to 4', () => t.scatterCols(A, [0, 1, 5], 5)],
  ])('%s', (message, make) => expect(make).toThrow(message))
})

test('a name is given once', () => {
  const sum = t.named('first', t.add(A, B))
  expect(t.named('second', sum).label).toBe('first')
  expect(A.label).toBe('A')
})
