// A federation for the studies of attribute inference: real data, FedAvg, and what an attacker of one client is given.
import { attacks } from '../dist/doors/attacks.js'
import {
  batchRows,
  datasets,
  dealRows,
  encodeSource,
  fitSource,
  holdOut,
  loadDataset,
  sensitiveOf,
  weightedMean,
} from '../dist/doors/federation.js'
import { createModel, initialise, trainer } from '../dist/doors/models.js'
import { matrix, rng } from '../dist/doors/numeric.js'
import { fileReader } from '../dist/node/index.js'

const dataDir = process.env.OVERHEAR_SHARED ? `${process.env.OVERHEAR_SHARED}/data` : '../shared/data'

/** Loads a dataset from the shared folder. */
export async function sourceOf(name, params = {}) {
  return loadDataset(name, { rng: rng(1), files: fileReader(datasets[name], { dataDir }) }, params)
}

/**
 * One run. `partition`: { id, params }; `hidden`: width of the hidden layer, 0 for a linear model; `batchSize` null for
 * the full batch. Returns the clients, each with the attacker's view and the truth beside it.
 */
export function federate(options) {
  const { source, partition, attribute, hidden = 128, rounds = 100, seed = 1, only } = options
  const {
    learningRate,
    batchSize = 32,
    localEpochs = 1,
    precision = 'f32',
    privacy,
    dropout = 0,
    heldOut = 0.1,
  } = options
  const all = Int32Array.from({ length: source.table.rows }, (_, i) => i)
  const { train } = holdOut(all, { share: heldOut, rng: rng(seed).fork('split') })
  const deal = dealRows(partition.id, { source, rows: train, rng: rng(seed).fork('partition') }, partition.params)
  const used = Int32Array.from(deal.clients.flatMap((rows) => [...rows]))
  const fitted = fitSource(source, used)
  const encoded = deal.clients.map((rows) => encodeSource(source, { rows, fit: fitted }))
  const columns = encoded[0].columns.map(({ name }) => name)
  const spec =
    hidden === 0
      ? { kind: 'linear', inputs: columns.length, outputs: 1 }
      : { kind: 'mlp', inputs: columns.length, outputs: 1, hidden: [hidden], ...(dropout > 0 && { dropout }) }
  const model = createModel(spec)
  const trainers = encoded.map(({ records }) =>
    trainer(model, { data: records, precision, ...(privacy && { privacy }) }),
  )
  const samples = encoded.map(({ records }) => records.labels.length)
  const turn = (client, theta, at) =>
    localSgd(trainers[client], theta, {
      learningRate,
      batchSize,
      localEpochs,
      rng: rng(seed).fork('round', at, 'client', client),
    })
  const messages = encoded.map(() => [])
  let theta = initialise(model, rng(seed).fork('init'))
  if (precision === 'f32') theta = theta.map(Math.fround)
  for (let round = 0; round < rounds; round++) {
    const received = theta
    const returned = trainers.map((_, client) => turn(client, received, round))
    for (const [client, update] of returned.entries()) messages[client].push({ round, received, returned: update })
    theta = weightedMean(returned, samples)
    if (precision === 'f32') theta = theta.map(Math.fround)
  }
  const sensitive = withRange(sensitiveOf(fitted.encoder, attribute))
  const clients = encoded.map(({ records }, id) => {
    const view = viewOf({
      id,
      records,
      columns,
      sensitive,
      spec,
      messages: messages[id],
      options: { ...options, learningRate, batchSize, localEpochs },
    })
    return {
      id,
      view,
      records,
      truth: truthOf(records, columns, sensitive),
      turn: (sent, at) => turn(id, sent, rounds + at),
    }
  })
  return {
    clients: only === undefined ? clients : only.map((id) => clients[id]),
    model,
    spec,
    global: theta,
    columns,
    sensitive,
    fitted,
  }
}

/** A client's turn: epochs of reshuffled batches, each a step. */
function localSgd(client, theta, { learningRate, batchSize, localEpochs, rng: own }) {
  const plan = { batchSize, localEpochs, localSteps: null, shuffle: 'epoch' }
  client.load(theta)
  for (const [s, rows] of batchRows(client.records, { plan, rng: own }).entries())
    client.step(rows, learningRate, () => own.fork('step', s))
  return client.theta()
}

const withRange = ({ values, ...rest }) =>
  rest.kind === 'continuous' ? { ...rest, range: values.flat() } : { ...rest, values }

/** Where each record's attribute stands among the values. */
function truthOf({ features }, columns, { columns: own, values }) {
  const places = own.map((name) => columns.indexOf(name))
  return Int32Array.from({ length: features.rows }, (_, i) =>
    values.findIndex((row) => row.every((v, c) => Math.abs(v - features.data[i * features.cols + places[c]]) < 1e-9)),
  )
}

function viewOf({ id, records, columns, sensitive, spec, messages, options }) {
  const { features, labels } = records
  const blank = matrix(features.rows, features.cols, features.data.slice())
  for (const name of sensitive.columns)
    for (let i = 0; i < blank.rows; i++) blank.data[i * blank.cols + columns.indexOf(name)] = Number.NaN
  const { learningRate, batchSize, localEpochs, privacy, dropout = 0 } = options
  const read = async (round) => {
    const { received, returned } = messages[round]
    return { round, received, update: { kind: 'parameters', theta: returned }, learningRate }
  }
  return {
    target: String(id),
    samples: labels.length,
    records: { columns, features: blank },
    'records.label': labels,
    sensitive: [sensitive],
    model: { activation: 'relu', bias: true, ...spec },
    loss: 'mse',
    learningRate,
    parameters: createModel(spec).parameters,
    protocol: {
      ...{ algorithm: 'fedavg', share: 'parameters', localEpochs, localSteps: null, batchSize, learningRate },
      ...{ momentum: 0, proxMu: 0, dropout, lossScale: 1, aggregateWeights: 'samples', aggregation: 'weighted-mean' },
      secureAggregation: false,
      differentialPrivacy: privacy ? { mechanism: 'dp-sgd', ...privacy, sampleRate: null, delta: null } : null,
    },
    exchanges: { rounds: messages.map(({ round }) => round), read },
  }
}

/** The first `count` turns, or those picked, of a client's view. */
export function turnsOnly(view, rounds) {
  return { ...view, exchanges: { ...view.exchanges, rounds } }
}

/** Runs an attack of the table on a view, `from=` included. */
export async function run(id, view, params = {}, seed = 1) {
  const attack = attacks[id]
  return attack.run(view, {
    params,
    rng: rng(seed).fork('attack', id),
    tick() {},
    claimOf: (other, more = {}) => run(other, view, more, seed),
  })
}

export function accuracy(outcome, truth) {
  if (outcome.status !== 'claimed') throw new Error(JSON.stringify(outcome))
  const { values } = outcome.claims[0]
  return truth.reduce((right, v, i) => right + Number(values[i] === v), 0) / truth.length
}

export const mean = (xs) => xs.reduce((sum, x) => sum + x, 0) / xs.length
export const deviation = (xs) =>
  Math.sqrt(xs.reduce((sum, x) => sum + (x - mean(xs)) ** 2, 0) / Math.max(1, xs.length - 1))
export const percent = (xs) => `${(100 * mean(xs)).toFixed(2)} +- ${(100 * deviation(xs)).toFixed(2)}`
