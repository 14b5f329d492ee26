// A federation for the studies of attribute inference: real data, FedAvg, and what an attacker of one client is given.
import { oracles } from '../dist/audit/oracles/index.js'
import {
  batchRows,
  dealRows,
  encodeSource,
  fitSource,
  holdOut,
  sensitiveOf,
  weightedMean,
} from '../dist/doors/federation.js'
import { createModel, initialise, trainer } from '../dist/doors/models.js'
import { matrix, rng } from '../dist/doors/numeric.js'
import { lookup } from '../dist/errors.js'
import { at } from './figures.mjs'
import { claimIn, protocolOf } from './run-attack.mjs'

/** @typedef {import('../dist/doors/attacks.js').Outcome} Outcome */
/** @typedef {import('../dist/doors/federation.js').Records} Records */
/** @typedef {import('../dist/threat/granted-keys.js').Knowledge} Knowledge */
/** @typedef {Exclude<Knowledge['sensitive'][number], { kind: 'continuous' }>} Sensitive */
/** @typedef {{ round: number, received: Float64Array, returned: Float64Array }} Message */
/** @typedef {{ learningRate: number, batchSize: number | null, localEpochs: number }} Local */

/**
 * @typedef {object} RunOptions
 * @property {import('../dist/doors/federation.js').Source} source
 * @property {{ id: string, params: Readonly<Record<string, unknown>> }} partition
 * @property {string} attribute
 * @property {number} learningRate
 * @property {number} [hidden] width of the hidden layer, 0 for a linear model
 * @property {number} [rounds]
 * @property {number} [seed]
 * @property {readonly number[]} [only] the clients to return; all unless told
 * @property {number | null} [batchSize] null for the full batch
 * @property {number} [localEpochs]
 * @property {import('../dist/doors/numeric.js').Precision} [precision]
 * @property {{ maxNorm: number, noiseMultiplier: number }} [privacy]
 * @property {number} [dropout] what the attacker is told of; the network itself has none
 * @property {number} [heldOut]
 */

/** @typedef {Pick<Knowledge, 'target' | 'samples' | 'records' | 'records.label' | 'sensitive' | 'model' | 'loss' | 'parameters' | 'protocol' | 'exchanges'> & Partial<Pick<Knowledge, 'learningRate'>>} ClientView */

/**
 * @typedef {object} Client
 * @property {number} id
 * @property {ClientView} view
 * @property {import('../dist/doors/models.js').Model} model
 * @property {Records} records
 * @property {Int32Array} truth where each record's attribute stands among the values
 * @property {(sent: Float64Array, at: number) => Float64Array} turn one more turn after training, the at-th
 */

/**
 * One run: the clients, each with the attacker's view and the truth beside it.
 * @param {RunOptions} options
 */
export function federate(options) {
  const { source, partition, attribute, hidden = 128, rounds = 100, seed = 1, only } = options
  const { learningRate, batchSize = 32, localEpochs = 1, precision = 'f32', privacy, heldOut = 0.1 } = options
  const local = { learningRate, batchSize, localEpochs }
  const all = Int32Array.from({ length: source.table.rows }, (_, i) => i)
  const { train } = holdOut(all, { share: heldOut, rng: rng(seed).fork('split') })
  const deal = dealRows(partition.id, { source, rows: train, rng: rng(seed).fork('partition') }, partition.params)
  const used = Int32Array.from(deal.clients.flatMap((rows) => [...rows]))
  const fitted = fitSource(source, used)
  const encoded = deal.clients.map((rows) => encodeSource(source, { rows, fit: fitted }))
  const columns = at(encoded, 0).columns.map(({ name }) => name)
  const spec = specOf(columns.length, hidden)
  const model = createModel(spec)
  const trainers = encoded.map(({ records }) =>
    trainer(model, { data: records, precision, ...(privacy && { privacy }) }),
  )
  const samples = encoded.map(({ records }) => records.labels.length)
  /** @param {number} client @param {Float64Array} sent @param {number} round */
  const turn = (client, sent, round) =>
    localSgd(at(trainers, client), sent, { ...local, rng: rng(seed).fork('round', round, 'client', client) })
  const messages = encoded.map(() => /** @type {Message[]} */ ([]))
  let theta = initialise(model, rng(seed).fork('init'))
  if (precision === 'f32') theta = theta.map(Math.fround)
  for (let round = 0; round < rounds; round++) {
    const received = theta
    const returned = trainers.map((_, client) => turn(client, received, round))
    for (const [client, update] of returned.entries()) at(messages, client).push({ round, received, returned: update })
    theta = weightedMean(returned, samples)
    if (precision === 'f32') theta = theta.map(Math.fround)
  }
  const sensitive = withValues(sensitiveOf(fitted.encoder, attribute))
  /** @type {Client[]} */
  const clients = encoded.map(({ records }, id) => ({
    id,
    view: viewOf({
      id,
      records,
      columns,
      sensitive,
      spec,
      messages: at(messages, id),
      options: { ...options, ...local },
    }),
    model,
    records,
    truth: truthOf(records, columns, sensitive),
    turn: (sent, k) => turn(id, sent, rounds + k),
  }))
  return only === undefined ? clients : only.map((id) => at(clients, id))
}

