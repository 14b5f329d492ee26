/** The protocol of the thesis (6.1), shared by the studies of label leakage: data, central training, attacks over views. */
import { encodeSource, fitSource } from '../dist/doors/federation.js'
import { createModel, functionsOf, initialise, trainer } from '../dist/doors/models.js'
import { matrix, rng } from '../dist/doors/numeric.js'
import { at } from './figures.mjs'
import { put } from './labels-tables.mjs'
import { claimed, claimIn, protocolOf, runAttack } from './run-attack.mjs'
import { sourceOf } from './shared-data.mjs'

/** @typedef {import('../dist/doors/federation.js').Table} Table */
/** @typedef {import('../dist/doors/numeric.js').Rng} Rng */
/** @typedef {import('../dist/threat/granted-keys.js').Exchange} Exchange */
/** @typedef {import('../dist/doors/federation.js').Records & { metaclasses: Float64Array }} Rows */
/** @typedef {Rows & { name: string, columns: readonly string[], names: readonly string[] }} Data records with metaclasses, and the names of these */
/** @typedef {string | ((row: number, table: Table) => string)} Metaclass a column, or what is said of a row */

/**
 * What the server and the grader have before an epoch.
 * @typedef {object} Visit
 * @property {number} epoch
 * @property {Float64Array} theta
 * @property {import('./run-attack.mjs').Spec} spec
 * @property {import('../dist/doors/models.js').ModelFunctions} functions
 * @property {Rows} batch
 * @property {Rows} aux
 * @property {Data} data
 * @property {number} K
 * @property {Rng} root
 */

/**
 * @typedef {object} Experiment
 * @property {number} [K] records of the batch
 * @property {readonly number[]} [hidden]
 * @property {number} [learningRate]
 * @property {number} [trainBatch]
 * @property {number} [records] used in all
 * @property {number} [auxiliary] of these
 */

/**
 * Records with metaclasses: a dataset of ours, encoded over all its rows, as the thesis does.
 * @param {string} name
 * @param {{ params?: Readonly<Record<string, unknown>>, metaclass?: Metaclass, seed?: number }} [options]
 * @returns {Promise<Data>}
 */
export async function loadRecords(name, { params = {}, metaclass, seed = 1 } = {}) {
  const source = await sourceOf(name, params, rng(seed).fork('data'))
  const by = metaclass ?? source.metaclass
  if (by === undefined) throw new Error(`${name} has no metaclasses of its own`)
  const { records, columns } = encodeSource(source, { fit: fitSource(source) })
  return { name, ...records, columns: columns.map((c) => c.name), ...metaclassesOf(source.table, by) }
}

/** @param {Table} table @param {Metaclass} by */
function metaclassesOf(table, by) {
  const of = typeof by === 'function' ? by : wordsOf(table, by)
  const words = Array.from({ length: table.rows }, (_, i) => of(i, table))
  const names = [...new Set(words)].sort()
  return { metaclasses: Float64Array.from(words, (w) => names.indexOf(w)), names }
}

/** The cells of a column as text. @param {Table} table @param {string} name @returns {(row: number) => string} */
export function wordsOf(table, name) {
  const column = table.columns.find((c) => c.name === name)
  if (column === undefined) throw new Error(`no column ${name}`)
  return (i) => String(column.kind === 'word' ? column.words[at(column.codes, i)] : column.values[i])
}

/** Some of the rows. @param {Rows} from @param {readonly number[]} rows @returns {Rows} */
function take({ features, labels, metaclasses }, rows) {
  const d = features.cols
  const X = matrix(rows.length, d)
  rows.forEach((row, i) => {
    X.data.set(features.data.subarray(row * d, (row + 1) * d), i * d)
  })
  return {
    features: X,
    labels: Float64Array.from(rows, (i) => at(labels, i)),
    metaclasses: Float64Array.from(rows, (i) => at(metaclasses, i)),
  }
}

const defaults = { K: 40, hidden: [48, 24], learningRate: 1e-4, trainBatch: 32, records: 6000, auxiliary: 500 }

/**
 * One experiment: a split, a batch drawn once, a model trained centrally with Adam; `visit` is called with what the
 * server and the grader have before each of the given epochs.
 * @param {Data} data
 * @param {Experiment & { seed: number, epochs: readonly number[] }} options
 * @param {(visit: Visit) => Promise<void>} visit
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
  /** @type {import('./run-attack.mjs').Spec} */
  const spec = {
    kind: 'mlp',
    inputs: data.features.cols,
    hidden: [...hidden],
    outputs: 1,
    bias: true,
    activation: 'relu',
    outputActivation: 'identity',
  }
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

/** What the server is granted of one visit: the gradient of the batch in single precision, auxiliary data, counts. @param {Visit} visit */
export function viewOf({ theta, spec, functions, batch, aux, data, K }) {
  const grad = functions.gradient(theta, batch).grad.map(Math.fround)
  /** @type {Exchange} */
  const exchange = { round: 0, received: theta, update: { kind: 'gradient', grad }, learningRate: null }
  return {
    model: spec,
    loss: /** @type {const} */ ('mse'),
    protocol: protocolOf({ localSteps: 1 }),
    target: '0',
    round: 0,
    batchSize: K,
    samples: K,
    exchanges: { rounds: [0], read: async (/** @type {number} */ _round) => exchange },
    auxiliary: { columns: data.columns, features: aux.features },
    'auxiliary.label': aux.labels,
    'auxiliary.metaclass': aux.metaclasses,
    metaclasses: data.names,
    metaclassCounts: [...countsOf(batch.metaclasses, data.names.length)],
  }
}

