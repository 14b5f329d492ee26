// @ts-nocheck: a script that is run by hand
// Federations made by hand for `bench/aia-linear.mjs`: what an attacker on one of two clients is given.
import { createModel, initialise, trainer } from '../dist/doors/models.js'
import { matrix, rng } from '../dist/doors/numeric.js'

const binary = { name: 's', columns: ['s'], kind: 'binary', values: [[-0.6], [1.7]] }

/** Public columns and then the sensitive ones, which the attacker's records hold as NaN. */
export function madeWorld(options) {
  const { records: n, rounds, seed = 1, sensitive = [binary], inputs = 8, hidden = [128] } = options
  const secret = sensitive.flatMap(({ columns }) => columns)
  const open = inputs - secret.length
  const columns = [...Array.from({ length: open }, (_, j) => `x${j}`), ...secret]
  const clients = [0, 1].map((c) => drawn({ n, open, sensitive, rng: rng(seed).fork('client', c) }))
  const spec = hidden.length === 0 ? { kind: 'linear', inputs, outputs: 1 } : network(inputs, hidden)
  return playedOut({ ...options, seed, sensitive }, { clients, spec, columns, secret, rounds })
}

const network = (inputs, hidden) => ({ kind: 'mlp', inputs, outputs: 1, hidden, activation: 'relu' })

function drawn({ n, open, sensitive, rng: draw }) {
  const k = open + sensitive.reduce((sum, { columns }) => sum + columns.length, 0)
  const complete = matrix(n, k)
  const labels = new Float64Array(n)
  for (let i = 0; i < n; i++) {
    const row = Array.from({ length: open }, () => draw.normal())
    for (const one of sensitive) {
      if (one.kind === 'continuous') row.push(one.range[0] + (one.range[1] - one.range[0]) * draw.uniform())
      else
        row.push(
          ...one.values[one.values.length === 2 ? Number(draw.uniform() < 0.3) : draw.integer(one.values.length)],
        )
    }
    complete.data.set(row, i * k)
    labels[i] = row.reduce((sum, x, j) => sum + x / (1 + (j % 4)), 0) + draw.normal()
  }
  return { complete, labels }
}

/** Trains two clients for some rounds and keeps what the first of them sends. */
function playedOut(options, { clients, spec, columns, secret, rounds }) {
  const { seed, sensitive, batchSize = 32, localEpochs = 1, learningRate = 0.02, share = 'parameters' } = options
  const model = createModel(spec)
  const trainers = clients.map(({ complete, labels }) =>
    trainer(model, { data: { features: complete, labels }, precision: 'f64' }),
  )
  const turn = (c, theta, round) => {
    const n = clients[c].labels.length
    trainers[c].load(theta)
    for (let e = 0; e < localEpochs; e++) {
      const order = rng(seed).fork('order', c, round, e).permutation(n)
      for (let from = 0; from < n; from += batchSize ?? n)
        trainers[c].step(order.subarray(from, from + (batchSize ?? n)), learningRate, () => rng(seed))
    }
    return trainers[c].theta()
  }
  const exchanges = []
  let theta = initialise(model, rng(seed).fork('init'))
  for (let round = 0; round < rounds; round++) {
    const received = theta
    const [a, b] = [turn(0, received, round), turn(1, received, round)]
    const grad = received.map((v, j) => (v - a[j]) / learningRate)
    const update = share === 'gradient' ? { kind: 'gradient', grad } : { kind: 'parameters', theta: a }
    exchanges.push({ round, received, update, learningRate })
    theta = a.map((v, j) => (v + b[j]) / 2)
  }
  const { complete, labels } = clients[0]
  const blank = matrix(complete.rows, complete.cols, complete.data.slice())
  const places = secret.map((name) => columns.indexOf(name))
  for (let i = 0; i < blank.rows; i++) for (const j of places) blank.data[i * blank.cols + j] = Number.NaN
  const protocol = {
    algorithm: share === 'gradient' ? 'fedsgd' : 'fedavg',
    share,
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
  }
  const view = {
    records: { columns, features: blank },
    'records.label': labels,
    sensitive,
    model: spec,
    loss: 'mse',
    protocol,
    target: '0',
    samples: complete.rows,
    exchanges: { rounds: exchanges.map(({ round }) => round), read: async (round) => exchanges[round] },
  }
  return { view, truth: truthOf(complete, columns, sensitive) }
}

/** Each attribute as it is: places among the values, or encoded numbers. */
function truthOf(complete, columns, sensitive) {
  return sensitive.map((one) =>
    Float64Array.from({ length: complete.rows }, (_, i) => {
      const row = one.columns.map((name) => complete.data[i * complete.cols + columns.indexOf(name)])
      return one.kind === 'continuous' ? row[0] : one.values.findIndex((v) => v.every((x, j) => x === row[j]))
    }),
  )
}

/** As the default audit has them: 55 records, 60 rounds, four steps on all records. */
const small = { records: 55, rounds: 60, inputs: 12, batchSize: null, localEpochs: 4, learningRate: 0.1 }
export const smallWorlds = [
  ['55 x 60, linear', { ...small, hidden: [] }],
  ['55 x 60, network of 32', { ...small, hidden: [32] }],
  ['55 x 60, network of 32, batches of 16', { ...small, hidden: [32], batchSize: 16, localEpochs: 1 }],
]

const category = {
  name: 'c',
  columns: ['c1', 'c2'],
  kind: 'categorical',
  values: [
    [0, 0],
    [1, 0],
    [0, 1],
  ],
}
const range = { name: 'v', columns: ['v'], kind: 'continuous', range: [-2, 3] }

export const otherWorlds = [
  ['FedAvg, batches of 32', { records: 300, rounds: 20, hidden: [64] }],
  ['FedAvg, batches of 16, 3 epochs', { records: 150, rounds: 20, hidden: [64], batchSize: 16, localEpochs: 3 }],
  ['FedAvg, all records, 4 steps', { records: 150, rounds: 20, hidden: [48], batchSize: null, localEpochs: 4 }],
  ['FedAvg, all records, 1 step', { records: 150, rounds: 8, hidden: [96], batchSize: null }],
  ['FedSGD, all records', { records: 150, rounds: 8, hidden: [96], batchSize: null, share: 'gradient' }],
  [
    'FedSGD, all records, few parameters',
    { records: 200, rounds: 30, hidden: [8], batchSize: null, share: 'gradient' },
  ],
  ['linear, batches of 16', { records: 120, rounds: 40, hidden: [], batchSize: 16 }],
  ['linear, all records, 5 steps', { records: 60, rounds: 60, hidden: [], batchSize: null, localEpochs: 5 }],
  ['two hidden layers', { records: 150, rounds: 20, hidden: [24, 16] }],
  ['two attributes, six combinations', { records: 120, rounds: 25, hidden: [64], sensitive: [binary, category] }],
  ['continuous, linear', { records: 60, rounds: 30, hidden: [], sensitive: [range], learningRate: 0.01 }],
  ['continuous, network', { records: 60, rounds: 15, hidden: [48], sensitive: [range], learningRate: 0.01 }],
  ['binary and continuous', { records: 60, rounds: 15, hidden: [48], sensitive: [binary, range], learningRate: 0.01 }],
]
