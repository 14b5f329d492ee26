import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matrix } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import { type Batch, functionsOf } from './functions.js'
import { initialise, initialisers } from './initialise.js'
import { linear } from './linear.js'
import { logistic } from './logistic.js'
import { mlp } from './mlp.js'
import { type Model, parameterCount } from './model.js'
import { softmaxRegression } from './softmax.js'

const cases: Record<string, Model> = {
  linear: linear({ inputs: 3, outputs: 2 }),
  'linear without bias': linear({ inputs: 3, outputs: 1, bias: false }),
  logistic: logistic({ inputs: 4 }),
  softmax: softmaxRegression({ inputs: 4, outputs: 3 }),
  'mlp relu': mlp({ inputs: 3, hidden: [5, 4], outputs: 1 }),
  'mlp tanh, sigmoid output': mlp({
    inputs: 3,
    hidden: [6],
    outputs: 2,
    activation: 'tanh',
    outputActivation: 'sigmoid',
  }),
  'mlp, relu output': mlp({ inputs: 3, hidden: [6], outputs: 2, activation: 'sigmoid', outputActivation: 'relu' }),
  'mlp, tanh output': mlp({ inputs: 3, hidden: [4], outputs: 1, outputActivation: 'tanh' }),
  'mlp, softplus output': mlp({ inputs: 4, outputs: 3, outputActivation: 'softplus' }),
  'mlp sigmoid, no bias': mlp({ inputs: 2, hidden: [3], outputs: 1, activation: 'sigmoid', bias: false }),
}

function example(model: Model, n: number, seed = 1): { theta: Float64Array; batch: Batch } {
  const r = rng(seed)
  const labels =
    model.defaultLoss === 'mse'
      ? r.fork('y').normals(n * model.outputs)
      : Float64Array.from({ length: n }, () => r.integer(Math.max(2, model.outputs)))
  const features = matrix(n, model.inputs, r.fork('X').normals(n * model.inputs))
  return { theta: initialise(model, r.fork('theta'), 'normal').map((x) => 0.7 * x), batch: { features, labels } }
}

/** The loss of one record in plain arithmetic, from the prediction alone. */
function plainLoss(model: Model, p: readonly number[], y: readonly number[]): number {
  const total = p.map((v, j) => {
    if (model.defaultLoss === 'mse') return (v - y[j]!) ** 2 / p.length
    if (model.defaultLoss === 'cross-entropy') return y[0] === j ? -Math.log(v) : 0
    return -(y[j]! * Math.log(v) + (1 - y[j]!) * Math.log(1 - v))
  })
  return total.reduce((a, b) => a + b, 0)
}

describe.each(Object.entries(cases))('%s', (_, model) => {
  const f = functionsOf(model)
  const { theta, batch } = example(model, 5)

  test('loss is the mean over records of the loss of each prediction', () => {
    const P = f.predict(theta, batch.features)
    const per = batch.labels.length / 5
    const each = Array.from({ length: 5 }, (_, i) =>
      plainLoss(
        model,
        [...P.data.subarray(i * model.outputs, (i + 1) * model.outputs)],
        [...batch.labels.subarray(i * per, (i + 1) * per)],
      ),
    )
    expect(f.loss(theta, batch)).toBeCloseTo(each.reduce((a, b) => a + b, 0) / 5, 10)
    const losses = f.lossPerExample(theta, batch)
    expect(losses).toHaveLength(5)
    for (let i = 0; i < 5; i++) expect(losses[i]).toBeCloseTo(each[i]!, 10)
  })

  test('the losses of records are scaled like the loss', () => {
    const half = functionsOf(model, { lossScale: 0.5 })
    const losses = half.lossPerExample(theta, batch)
    expect(losses.reduce((a, b) => a + b, 0) / 5).toBeCloseTo(half.loss(theta, batch), 12)
  })

  test('per-example gradients average to the gradient', () => {
    const { grad } = f.gradient(theta, batch)
    const G = f.gradPerExample(theta, batch)
    for (let j = 0; j < f.size; j++) {
      let mean = 0
      for (let i = 0; i < 5; i++) mean += G.data[i * f.size + j]! / 5
      expect(mean).toBeCloseTo(grad[j]!, 10)
    }
  })

  test('Hessian-vector products are differences of gradients, and symmetric', () => {
    const [u, v] = [rng(5).normals(f.size), rng(6).normals(f.size)]
    const Hv = f.hessianVector(theta, batch, v)
    const h = 1e-6
    const up = f.gradient(
      theta.map((x, i) => x + h * v[i]!),
      batch,
    ).grad
    const down = f.gradient(
      theta.map((x, i) => x - h * v[i]!),
      batch,
    ).grad
    for (const [i, x] of Hv.entries()) expect(x).toBeCloseTo((up[i]! - down[i]!) / (2 * h), 5)
    const inner = (a: Float64Array, b: Float64Array) => a.reduce((s, x, i) => s + x * b[i]!, 0)
    expect(inner(u, Hv)).toBeCloseTo(inner(v, f.hessianVector(theta, batch, u)), 9)
  })

  test('gradients are differences of losses', () => {
    const { grad } = f.gradient(theta, batch)
    for (let j = 0; j < f.size; j++) {
      const shifted = (h: number) =>
        f.loss(
          theta.map((x, i) => (i === j ? x + h : x)),
          batch,
        )
      expect(grad[j]).toBeCloseTo((shifted(1e-6) - shifted(-1e-6)) / 2e-6, 6)
    }
  })

  test('gradients with respect to inputs are differences of losses', () => {
    const g = f.inputGradient(theta, batch)
    for (const at of [0, 3, g.data.length - 1]) {
      const shifted = (h: number) => {
        const data = batch.features.data.slice()
        data[at]! += h
        return f.loss(theta, { ...batch, features: matrix(5, model.inputs, data) })
      }
      expect(g.data[at]).toBeCloseTo((shifted(1e-6) - shifted(-1e-6)) / 2e-6, 6)
    }
  })

  test('single precision agrees with double', () => {
    const { grad } = f.gradient(theta, batch)
    const single = functionsOf(model, { precision: 'f32' }).gradient(theta, batch).grad
    const size = Math.max(...grad.map(Math.abs))
    for (const [i, x] of single.entries()) expect(Math.abs(x - grad[i]!)).toBeLessThan(1e-5 * size)
  })
})

