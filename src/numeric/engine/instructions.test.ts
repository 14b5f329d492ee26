import { describe, expect, test } from 'vitest'
import type { Node } from './graph.js'
import type { Instruction } from './instruction.js'
import { moveInstruction, updateInstruction } from './instructions.js'
import { binaryOp, gemmMode, type Kernels, transcendOp, unaryOp } from './kernels.js'
import { lower, type Update } from './lower-graph.js'
import * as t from './trace.js'

/** Where values lie: what is named at its own place, everything else at 9000. */
const places: Readonly<Record<string, number>> = { A: 100, B: 200, C: 300, row: 400, column: 500, one: 600, v: 700, times: 800 } // biome-ignore format: a list
/** The calls of kernels that instructions make, with all that they are given; elements have 8 bytes. */
function called(instructions: readonly Instruction[]): unknown[][] {
  const calls: unknown[][] = []
  const kernels = new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...all: unknown[]) =>
          calls.push([name, ...all]),
    },
  ) as Kernels
  const at = (n: Node) => places[n.label ?? ''] ?? 9000
  for (const one of instructions) {
    one.bind({ kernels, at, bytesPerElement: 8, scratch: 5000, table: (list) => 7000 + list.length })()
  }
  return calls
}
const callsOf = (outputs: readonly Node[], updates: readonly Update[] = []) => called(lower(outputs, updates).instructions) // biome-ignore format: a line

const A = t.input('A', { rows: 2, cols: 3 })
const B = t.input('B', { rows: 3, cols: 4 })
const C = t.input('C', { rows: 2, cols: 4 })
const row = t.input('row', { rows: 1, cols: 3 })
const column = t.input('column', { rows: 2, cols: 1 })
const one = t.input('one', { rows: 1, cols: 1 })
const v = t.input('v', { rows: 1, cols: 4 })
const times = t.input('times', { rows: 1, cols: 1 })

describe('operations element by element', () => {
  test('stretched operands are read where they are, with the steps between rows and columns', () => {
    expect(callsOf([t.add(A, row)])).toEqual([['binary', binaryOp.add, 9000, 100, 400, 2, 3, 3, 1, 0, 1]])
    expect(callsOf([t.mul(column, A)])).toEqual([['binary', binaryOp.mul, 9000, 500, 100, 2, 3, 1, 0, 3, 1]])
    expect(callsOf([t.div(A, one)])).toEqual([['binary', binaryOp.div, 9000, 100, 600, 2, 3, 3, 1, 0, 0]])
    expect(callsOf([t.broadcast(row, A)])).toEqual([['broadcast', 9000, 400, 2, 3, 0, 1]])
    expect(callsOf([t.broadcast(column, A)])).toEqual([['broadcast', 9000, 500, 2, 3, 1, 0]])
  })
  test('a result may take the place of an operand as large as itself, and of no other', () => {
    const inPlace = (n: Node) => lower([n]).instructions[0]!.inPlace.map(({ label }) => label)
    expect(inPlace(t.sub(A, t.input('other', A)))).toEqual(['A', 'other'])
    expect([t.add(A, row), t.add(A, column), t.add(A, one)].map(inPlace)).toEqual([['A'], ['A'], ['A']])
    // One column beside one value: the value is stretched.
    expect(inPlace(t.add(column, one))).toEqual(['column'])
    expect(inPlace(t.add(row, one))).toEqual(['row'])
    expect(inPlace(t.add(row, column))).toEqual([])
    expect([t.relu(A), t.exp(A)].map(inPlace)).toEqual([['A'], ['A']])
  })
  test('factors and offsets are given, and 0 where there is none', () => {
    expect(callsOf([t.scale(A, 2.5)])).toEqual([['unary', unaryOp.scale, 9000, 100, 6, 2.5]])
    expect(callsOf([t.offset(A, -1)])).toEqual([['unary', unaryOp.offset, 9000, 100, 6, -1]])
    expect(callsOf([t.abs(A)])).toEqual([['unary', unaryOp.abs, 9000, 100, 6, 0]])
    expect(callsOf([t.tanh(A)])).toEqual([['transcend', transcendOp.tanh, 9000, 100, 6]])
  })
  test('sums, dots and columns that are chosen', () => {
    const other = t.input('other', A)
    expect(callsOf([t.sumAll(A)])).toEqual([['sumAll', 9000, 100, 6]])
    for (const f of [t.sumRows, t.sumCols, t.softmax, t.logSumExp]) expect(callsOf([f(A)])).toEqual([[f(A).op, 9000, 100, 2, 3]]) // biome-ignore format: a line
    expect(callsOf([t.dot(A, other)])).toEqual([['dot', 9000, 100, 9000, 6]])
    expect(callsOf([t.rowDot(A, other)])).toEqual([['rowDot', 9000, 100, 9000, 2, 3]])
    expect(callsOf([t.gatherCols(A, [2, 0, 1, 1])])).toEqual([['gatherCols', 9000, 100, 2, 3, 7004, 4]])
    expect(callsOf([t.scatterCols(A, [4, 0, 1], 5)])).toEqual([['scatterCols', 9000, 100, 2, 5, 7003, 3]])
  })
})

