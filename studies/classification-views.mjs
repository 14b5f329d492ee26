// Images, batches of chosen labels, and what an attacker of one update of a classifier is given; for the studies of labels.
import { encodeSource, fitSource } from '../dist/doors/federation.js'
import { createModel, functionsOf, trainer } from '../dist/doors/models.js'
import { matrix, rng } from '../dist/doors/numeric.js'
import { at } from './figures.mjs'
import { protocolOf } from './run-attack.mjs'
import { sourceOf } from './shared-data.mjs'

/** @typedef {import('../dist/doors/federation.js').Records} Records */
/** @typedef {import('../dist/doors/models.js').Loss} Loss */
/** @typedef {import('../dist/doors/numeric.js').Rng} Rng */
/** @typedef {import('../dist/threat/granted-keys.js').Exchange} Exchange */
/** @typedef {import('./run-attack.mjs').Spec} Spec */
/** @typedef {{ name: string, records: Records, byClass: readonly (readonly number[])[], auxiliary: Records }} Images */

/**
 * Some images of a dataset: client's and auxiliary ones, no image in both, with the rows of each class.
 * @param {string} name
 * @param {{ scale?: string, client?: number, auxiliary?: number }} [options]
 * @returns {Promise<Images>}
 */
export async function imagesOf(name, { scale = 'unit', client = 4000, auxiliary = 200 } = {}) {
  const source = await sourceOf(name, { scale })
  const rows = rng(1)
    .fork('rows', name)
    .sample(source.table.rows, client + auxiliary)
  const fit = fitSource(source, rows.subarray(0, client))
  /** @param {number} from @param {number} to */
  const part = (from, to) => encodeSource(source, { rows: rows.subarray(from, to), fit }).records
  const records = part(0, client)
  const byClass = Array.from({ length: 10 }, () => /** @type {number[]} */ ([]))
  for (const [row, label] of records.labels.entries()) at(byClass, label).push(row)
  return { name, records, byClass, auxiliary: part(client, client + auxiliary) }
}

/** Records of a dataset for regression, encoded over all its rows. @param {string} name */
export async function regressionRecords(name) {
  const source = await sourceOf(name)
  return encodeSource(source, { fit: fitSource(source) }).records
}

/**
 * Labels of a batch. balanced: the classes in turn from a random one on; unbalanced: half of one class, a quarter of
 * another, the rest at random.
 * @param {'balanced' | 'unbalanced'} kind
 * @param {number} K
 * @param {Rng} random
 */
export function labelsOf(kind, K, random) {
  const classes = 10
  const order = random.permutation(classes)
  if (kind === 'balanced') return Array.from({ length: K }, (_, k) => at(order, k % classes))
  return Array.from({ length: K }, (_, k) => {
    if (k < K / 2) return at(order, 0)
    return k < (3 * K) / 4 ? at(order, 1) : random.integer(classes)
  })
}

/** A batch of these labels, no image twice. @param {Images} images @param {readonly number[]} labels @param {Rng} random @returns {Records} */
export function batchOf({ records, byClass }, labels, random) {
  const { cols, data } = records.features
  const dealt = byClass.map((rows, c) => {
    const order = random.fork('class', c).permutation(rows.length)
    return Array.from(order, (i) => at(rows, i))
  })
  const X = matrix(labels.length, cols)
  for (const [k, label] of labels.entries()) {
    const row = at(dealt, label).pop()
    if (row === undefined) throw new Error(`no more images of class ${label}`)
    X.data.set(data.subarray(row * cols, (row + 1) * cols), k * cols)
  }
  return { features: X, labels: Float64Array.from(labels) }
}

/**
 * A model trained on the client's images.
 * @param {Images} images
 * @param {{ spec: Spec, theta: Float64Array, steps: number, seed: string }} options
 */