/** @param {number} inputs @param {number} hidden @returns {import('./run-attack.mjs').Spec} */
function specOf(inputs, hidden) {
  const common = { inputs, outputs: 1, bias: true }
  if (hidden === 0) return { kind: 'linear', ...common }
  return { kind: 'mlp', ...common, hidden: [hidden], activation: 'relu', outputActivation: 'identity' }
}

/**
 * A client's turn: epochs of reshuffled batches, each a step.
 * @param {import('../dist/doors/models.js').Trainer} client
 * @param {Float64Array} theta
 * @param {Local & { rng: import('../dist/doors/numeric.js').Rng }} options
 */
function localSgd(client, theta, { rng: own, ...local }) {
  const plan = /** @type {const} */ ({ ...local, localSteps: null, shuffle: 'epoch', momentum: 0, proxMu: 0 })
  client.load(theta)
  for (const [s, rows] of batchRows(client.records, { plan, rng: own }).entries())
    client.step(rows, local.learningRate, () => own.fork('step', s))
  return client.theta()
}

/** @param {import('../dist/doors/federation.js').Sensitive} attribute @returns {Sensitive} */
function withValues({ kind, ...rest }) {
  if (kind === 'continuous') throw new Error(`${rest.name} is a number; these studies guess among values`)
  return { kind, ...rest }
}

/** Where each record's attribute stands among the values. @param {Records} records @param {readonly string[]} columns @param {Sensitive} sensitive */
function truthOf({ features }, columns, { columns: own, values }) {
  const places = own.map((name) => columns.indexOf(name))
  return Int32Array.from({ length: features.rows }, (_, i) =>
    values.findIndex((row) =>
      row.every((v, c) => Math.abs(v - at(features.data, i * features.cols + at(places, c))) < 1e-9),
    ),
  )
}

/**
 * @param {object} made
 * @param {number} made.id
 * @param {Records} made.records
 * @param {readonly string[]} made.columns
 * @param {Sensitive} made.sensitive
 * @param {import('./run-attack.mjs').Spec} made.spec
 * @param {readonly Message[]} made.messages
 * @param {RunOptions & Local} made.options
 * @returns {ClientView}
 */
function viewOf({ id, records, columns, sensitive, spec, messages, options }) {
  const { features, labels } = records
  const blank = matrix(features.rows, features.cols, features.data.slice())
  for (const name of sensitive.columns)
    for (let i = 0; i < blank.rows; i++) blank.data[i * blank.cols + columns.indexOf(name)] = Number.NaN
  const { learningRate, batchSize, localEpochs, privacy, dropout = 0 } = options
  return {
    target: String(id),
    samples: labels.length,
    records: { columns, features: blank },
    'records.label': labels,
    sensitive: [sensitive],
    model: spec,
    loss: 'mse',
    learningRate,
    parameters: createModel(spec).parameters,
    protocol: protocolOf({
      algorithm: 'fedavg',
      share: 'parameters',
      localEpochs,
      batchSize,
      learningRate,
      dropout,
      aggregateWeights: 'samples',
      differentialPrivacy: privacy ? { mechanism: 'dp-sgd', ...privacy, sampleRate: null, delta: null } : null,
    }),
    exchanges: {
      rounds: messages.map(({ round }) => round),
      async read(round) {
        const { received, returned } = at(messages, round)
        return { round, received, update: { kind: 'parameters', theta: returned }, learningRate }
      },
    },
  }
}

/** The turns picked, of a client's view. @param {ClientView} view @param {readonly number[]} rounds @returns {ClientView} */
export function turnsOnly(view, rounds) {
  return { ...view, exchanges: { ...view.exchanges, rounds } }
}

/**
 * An oracle, told the client's records.
 * @param {string} id
 * @param {Client} client
 * @param {{ params?: Readonly<Record<string, unknown>>, view?: import('./run-attack.mjs').AnyView, seed?: number }} [options]
 */
export function runOracle(id, { view, records }, { params = {}, view: seen = view, seed = 1 } = {}) {
  return lookup(oracles, id, 'oracle').run(seen, {
    params,
    rng: rng(seed).fork('attack', id),
    tick() {},
    claimOf: async () => ({ status: 'not-applicable', missing: [] }),
    truth: {
      warnings: [],
      client: async () => ({ columns: view.records.columns, ...records }),
      batch: () => undefined,
      optimum: async () => undefined,
      property: () => undefined,
    },
  })
}

/** The share of the records whose attribute is claimed rightly. @param {Outcome} outcome @param {Int32Array} truth */
export function accuracy(outcome, truth) {
  const { values } = claimIn(outcome, 'attribute')
  return shareRight(values, truth)
}

/** @param {ArrayLike<number>} values @param {Int32Array} truth */
export const shareRight = (values, truth) =>
  truth.reduce((right, v, i) => right + Number(values[i] === v), 0) / truth.length
