import { regressionLabel } from '../src/attacks/labels/regression/regression-label.js'
import { recordsClosedForm } from '../src/attacks/records/records-closed-form.js'
import { partsOf, patternsIn, recordIn } from '../src/attacks/records/unit-patterns.js'
import { initialise } from '../src/models/initialise.js'
import { mlp } from '../src/models/mlp.js'
import { matrix, matrixOf } from '../src/numeric/linalg/matrix.js'
import { rng } from '../src/numeric/random/rng.js'
import type { Exchange } from '../src/threat/granted-keys.js'
import { attackOn } from './attack-context.js'
import { mlpSpec, modelView } from './label-views.js'
import { pinResults } from './pinned-results.js'
import { madeUpdate } from './regression-view.js'

type Shape = Parameters<typeof mlpSpec>[0]
interface Made {
  readonly seed?: number
  readonly K?: number
  readonly shape?: Partial<Shape>
  /** What is stated of the number of records. */
  readonly stated?: number
  /** Changes theta before the step. */
  readonly theta?: (v: number, j: number) => number
  readonly cut?: (v: number, j: number) => number
  readonly params?: object
}

/** Records from one gradient of a small network of rectifiers. */
function closedForm({
  seed = 1,
  K = 2,
  shape = {},
  stated = K,
  theta: from = (v) => v,
  cut = (v) => v,
  params = {},
}: Made) {
  const model = mlpSpec({ inputs: 4, hidden: [9], outputs: 1, ...shape })
  const loss = model.outputs > 2 ? 'cross-entropy' : 'mse'
  const theta = initialise(mlp(model), rng(seed).fork('theta')).map(from)
  const features = matrix(K, 4, rng(seed).fork('x').normals(4 * K)) // biome-ignore format: one line
  const y = rng(seed).fork('y')
  const each = loss === 'mse' ? model.outputs : 1
  const labels = Float64Array.from({ length: K * each }, () => (loss === 'mse' ? y.normal() : y.integer(model.outputs)))
  const view = modelView({ model, theta, loss, batch: { features, labels } })
  return async () => {
    const exchange = await view.exchanges.read(3)
    const { grad } = exchange.update as { grad: Float64Array }
    const heard: Exchange = { ...exchange, update: { kind: 'gradient', grad: grad.map(cut) } }
    const exchanges = { rounds: [3], read: async () => heard }
    return attackOn(recordsClosedForm, { ...view, batchSize: stated, exchanges }, { params: { ...params } })
  }
}
const seeds = [1, 2, 3, 4]
const deep = { hidden: [12, 6] }

/** One record's label from several steps of a network. */
function replayed({
  steps,
  hidden = [6],
  outputs = 1,
  share = 'parameters',
  rate = 0.05,
  precision = 'f64',
  seed = 1,
  ...rest
}: {
  readonly steps: number
  readonly hidden?: readonly number[]
  readonly outputs?: number
  readonly share?: 'parameters' | 'delta'
  readonly rate?: number
  readonly precision?: 'f32' | 'f64'
  readonly seed?: number
  readonly activation?: string
  readonly outputActivation?: string
  readonly momentum?: number
  readonly proxMu?: number
}) {
  const { activation = 'relu', outputActivation = 'identity', momentum = 0, proxMu = 0 } = rest
  const features = matrix(1, 3, rng(seed).fork('x').normals(3))
  const labels = rng(seed).fork('y').normals(outputs)
  const model = { kind: 'mlp', inputs: 3, hidden, outputs, activation, outputActivation, bias: true }
  const protocol = { localSteps: steps, learningRate: rate, momentum, proxMu }
  const { view } = madeUpdate({ model, features, labels, share, protocol, precision, seed })
  return () => attackOn(regressionLabel, view)
}

const sums = matrixOf([[1, 2, 1], [3, 1, 1], [4, 3, 2], [1, 2, 1], [0.5, -1, 1], [3.5, 0, 2]]) // biome-ignore format: one line
const ones = (...list: number[][]) => list.map((one) => Float64Array.from(one))