test('cross-entropy takes class indices or rows of probabilities', () => {
  const model = softmaxRegression({ inputs: 4, outputs: 3 })
  const f = functionsOf(model)
  const { theta, batch } = example(model, 4)
  const rows = new Float64Array(12)
  for (const [i, k] of batch.labels.entries()) rows[3 * i + k] = 1
  expect(f.loss(theta, { ...batch, labels: rows })).toBe(f.loss(theta, batch))
})

test('confident models do not overflow', () => {
  const f = functionsOf(logistic({ inputs: 1 }))
  const batch = { features: matrix(2, 1, Float64Array.of(1, -1)), labels: Float64Array.of(0, 1) }
  expect(f.loss(Float64Array.of(1e4, 0), batch)).toBe(1e4)
  expect(f.gradient(Float64Array.of(1e4, 0), batch).grad.every(Number.isFinite)).toBe(true)
})

test('penultimate activations: the last layer applied to them is the prediction', () => {
  const model = mlp({ inputs: 3, hidden: [5, 4], outputs: 1 })
  const f = functionsOf(model)
  const { theta, batch } = example(model, 6)
  const A = f.penultimate(theta, batch.features)
  expect([A.rows, A.cols]).toEqual([6, 4])
  const P = f.predict(theta, batch.features)
  const w = theta.subarray(f.size - 5, f.size - 1)
  for (let i = 0; i < 6; i++) {
    const z = w.reduce((s, x, j) => s + x * A.data[4 * i + j]!, theta[f.size - 1]!)
    expect(z).toBeCloseTo(P.data[i]!, 12)
  }
})

test('loss scale 1/2 is the halved square', () => {
  const model = linear({ inputs: 3, outputs: 1 })
  const { theta, batch } = example(model, 4)
  const [whole, half] = [functionsOf(model), functionsOf(model, { lossScale: 0.5 })]
  expect(half.loss(theta, batch)).toBeCloseTo(whole.loss(theta, batch) / 2, 14)
})

