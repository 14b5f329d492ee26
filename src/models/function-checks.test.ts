import { describe, expect, test } from 'vitest'
import { createEngine } from '../numeric/engine/engine.js'
import { compile } from '../numeric/engine/program.js'
import * as t from '../numeric/engine/trace.js'
import { matrix } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import { checkBatch, functionsOf } from './functions.js'
import { linear } from './linear.js'
import { addStepNoise, privatise } from './private-step.js'
import { placesIn, seated } from './roomy-batches.js'
import { softmaxRegression } from './softmax.js'

const model = linear({ inputs: 2, outputs: 1 })
const theta = Float64Array.of(1, 2, 3)
const batch = { features: matrix(2, 2, Float64Array.of(1, 0, 0, 1)), labels: Float64Array.of(4, 6) }

describe('what functions of a model refuse', () => {
  const f = functionsOf(model)
  const at = (values: Float64Array, place: number) => values.map((x, i) => (i === place ? Number.NaN : x))
  test('what is not finite, at the first place as at the last', () => {
    expect(() => f.loss(at(theta, 0), batch)).toThrow('theta[0] (layers.0.weight) is NaN')
    expect(() => f.loss(at(theta, 2), batch)).toThrow('theta[2] (layers.0.bias) is NaN')
    expect(() => f.hessianVector(theta, batch, at(theta, 1))).toThrow('v[1] (layers.0.weight) is NaN')
    expect(() => f.hessianVector(theta, batch, theta.slice(1))).toThrow('v has 2 values; a linear model with 2 inputs needs 3') // biome-ignore format: a line
    for (const place of [0, 1]) {
      expect(() => f.loss(theta, { ...batch, labels: at(batch.labels, place) })).toThrow(`label ${place} is NaN; fill or drop`) // biome-ignore format: a line
    }
    expect(() => f.predict(theta, matrix(2, 2, at(batch.features.data, 3)))).toThrow('features: row 1, column 1 is NaN')
    expect(() => f.predict(theta, matrix(2, 2, at(batch.features.data, 0)))).toThrow('features: row 0, column 0 is NaN')
  })
  test('inputs of a derived function that are missing', () => {
    const run = f.derive(2, ({ loss, theta: p }) => [loss, t.scale(p, 2)])
    expect(() => run({ theta })).toThrow('missing inputs: X, y; needed: X, theta, y')
    expect(() => run({ theta, X: batch.features.data })).toThrow('missing inputs: y')
    const [loss, twice] = run({ theta, X: batch.features.data, y: batch.labels })
    // Predictions 4 and 5 beside 4 and 6.
    expect([[...loss!], [...twice!]]).toEqual([[0.5], [2, 4, 6]])
    expect(run({ theta: theta.map((x) => 2 * x), X: batch.features.data, y: batch.labels })[0]![0]).toBe((16 + 16) / 2)
  })
  test('classes that do not exist', () => {
    const classes = softmaxRegression({ inputs: 2, outputs: 3 })
    const labelled = (...labels: number[]) => checkBatch(classes, 'cross-entropy', { ...batch, labels: Float64Array.from(labels) }) // biome-ignore format: a line
    expect([...labelled(0, 2).y]).toEqual([1, 0, 0, 0, 0, 1])
    for (const wrong of [3, -1, 0.5]) expect(() => labelled(0, wrong)).toThrow(`label 1 is ${wrong}; classes are whole numbers from 0 to 2`) // biome-ignore format: a line
    expect([...labelled(0, 0.5, 0.5, 1, 0, 0).y]).toEqual([0, 0.5, 0.5, 1, 0, 0])
    expect(() => labelled(0, 1, 2)).toThrow('3 labels for 2 records; the model has 3 outputs: 6 values are needed')
    const one = linear({ inputs: 2, outputs: 1 })
    expect([...checkBatch(one, 'cross-entropy', { ...batch, labels: Float64Array.of(0.5, 7) }).y]).toEqual([0.5, 7])
  })
})

test('functions live in the engine that they are given, compiled once for a batch of a size', () => {
  const engine = createEngine()
  const f = functionsOf(model, { engine })
  const before = engine.inUse()
  const loss = f.loss(theta, batch)
  const after = engine.inUse()
  expect([loss, after > before]).toEqual([0.5, true])
  expect([f.loss(theta, batch), engine.inUse()]).toEqual([loss, after])
})

describe('noise of a private step', () => {
  const privacy = { maxNorm: 2, noiseMultiplier: 0.25 }
  const of = (
    run: (at: { engine: ReturnType<typeof createEngine>; precision: 'f64'; address: number; d: number }) => void,
  ) => {
    // biome-ignore format: a line
    const engine = createEngine()
    const { address } = engine.allocate(24)
    engine.view('f64', address, 3).set([1, 10, 100])
    run({ engine, precision: 'f64', address, d: 3 })
    return [...engine.view('f64', address, 3)]
  }
  const z = rng(5).fork('noise').normals(3)
  const rows = { rows: 4, records: 10, rng: () => rng(5) }
  test('is drawn from the stream of the step, and divided among its records', () => {
    const found = of((at) => privatise(privacy, at, rows))
    for (const [i, x] of [1, 10, 100].entries()) expect(found[i]).toBeCloseTo(x + (0.5 / 4) * z[i]!, 13)
    const sampled = of((at) => privatise({ ...privacy, sampleRate: 0.2 }, at, rows))
    // Of 2 expected records there are 4.
    for (const [i, x] of [1, 10, 100].entries()) expect(sampled[i]).toBeCloseTo(2 * x + (0.5 / 2) * z[i]!, 12)
  })
  test('is taken off the model where the step was made without it', () => {
    const found = of((at) => addStepNoise(privacy, at, { ...rows, learningRate: 0.1 }))
    for (const [i, x] of [1, 10, 100].entries()) expect(found[i]).toBeCloseTo(x - 0.1 * (0.5 / 4) * z[i]!, 13)
  })
})

describe('places of a batch', () => {
  function placed(rows: Int32Array, roomy: boolean, places = placesIn({ roomy }, rows)) {
    const engine = createEngine()
    const taken = t.input('taken', { rows: places, cols: 1 })
    const program = compile({ outputs: [t.scale(taken, 1)], precision: 'f64', engine })
    program.set('taken', new Float64Array(places).fill(9))
    const seats = seated(rows, { program, places, roomy, engine, precision: 'f64' })
    return { seats: [...seats], same: seats === rows, taken: [...engine.view('f64', program.buffer('taken').address, places)] } // biome-ignore format: a line
  }
  test('those that are left have the first record, and do not count', () => {
    const rows = Int32Array.from({ length: 17 }, (_, i) => 30 - i)
    const { seats, taken } = placed(rows, true)
    expect(seats).toEqual([...rows, 30])
    expect(taken).toEqual([...Array(17).fill(1), 0])
  })
  test('a batch that fits is left as it is', () => {
    const full = placed(Int32Array.of(4, 2, 7), true)
    expect([full.same, full.taken]).toEqual([true, [1, 1, 1]])
    const plain = placed(Int32Array.of(4, 2), false)
    expect([plain.same, plain.taken]).toEqual([true, [9, 9]])
  })
})
