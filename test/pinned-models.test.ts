import { type Batch, functionsOf } from '../src/models/functions.js'
import { createModel, type ModelSpec, models } from '../src/models/index.js'
import { initialise, initialisers } from '../src/models/initialise.js'
import type { Loss, Model } from '../src/models/model.js'
import { type TrainerOptions, trainer } from '../src/models/trainer.js'
import { matrix } from '../src/numeric/linalg/matrix.js'
import { rng } from '../src/numeric/random/rng.js'
import { pinResults } from './pinned-results.js'

const specs: readonly ModelSpec[] = [
  { kind: 'linear', inputs: 3, outputs: 1 },
  { kind: 'linear', inputs: 3, outputs: 2, bias: false },
  { kind: 'logistic', inputs: 4 },
  { kind: 'logistic', inputs: 4, bias: false },
  { kind: 'softmax', inputs: 4, outputs: 3 },
  { kind: 'softmax', inputs: 4, outputs: 2, bias: false },
  { kind: 'mlp', inputs: 3, hidden: [5, 4], outputs: 1 },
  { kind: 'mlp', inputs: 3, hidden: [6], outputs: 2, activation: 'tanh', outputActivation: 'sigmoid' },
  { kind: 'mlp', inputs: 2, hidden: [3], outputs: 3, activation: 'sigmoid', bias: false },
  { kind: 'lenet-dlg', inputs: [1, 8, 8], outputs: 3 },
]
const wrong: readonly object[] = [{ kind: 'linear', inputs: 0, outputs: 1 }, { kind: 'linear', inputs: 1, outputs: 0 }, { kind: 'softmax', inputs: 1, outputs: 1 }, { kind: 'logistic', inputs: 1, outputs: 2 }, { kind: 'mlp', inputs: 1, hidden: [0], outputs: 1 }, { kind: 'mlp', inputs: 1, hidden: [], outputs: 1 }, { kind: 'mlp', inputs: 1, hidden: [2], outputs: 1, activation: 'sine' }, { kind: 'lenet-dlg', inputs: [1, 2, 2], outputs: 3 }, { kind: 'lenet-dlg', inputs: [0, 8, 8], outputs: 3 }, { kind: 'lenet-mnist', dropout: 1 }, { kind: 'lenet-mnist', dropout: -1 }, { kind: 'lenet-mnist', outputs: 1 }, { kind: 'lenet-cifar', outputs: 1 }, { kind: 'unheard' }] // biome-ignore format: a list
const losses: readonly Loss[] = ['mse', 'cross-entropy', 'binary-cross-entropy']

/** Records for a model under a loss, of which every other value may be zero. */
function batchFor(model: Model, loss: Loss, n: number, empty = false): Batch {
  const draws = rng('batch').fork(n)
  const data = draws.fork('X').normals(n * model.inputs)
  if (empty) data.forEach((_, i) => { if (i % 3 !== 0) data[i] = 0 }) // biome-ignore format: a line
  const labels =
    loss === 'mse'
      ? draws.fork('y').normals(n * model.outputs)
      : Float64Array.from({ length: n }, () => draws.integer(Math.max(2, model.outputs)))
  return { features: matrix(n, model.inputs, data), labels }
}
const named = (spec: ModelSpec) => ({
  model: createModel(spec),
  theta: initialise(createModel(spec), rng(2)).map((x) => 0.8 * x),
})
const both = ['f32', 'f64'] as const

const privacies = [{ maxNorm: 0.5, noiseMultiplier: 0 }, { maxNorm: 0.2, noiseMultiplier: 0.7 }, { maxNorm: 1, noiseMultiplier: 1, sampleRate: 0.3 }] // biome-ignore format: a list
const ways: readonly Omit<TrainerOptions, 'data'>[] = [
  ...both.flatMap((precision) => [{ precision }, { precision, sparse: true }, { precision, sparse: false, momentum: 0.9 }, { precision, proxMu: 0.4 }, { precision, lossScale: 0.5, momentum: 0.3, proxMu: 0.1 }]), // biome-ignore format: a list
  ...both.map((precision) => ({ precision, adam: { beta1: 0.8, beta2: 0.9, tiny: 1e-4 } })),
  { precision: 'f64', adam: {}, proxMu: 0.2 },
  ...privacies.flatMap((privacy) => both.map((precision) => ({ precision, privacy, momentum: 0.2 }))),
] as never
/** Some steps on batches of several sizes. */
function trained(spec: ModelSpec, options: Omit<TrainerOptions, 'data'>) {
  const { model, theta } = named(spec)
  const one = trainer(model, { data: batchFor(model, model.defaultLoss, 9, true), ...options } as TrainerOptions)
  one.load(theta)
  const seen: unknown[] = [one.loss(), one.records, one.sparse]
  const batches = [[0, 1, 2, 3, 4, 5, 6, 7, 8], [3], [8, 0, 2], [1, 5, 6, 7], [4, 4, 0]]
  for (const [s, rows] of batches.entries()) {
    one.step(Int32Array.from(rows), 0.1, () => rng(7).fork(s))
    seen.push(one.theta())
  }
  one.stepChecked(Int32Array.of(1, 2), 0.05, () => rng(8))
  const moved = new Float64Array(theta.length)
  one.movedInto(moved, theta)
  seen.push(
    one.gradient(Int32Array.of(0, 7), () => rng(9)),
    moved,
    one.loss(),
  )
  one.release()
  return seen
}

