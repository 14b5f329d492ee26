// Linear Medical with the settings of aia Table 2: the client's own model from its messages, and how fast messages are
// chosen. Needs dist/ (npm run build:ts) and the Medical file. `node studies/lmra-linear.mjs [--seeds N] [--draws N] [--json]`
import { performance } from 'node:perf_hooks'
import { designOf } from '../dist/attacks/local-model/affine-fit.js'
import { selectAtRandom, selectByCondition } from '../dist/attacks/local-model/select-messages.js'
import { dealRows, encodeSource, holdOut } from '../dist/doors/federation.js'
import { initialise, linear } from '../dist/doors/models.js'
import { matrix, rng } from '../dist/doors/numeric.js'
import { mean, options } from './figures.mjs'
import { federate, leastSquaresOptimum, modelBy, relativeError, show, spread, viewOf } from './messages.mjs'
import { sourceOf } from './shared-data.mjs'

const { seeds, draws, json } = options({ seeds: 3, draws: 100_000, json: false })
const [learningRate, batchSize, rounds] = [5e-3, 32, 300]

/** Two clients, each with half of nine tenths of the rows; one epoch a round. @param {number} seed */
async function medical(seed) {
  const world = rng(seed).fork('lmra-linear')
  const source = await sourceOf('medical', { encoding: 'linear' }, world.fork('data'))
  const all = Int32Array.from({ length: source.table.rows }, (_, i) => i)
  const { train } = holdOut(all, { share: 0.1, rng: world.fork('held out') })
  const { clients } = dealRows('iid', { source, rng: world.fork('deal'), rows: train }, { clients: 2 })
  const data = clients.map((rows) => encodeSource(source, { rows, fit: train }))
  const model = linear({ inputs: data[0]?.records.features.cols ?? 0, outputs: 1 })
  const { messages } = federate({
    model,
    rounds,
    rng: world,
    records: data.map(({ records }) => records),
    start: initialise(model, world.fork('start')),
    turn(client, own) {
      const order = own.permutation(client.records)
      for (let s = 0; s < order.length; s += batchSize) client.step(order.subarray(s, s + batchSize), learningRate)
    },
  })
  const target = world.fork('target').integer(2)
  const [dataset, heard] = [data[target], messages[target]]
  if (dataset === undefined || heard === undefined) throw new Error(`no client ${target}`)
  return { dataset, heard }
}

/**
 * [aia] Eq. (3) for a binary attribute that stands in one column of a linear model.
 * @param {Float64Array} theta @param {import('../dist/doors/federation.js').Dataset} dataset
 */
function smokerAccuracy(theta, { records: { features, labels }, columns, sensitive }) {
  const smoker = sensitive.find(({ name }) => name === 'smoker')
  const levels = smoker?.values.map(([v = 0]) => v) ?? []
  const s = columns.findIndex(({ name }) => name === smoker?.columns[0])
  const { rows: n, cols: d, data } = features
  let right = 0
  for (let i = 0; i < n; i++) {
    let known = theta[d] ?? 0
    for (let j = 0; j < d; j++) if (j !== s) known += (data[i * d + j] ?? 0) * (theta[j] ?? 0)
    const losses = levels.map((v) => ((labels[i] ?? 0) - known - v * (theta[s] ?? 0)) ** 2)
    const guess = (losses[1] ?? 0) < (losses[0] ?? 0) ? 1 : 0
    if (levels[guess] === data[i * d + s]) right++
  }
  return (100 * right) / n
}

/** Minima over repetitions, so that a busy machine hurts neither side. @param {import('../dist/doors/numeric.js').Matrix} A @param {number} seed */
function timedSelections(A, seed) {
  let [millis, randomMillis] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  let chosen = selectByCondition(A)
  for (let repeat = 0; repeat < 60; repeat++) {
    const start = performance.now()
    chosen = selectByCondition(A)
    millis = Math.min(millis, performance.now() - start)
  }
  const parts = 20
  let best = Number.POSITIVE_INFINITY
  for (let part = 0; part < parts; part++) {
    const start = performance.now()
    const { condition } = selectAtRandom(A, { draws: draws / parts, rng: rng(seed).fork('sets', part) })
    randomMillis = Math.min(randomMillis, parts * (performance.now() - start))
    best = Math.min(best, condition)
  }
  return { condition: chosen.condition, random: best, millis, randomMillis }
}

