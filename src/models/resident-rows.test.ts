import { describe, expect, test } from 'vitest'
import { createEngine } from '../numeric/engine/engine.js'
import { compile } from '../numeric/engine/program.js'
import * as t from '../numeric/engine/trace.js'
import { resident, sparseBelow } from './resident.js'

const X = Float64Array.of(1, 0, 2, 0, 0, 3, 0, 0, 0, 4, 5, 6)
const y = Float64Array.of(1, 10, 2, 20, 3, 30, 4, 40)
const data = { X, y, n: 4 }

function held(options: { sparse?: boolean | 'auto'; single?: boolean; precision?: 'f32' | 'f64' } = {}, given = data) {
  const engine = createEngine()
  const { sparse = false, single = false, precision = 'f64' } = options
  return { engine, before: engine.inUse(), own: resident(given, { precision, engine, sparse, single }) }
}

describe('whether rows are compressed', () => {
  test('as asked, or where fewer than half of the values are not zero', () => {
    expect(sparseBelow).toBe(0.5)
    const of = (...values: number[]) => held({ sparse: 'auto' }, { X: Float64Array.from(values), y: new Float64Array(2), n: 2 }).own.sparse // biome-ignore format: a line
    expect([of(1, 0, 0, 0), of(1, 0, 0, 2), of(1, 2, 0, 3)]).toEqual([true, false, false])
    expect(held({ sparse: true }).own.sparse).toBe(true)
    expect(held({ sparse: false }, { ...data, X: new Float64Array(12) }).own.sparse).toBe(false)
  })
})

describe('batches picked by index', () => {
  // x . (1, 10, 100) beside the labels.
  const wanted = { 0: [201, 1, 10], 1: [300, 2, 20], 2: [0, 3, 30], 3: [654, 4, 40] } as const
  test.each([
    ['dense', {}],
    ['read where they lie', { single: true }],
    ['compressed', { sparse: true }],
    ['dense, in singles', { precision: 'f32' }],
    ['compressed, in singles', { sparse: true, precision: 'f32' }],
  ] as const)('%s', (_, options: { sparse?: boolean; single?: boolean; precision?: 'f32' | 'f64' }) => {
    const { engine, own } = held(options)
    const { sparse = false, single = false, precision = 'f64' } = options
    const rows = Int32Array.of(3, 0, 3)
    const x = t.input('X', { rows: 3, cols: 3 }, { sparse, picked: single && !sparse })
    const labels = t.input('y', { rows: 3, cols: 2 })
    const outputs = [t.matmul(x, t.input('w', { rows: 1, cols: 3 }), 'nt'), t.scale(labels, 2)]
    const program = compile({ outputs, precision, engine })
    program.set('w', [1, 10, 100])
    const table = engine.allocate(12)
    const found = (chosen: Int32Array) => {
      own.select(program, chosen, table)
      program.run()
      return [[...program.read(0)], [...program.read(1)]]
    }
    const expected = (chosen: Int32Array) => {
      const list = [...chosen].map((r) => wanted[r as 0 | 1 | 2 | 3])
      return [list.map(([z]) => z), list.flatMap(([, a, b]) => [2 * a, 2 * b])]
    }
    for (const chosen of [rows, Int32Array.of(2, 1, 0)]) expect(found(chosen)).toEqual(expected(chosen))
  })

  test.each([false, true])('all of them as one batch (compressed: %s)', (sparse) => {
    const { engine, own } = held({ sparse })
    const x = t.input('X', { rows: 4, cols: 3 }, { sparse })
    const outputs = [t.matmul(x, t.input('w', { rows: 1, cols: 3 }), 'nt'), t.scale(t.input('y', { rows: 4, cols: 2 }), 2)] // biome-ignore format: a list
    const program = compile({ outputs, precision: 'f64', shared: own.all(), engine })
    program.set('w', [1, 10, 100])
    program.run()
    expect([...program.read(0)]).toEqual([201, 300, 0, 654])
    expect([...program.read(1)]).toEqual([2, 20, 4, 40, 6, 60, 8, 80])
  })
})

test.each([false, true])('a record alone is one as others are (compressed: %s)', (sparse) => {
  const { engine, own } = held({ sparse }, { X: Float64Array.of(0, 7, 5), y: Float64Array.of(9), n: 1 })
  const outputs = () => [
    t.matmul(t.input('X', { rows: 1, cols: 3 }, { sparse }), t.input('w', { rows: 1, cols: 3 }), 'nt'),
    t.scale(t.input('y', { rows: 1, cols: 1 }), 2),
  ]
  const all = compile({ outputs: outputs(), precision: 'f64', shared: own.all(), engine })
  const picked = compile({ outputs: outputs(), precision: 'f64', engine })
  own.select(picked, Int32Array.of(0), engine.allocate(4))
  for (const program of [all, picked]) {
    program.set('w', [1, 10, 100])
    program.run()
    expect([...program.read(0), ...program.read(1)]).toEqual([570, 18])
  }
})

describe('memory', () => {
  test('what is held is said, in whole lines of a cache, and given back', () => {
    const dense = held()
    // 12 doubles and 8.
    expect(dense.own.bytes).toBe(128 + 64)
    expect(dense.engine.inUse() - dense.before).toBe(dense.own.bytes)
    const sparse = held({ sparse: true, precision: 'f32' })
    // 8 labels, 5 starts, 6 columns and 6 values of 4 bytes.
    expect(sparse.own.bytes).toBe(4 * 64)
    // 15 records have 16 starts: a line.
    const one = { X: new Float64Array(15).fill(1), y: new Float64Array(15), n: 15 }
    expect(held({ sparse: true, precision: 'f32' }, one).own.bytes).toBe(4 * 64)
    sparse.own.all()
    expect(sparse.engine.inUse() - sparse.before).toBe(6 * 64)
    for (const { engine, before, own } of [dense, sparse]) {
      own.release()
      expect(engine.inUse()).toBe(before)
      own.release()
      expect(engine.inUse()).toBe(before)
    }
  })
  test('no records take no rows', () => {
    for (const sparse of [false, true, 'auto'] as const) {
      const { own } = held({ sparse }, { X: new Float64Array(0), y: new Float64Array(0), n: 0 })
      expect([own.n, own.sparse]).toEqual([0, sparse === true])
      expect(Object.keys(own.all())).toEqual(['X', 'y'])
    }
  })
})
