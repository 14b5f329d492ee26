import { describe, expect, test } from 'vitest'
import { rng } from '../random/rng.js'
import { engine } from './engine.js'
import type { Node } from './graph.js'
import { lower } from './lower-graph.js'
import { compile } from './program.js'
import * as t from './trace.js'

const [m, k, units] = [5, 9, 6]

/** What the kernels give for records of which two thirds are zeros, as compressed rows or as they are. */
function both(precision: 'f32' | 'f64') {
  const host = engine()
  const values = rng('sparse').normals(m * k).map((x, i) => (i % 3 === 0 ? x : 0)) // biome-ignore format: a line
  const starts = [0]
  const [columns, kept]: [number[], number[]] = [[], []]
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < k; j++) {
      if (values[i * k + j] === 0) continue
      columns.push(j)
      kept.push(values[i * k + j]!)
    }
    starts.push(columns.length)
  }
  const ints = (list: readonly number[]) => {
    const buffer = host.allocate(4 * list.length)
    host.writeInts(buffer.address, Int32Array.from(list))
    return buffer
  }
  const data = host.allocate(8 * kept.length)
  host.view(precision, data.address, kept.length).set(kept)
  const parts = [ints([0, 1, 2, 3, 4]), ints(starts), ints(columns), data]
  const descriptor = ints(parts.map(({ address }) => address))
  const results = [true, false].map((sparse) => {
    const X = t.input('X', { rows: m, cols: k }, { sparse })
    const [theta, W, D] = [t.input('theta', { rows: 1, cols: 2 + units * k }), t.input('W', { rows: units, cols: k }), t.input('D', { rows: m, cols: units })] // biome-ignore format: a list
    const [row, times] = [t.input('row', { rows: 1, cols: units }), t.input('times', { rows: 1, cols: 1 })]
    const z = t.matmul(X, W, 'nt')
    const outputs = [z, t.add(t.matmul(X, t.scale(W, 2), 'nt'), row), t.relu(t.add(t.matmul(X, t.scale(W, 3), 'nt'), row)), t.matmul(D, X, 'tn'), t.rowDot(X, X)] // biome-ignore format: a list
    const flat = t.reshape(t.matmul(t.tanh(D), X, 'tn'), { rows: 1, cols: units * k })
    const addend = t.concat([t.fill(0, { rows: 1, cols: 2 }), flat])
    const shared = { theta: host.allocate(8 * theta.cols), ...(sparse ? { X: descriptor } : {}) }
    const program = compile({ outputs, updates: [{ input: theta, addend, times }], precision, shared, engine: host })
    if (!sparse) program.set('X', values)
    for (const one of [theta, W, D, row]) program.set(one.label!, rng(one.label!).normals(one.rows * one.cols))
    program.set('times', [-0.3])
    program.run()
    const after = [...host.view(precision, shared.theta.address, theta.cols)]
    return { calls: program.calls, values: [...outputs.map((_, i) => [...program.read(i)]), after] }
  })
  // They are read through their addresses alone: hold on to them until the programs have run.
  expect(parts).toHaveLength(4)
  return results
}

test.each(['f32', 'f64'] as const)(
  'compressed rows have the bits of the records that they stand for: %s',
  (precision) => {
    // biome-ignore format: a line
    const [sparse, dense] = both(precision)
    const called = sparse!.calls.filter((call) => call.startsWith('sparse')).sort()
    expect(called).toEqual(['sparse matmul', 'sparse matmul', 'sparse matmul+bias', 'sparse matmul+bias+relu', 'sparse matmul+update', 'sparse rowDot']) // biome-ignore format: a list
    expect(dense!.calls.filter((call) => call.startsWith('sparse'))).toEqual([])
    // Squares of a row are summed in another order.
    const [squares, other] = [sparse!.values.splice(4, 1)[0]!, dense!.values.splice(4, 1)[0]!]
    for (const [i, x] of squares.entries()) expect(x / other[i]!).toBeCloseTo(1, precision === 'f32' ? 6 : 14)
    expect(sparse!.values).toEqual(dense!.values)
  },
)

describe('calls on compressed rows', () => {
  const X = t.input('X', { rows: m, cols: k }, { sparse: true })
  const Y = t.input('Y', { rows: m, cols: k }, { sparse: true })
  const [W, D] = [t.input('W', { rows: units, cols: k }), t.input('D', { rows: m, cols: units })]
  const refused = (n: Node, name = 'sparse input "X"') => expect(() => lower([n])).toThrow(`cannot read the ${name}; keep the input dense, or use it only as the left side of X W^T`) // biome-ignore format: a line

  test('ask for working memory by the other side, with room to be rounded up', () => {
    const scratch = (n: Node) => lower([n]).instructions.map((one) => one.scratch)
    expect(scratch(t.matmul(X, W, 'nt'))).toEqual([k * (units + 4)])
    expect(scratch(t.matmul(D, X, 'tn'))).toEqual([k * (units + 4)])
  })

  test('are refused for any other use', () => {
    refused(t.exp(X))
    refused(t.matmul(W, X, 'nt'))
    refused(t.matmul(X, t.input('V', { rows: k, cols: 2 })))
    refused(t.matmul(t.input('V', { rows: 2, cols: m }), X))
    refused(t.matmul(X, D, 'tn'))
    refused(t.rowDot(X, t.input('V', X)))
    refused(t.rowDot(X, Y), 'sparse input "X", sparse input "Y"')
    refused(t.matmul(X, Y, 'nt'), 'sparse input "X", sparse input "Y"')
    refused(t.matmul(Y, X, 'tn'), 'sparse input "Y", sparse input "X"')
    refused(t.gate(t.matmul(X, W, 'nt'), D))
    const picked = t.input('P', { rows: m, cols: k }, { picked: true })
    refused(t.add(X, picked), 'sparse input "X", picked input "P"')
    expect(() => lower([t.relu(X)])).toThrow('relu [5 x 9] cannot read')
  })

  test('only transposed products are added to an input as they are formed', () => {
    const times = t.input('times', { rows: 1, cols: 1 })
    const V = t.input('V', { rows: units, cols: k })
    const [one] = lower([], [{ input: V, addend: t.matmul(D, X, 'tn'), times }]).instructions
    expect([one!.title, one!.update]).toEqual(['sparse matmul+update', { input: V, offset: 0 }])
    expect(lower([t.matmul(D, X, 'tn')]).instructions[0]!.update).toBeUndefined()
    const Z = t.input('Z', { rows: m, cols: units })
    expect(() => lower([], [{ input: Z, addend: t.matmul(X, W, 'nt'), times }])).toThrow('cannot read the sparse input')
    const sum = t.add(t.matmul(D, X, 'tn'), t.input('row', { rows: 1, cols: k }))
    expect(() => lower([sum])).toThrow('cannot read the sparse input')
  })
})