pinResults('records', {
  'one hidden layer, one output': [
    ...seeds.flatMap((seed) => [1, 2, 3, 4].map((K) => closedForm({ seed, K }))),
    ...seeds.map((seed) => closedForm({ seed, K: 3, cut: Math.fround })),
    ...seeds.map((seed) => closedForm({ seed, K: 3, stated: 2 })),
    ...seeds.map((seed) => closedForm({ seed, K: 2, stated: 4 })),
    ...seeds.map((seed) => closedForm({ seed, K: 2, theta: (v, j) => (j % 7 === 0 ? 0 : v) })),
    ...seeds.map((seed) => closedForm({ seed, K: 2, cut: (v, j) => (j === 37 ? 1e-9 * v : v) })),
    ...seeds.map((seed) => closedForm({ seed, K: 2, cut: (v, j) => v * (1 + 1e-6 * ((j % 7) - 3)) })),
    closedForm({ K: 2, cut: () => 0 }),
    closedForm({ K: 3, shape: { hidden: [3] } }),
    closedForm({ K: 5, shape: { hidden: [40] } }),
    closedForm({ K: 3, params: { largest: 2 } }),
    closedForm({ shape: { bias: false } }),
    closedForm({ shape: { activation: 'tanh' } }),
    closedForm({ K: 1, shape: { activation: 'tanh' } }),
    closedForm({ shape: { outputActivation: 'sigmoid' } }),
  ],
  'deeper, or several outputs': [
    ...seeds.flatMap((seed) => [1, 2, 4].map((K) => closedForm({ seed, K, shape: deep }))),
    ...seeds.flatMap((seed) => [1, 3].map((K) => closedForm({ seed, K, shape: { hidden: [24], outputs: 2 } }))),
    ...seeds.flatMap((seed) => [1, 3].map((K) => closedForm({ seed, K, shape: { hidden: [24], outputs: 5 } }))),
    ...seeds.map((seed) => closedForm({ seed, K: 3, shape: deep, cut: Math.fround })),
    ...seeds.map((seed) => closedForm({ seed, K: 3, shape: deep, stated: 1 })),
    ...seeds.map((seed) => closedForm({ seed, K: 2, shape: deep, stated: 5 })),
    ...seeds.map((seed) => closedForm({ seed, K: 2, shape: deep, cut: (v, j) => v * (1 + 1e-8 * ((j % 7) - 3)) })),
    closedForm({ K: 6, shape: { hidden: [5, 5] } }),
  ],
  'sums taken apart': [
    ...[1e-12, 1e-9, 0.2].map((tolerance) => () => patternsIn(sums, tolerance)),
    () => patternsIn(matrix(3, 2), 1e-9),
    () => patternsIn(matrixOf([[1, 1], [1, 1]]), 1e-9), // biome-ignore format: one line
    () => partsOf(sums, ones([1, 0, 1, 1, 0, 0], [0, 1, 1, 0, 0, 1], [0, 0, 0, 0, 1, 1])),
    () => partsOf(sums, ones([1, 0, 1, 1, 0, 0], [1, 0, 1, 1, 0, 0])),
    () => [0, 2, 5].map((k) => recordIn(sums, k)),
  ],
  'a label traced through several steps': [
    ...[2, 3, 6].flatMap((steps) => seeds.map((seed) => replayed({ steps, seed }))),
    ...seeds.map((seed) => replayed({ steps: 3, seed, share: 'delta' })),
    ...seeds.map((seed) => replayed({ steps: 3, seed, precision: 'f32' })),
    ...seeds.map((seed) => replayed({ steps: 2, seed, hidden: [5, 4], activation: 'tanh' })),
    ...seeds.map((seed) => replayed({ steps: 3, seed, outputs: 2 })),
    ...seeds.map((seed) => replayed({ steps: 3, seed, outputs: 3, precision: 'f32' })),
    ...seeds.map((seed) => replayed({ steps: 4, seed, outputActivation: 'sigmoid' })),
    ...seeds.map((seed) => replayed({ steps: 3, seed, momentum: 0.5 })),
    ...seeds.map((seed) => replayed({ steps: 3, seed, proxMu: 0.5 })),
    ...seeds.map((seed) => replayed({ steps: 4, seed, rate: 0.6 })),
    replayed({ steps: 1 }),
    replayed({ steps: 1, outputs: 2 }),
    replayed({ steps: 40 }),
    replayed({ steps: 5000 }),
  ],
})