describe('what is wrong is said before any kernel runs', () => {
  const model = mlp({ inputs: 2, hidden: [3], outputs: 1 })
  const f = functionsOf(model)
  const { theta, batch } = example(model, 4)
  const spoilt = (at: number, value: number) => {
    const data = batch.features.data.slice()
    data[at] = value
    return { ...batch, features: matrix(4, 2, data) }
  }
  test.each([NaN, Infinity, -Infinity])('%d in the features', (value) => {
    expect(() => f.loss(theta, spoilt(5, value))).toThrow(
      `features: row 2, column 1 is ${value}; fill or drop missing values first`,
    )
  })
  test('in the labels and in theta', () => {
    const labels = Float64Array.of(1, NaN, 3, 4)
    expect(() => f.gradient(theta, { ...batch, labels })).toThrow('label 1 is NaN')
    const broken = theta.slice()
    broken[9] = NaN
    expect(() => f.predict(broken, batch.features)).toThrow('theta[9] (layers.1.weight) is NaN')
  })
  test('sizes', () => {
    expect(() => f.predict(theta.slice(1), batch.features)).toThrow(
      'theta has 12 values; a mlp model with 2 inputs needs 13',
    )
    expect(() => f.predict(theta, matrix(2, 3))).toThrow('features are 2 x 3 (6 values); the model reads 2 columns')
    expect(() => f.loss(theta, { ...batch, labels: new Float64Array(3) })).toThrow(
      '3 labels for 4 records; the model has 1 outputs',
    )
    expect(() => f.loss(theta, { features: matrix(0, 2), labels: new Float64Array(0) })).toThrow(
      'a batch of 0 records has no loss',
    )
    expect(f.predict(theta, matrix(0, 2)).data).toHaveLength(0)
  })
  test('names and kinds', () => {
    expect(() => mlp({ inputs: 2, outputs: 1, activation: 'rellu' as 'relu' })).toThrow(
      'unknown activation: "rellu" (did you mean "relu"?); known: relu, sigmoid, tanh',
    )
    expect(() => mlp({ inputs: 2, hidden: [0], outputs: 1 })).toThrow(
      'mlp: hidden[0] is 0; sizes are whole numbers from 1',
    )
    expect(() => functionsOf(softmaxRegression({ inputs: 2, outputs: 3 }), { loss: 'mse' })).toThrow(
      'it takes: cross-entropy',
    )
    for (const outputActivation of ['sigmoid', 'relu', 'tanh', 'softplus'] as const) {
      const ended = mlp({ inputs: 2, outputs: 3, outputActivation })
      expect(() => functionsOf(ended, { loss: 'cross-entropy' })).toThrow(
        `loss "cross-entropy" does not fit a mlp model with 3 outputs, ${outputActivation}; it takes: mse`,
      )
    }
    expect(() => initialise(model, rng(1), 'xavier')).toThrow('unknown initialiser: "xavier"')
  })
})

describe('initialisers', () => {
  test.each(Object.keys(initialisers))(
    '%s gives finite values of the stated size, the same for the same seed',
    (name) => {
      const model = mlp({ inputs: 30, hidden: [50], outputs: 7 })
      const theta = initialise(model, rng(3), name)
      expect(theta).toHaveLength(parameterCount(model))
      expect(theta.every(Number.isFinite)).toBe(true)
      expect(initialise(model, rng(3), name)).toEqual(theta)
    },
  )
  test("PyTorch's default: uniform within 1 / sqrt(fan in), weights and biases", () => {
    const model = linear({ inputs: 100, outputs: 60 })
    const theta = initialise(model, rng(3))
    expect(Math.max(...theta.map(Math.abs))).toBeLessThan(0.1)
    const variance = theta.reduce((s, x) => s + x * x, 0) / theta.length
    expect(Math.abs(variance / (0.01 / 3) - 1)).toBeLessThan(0.06) // 6060 values: 4 standard errors of the ratio are 0.046
  })
  test('adding a layer moves no other parameter', () => {
    const [a, b] = [mlp({ inputs: 4, hidden: [3], outputs: 1 }), mlp({ inputs: 4, hidden: [3, 3], outputs: 1 })]
    expect(initialise(b, rng(1)).slice(0, 15)).toEqual(initialise(a, rng(1)).slice(0, 15))
  })
})

/** What stands at the end, in plain arithmetic. */
const plainOutputs = {
  identity: (x: number) => x,
  sigmoid: (x: number) => 1 / (1 + Math.exp(-x)),
  relu: (x: number) => Math.max(x, 0),
  tanh: Math.tanh,
  softplus: (x: number) => Math.log1p(Math.exp(-Math.abs(x))) + Math.max(x, 0),
}

test('any widths and outputs: predictions equal a plain forward pass', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 2, maxLength: 4 }),
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom(...(Object.keys(plainOutputs) as (keyof typeof plainOutputs)[])),
      (widths, n, outputActivation) => {
        const hidden = widths.slice(1, -1)
        const model = mlp({ inputs: widths[0]!, hidden, outputs: widths.at(-1)!, outputActivation })
        const { theta, batch } = example(model, n)
        const P = functionsOf(model).predict(theta, batch.features)
        for (let i = 0; i < n; i++) {
          let a = [...batch.features.data.subarray(i * widths[0]!, (i + 1) * widths[0]!)]
          let at = 0
          for (let l = 0; l + 1 < widths.length; l++) {
            const [w, o] = [widths[l]!, widths[l + 1]!]
            const from = a
            a = Array.from({ length: o }, (_, r) =>
              from.reduce((s, x, j) => s + x * theta[at + r * w + j]!, theta[at + o * w + r]!),
            )
            at += o * (w + 1)
            if (l + 2 < widths.length) a = a.map((x) => Math.max(x, 0))
          }
          const end = plainOutputs[outputActivation]
          for (const [j, x] of a.entries()) expect(P.data[i * model.outputs + j]).toBeCloseTo(end(x), 9)
        }
      },
    ),
  )
})
