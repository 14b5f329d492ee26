/** A small federation made by hand for tests of attribute inference: two clients, FedAvg with mini-batches, and what an attacker is given. */
import type { Sensitive } from '../src/attacks/attributes/unknown-columns.js'
import { createModel, type ModelSpec } from '../src/models/index.js'
import { initialise } from '../src/models/initialise.js'
import type { Loss } from '../src/models/model.js'
import { trainer } from '../src/models/trainer.js'
import { type Matrix, matrix } from '../src/numeric/linalg/matrix.js'
import { rng } from '../src/numeric/random/rng.js'
import type { Exchange, Knowledge, View } from '../src/threat/granted-keys.js'
import type { Truth } from '../src/transcript/truth-file.js'

export interface WorldOptions {
  readonly model?: ModelSpec
  readonly loss?: Loss
  readonly records?: number
  readonly rounds?: number
  readonly batchSize?: number | null
  readonly localEpochs?: number
  readonly learningRate?: number
  /** How strongly the attribute moves the label. */
  readonly effect?: number
  readonly noise?: number
  readonly seed?: number
  readonly sensitive?: readonly Sensitive[]
  readonly precision?: 'f32' | 'f64'
  readonly privacy?: { readonly maxNorm: number; readonly noiseMultiplier: number }
  /** Of the target, two records that are alike in all that is known: the second one's is the first one's. */
  readonly twins?: readonly [number, number]
}

export const binary: Sensitive = { name: 's', columns: ['s'], kind: 'binary', values: [[-0.5], [2]] }
export const several: readonly Sensitive[] = [
  binary,
  {
    name: 'c',
    columns: ['c1', 'c2'],
    kind: 'categorical',
    values: [
      [0, 0],
      [1, 0],
      [0, 1],
    ],
  },
]
export const continuous: Sensitive = { name: 'v', columns: ['v'], kind: 'continuous', range: [-2, 3] }

type WorldView = View<
  | ('records' | 'records.label' | 'sensitive' | 'model' | 'loss' | 'protocol' | 'target' | 'exchanges' | 'samples')
  | ('parameters' | 'learningRate')
>

export interface World {
  readonly view: WorldView
  readonly truth: Truth
  /** Each attribute as it is: places among the values, or encoded numbers. */
  readonly true: readonly Float64Array[]
  readonly complete: Matrix
  /** One local update of the target from any model. */
  turn(theta: Float64Array, at: number): Float64Array
}

/** Public columns x0, x1, x2 and then the sensitive ones, which the attacker's records hold as NaN. */
export function world(options: WorldOptions = {}): World {
  const { records: n = 120, effect = 2, noise = 0.3, seed = 1, sensitive = [binary], loss = 'mse' } = options
  const hidden = sensitive.flatMap(({ columns }) => columns)
  const columns = ['x0', 'x1', 'x2', ...hidden]
  const k = columns.length
  const { model: spec = { kind: 'linear', inputs: k, outputs: 1 } } = options
  const clients = [0, 1].map((c) => {
    const draw = rng(seed).fork('client', c)
    const complete = matrix(n, k)
    const truths = sensitive.map(() => new Float64Array(n))
    const labels = new Float64Array(n)
    for (let i = 0; i < n; i++) {
      const x = [draw.normal(), draw.normal(), draw.normal()]
      let z = x[0]! - 0.5 * x[1]! + 0.25 * x[2]!
      let at = 3
      complete.data.set(x, i * k)
      for (const [a, one] of sensitive.entries()) {
        if (one.kind === 'continuous') {
          const v = one.range[0] + (one.range[1] - one.range[0]) * draw.uniform()
          truths[a]![i] = v
          complete.data[i * k + at++] = v
          z += effect * v
        } else {
          const v = one.values.length === 2 ? Number(draw.uniform() < 0.3) : draw.integer(one.values.length)
          truths[a]![i] = v
          for (const [j, value] of one.values[v]!.entries()) {
            complete.data[i * k + at++] = value
            z += effect * (j + 1) * value
          }
        }
      }
      labels[i] = loss === 'mse' ? z + noise * draw.normal() : Number(draw.uniform() < 1 / (1 + Math.exp(-z)))
    }
    if (c === 0 && options.twins !== undefined) {
      const [first, second] = options.twins
      for (let j = 0; j < 3; j++) complete.data[second * k + j] = complete.data[first * k + j]!
      labels[second] = labels[first]!
    }
    return { complete, truths, labels }
  })
  const model = createModel(spec)
  const { batchSize = 32, localEpochs = 1, rounds = 20, learningRate = 0.05, precision = 'f64', privacy } = options
  const trainers = clients.map(({ complete, labels }) =>
    trainer(model, { data: { features: complete, labels }, precision, loss, ...(privacy && { privacy }) }),
  )
  const turnOf = (c: number, theta: Float64Array, at: number): Float64Array => {
    const own = trainers[c]!
    own.load(theta)
    for (let e = 0; e < localEpochs; e++) {
      const order =
        batchSize === null
          ? Int32Array.from({ length: n }, (_, i) => i)
          : rng(seed).fork('order', c, at, e).permutation(n)
      for (let from = 0; from < n; from += batchSize ?? n)
        own.step(order.subarray(from, from + (batchSize ?? n)), learningRate, () =>
          rng(seed).fork('noise', c, at, e, from),
        )
    }
    return own.theta()
  }
  const exchanges: Exchange[] = []
  let theta = initialise(model, rng(seed).fork('init'))
  for (let round = 0; round < rounds; round++) {
    const received = theta
    const [a, b] = [turnOf(0, received, round), turnOf(1, received, round)]
    exchanges.push({ round, received, update: { kind: 'parameters', theta: a }, learningRate })
    theta = a.map((v, j) => (v + b[j]!) / 2)
  }
  const { complete, truths, labels } = clients[0]!
  const blank = matrix(n, k, complete.data.slice())
  for (let i = 0; i < n; i++) for (let j = 3; j < k; j++) blank.data[i * k + j] = Number.NaN
  const protocol = {
    algorithm: 'fedavg',
    share: 'parameters',
    localEpochs,
    localSteps: null,
    batchSize,
    learningRate,
    momentum: 0,
    proxMu: 0,
    dropout: 0,
    lossScale: 1,
    aggregateWeights: 'samples',
    aggregation: 'weighted-mean',
    secureAggregation: false,
    differentialPrivacy: null,
  } as Knowledge['protocol']
  const view: WorldView = {
    records: { columns, features: blank },
    'records.label': labels,
    sensitive,
    model: spec as unknown as Knowledge['model'],
    loss,
    protocol,
    learningRate,
    parameters: model.parameters,
    target: '0',
    samples: n,
    exchanges: { rounds: exchanges.map(({ round }) => round), read: async (round) => exchanges[round]! },
  }
  const truth = {
    warnings: [],
    client: async () => ({ columns, features: complete, labels }),
    batch: () => undefined,
    optimum: async () => undefined,
    property: () => undefined,
  } satisfies Truth
  return { view, truth, true: truths, complete, turn: (sent, at) => turnOf(0, sent, 1000 + at) }
}

export function accuracy(claimed: ArrayLike<number>, truth: Float64Array): number {
  return truth.reduce((sum, v, i) => sum + Number(v === claimed[i]), 0) / truth.length
}