describe('products', () => {
  const stored = [0, 0, gemmMode.store]
  test('give the steps of both sides, as they stand or turned', () => {
    const turned = t.input('B', { rows: 4, cols: 3 })
    const tall = t.input('A', { rows: 3, cols: 2 })
    expect(callsOf([t.matmul(A, B)])).toEqual([['gemm', 9000, 100, 200, 2, 4, 3, 3, 1, 4, 1, ...stored]])
    expect(callsOf([t.matmul(A, turned, 'nt')])).toEqual([['gemm', 9000, 100, 200, 2, 4, 3, 3, 1, 1, 3, ...stored]])
    expect(callsOf([t.matmul(tall, B, 'tn')])).toEqual([['gemm', 9000, 100, 200, 2, 4, 3, 1, 2, 4, 1, ...stored]])
  })
  test('with one column or one row are sums over rows', () => {
    const w = t.input('v', { rows: 3, cols: 1 })
    expect(callsOf([t.matmul(A, w)])).toEqual([['gemv', 9000, 100, 700, 2, 3]])
    expect(callsOf([t.matmul(A, row, 'nt')])).toEqual([['gemv', 9000, 100, 400, 2, 3]])
    expect(callsOf([t.matmul(row, A, 'nt')])).toEqual([['gemv', 9000, 100, 400, 2, 3]])
    // Aᵀ b as the row bᵀ A.
    expect(callsOf([t.matmul(A, column, 'tn')])).toEqual([['gemm', 9000, 500, 100, 1, 3, 2, 0, 1, 3, 1, ...stored]])
    expect(callsOf([t.matmul(t.input('A', { rows: 2, cols: 2 }), t.input('B', { rows: 2, cols: 2 }), 'tn')])).toEqual([['gemm', 9000, 100, 200, 2, 2, 2, 1, 2, 2, 1, ...stored]]) // biome-ignore format: a line
  })
  test('are finished with a row, a gate or a factor', () => {
    expect(callsOf([t.add(t.matmul(A, B), v)])).toEqual([['gemm', 9000, 100, 200, 2, 4, 3, 3, 1, 4, 1, 700, 0, gemmMode.bias]]) // biome-ignore format: a line
    expect(callsOf([t.gate(t.matmul(A, B), C)])).toEqual([['gemm', 9000, 100, 200, 2, 4, 3, 3, 1, 4, 1, 300, 0, gemmMode.gate]]) // biome-ignore format: a line
    const added = { input: C, addend: t.matmul(A, B), times }
    expect(callsOf([], [added])).toEqual([['gemm', 300, 100, 200, 2, 4, 3, 3, 1, 4, 1, 0, 800, gemmMode.add]])
    // A column of a product turned round takes no row at its end.
    const late = t.add(t.matmul(A, column, 'tn'), t.input('one', { rows: 1, cols: 1 }))
    expect(callsOf([late]).map(([name]) => name)).toEqual(['gemm', 'binary'])
    const turned = { input: t.input('v', { rows: 3, cols: 1 }), addend: t.matmul(A, column, 'tn'), times }
    expect(callsOf([], [turned])).toEqual([['gemm', 700, 500, 100, 1, 3, 2, 0, 1, 3, 1, 0, 800, gemmMode.add]])
  })
  test('are added at their place in an input', () => {
    const theta = t.input('v', { rows: 1, cols: 14 })
    const flat = (n: Node) => t.reshape(n, { rows: 1, cols: n.rows * n.cols })
    const addend = t.concat([flat(t.exp(A)), flat(t.matmul(A, B))])
    expect(callsOf([], [{ input: theta, addend, times }])).toEqual([
      ['transcend', transcendOp.exp, 9000, 100, 6],
      ['addScaled', 700, 9000, 6, 800],
      ['gemm', 700 + 6 * 8, 100, 200, 2, 4, 3, 3, 1, 4, 1, 0, 800, gemmMode.add],
    ])
  })
})

test('what is added to an input, and what is moved into a concatenation, goes where it is told', () => {
  expect(called([updateInstruction(A, times, { input: v, offset: 3 })])).toEqual([['addScaled', 700 + 24, 100, 6, 800]])
  expect(called([moveInstruction(A, v, 2)])).toEqual([['unary', unaryOp.scale, 700 + 16, 100, 6, 1]])
  const filled = moveInstruction(t.fill(5, A), v, 2)
  expect(called([filled])).toEqual([['fill', 700 + 16, 6, 5]])
  expect([filled.reads, moveInstruction(A, v, 2).reads]).toEqual([[], [A]])
})
