// When d + 1 full-batch messages give the client's own model, in double and in single precision, and when they do not: the
// toy of aia B.2 as described. Needs dist/ (npm run build:ts). `node studies/lmra-exactness.mjs [--seeds N] [--json]`
import { toyLeastSquares } from '../dist/doors/federation.js'
import { initialise, linear } from '../dist/doors/models.js'
import { rng } from '../dist/doors/numeric.js'
import { options } from './figures.mjs'
import { federate, leastSquaresOptimum, relativeError, show, viewOf } from './messages.mjs'
import { claimIn, runAttack } from './run-attack.mjs'

const given = options({ seeds: 3, json: false })
const seeds = Array.from({ length: given.seeds }, (_, i) => i + 1)

/**
 * @typedef {object} World
 * @property {number} d parameters, the bias among them
 * @property {number} clients
 * @property {number} [taking]
 * @property {number} [perturbStd]
 * @property {number} rounds
 * @property {number | null} [batchSize]
 * @property {import('../dist/doors/numeric.js').Precision} [precision]
 * @property {boolean} [standard] columns standardised, as most pipelines do, instead of uniform on [0, 1) and a coin
 * @property {(round: number) => boolean} [heard] rounds that the eavesdropper listens to
 */

/** @param {number} seed @param {World} world */
function drawn(seed, { d, clients, rounds, batchSize = null, standard = false, heard = () => true, ...more }) {
  const stream = rng(seed).fork('lmra-exactness', d)
  const learningRate = standard ? 0.1 : 1 / d // with uniform columns full-batch steps diverge from about 4 / d on
  const records = toyLeastSquares(stream.fork('data'), { clients, numericColumns: d - 2, heterogeneity: 1 })
  if (standard) for (const { features } of records) standardise(features)
  const model = linear({ inputs: d - 1, outputs: 1 })
  const { messages } = federate({
    model,
    records,
    rounds,
    rng: stream,
    start: initialise(model, stream.fork('start')),
    ...more,
    turn(client, own) {
      const order = own.permutation(client.records)
      const size = batchSize ?? order.length
      for (let s = 0; s < order.length; s += size) client.step(order.subarray(s, s + size), learningRate)
    },
  })
  const [first] = records
  if (first === undefined) throw new Error('no client')
  const own = (messages[0] ?? []).filter(({ round }) => heard(round))
  const spec = /** @type {const} */ ({ kind: 'linear', inputs: d - 1, outputs: 1, bias: true })
  const view = viewOf(own, { model: spec, loss: 'mse', batchSize, learningRate })
  return { view, optimum: leastSquaresOptimum(first) }
}

/** @param {import('../dist/doors/numeric.js').Matrix} features */
function standardise({ rows, cols, data }) {
  for (let i = 0; i < rows * cols; i++)
    data[i] = ((data[i] ?? 0) - 0.5) / (i % cols === cols - 1 ? 0.5 : Math.sqrt(1 / 12))
}

/** @typedef {{ name: string, worst: number | null, estimate: number | null, condition: string, said: string }} Row */
/** @param {string} name @param {'lmra-exact' | 'lmra-ols'} attack @param {World} world @returns {Promise<Row>} */
async function row(name, attack, world) {
  let [worst, estimate, said, condition] = [0, 0, '', 0]
  let refused = 0
  for (const seed of seeds) {
    const { view, optimum } = drawn(seed, world)
    const outcome = await runAttack(attack, view)
    if (outcome.status !== 'claimed') {
      refused++
      said = outcome.why ?? ''
      condition = Math.max(condition, Number(/condition number is (\S+) /.exec(said)?.[1]))
      continue
    }
    const { errorEstimate, condition: own } = outcome.details
    worst = Math.max(worst, relativeError(claimIn(outcome, 'model').theta, optimum))
    estimate = errorEstimate === null ? Number.NaN : Math.max(estimate, Number(errorEstimate ?? 0))
    condition = Math.max(condition, Number(own ?? 0))
    said = outcome.warnings[0] ?? ''
  }
  const all = refused === seeds.length
  return {
    name,
    worst: all ? null : worst,
    estimate: all ? null : estimate,
    condition: condition.toExponential(1),
    said:
      refused > 0
        ? `refused (${refused} of ${seeds.length}): singular`
        : said !== ''
          ? `warned: ${said}`
          : attack === 'lmra-exact'
            ? 'exact'
            : 'no warning',
  }
}

const half = { clients: 12, taking: 6 }
/** @type {Row[]} */
const rows = []
for (const precision of /** @type {const} */ (['f64', 'f32'])) {
  for (const d of [5, 11, 20, 50, 100]) {
    const world = { d, ...half, rounds: 3 * d + 20, precision, standard: true }
    rows.push(await row(`d = ${d}, half of 12 clients a round, ${precision}`, 'lmra-exact', world))
  }
  rows.push(
    await row(`d = 100, two clients, models perturbed by 0.1, ${precision}`, 'lmra-exact', {
      d: 100,
      clients: 2,
      perturbStd: 0.1,
      rounds: 150,
      precision,
      standard: true,
    }),
  )
}
for (const d of [11, 50, 100]) {
  const world = { d, ...half, rounds: 3 * d + 20 }
  rows.push(await row(`d = ${d}, half of 12 clients a round, columns not standardised`, 'lmra-exact', world))
}
const toy = { d: 11, clients: 2, rounds: 300 }
/** @param {number} round */
const twelve = (round) => round % 20 === 0 && round <= 220
rows.push(
  await row('toy of aia B.2 as described: 12 of 221 rounds', 'lmra-exact', { ...toy, heard: twelve }),
  await row('the same, all 300 rounds', 'lmra-exact', toy),
  await row('the same, all 300 rounds, lmra-ols', 'lmra-ols', toy),
  await row('toy, models perturbed by 0.1', 'lmra-exact', { ...toy, perturbStd: 0.1 }),
  await row('toy, perturbed, batches of 256, 300 messages', 'lmra-ols', { ...toy, perturbStd: 0.1, batchSize: 256 }),
  await row('toy, perturbed, batches of 64, 300 messages', 'lmra-ols', { ...toy, perturbStd: 0.1, batchSize: 64 }),
)
const claims = [
  {
    text: 'full batch, affinely independent models, double precision: the relative error is at most 1e-8',
    holds: rows.filter(({ name }) => name.endsWith('f64')).every(({ worst }) => worst !== null && worst <= 1e-8),
  },
  {
    text: 'the toy of aia B.2 as described is refused as singular',
    holds:
      rows.find(({ name }) => name.startsWith('toy of aia B.2'))?.said.startsWith(`refused (${seeds.length}`) === true,
  },
]
/** @param {number | null} x */
const figure = (x) => (x === null || Number.isNaN(x) ? '' : x.toExponential(1))
show({
  json: given.json,
  result: { rows, claims },
  lines: [
    `worst of ${seeds.length} seeds`,
    '| world | relative error | its own estimate | condition | said |',
    '|---|---|---|---|---|',
    ...rows.map(({ name, worst, estimate, condition, said }) => {
      return `| ${name} | ${figure(worst)} | ${figure(estimate)} | ${condition} | ${said} |`
    }),
  ],
})