export function trainedOn({ records }, { spec, theta, steps, seed }) {
  const [learningRate, batchSize] = [0.05, 32]
  const model = createModel(spec)
  const own = trainer(model, { data: records, precision: 'f32', loss: 'cross-entropy' })
  own.load(theta)
  for (let s = 0; s < steps; s++) {
    own.step(rng(seed).fork('training', s).sample(records.labels.length, batchSize), learningRate)
  }
  return own.theta()
}

/** How often a classifier is right. @param {Records} records @param {{ spec: Spec, theta: Float64Array }} options */
export function accuracyOf({ features, labels }, { spec, theta }) {
  const { predict } = functionsFor(spec)
  const { cols, data } = predict(theta, features)
  let right = 0
  for (const [i, label] of labels.entries()) {
    const row = data.subarray(i * cols, (i + 1) * cols)
    if (row.indexOf(row.reduce((a, b) => Math.max(a, b))) === label) right++
  }
  return right / labels.length
}

/** @type {Map<string, import('../dist/doors/models.js').ModelFunctions>} */
const compiled = new Map()

/** A model's functions, kept: what was compiled for one batch serves the next. @param {Spec} spec @param {Loss} [loss] */
export function functionsFor(spec, loss = 'cross-entropy') {
  const key = JSON.stringify([spec, loss])
  const functions = compiled.get(key) ?? functionsOf(createModel(spec), { loss })
  compiled.set(key, functions)
  return functions
}

/**
 * The view of one update: the gradient of a batch, or what `exchange` and `protocol` say.
 * @param {object} heard
 * @param {Spec} heard.spec
 * @param {Float64Array} heard.theta
 * @param {Records} heard.batch
 * @param {Loss} [heard.loss]
 * @param {Records} [heard.auxiliary]
 * @param {Pick<Exchange, 'update' | 'learningRate'>} [heard.exchange]
 * @param {Partial<import('./run-attack.mjs').Protocol>} [heard.protocol]
 * @param {{ samples?: number, batchSize?: number }} [heard.more]
 */
export function viewOf({ spec, theta, batch, loss = 'cross-entropy', auxiliary, exchange, protocol = {}, more = {} }) {
  const model = createModel(spec)
  /** @type {Exchange} */
  const one = {
    round: 0,
    received: theta,
    learningRate: null,
    ...(exchange ?? { update: { kind: 'gradient', grad: functionsFor(spec, loss).gradient(theta, batch).grad } }),
  }
  return {
    exchanges: { rounds: [0], read: async (/** @type {number} */ _round) => one },
    target: 'client',
    round: 0,
    model: spec,
    loss,
    protocol: protocolOf({ localEpochs: 1, ...protocol }),
    batchSize: batch.labels.length,
    parameters: model.parameters.map(({ name, shape }) => ({ name, shape })),
    ...(auxiliary && {
      auxiliary: { columns: [], features: auxiliary.features },
      'auxiliary.label': auxiliary.labels,
    }),
    ...more,
  }
}

/** How often each class occurs among labels. @param {ArrayLike<number>} labels */
export function countsOf(labels) {
  /** @type {number[]} */
  const counts = new Array(10).fill(0)
  for (const label of Array.from(labels)) counts[label] = at(counts, label) + 1
  return counts
}

/**
 * cAcc: the share of the classes present that are claimed ([labels] Table 3.2). existence: the share of all classes whose
 * presence or absence is claimed rightly (what iLRG's authors print). iAcc: the share of the records whose label is in the
 * claimed multiset.
 * @param {readonly number[]} claimed how often each class is
 * @param {readonly number[]} truth
 */
export function accuracies(claimed, truth) {
  const present = truth.filter((k) => k > 0).length
  const both = truth.filter((k, i) => k > 0 && at(claimed, i) > 0).length
  const K = truth.reduce((a, b) => a + b, 0)
  return {
    cAcc: both / present,
    existence: truth.filter((k, i) => k > 0 === at(claimed, i) > 0).length / truth.length,
    iAcc: truth.reduce((sum, k, i) => sum + Math.min(k, at(claimed, i)), 0) / K,
  }
}