/** @typedef {Readonly<Record<string, Readonly<Record<string, unknown>>>>} Methods parameters by name */

/** @param {string} rule */
const tikhonov = (rule) => ({ solver: 'tikhonov', rule })

/** The published ways to find means, and ours. @type {Methods} */
const meansMethods = {
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

/** @type {Methods} */
const countsMethods = {
  pinv: { solver: 'pinv' },
  'slope -n/m': tikhonov('slope-nm'),
  'slope -1': tikhonov('slope-1'),
  simplex: { solver: 'pinv', constrain: 'simplex' },
  blup: {},
  'blup, whole': { whole: true },
  'blup, no shift': { shift: 'none' },
}

/** Errors of every method at one visit: naive, basic and each solver for means; shares, chance and each for counts. @param {Visit} visit */
async function errorsAt(visit) {
  const { batch, aux, data, functions, theta, K, root, epoch } = visit
  const N = data.names.length
  const view = viewOf(visit)
  const truth = meansOf(batch.labels, batch.metaclasses, N)
  const k = countsOf(batch.metaclasses, N)
  const z = functions.predict(theta, aux.features).data
  /** @type {Record<string, number>} */
  const rows = {}
  rows['means: naive'] = maeOf(meansOf(z, aux.metaclasses, N), truth)
  // What the method of the thesis would say if it knew the mean error of every metaclass.
  const zBatch = meansOf(functions.predict(theta, batch.features).data, batch.metaclasses, N)
  const zAux = meansOf(z, aux.metaclasses, N)
  rows['means: true errors'] = maeOf(
    zAux.map((value, c) => value - (at(zBatch, c) - at(truth, c))),
    truth,
  )
  const basic = claimIn(await runAttack('label-mean', view), 'label-mean').value
  rows['means: basic'] = maeOf(new Float64Array(N).fill(basic), truth)
  rows['means: auxiliary labels'] = maeOf(meansOf(aux.labels, aux.metaclasses, N), truth)
  for (const [name, params] of Object.entries(meansMethods)) {
    const outcome = await runAttack('metaclass-means', view, { params })
    rows[`means: ${name}`] = maeOf(claimIn(outcome, 'metaclass-means').values, truth)
  }
  const shares = countsOf(aux.metaclasses, N).map((n) => (K * n) / aux.labels.length)
  const guess = randomCounts(K, N, root.fork('guess', epoch))
  /** @param {ArrayLike<number>} values */
  const asr = (values) => asrOf(values, k, K)
  rows['counts: auxiliary shares'] = maeOf(shares, k)
  rows['asr: auxiliary shares'] = asr(shares)
  rows['counts: random'] = maeOf(guess, k)
  rows['asr: random'] = asr(guess)
  for (const [name, params] of Object.entries(countsMethods)) {
    const outcome = await runAttack('metaclass-counts', view, { params })
    const { values } = claimIn(outcome, 'metaclass-counts')
    rows[`counts: ${name}`] = maeOf(values, k)
    rows[`asr: ${name}`] = asr(values)
    if (name === 'pinv')
      rows['condition (counts)'] = Number(claimed(outcome).details.condition ?? Number.POSITIVE_INFINITY)
  }
  return rows
}

/** A vector that sums to K: [labels] 6.5 compares with one, drawn here uniformly among all. @param {number} K @param {number} N @param {Rng} stream */
function randomCounts(K, N, stream) {
  const share = stream.dirichlet(new Float64Array(N).fill(1))
  return share.map((p) => p * K)
}

/**
 * Runs `runs` experiments and gathers errors by method and epoch.
 * @param {(seed: number) => Promise<Data>} load
 * @param {Experiment & { runs: number, epochs: readonly number[], change?: (visit: Visit) => Visit }} options
 */
export async function gather(load, { runs, epochs, change = (visit) => visit, ...options }) {
  /** @type {import('./labels-tables.mjs').Errors} */
  const errors = {}
  for (let seed = 0; seed < runs; seed++) {
    await experiment(await load(seed), { ...options, seed, epochs }, async (visit) => {
      for (const [name, value] of Object.entries(await errorsAt(change(visit)))) put(errors, name, visit.epoch, value)
    })
  }
  return errors
}

/** @param {Float64Array} metaclasses @param {number} N */
export function countsOf(metaclasses, N) {
  const k = new Float64Array(N)
  for (const c of metaclasses) k[c] = at(k, c) + 1
  return k
}

/** Mean of the values in each metaclass; NaN where it has none. @param {Float64Array} values @param {Float64Array} metaclasses @param {number} N */
export function meansOf(values, metaclasses, N) {
  const sums = new Float64Array(N)
  const k = countsOf(metaclasses, N)
  metaclasses.forEach((c, i) => {
    sums[c] = at(sums, c) + at(values, i)
  })
  return sums.map((s, c) => s / at(k, c))
}

/** Mean absolute error over the places where both are numbers. @param {ArrayLike<number>} found @param {ArrayLike<number>} truth */
export function maeOf(found, truth) {
  let [sum, n] = [0, 0]
  for (let i = 0; i < truth.length; i++) {
    const miss = Math.abs(at(found, i) - at(truth, i))
    if (Number.isNaN(miss)) continue
    sum += miss
    n++
  }
  return sum / n
}

/** [labels] 6.5: the share of records whose metaclass is matched. @param {ArrayLike<number>} found @param {Float64Array} truth @param {number} K */
const asrOf = (found, truth, K) => truth.reduce((s, k, i) => s + Math.min(k, Math.max(0, at(found, i))), 0) / K
