/** The protocol of the thesis (6.1), shared by the studies of label leakage: data, central training, attacks over views. */
import { attacks } from '../dist/doors/attacks.js'
import { datasets, encodeSource, fitSource, loadDataset } from '../dist/doors/federation.js'
import { createModel, functionsOf, initialise, trainer } from '../dist/doors/models.js'
import { matrix, rng } from '../dist/doors/numeric.js'
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
    await new Promise(setImmediate) // lets kernel memory that nobody holds be given back
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
export function viewOf({ theta, spec, functions, batch, aux, data, K }) {
  const grad = functions.gradient(theta, batch).grad.map(Math.fround)
  const exchange = { round: 0, received: theta, update: { kind: 'gradient', grad }, learningRate: null }
  return {
    ...{ model: spec, loss: 'mse', protocol, target: '0', round: 0, batchSize: K, samples: K },
    exchanges: { rounds: [0], read: async () => exchange },
    auxiliary: { columns: data.columns, features: aux.features },
    'auxiliary.label': aux.labels,
    'auxiliary.metaclass': aux.metaclasses,
    metaclasses: data.names,
    metaclassCounts: [...countsOf(batch, data.names.length)],
  }
}

/** Runs an attack of the table on a view, with `without` taken from it. */
export async function claimOf(id, view, params = {}, without = []) {
  const attack = attacks[id]
  const keys = [...attack.needs, ...attack.uses].filter((key) => key in view && !without.includes(key))
  const granted = Object.fromEntries(keys.map((key) => [key, view[key]]))
  const context = {
    params,
    rng: rng(1).fork('attack', id),
    tick() {},
    claimOf: (other, given = {}) => attacks[other].run(view, { ...context, params: given }),
  }
  const outcome = await attack.run(granted, context)
  if (outcome.status !== 'claimed') throw new Error(`${id}: ${JSON.stringify(outcome)}`)
  return { claim: outcome.claims[0], details: outcome.details, warnings: outcome.warnings }
}

const tikhonov = (rule) => ({ solver: 'tikhonov', rule })

/** The published ways to find means, and ours. */
export const meansMethods = {
  pinv: { solver: 'pinv' },
  tsvd: { solver: 'tsvd' },
  'slope -n/m': tikhonov('slope-nm'),
  'slope -1': tikhonov('slope-1'),
  corner: tikhonov('corner'),
  gcv: tikhonov('gcv'),
  discrepancy: tikhonov('discrepancy'),
  prior: { labels: 'ignore' },
  'prior, labels': { labels: 'use' },
}
export const publishedMeans = ['pinv', 'slope -n/m', 'slope -1', 'corner', 'gcv']

export const countsMethods = {
  pinv: { solver: 'pinv' },
  'slope -n/m': tikhonov('slope-nm'),
  'slope -1': tikhonov('slope-1'),
  simplex: { solver: 'pinv', constrain: 'simplex' },
  blup: {},
  'blup, whole': { whole: true },
  'blup, no shift': { shift: 'none' },
}

/** Errors of every method at one visit: naive, basic and each solver for means; shares, chance and each for counts. */
export async function errorsAt(visit, { means = meansMethods, counts = countsMethods } = {}) {
  const { batch, aux, data, functions, theta, K, root, epoch } = visit
  const N = data.names.length
  const view = viewOf(visit)
  const truth = meansOf(batch.labels, batch.metaclasses, N)
  const k = countsOf(batch, N)
  const z = functions.predict(theta, aux.features).data
  const rows = {}
  const found = async (params) => (await claimOf('metaclass-means', view, params)).claim.values
  rows['means: naive'] = maeOf(meansOf(z, aux.metaclasses, N), truth)
  // What the method of the thesis would say if it knew the mean error of every metaclass.
  const zBatch = meansOf(functions.predict(theta, batch.features).data, batch.metaclasses, N)
  const zAux = meansOf(z, aux.metaclasses, N)
  rows['means: true errors'] = maeOf(
    zAux.map((value, c) => value - (zBatch[c] - truth[c])),
    truth,
  )
  const basic = (await claimOf('label-mean', view)).claim.value
  rows['means: basic'] = maeOf(new Float64Array(N).fill(basic), truth)
  rows['means: auxiliary labels'] = maeOf(meansOf(aux.labels, aux.metaclasses, N), truth)
  for (const [name, params] of Object.entries(means)) rows[`means: ${name}`] = maeOf(await found(params), truth)
  const shares = countsOf(aux, N).map((n) => (K * n) / aux.labels.length)
  const guess = randomCounts(K, N, root.fork('guess', epoch))
  const asr = (values) => asrOf(values, k, K)
  rows['counts: auxiliary shares'] = maeOf(shares, k)
  rows['asr: auxiliary shares'] = asr(shares)
  rows['counts: random'] = maeOf(guess, k)
  rows['asr: random'] = asr(guess)
  for (const [name, params] of Object.entries(counts)) {
    const { claim, details } = await claimOf('metaclass-counts', view, params)
    rows[`counts: ${name}`] = maeOf(claim.values, k)
    rows[`asr: ${name}`] = asr(claim.values)
    if (name === 'pinv') rows['condition (counts)'] = details.condition ?? Number.POSITIVE_INFINITY
  }
  return rows
}

/** A vector that sums to K: [labels] 6.5 compares with one, drawn here uniformly among all. */
function randomCounts(K, N, stream) {
  const share = stream.dirichlet(new Float64Array(N).fill(1))
  return share.map((p) => p * K)
}

/** Runs `runs` experiments and gathers errors by epoch and method. */
export async function gather(load, { runs, epochs, first = 0, change = (visit) => visit, methods, ...options }) {
  const errors = {}
  for (let seed = first; seed < first + runs; seed++) {
    const data = await load(seed)
    await experiment(data, { ...options, seed, epochs }, async (visit) => {
      for (const [name, value] of Object.entries(await errorsAt(change(visit), methods))) {
        errors[name] ??= {}
        errors[name][visit.epoch] ??= []
        errors[name][visit.epoch].push(value)
      }
    })
  }
  return errors
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
    if (Number.isNaN(truth[i]) || Number.isNaN(found[i])) continue
    sum += Math.abs(found[i] - truth[i])
    n++
  }
  return sum / n
}

/** [labels] 6.5: the share of records whose metaclass is matched. */
export const asrOf = (found, truth, K) => truth.reduce((s, k, i) => s + Math.min(k, Math.max(0, found[i])), 0) / K
