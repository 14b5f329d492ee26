// LEAF synthetic, lmra Table 1: training accuracy of the last returned and of the decoded model, with the linear
// reconstruction, the majority class and the local optimum beside. Needs dist/ (npm run build:ts).
// `node studies/lmra-mapping.mjs [--seeds N] [--first SEED] [--steps 1,5,10] [--covariance leaf|lmra] [--json]`
// and the settings of lmra-mapping: [--scale each|global|none] [--inputs whiten|each|none] [--decode lbfgs|adam] [--pull X]
import { dealRows, encodeSource, holdOut, loadDataset } from '../dist/doors/federation.js'
import { functionsOf, initialise, logistic } from '../dist/doors/models.js'
import { lbfgs, minimise, rng } from '../dist/doors/numeric.js'
import { mean, numbers, options } from './figures.mjs'
import { federate, modelBy, show, spread, viewOf } from './messages.mjs'

const values = options({
  seeds: 5,
  first: 1,
  steps: '1',
  covariance: 'leaf',
  scale: 'each',
  inputs: 'whiten',
  decode: 'lbfgs',
  pull: 0.001,
  json: false,
})
const mapping = { scale: values.scale, inputs: values.inputs, decode: values.decode, pull: values.pull }
const [learningRate, batchSize, rounds] = [0.01, 256, 100] // the number of rounds is not in the paper

/** Five clients of 280, 184, 1536, 256 and 208 records: four fifths of what is drawn. @param {number} seed @param {number} steps */
async function leaf(seed, steps) {
  const world = rng(seed).fork('lmra-mapping')
  const source = await loadDataset('leaf-synthetic', { rng: world.fork('data') }, { covariance: values.covariance })
  const { clients } = dealRows('by-column', { source, rng: world.fork('deal') }, { column: 'client' })
  const records = clients.map((rows, k) => {
    const { train } = holdOut(rows, { share: 0.2, rng: world.fork('held out', k) })
    return encodeSource(source, { rows: train }).records
  })
  const model = logistic({ inputs: records[0]?.features.cols ?? 0 })
  const { messages, global } = federate({
    model,
    records,
    rounds,
    rng: world,
    start: initialise(model, world.fork('start')),
    turn(client, own) {
      for (let s = 0; s < steps; s++) {
        client.step(own.fork('step', s).sample(client.records, Math.min(batchSize, client.records)), learningRate)
      }
    },
  })
  return { model, records, messages, global }
}

/** @typedef {import('../dist/doors/federation.js').Records} Records */
/** @param {import('../dist/doors/models.js').Model} model @param {Float64Array} theta @param {Records} records */
function accuracy(model, theta, { features, labels }) {
  const predicted = functionsOf(model).predict(theta, features).data
  return (100 * predicted.filter((p, i) => (p > 0.5 ? 1 : 0) === labels[i]).length) / labels.length
}

/** @param {Records} records */
function majority({ labels }) {
  const ones = labels.reduce((a, b) => a + b, 0)
  return (100 * Math.max(ones, labels.length - ones)) / labels.length
}

/** @param {import('../dist/doors/models.js').Model} model @param {Records} records @param {Float64Array} start */
function optimum(model, records, start) {
  const functions = functionsOf(model)
  /** @param {Float64Array} theta */
  const objective = (theta) => {
    const { loss: value, grad } = functions.gradient(theta, records)
    return { value, gradient: grad }
  }
  return minimise(lbfgs(), objective, start, { maxIterations: 300, gradientTolerance: 1e-6 }).x
}

/** @type {Record<string, Record<string, number[]>>} mean accuracy over the clients by seed */
const table = {}
for (const steps of numbers(values.steps)) {
  /** @type {Record<string, number[]>} */
  const rows = {}
  for (let s = 0; s < values.seeds; s++) {
    const seed = values.first + s
    const { model, records, messages, global } = await leaf(seed, steps)
    /** @type {Record<string, number[]>} */
    const clients = {}
    for (const [k, own] of records.entries()) {
      const spec = /** @type {const} */ ({ kind: 'logistic', inputs: 10, outputs: 1, bias: true })
      const training = { model: spec, loss: model.defaultLoss, batchSize, learningRate }
      const view = viewOf(messages[k] ?? [], training)
      /** @param {string} name @param {Float64Array} theta */
      const note = (name, theta) => {
        clients[name] ??= []
        clients[name].push(accuracy(model, theta, own))
      }
      note('last returned', (await modelBy('last-returned', view)).theta)
      note('decoded (lmra-mapping)', (await modelBy('lmra-mapping', view, mapping)).theta)
      note('linear, direct (lmra-ols)', (await modelBy('lmra-ols', view)).theta)
      note('linear, inverse (lmra-ols)', (await modelBy('lmra-ols', view, { form: 'inverse' })).theta)
      clients['majority class'] ??= []
      clients['majority class'].push(majority(own))
      note('global model', global)
      note('local optimum', optimum(model, own, global))
    }
    for (const [name, all] of Object.entries(clients)) {
      rows[name] ??= []
      rows[name].push(mean(all))
    }
  }
  table[steps] = rows
}

/** @type {Record<string, [last: number, decoded: number]>} */
const paper = { 1: [58.6, 78.1], 5: [63.0, 74.8], 10: [69.3, 78.0] }
const gains = Object.entries(table).map(([steps, rows]) => ({
  steps: Number(steps),
  gain: mean(rows['decoded (lmra-mapping)'] ?? []) - mean(rows['last returned'] ?? []),
}))
const claims = gains
  .filter(({ steps }) => steps === 1)
  .map(({ gain }) => ({
    text: `one local step: the decoded model is at least 10 points above the last returned one (${gain.toFixed(1)})`,
    holds: gain >= 10,
  }))
show({
  json: values.json,
  result: { table, claims },
  lines: Object.entries(table).flatMap(([steps, rows]) => [
    `LEAF synthetic (${values.covariance}), ${steps} local steps, ${values.seeds} seeds`,
    '| model | mean training accuracy of the clients in % | by seed |',
    '|---|---|---|',
    ...Object.entries(rows).map(([name, xs]) => {
      const [last, decoded] = paper[steps] ?? []
      const said = name === 'last returned' ? last : name.startsWith('decoded') ? decoded : undefined
      const beside = said === undefined ? '' : ` [paper ${said}]`
      return `| ${name} | ${spread(xs)}${beside} | ${xs.map((x) => x.toFixed(0)).join(', ')} |`
    }),
    '',
  ]),
})
