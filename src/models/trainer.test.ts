import { describe, expect, test } from 'vitest'
import { matrix } from '../numeric/matrix.js'
import { rng } from '../numeric/rng.js'
import { functionsOf } from './functions.js'
import { initialise } from './initialise.js'
import { mlp } from './mlp.js'
import { trainer } from './trainer.js'

const model = mlp({ inputs: 4, hidden: [6], outputs: 1 })
const data = { features: matrix(10, 4, rng(1).normals(40)), labels: rng(2).normals(10) }
const theta0 = initialise(model, rng(3))

test('steps on batches of any size equal theta - learning rate * gradient of those records', () => {
  const t = trainer(model, { data, precision: 'f64' })
  const f = functionsOf(model)
  t.load(theta0)
  let expected = theta0
  for (const rows of [[0, 1, 2, 3], [9], [4, 4, 7], [3, 2, 1, 0]]) {
    t.step(Int32Array.from(rows), 0.1)
    const features = matrix(
      rows.length,
      4,
      Float64Array.from(rows.flatMap((i) => [...data.features.data.subarray(4 * i, 4 * i + 4)])),
    )
    const { grad } = f.gradient(expected, { features, labels: Float64Array.from(rows, (i) => data.labels[i]!) })
    expected = expected.map((x, j) => x - 0.1 * grad[j]!)
    for (const [j, x] of t.theta().entries()) expect(x).toBeCloseTo(expected[j]!, 13)
  }
  expect(t.loss()).toBeCloseTo(f.loss(expected, data), 12)
})

describe('what is wrong is said', () => {
  const t = trainer(model, { data })
  t.load(theta0)
  test('records out of range, empty batches, rates that are no numbers, wrong sizes', () => {
    expect(() => t.step(Int32Array.of(3, 10), 0.1)).toThrow('record 10 was asked for; records are 0 to 9')
    expect(() => t.step(new Int32Array(0), 0.1)).toThrow('an empty batch')
    expect(() => t.step(Int32Array.of(1), NaN)).toThrow('the learning rate is NaN')
    expect(() => t.load(new Float64Array(3))).toThrow('theta has 3 values')
  })
  test('divergence is found on request, with the step and the operation', () => {
    const rows = Int32Array.from({ length: 10 }, (_, i) => i)
    const diverge = () => {
      for (let s = 0; s < 100; s++) t.stepChecked(rows, 1e6)
    }
    expect(diverge).toThrow(/step \d+: (NaN|-?Infinity) in [a-z+]+.* \[\d+ x \d+\] at row \d+, column \d+/)
  })
})
