import { expect, test } from 'vitest'
import { functionsOf } from '../../../models/functions.js'
import { createModel } from '../../../models/index.js'
import { initialise } from '../../../models/initialise.js'
import { engine } from '../../../numeric/engine/engine.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import type { RecordGradients } from './record-gradients.js'
import { gradientOf, writtenColumns } from './written-columns.js'

const [n, k, values] = [3, 2, 3]
const functions = functionsOf(createModel({ kind: 'mlp', inputs: k, outputs: 2, hidden: [2], activation: 'tanh' }))
const P = functions.size
const theta = initialise(functions.model, rng(1))
const draw = rng(2)
const known = draw.normals(n * k)
const features = [-1, 0.5, 2].map((value) =>
  matrix(
    n,
    k,
    known.map((x, at) => (at % k === 1 ? value : x)),
  ),
)
const labels = draw.normals(2 * n)
const factor = Float64Array.from({ length: n * values }, (_, at) => (at % 4 === 1 ? 0.25 : 1))
const gradients = { clipping: () => factor } as unknown as RecordGradients
const input = { functions, candidates: { records: n, features, labels }, gradients }

/** The gradients of all records with one value, clipped: one a row. */
const rowsOf = (v: number): Float64Array[] => {
  const { data } = functions.gradPerExample(theta, { features: features[v]!, labels })
  return Array.from({ length: n }, (_, i) => data.slice(i * P, (i + 1) * P).map((x) => x * factor[v * n + i]!))
}
const close = (found: Float64Array, wanted: Float64Array): void => {
  expect(found).toHaveLength(wanted.length)
  for (const [j, x] of wanted.entries()) expect(found[j]).toBeCloseTo(x, 12)
}

test('the gradient of one record at one value is that of its own row and labels, clipped', () => {
  const one = gradientOf(input, theta)
  for (let v = 0; v < values; v++) for (const [i, row] of rowsOf(v).entries()) close(one(v, i), row)
})

test('columns are differences from the first value, all in the rest, and the base is the sum at the first value', () => {
  const N = n * (values - 1)
  const host = engine()
  const held = host.allocate(8 * (N + N * P + 1))
  host.view('f64', held.address, N + N * P + 1).fill(Number.NaN)
  const rest = held.address + 8 * N
  const base = writtenColumns(input)(theta, { host, first: held.address, rest })
  const [zero, ...others] = Array.from({ length: values }, (_, v) => rowsOf(v))
  close(
    base,
    new Float64Array(P).map((_, j) => zero!.reduce((sum, row) => sum + row[j]!, 0)),
  )
  expect([...host.view('f64', held.address, N)]).toEqual([0, 0, 0, 0, 0, 0])
  for (const [v, rows] of others.entries())
    for (const [i, row] of rows.entries()) {
      const column = Float64Array.from(host.view('f64', rest + 8 * (v * n + i) * P, P))
      close(
        column,
        row.map((x, j) => x - zero![i]![j]!),
      )
    }
  expect(host.view('f64', rest + 8 * N * P, 1)[0]).toBeNaN() // nothing is written beyond
  host.release(held)
})
