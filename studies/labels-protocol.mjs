/** The protocol of the thesis (6.1), shared by the studies of label leakage: data, central training, attacks over views. */
import {
  attacks,
  createModel,
  datasets,
  encodeSource,
  fitSource,
  functionsOf,
  initialise,
  loadDataset,
  matrix,
  rng,
  trainer,
} from '../dist/index.js'
import { fileReader } from '../dist/node/index.js'

/** Records with metaclasses: a dataset of ours, encoded over all its rows, as the thesis does. */
export async function loadRecords(name, { params = {}, metaclass, seed = 1, dataDir } = {}) {
  const files = datasets[name].files === undefined ? undefined : fileReader(datasets[name], { dataDir })
  const source = await loadDataset(name, { rng: rng(seed).fork('data'), ...(files && { files }) }, params)
  const { records, columns } = encodeSource(source, { fit: fitSource(source) })
  const groups = metaclassesOf(source, metaclass ?? source.metaclass)
  return { name, features: records.features, labels: records.labels, columns: columns.map((c) => c.name), ...groups }
}

function metaclassesOf({ table }, by) {
  const of = typeof by === 'function' ? by : wordsOf(table, by)
  const words = Array.from({ length: table.rows }, (_, i) => of(i, table))
  const names = [...new Set(words)].sort()
  return { metaclasses: Float64Array.from(words, (w) => names.indexOf(w)), names }
}

/** The cells of a column as text. */
export function wordsOf(table, name) {
  const column = table.columns.find((c) => c.name === name)
  return (i) => String(column.kind === 'word' ? column.words[column.codes[i]] : column.values[i])
}

export function take({ features, labels, metaclasses }, rows) {
  const d = features.cols
  const X = matrix(rows.length, d)
  rows.forEach((row, i) => {
    X.data.set(features.data.subarray(row * d, (row + 1) * d), i * d)
  })
  return {
    features: X,
    labels: Float64Array.from(rows, (i) => labels[i]),
    metaclasses: Float64Array.from(rows, (i) => metaclasses[i]),
  }
}

const defaults = { K: 40, hidden: [48, 24], learningRate: 1e-4, trainBatch: 32, records: 6000, auxiliary: 500 }

/**
 * One experiment: a split, a batch drawn once, a model trained centrally with Adam; `visit` is called with what the
 * server and the grader have before each of the given epochs.
 */
export async function experiment(data, options, visit) {
  const { K, hidden, learningRate, trainBatch, records, auxiliary, seed, epochs } = { ...defaults, ...options }
  const root = rng(seed).fork('labels')
  const order = root.fork('split').permutation(data.labels.length)
  const n = Math.min(records, order.length)
  const held = Math.min(auxiliary, Math.floor(n / 3))
  const aux = take(data, [...order.subarray(n - held, n)])
  const train = take(data, [...order.subarray(0, n - held)])
  const batch = take(train, [...root.fork('batch').sample(train.labels.length, K)])
  const spec = { kind: 'mlp', inputs: data.features.cols, hidden, outputs: 1 }
  const model = createModel(spec)
  const functions = functionsOf(model)
  const central = trainer(model, { data: train, adam: {}, precision: 'f32' })
  central.load(initialise(model, root.fork('theta')))
  for (let epoch = 0, last = Math.max(...epochs); ; epoch++) {
    const theta = central.theta()
    if (epochs.includes(epoch)) await visit({ epoch, theta, spec, functions, batch, aux, data, K, root })
    if (epoch === last) return
    const shuffled = root.fork('epoch', epoch).permutation(train.labels.length)
    for (let at = 0; at < shuffled.length; at += trainBatch) {
      central.step(shuffled.subarray(at, at + trainBatch), learningRate)
    }
  }
}

const protocol = {
  ...{ algorithm: 'fedsgd', share: 'gradient', localEpochs: null, localSteps: 1, batchSize: null, learningRate: null },
  ...{ momentum: 0, proxMu: 0, dropout: 0, lossScale: 1, aggregateWeights: 'one', aggregation: 'weighted-mean' },
  ...{ secureAggregation: false, differentialPrivacy: null },
}

/** What the server is granted of one visit: the gradient of the batch in single precision, auxiliary data, counts. */
export function viewOf({ theta, spec, functions, batch, aux, data, K }, { labelled = true, counts = true } = {}) {
  const grad = functions.gradient(theta, batch).grad.map(Math.fround)
  const exchange = { round: 0, received: theta, update: { kind: 'gradient', grad }, learningRate: null }
  return {
    ...{ model: spec, loss: 'mse', protocol, target: '0', round: 0, batchSize: K, samples: K },
    exchanges: { rounds: [0], read: async () => exchange },
    auxiliary: { columns: data.columns, features: aux.features },
    ...(labelled && { 'auxiliary.label': aux.labels }),
    'auxiliary.metaclass': aux.metaclasses,
    metaclasses: data.names,
    ...(counts && { metaclassCounts: [...countsOf(batch, data.names.length)] }),
  }
}

export async function claimOf(id, view, params = {}) {
  const attack = attacks[id]
  const granted = Object.fromEntries([...attack.needs, ...attack.uses].flatMap((key) => (key in view ? [[key, view[key]]] : [])))
  const context = { params, rng: rng(1).fork('attack', id), tick() {}, claimOf: (other) => attacks[other].run(view, context) }
  const outcome = await attack.run(granted, context)
  if (outcome.status !== 'claimed') throw new Error(`${id}: ${JSON.stringify(outcome)}`)
  return { claim: outcome.claims[0], details: outcome.details, warnings: outcome.warnings }
}

export function countsOf({ metaclasses }, N) {
  const k = new Float64Array(N)
  for (const c of metaclasses) k[c]++
  return k
}

/** Mean of the values in each metaclass; NaN where it has none. */
export function meansOf(values, metaclasses, N) {
  const sums = new Float64Array(N)
  const k = countsOf({ metaclasses }, N)
  metaclasses.forEach((c, i) => {
    sums[c] += values[i]
  })
  return sums.map((s, c) => s / k[c])
}

/** Mean absolute error over the places where both are numbers. */
export function maeOf(found, truth) {
  let [sum, n] = [0, 0]
  for (let i = 0; i < truth.length; i++) {
    if (Number.isNaN(truth[i])) continue
    sum += Math.abs(found[i] - truth[i])
    n++
  }
  return sum / n
}

export const asrOf = (found, truth, K) => truth.reduce((s, k, i) => s + Math.min(k, Math.max(0, found[i])), 0) / K

export const meanOf = (values) => values.reduce((s, v) => s + v, 0) / values.length
export function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const m = sorted.length
  return m % 2 === 1 ? sorted[(m - 1) / 2] : (sorted[m / 2 - 1] + sorted[m / 2]) / 2
}