/** @type {Record<string, { accuracy: number[], error: number[], estimate: number[] }>} */
const table = {}
/** @type {({ seed: number, form: string } & ReturnType<typeof timedSelections>)[]} */
const selections = []

for (let seed = 1; seed <= seeds; seed++) {
  const { dataset, heard } = await medical(seed)
  const optimum = leastSquaresOptimum(dataset.records)
  const d = optimum.length
  const model = /** @type {const} */ ({ kind: 'linear', inputs: d - 1, outputs: 1, bias: true })
  const view = viewOf(heard, { model, loss: 'mse', batchSize, learningRate })
  /** @param {string} name @param {Float64Array} theta @param {number} [estimate] */
  const note = (name, theta, estimate = Number.NaN) => {
    table[name] ??= { accuracy: [], error: [], estimate: [] }
    table[name].accuracy.push(smokerAccuracy(theta, dataset))
    table[name].error.push(relativeError(theta, optimum))
    table[name].estimate.push(estimate)
  }
  /** @param {string} name @param {string} attack @param {Record<string, unknown>} [params] */
  const run = async (name, attack, params) => {
    const { theta, errorEstimate } = await modelBy(attack, view, params)
    note(name, theta, errorEstimate)
  }
  note('oracle: the local optimum', optimum)
  await run('last-returned', 'last-returned')
  for (const form of ['direct', 'inverse', 'tls', 'auto']) await run(`lmra-ols, all 300, ${form}`, 'lmra-ols', { form })
  await run('lmra-ols, all 300, weights=round', 'lmra-ols', { weights: 'round' })
  for (const form of ['direct', 'inverse']) {
    await run(`lmra-ols, d + 1 by condition, ${form}`, 'lmra-ols', { form, select: 'condition' })
  }
  await run('lmra-exact (says that it is not exact)', 'lmra-exact')
  const pairs = { theta: matrix(rounds, d), descent: matrix(rounds, d) }
  heard.forEach(({ received, returned }, i) => {
    pairs.theta.data.set(received, i * d)
    pairs.descent.data.set(
      received.map((x, j) => x - (returned[j] ?? 0)),
      i * d,
    )
  })
  for (const form of /** @type {const} */ (['direct', 'inverse'])) {
    selections.push({ seed, form, ...timedSelections(designOf(pairs, form), seed) })
  }
}

const oracle = table['oracle: the local optimum']?.accuracy ?? []
const ols = table['lmra-ols, all 300, direct'] ?? { accuracy: [], error: [] }
const claims = [
  {
    text: 'lmra-ols with all 300 messages is within 1 point of the oracle on every client',
    holds: ols.accuracy.every((x, i) => Math.abs(x - (oracle[i] ?? Number.NaN)) <= 1),
  },
  { text: 'its model is within 10 % of the optimum on every client', holds: ols.error.every((x) => x <= 0.1) },
  {
    text: `selection by condition is no worse than the best of ${draws} random sets`,
    holds: selections.every(({ condition, random }) => condition <= random),
  },
  {
    text: 'and at least 1000 times faster',
    holds: selections.every(({ millis, randomMillis }) => randomMillis >= 1000 * millis),
  },
]
show({
  json,
  result: { table, selections, claims },
  lines: [
    'Medical, linear, aia Table 2 [paper: passive 94.13 +- 0.16, Model-w-O the same]',
    '| model | smoker, accuracy in % | relative error | its own estimate |',
    '|---|---|---|---|',
    ...Object.entries(table).map(([name, { accuracy, error, estimate }]) => {
      const said = Number.isNaN(mean(estimate)) ? '' : mean(estimate).toFixed(3)
      return `| ${name} | ${spread(accuracy)} | ${mean(error).toFixed(3)} | ${said} |`
    }),
    '',
    `| seed | form | condition chosen | best of ${draws} | ms | ms, random | times faster |`,
    '|---|---|---|---|---|---|---|',
    ...selections.map(({ seed, form, condition, random, millis, randomMillis }) => {
      const figures = [condition.toFixed(0), random.toFixed(0), millis.toFixed(2), randomMillis.toFixed(0)]
      return `| ${seed} | ${form} | ${figures.join(' | ')} | ${(randomMillis / millis).toFixed(0)} |`
    }),
  ],
})