pinResults('models', {
  'models as they are': [...specs, ...wrong].map((spec) => () => {
    const { parameters, inputs, outputs, defaultLoss } = createModel(spec as ModelSpec)
    return { parameters, inputs, outputs, defaultLoss }
  }),
  'first values': specs.flatMap((spec) =>
    Object.keys(initialisers).map((name) => () => initialise(createModel(spec), rng(3), name as never)),
  ),
  'images of full size': (['lenet-mnist', 'lenet-cifar'] as const).map((kind) => () => {
    const { model, theta } = named({ kind, outputs: 4 })
    const batch = batchFor(model, 'cross-entropy', 2)
    const f = functionsOf(model)
    return [f.predict(theta, batch.features), f.gradient(theta, batch)]
  }),
  functions: specs.flatMap((spec) =>
    losses.flatMap((loss) =>
      both.map((precision) => () => {
        const { model, theta } = named(spec)
        const f = functionsOf(model, { loss, precision, lossScale: 0.7 })
        return [0, 1, 4].map((n) => {
          const batch = batchFor(model, loss, n)
          const first = [f.predict(theta, batch.features), f.penultimate(theta, batch.features)]
          if (n === 0) return first
          const v = rng(5).normals(theta.length)
          return [first, f.loss(theta, batch), f.gradient(theta, batch), f.gradPerExample(theta, batch), f.hessianVector(theta, batch, v), f.inputGradient(theta, batch)] // biome-ignore format: a line
        })
      }),
    ),
  ),
  'what functions refuse': specs.flatMap((spec) => {
    const { model, theta } = named(spec)
    const f = functionsOf(model)
    const batch = batchFor(model, model.defaultLoss, 3)
    const with1 = (labels: number[]): Batch => ({ ...batch, labels: Float64Array.from(labels) })
    return [
      () => f.loss(theta.slice(1), batch),
      () => f.loss(theta.map((x, i) => (i === 1 ? Number.NaN : x)), batch), // biome-ignore format: a line
      () => f.predict(theta, matrix(2, model.inputs + 1)),
      () => f.loss(theta, { ...batch, features: matrix(2, model.inputs) }),
      ...[[0, 1, 7], [0, 1, 0.5], [0, 1, -1], [0, Number.NaN, 1], [0, 1], [1, 1, 0, 0, 1, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1]].map((labels) => () => f.loss(theta, with1(labels))), // biome-ignore format: a list
      () => f.loss(theta, { ...batch, features: matrix(3, model.inputs).data.fill(Number.NaN) && matrix(3, model.inputs, new Float64Array(3 * model.inputs).fill(Number.NaN)) }), // biome-ignore format: a line
    ]
  }),
  trainers: specs.flatMap((spec) => ways.map((options) => () => trained(spec, options))),
  'what trainers refuse': [
    ...[{ maxNorm: 0, noiseMultiplier: 1 }, { maxNorm: 1, noiseMultiplier: -1 }, { maxNorm: 1, noiseMultiplier: 1, sampleRate: 2 }, { maxNorm: 1, noiseMultiplier: 1, sampleRate: -1 }].map((privacy) => () => trained(specs[0]!, { precision: 'f64', privacy } as never)), // biome-ignore format: a list
    ...[{ momentum: 1 }, { momentum: -1 }, { proxMu: -1 }, { lossScale: 0 }].map((more) => () => trained(specs[0]!, { precision: 'f64', ...more } as never)), // biome-ignore format: a list
    ...[[9], [-1], [0.5], []].map((rows) => () => {
      const { model, theta } = named(specs[0]!)
      const one = trainer(model, { data: batchFor(model, 'mse', 9), precision: 'f64' })
      one.load(theta)
      one.step(Int32Array.from(rows), 0.1)
      return one.theta()
    }),
    () => Object.keys(models),
  ],
})
