import { describe, expect, test } from 'vitest'
import { rng } from '../random/rng.js'
import { engine } from './engine.js'
import { compile } from './program.js'
import * as t from './trace.js'

const records = 11

/** What the kernels give for the rows of a table, read where they lie or copied into a batch first. */
function both(precision: 'f32' | 'f64', rows: Int32Array, k: number) {
  const host = engine()
  const m = rows.length
  const values = rng(k).normals(records * k)
  const all = host.allocate(8 * values.length)
  host.view(precision, all.address, values.length).set(values)
  const index = host.allocate(4 * m)
  host.writeInts(index.address, rows)
  const descriptor = host.allocate(8)
  host.writeInts(descriptor.address, Int32Array.of(index.address, all.address))
  return [true, false].map((picked) => {
    const X = t.input('X', { rows: m, cols: k }, { picked })
    const [theta, d] = [t.input('theta', { rows: 1, cols: k }), t.input('d', { rows: m, cols: 1 })]
    const times = t.input('times', { rows: 1, cols: 1 })
    const z = t.matmul(X, theta, 'nt')
    const outputs = [z, t.add(z, times), t.matmul(d, X, 'tn'), t.rowDot(X, X)]
    const updates = [{ input: theta, addend: t.matmul(t.relu(d), X, 'tn'), times }]
    const shared = { theta: host.allocate(8 * k), ...(picked ? { X: descriptor } : {}) }
    const program = compile({ outputs, updates, precision, shared, engine: host })
    if (!picked)
      program.set(
        'X',
        [...rows].flatMap((r) => [...values.subarray(r * k, (r + 1) * k)]),
      )
    program.set('theta', rng('theta').normals(k))
    program.set('d', rng('d').normals(m))
    program.set('times', [-0.3])
    program.run()
    const after = [...host.view(precision, shared.theta.address, k)]
    return { calls: program.calls, values: [...outputs.map((_, i) => [...program.read(i)]), after], held: all }
  })
}

describe.each(['f32', 'f64'] as const)('rows read where they lie: %s', (precision) => {
  // Every remainder of four rows and of one and two vectors, and more columns than one span of the sums.
  const sizes = [1, 2, 3, 4, 5, 7, 8, 9].flatMap((m) => [2, 3, 4, 7, 8, 9, 41].map((k) => [m, k] as const))
  test.each([...sizes, [6, 1029], [9, 1100]] as const)(
    '%d records of %d columns: the bits of a copied batch',
    (m, k) => {
      const rows = Int32Array.from({ length: m }, (_, i) => (7 * i * i + 3) % records) // some twice
      const [picked, copied] = both(precision, rows, k)
      expect(picked!.calls.filter((c) => c.startsWith('picked'))).toHaveLength(4)
      expect(copied!.calls.filter((c) => c.startsWith('picked'))).toEqual([])
      expect(picked!.values).toEqual(copied!.values)
    },
  )
})

test('what cannot read picked rows says so', () => {
  const X = t.input('X', { rows: 3, cols: 4 }, { picked: true })
  const wide = t.matmul(X, t.input('W', { rows: 2, cols: 4 }), 'nt')
  for (const output of [t.relu(X), wide, t.rowDot(X, t.input('Y', X))]) {
    expect(() => compile({ outputs: [output], precision: 'f64' })).toThrow('cannot read the picked input "X"')
  }
})
