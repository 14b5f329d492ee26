// Images, batches of chosen labels, and what an attacker of one update of a classifier is given; for the studies of labels.
import { attacks } from '../dist/doors/attacks.js'
import { datasets, encodeSource, fitSource, loadDataset } from '../dist/doors/federation.js'
import { createModel, functionsOf, trainer } from '../dist/doors/models.js'
import { matrix, rng } from '../dist/doors/numeric.js'
import { fileReader } from '../dist/node/index.js'

const dataDir = process.env.OVERHEAR_SHARED ? `${process.env.OVERHEAR_SHARED}/data` : '../shared/data'

/** Some images of a dataset: client's and auxiliary ones, no image in both, with the rows of each class. */
export async function imagesOf(name, { scale = 'unit', client = 4000, auxiliary = 200 } = {}) {
  const source = await loadDataset(name, { rng: rng(1), files: fileReader(datasets[name], { dataDir }) }, { scale })
  const rows = rng(1)
    .fork('rows', name)
    .sample(source.table.rows, client + auxiliary)
  const fit = fitSource(source, rows.subarray(0, client))
  const part = (from, to) => encodeSource(source, { rows: rows.subarray(from, to), fit }).records
  const records = part(0, client)
  const byClass = Array.from({ length: 10 }, () => [])
  for (const [row, label] of records.labels.entries()) byClass[label].push(row)
  return { name, records, byClass, auxiliary: part(client, client + auxiliary) }
}

/** Records of a dataset for regression, encoded over all its rows. */
export async function regressionRecords(name) {
  const source = await loadDataset(name, { rng: rng(1), files: fileReader(datasets[name], { dataDir }) })
  return encodeSource(source, { fit: fitSource(source) }).records
}

/**
 * Labels of a batch. balanced: the classes in turn from a random one on; unbalanced: half of one class, a quarter of
 * another, the rest at random.
 */
export function labelsOf(kind, K, random, classes = 10) {
  const order = random.permutation(classes)
  if (kind === 'balanced') return Array.from({ length: K }, (_, k) => order[k % classes])
  return Array.from({ length: K }, (_, k) => {
    if (k < K / 2) return order[0]
    return k < (3 * K) / 4 ? order[1] : random.integer(classes)
  })
}

/** A batch of these labels, no image twice. */
export function batchOf({ records, byClass }, labels, random) {
  const { cols, data } = records.features
  const dealt = byClass.map((rows, c) => {
    const order = random.fork('class', c).permutation(rows.length)
    return Array.from(order, (i) => rows[i])
  })
  const X = matrix(labels.length, cols)
  for (const [k, label] of labels.entries()) {
    const row = dealt[label].pop()
    X.data.set(data.subarray(row * cols, (row + 1) * cols), k * cols)
  }
  return { features: X, labels: Float64Array.from(labels) }
}

/** Trains on the client's images; says how often it is right on them. */
export function trainedOn({ records }, { spec, theta, steps, learningRate = 0.05, batchSize = 32, seed }) {
  const model = createModel(spec)
  const own = trainer(model, { data: records, precision: 'f32', loss: 'cross-entropy' })
  own.load(theta)
  for (let s = 0; s < steps; s++) {
    own.step(rng(seed).fork('training', s).sample(records.labels.length, batchSize), learningRate)
  }
  return own.theta()
}

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

const plain = {
  ...{
    algorithm: 'fedsgd',
    localEpochs: 1,
    localSteps: null,
    batchSize: null,
    learningRate: null,
    momentum: 0,
    proxMu: 0,
  },
  ...{ dropout: 0, lossScale: 1, aggregateWeights: 'one', aggregation: 'weighted-mean', secureAggregation: false },
  ...{ differentialPrivacy: null, share: 'gradient' },
}

const compiled = new Map()

/** A model's functions, kept: what was compiled for one batch serves the next. */
export function functionsFor(spec, loss = 'cross-entropy') {
  const key = JSON.stringify([spec, loss])
  if (!compiled.has(key)) compiled.set(key, functionsOf(createModel(spec), { loss }))
  return compiled.get(key)
}

/** Lets the engine take back the memory of programs that nobody holds: it hears of them between tasks only. */
export const breathe = () => new Promise((resolve) => setImmediate(resolve))

/** The view of one update: the gradient of a batch, or what `exchange` and `protocol` say. */
export function viewOf({ spec, theta, batch, loss = 'cross-entropy', auxiliary, exchange, protocol = {}, more = {} }) {
  const model = createModel(spec)
  const heard = exchange ?? {
    update: { kind: 'gradient', grad: functionsFor(spec, loss).gradient(theta, batch).grad },
    learningRate: null,
  }
  const one = { round: 0, received: theta, ...heard }
  return {
    ...{ exchanges: { rounds: [0], read: async () => one }, target: 'client', round: 0, model: spec, loss },
    ...{ protocol: { ...plain, ...protocol }, batchSize: batch.labels.length },
    parameters: model.parameters.map(({ name, shape }) => ({ name, shape })),
    ...(auxiliary && {
      auxiliary: { columns: [], features: auxiliary.features },
      'auxiliary.label': auxiliary.labels,
    }),
    ...more,
  }
}

/** Runs an attack on a view cut down to what it may have. */
export async function attack(id, view, { params = {}, seed = 1 } = {}) {
  const { needs, uses, run } = attacks[id]
  const granted = Object.fromEntries([...needs, ...uses].flatMap((key) => (key in view ? [[key, view[key]]] : [])))
  await breathe()
  const context = { params, rng: rng(seed).fork('attack', id), tick() {} }
  return run(granted, { ...context, claimOf: (other, its = {}) => attack(other, view, { params: its, seed }) })
}

export function countsOf(claim, classes = 10) {
  if (claim.kind === 'label-counts') return Array.from(claim.counts)
  const counts = new Array(classes).fill(0)
  for (const label of claim.labels) counts[label]++
  return counts
}

/**
 * cAcc: the share of the classes present that are claimed ([labels] Table 3.2). existence: the share of all classes whose
 * presence or absence is claimed rightly (what iLRG's authors print). iAcc: the share of the records whose label is in the
 * claimed multiset.
 */
export function accuracies(claimed, truth) {
  const present = truth.filter((k) => k > 0).length
  const both = truth.filter((k, i) => k > 0 && claimed[i] > 0).length
  const K = truth.reduce((a, b) => a + b, 0)
  return {
    cAcc: both / present,
    existence: truth.filter((k, i) => k > 0 === claimed[i] > 0).length / truth.length,
    iAcc: truth.reduce((sum, k, i) => sum + Math.min(k, claimed[i]), 0) / K,
  }
}

export const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length
export const print = (line = '') => process.stdout.write(`${line}\n`)

/** A table of Markdown. */
export function table(head, rows) {
  print(`| ${head.join(' | ')} |`)
  print(`|${head.map(() => '---').join('|')}|`)
  for (const row of rows) print(`| ${row.join(' | ')} |`)
  print()
}
