/** What `overhear bench` times: one entry a workload. The peers' halves are in bench/torch-peer.py, jax-peer.py and numpy-peer.py. */
import { federate, runToEnd } from '../../federation/federate.js'
import { inlinePool } from '../../federation/pool.js'
import { heldPopulation } from '../../federation/population.js'
import type { FederationSpec } from '../../federation/spec.js'
import { type Batch, functionsOf } from '../../models/functions.js'
import { lenetCifar } from '../../models/lenet-cifar.js'
import { lenetMnist } from '../../models/lenet-mnist.js'
import { linear } from '../../models/linear.js'
import { logistic } from '../../models/logistic.js'
import { mlp } from '../../models/mlp.js'
import { type Model, parameterCount } from '../../models/model.js'
import { type TrainerOptions, trainer } from '../../models/trainer.js'
import { gradient } from '../../numeric/engine/derive.js'
import type { Precision } from '../../numeric/engine/kernels.js'
import * as t from '../../numeric/engine/trace.js'
import { type LeastSquares, leastSquaresQr } from '../../numeric/linalg/qr.js'
import { type Svd, svd } from '../../numeric/linalg/svd.js'
import { madeUp, madeUpMatrix, sparseRows } from './bench-data.js'
import type { PeerName } from './peer.js'

export interface Prepared {
  /** One repetition. */
  run(): unknown
  /** What the work computes, in a few numbers that the peer must find too. */
  numbers(): Promise<number[]>
}

export interface Workload {
  readonly what: string
  readonly unit: 'us' | 'ms' | 's'
  /** Who can do it too. */
  readonly peers: readonly PeerName[]
  readonly precision: Precision
  /** Operations of its products; those that a sparse input or a pool makes needless are not counted. null: not known. */
  readonly flops: number | null
  /** The peer does a part of the work, one in so many, and its time is multiplied. */
  readonly scaled?: number
  /** How far the two sides' numbers may lie apart, relative to the largest. */
  readonly tolerance: number
  prepare(): Prepared
}

const single = { unit: 'us', peers: ['torch', 'jax'], precision: 'f32', tolerance: 1e-3 } as const
const double = { peers: ['numpy'], precision: 'f64', tolerance: 1e-9 } as const

const small = (): Model => mlp({ inputs: 41, hidden: [128], outputs: 1 })
/** Forward, gradient of both weight matrices, and of the hidden layer from the only output. */
const smallFlops = (columns: number): number => 2 * 32 * 128 * (2 * columns + 3)

export const workloads = {
  mlp: {
    ...single,
    what: 'MLP 41-128-1, batch 32, SGD step',
    flops: smallFlops(41),
    prepare: () => training(small(), regression({ rows: 32, inputs: 41, outputs: 1 })),
  },
  'mlp-sparse': {
    ...single,
    what: 'the same on rows with 12 nonzeros of 41',
    flops: smallFlops(12),
    prepare: () => {
      const features = sparseRows({ rows: 32, cols: 41 }, 12) // few enough nonzeros for the trainer to keep them sparse
      return training(small(), { features, labels: madeUp(32, 3) })
    },
  },
  linear: {
    ...single,
    what: 'linear model of 20 inputs, batch 32, SGD step',
    flops: 2 * 32 * 20 * 2,
    prepare: () => training(linear({ inputs: 20, outputs: 1 }), regression({ rows: 32, inputs: 20, outputs: 1 })),
  },
  'lenet-mnist': {
    ...single,
    what: 'LeNet on 28 x 28 images, batch 10, SGD step',
    flops: 2 * 10 * (576 * 250 * 1.25 + 64 * 5000 * 1.5 + 3 * (320 * 50 + 50 * 10)),
    prepare: () => training(lenetMnist(), images({ rows: 10, inputs: 784 })),
  },
  'lenet-cifar': {
    ...single,
    what: 'LeNet on 3 x 32 x 32 images, batch 25, SGD step',
    flops: 2 * 25 * (784 * 450 * 1.25 + 100 * 2400 * 1.5 + 3 * (400 * 120 + 120 * 84 + 84 * 10)),
    prepare: () => training(lenetCifar(), images({ rows: 25, inputs: 3072 })),
  },
  mapping: {
    ...single,
    what: 'MLP 41-1000-41, batch 64, Adam step',
    flops: 2 * 64 * 41_000 * 5,
    prepare: () =>
      training(mlp({ inputs: 41, hidden: [1000], outputs: 41 }), regression({ rows: 64, inputs: 41, outputs: 41 }), {
        adam: {},
        learningRate: 0.001,
      }),
  },
  logistic: {
    ...single,
    what: 'logistic regression of 21,840 inputs, batch 32, SGD step',
    flops: 2 * 32 * 21_840 * 2,
    prepare: () => training(logistic({ inputs: 21_840 }), twoClasses({ rows: 32, inputs: 21_840 }), { scale: 0.01 }),
  },
  'dp-sgd': {
    ...single,
    what: 'MLP 41-128-1, batch 32, per-example clipping and step',
    flops: smallFlops(41),
    prepare: () => {
      const privacy = { maxNorm: 1, noiseMultiplier: 0 }
      return training(small(), regression({ rows: 32, inputs: 41, outputs: 1 }), { privacy })
    },
  },
  'second-order': {
    ...single,
    what: 'input gradient of cosine(gradient, g), MLP 8-128-1, 1,000 rows',
    flops: 2 * 1000 * 8 * 128 * 5,
    prepare: secondOrder,
  },
  'federated-run': {
    ...single,
    what: '10 clients, 100 rounds of 40 steps, MLP 41-128-1, batch 32',
    unit: 's',
    flops: 10 * 100 * 40 * smallFlops(41),
    scaled: 20,
    tolerance: 0.02, // each side shuffles its records in its own way
    prepare: federatedRun,
  },
  'svd-12': { ...double, ...svdOf(12, 12), unit: 'us' },
  'svd-300x50': { ...double, ...svdOf(300, 50), unit: 'ms' },
  'lstsq-300x42': {
    ...double,
    what: 'least squares, 300 x 42',
    unit: 'us',
    flops: 2 * 300 * 42 * 42 - (2 / 3) * 42 * 42 * 42,
    prepare: leastSquares,
  },
  'svd-1000': { ...double, ...svdOf(1000, 1000), unit: 'ms' },
} as const satisfies Record<string, Workload>

function svdOf(rows: number, cols: number): Pick<Workload, 'what' | 'flops' | 'prepare'> {
  const prepare = (): Prepared => {
    const A = madeUpMatrix({ rows, cols }, 1)
    const run = (): Svd => svd(A)
    return {
      run,
      async numbers() {
        const { s } = run()
        return [normAndSum(s)[0]!, s[0]!, s.at(-1)!]
      },
    }
  }
  return { what: `thin SVD, ${rows} x ${cols}`, flops: null, prepare }
}

function leastSquares(): Prepared {
  const [A, b] = [madeUpMatrix({ rows: 300, cols: 42 }, 1), madeUpMatrix({ rows: 300, cols: 1 }, 2)]
  const run = (): LeastSquares => leastSquaresQr(A, b)
  return { run, numbers: async () => normAndSum(run().X.data) }
}

interface Sizes {
  readonly rows: number
  readonly inputs: number
}

const regression = ({ rows, inputs, outputs }: Sizes & { readonly outputs: number }): Batch => ({
  features: madeUpMatrix({ rows, cols: inputs }, 2),
  labels: madeUp(rows * outputs, 3),
})
const images = ({ rows, inputs }: Sizes): Batch => ({
  features: madeUpMatrix({ rows, cols: inputs }, 2),
  labels: Float64Array.from({ length: rows }, (_, i) => i % 10),
})
const twoClasses = ({ rows, inputs }: Sizes): Batch => ({
  features: madeUpMatrix({ rows, cols: inputs }, 2),
  labels: Float64Array.from({ length: rows }, (_, i) => i % 2),
})

const start = (model: Model, scale: number): Float64Array => madeUp(parameterCount(model), 1).map((x) => scale * x)

interface TrainingOptions extends Omit<TrainerOptions, 'data'> {
  readonly scale?: number
  readonly learningRate?: number
}

/** A step on all records of the batch, through the trainer as clients use it. */
function training(
  model: Model,
  data: Batch,
  { scale = 0.1, learningRate = 0.01, ...options }: TrainingOptions = {},
): Prepared {
  const client = trainer(model, { data, precision: 'f32', ...options })
  const rows = Int32Array.from({ length: data.features.rows }, (_, i) => i)
  const run = (): void => client.step(rows, learningRate)
  client.load(start(model, scale))
  return {
    run,
    async numbers() {
      const before = client.theta()
      for (let s = 0; s < 3; s++) run()
      return normAndSum(client.theta().map((x, j) => x - before[j]!))
    },
  }
}

function secondOrder(): Prepared {
  const model = mlp({ inputs: 8, hidden: [128], outputs: 1 })
  const n = 1000
  const target = t.input('target', { rows: 1, cols: parameterCount(model) })
  const run = functionsOf(model, { precision: 'f32' }).derive(n, ({ loss, theta, X }) => {
    const g = gradient(loss, [theta])[0]!
    const cosine = t.div(t.dot(g, target), t.mul(t.norm(g), t.norm(target)))
    return gradient(cosine, [X])
  })
  const { features, labels: y } = regression({ rows: n, inputs: 8, outputs: 1 })
  const inputs = { theta: start(model, 0.3), X: features.data, y, target: madeUp(parameterCount(model), 4) }
  return { run: () => run(inputs), numbers: async () => normAndSum(run(inputs)[0]!) }
}

function federatedRun(): Prepared {
  const [K, n, d] = [10, 1280, 41]
  const clients = Array.from({ length: K }, (_, k) => ({
    features: madeUpMatrix({ rows: n, cols: d }, 10 + k),
    labels: madeUp(n, 30 + k).map((y) => 1 + y), // a mean to learn, so that the order of records matters little
  }))
  const population = heldPopulation(clients)
  const spec = (rounds: number): FederationSpec => ({
    model: { kind: 'mlp', inputs: d, hidden: [128], outputs: 1 },
    rule: { algorithm: 'fedavg', learningRate: 0.01, localEpochs: 1, batchSize: 32 },
    seed: 1,
    rounds,
  })
  const pool = inlinePool(spec(100), { population })
  const initial = start(small(), 0.1)
  const rounds = async (count: number): Promise<Float64Array> =>
    (await runToEnd(federate(spec(count), { population, pool, initial }))).theta
  return {
    run: () => rounds(100),
    async numbers() {
      const after = await rounds(2)
      return normAndSum(after.map((x, j) => x - initial[j]!))
    },
  }
}

function normAndSum(x: Float64Array): number[] {
  let [squares, sum] = [0, 0]
  for (const value of x) {
    squares += value * value
    sum += value
  }
  return [Math.sqrt(squares), sum]
}
