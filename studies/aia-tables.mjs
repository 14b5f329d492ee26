// Table 1 of [aia] (Medical), the heterogeneity of its Figure 3 (Income, Louisiana) and the linear Income of its Table 2:
// every attack on the same clients.
//   node studies/aia-tables.mjs --data medical --seeds 1,2,3 --clients 0,1
//   node studies/aia-tables.mjs --data income --h 0,0.2,0.4 --clients 0,9 --fractions 0.01,0.05,0.1
//   node studies/aia-tables.mjs --data income-linear --clients 0 --parts passive,optimum,active
// --parts passive,optimum,active,adaptive,grad; --active rounds; --trials of the tuned attack; --iterations of L-BFGS, 0
// for none; Grad: --variants, --fractions of the rounds it tries, --rates, --echoes. --clients all.
// Lines of figures go to stderr as they come, tables to stdout. Needs dist/ (npm run build:ts) and the data.
import { matchGrid } from '../dist/attacks/attributes/aia-gradient.js'
import { functionsOf } from '../dist/doors/models.js'
import { rng } from '../dist/doors/numeric.js'
import { lookup } from '../dist/errors.js'
import { accuracy, federate, runOracle, shareRight } from './attribute-run.mjs'
import { at, deviation, mean, numbers, options, print, tableOf } from './figures.mjs'
import { claimed, claimIn, runAttack } from './run-attack.mjs'
import { sourceOf } from './shared-data.mjs'

/** @typedef {import('./attribute-run.mjs').Client} Client */
/** @typedef {import('./run-attack.mjs').Outcome} Outcome */
/** @typedef {{ right: number, loss?: number, details?: Readonly<Record<string, unknown>> }} Figure */

const flags = options({
  data: 'medical',
  seeds: '1,2,3',
  clients: '0,1',
  h: '0,0.1,0.2,0.3,0.4,0.5',
  parts: 'passive,optimum,active,adaptive,grad',
  variants: 'straight-through,soft',
  fractions: '0.01,0.05,0.1,0.2,0.5,1',
  trials: 50,
  active: '10,50',
  echoes: 10,
  rates: '1e2,1e3,1e4,1e5,1e6',
  iterations: 2000,
})
const parts = new Set(flags.parts.split(','))
const { trials, iterations, echoes: echo } = flags
const active = numbers(flags.active)

/**
 * @typedef {object} Setting
 * @property {string} name of the dataset
 * @property {Readonly<Record<string, unknown>>} [params] of the dataset
 * @property {boolean} [byHeterogeneity]
 * @property {{ attribute: string, learningRate: number, hidden?: number, rounds?: number }} run
 * @property {(heterogeneity: number | null) => { id: string, params: Readonly<Record<string, unknown>> }} partition
 */

/** @param {number} clients */
const iid = (clients) => () => ({ id: 'iid', params: { clients } })
const linear = { learningRate: 5e-3, hidden: 0, rounds: 300 }
/** @type {Record<string, Setting>} */
const known = {
  medical: { name: 'medical', run: { attribute: 'smoker', learningRate: 2e-6 }, partition: iid(2) },
  income: {
    name: 'acs-income',
    byHeterogeneity: true,
    run: { attribute: 'SEX', learningRate: 5e-7 },
    partition: (heterogeneity) => ({ id: 'heterogeneous', params: { clients: 10, heterogeneity } }),
  },
  'income-linear': {
    name: 'acs-income',
    params: { encoding: 'linear' },
    run: { attribute: 'SEX', ...linear },
    partition: iid(10),
  },
}
const setting = lookup(known, flags.data, 'value of --data')

/**
 * The client as a malicious server reaches it: its turns after training, from the first again when restarted.
 * @param {Client} client
 * @returns {import('../dist/threat/granted-keys.js').Channel}
 */
function channelTo(client) {
  let k = 0
  /** @param {string} _client @param {Float64Array} theta */
  const channel = async (_client, theta) => client.turn(theta, k++)
  return Object.assign(channel, { restart: () => channelTo(client) })
}

/**
 * Accuracy of the model-based attack on a model, and the loss that this model has on the client's records.
 * @param {Client} client
 * @param {Outcome} outcome
 * @param {number} seed
 * @returns {Promise<Figure>}
 */
async function judge({ view, truth, records, model }, outcome, seed) {
  const params = { from: 'last-returned' }
  const guessed = await runAttack('aia-model', view, { params, seed, claimOf: async () => outcome })
  return {
    right: accuracy(guessed, truth),
    loss: functionsOf(model).loss(claimIn(outcome, 'model').theta, records),
    details: claimed(outcome).details,
  }
}

/**
 * Every figure of one client in the order of the table.
 * @param {Client} client
 * @param {number} seed
 * @returns {AsyncGenerator<[name: string, figure: Figure]>}
 */
async function* figures(client, seed) {
  const ones = mean([...client.truth])
  const live = () => ({ ...client.view, channel: channelTo(client), tampered: [] })
  /** @param {string} id @param {Record<string, unknown>} [params] @param {import('./run-attack.mjs').AnyView} [view] */
  const attack = async (id, params = {}, view = client.view) =>
    judge(client, await runAttack(id, view, { params, seed }), seed)
  /** @param {string} id @param {Record<string, unknown>} [params] @param {import('./run-attack.mjs').AnyView} [view] */
  const oracle = async (id, params = {}, view = client.view) =>
    judge(client, await runOracle(id, client, { params, view, seed }), seed)
  yield ['majority', { right: Math.max(ones, 1 - ones) }]
  if (parts.has('passive')) yield ['last-returned', await attack('last-returned')]
  if (parts.has('passive') && setting.run.hidden === 0) {
    for (const form of ['direct', 'inverse']) yield [`lmra-ols, ${form}`, await attack('lmra-ols', { form })]
  }
  if (parts.has('optimum')) {
    yield ['model-oracle-adam200', await oracle('model-oracle-adam200')]
    if (iterations > 0) yield ['model-oracle', await oracle('model-oracle', { iterations })]
  }
  for (const rounds of active) {
    const params = { rounds, trials }
    if (parts.has('active')) {
      yield [`echo, ${rounds} rounds`, await attack('lmra-active-echo', { rounds }, live())]
      yield [`Adam, ${rounds} rounds, oracle`, await oracle('lmra-active-adam-oracle', params, live())]
    }
    if (parts.has('adaptive')) {
      yield [`Adam, ${rounds} rounds, adaptive`, await attack('lmra-active-adam', { rounds }, live())]
    }
  }
  if (!parts.has('grad')) return
  for (const variant of /** @type {Variant[]} */ (flags.variants.split(','))) yield* gradients(client, variant, seed)
}

/** @typedef {'straight-through' | 'soft'} Variant */
/** Straight-through as published; soft from even logits with the noise of two classes. */
const starts = /** @type {const} */ ({
  'straight-through': { start: 'normal', draws: 1 },
  soft: { start: 'zero', draws: 2 },
})

/**
 * Grad and Grad-w-O, passive and with echoes, from one grid: its candidates do not depend on which others are tried.
 * @param {Client} client
 * @param {Variant} variant
 * @param {number} seed
 * @returns {AsyncGenerator<[name: string, figure: Figure]>}
 */
async function* gradients(client, variant, seed) {
  const params = {
    variant,
    temperature: 1,
    iterations: 100,
    echo,
    rates: numbers(flags.rates),
    ...starts[variant],
    fractions: numbers(flags.fractions),
  }
  const context = { params, rng: rng(seed).fork('attack', 'aia-gradient'), tick() {} }
  const { candidates } = await matchGrid({ ...client.view, channel: channelTo(client) }, context)
  const scored = candidates.map(({ set, rate, cosine, guesses }) => ({
    set,
    rate,
    cosine,
    right: shareRight(at(guesses, 0), client.truth),
  }))
  /** @param {typeof scored} all @param {'cosine' | 'right'} key @returns {Figure} */
  const best = (all, key) => {
    const { right, ...details } = all.reduce((a, b) => (b[key] > a[key] ? b : a))
    return { right, details }
  }
  const passive = scored.filter(({ set }) => set.endsWith('heard'))
  yield [`Grad, ${variant}`, best(passive, 'cosine')]
  yield [`Grad-w-O, ${variant}`, best(passive, 'right')]
  if (echo === 0) return
  yield [`Grad, ${variant}, ${echo} echoes`, best(scored, 'cosine')]
  yield [`Grad-w-O, ${variant}, ${echo} echoes`, best(scored, 'right')]
}

const source = await sourceOf(setting.name, setting.params)
const grid = setting.byHeterogeneity ? numbers(flags.h) : [null]
/** Shares of right guesses, one a client: by name of the attack, then by column, then by seed. @type {Map<string, Map<number | null, Map<number, number[]>>>} */
const table = new Map()
for (const h of grid) {
  for (const seed of numbers(flags.seeds)) {
    const only = flags.clients === 'all' ? {} : { only: numbers(flags.clients) }
    for (const client of federate({ source, ...setting.run, partition: setting.partition(h), seed, ...only })) {
      let since = performance.now()
      for await (const [name, figure] of figures(client, seed)) {
        note([name, h, seed], figure.right)
        const seconds = Number(((performance.now() - since) / 1000).toFixed(1))
        process.stderr.write(`${JSON.stringify({ h, seed, client: client.id, name, ...figure, seconds })}\n`)
        since = performance.now()
      }
    }
  }
}

/** @param {readonly [name: string, h: number | null, seed: number]} where @param {number} right */
function note([name, h, seed], right) {
  /** @type {Map<number | null, Map<number, number[]>>} */
  const row = table.get(name) ?? new Map()
  /** @type {Map<number, number[]>} */
  const cell = row.get(h) ?? new Map()
  table.set(name, row.set(h, cell.set(seed, [...(cell.get(seed) ?? []), right])))
}

/** Mean and spread over the seeds of the mean over the clients, as in the paper. @param {Map<number, number[]>} cell */
const shown = (cell) => {
  const perSeed = [...cell.values()].map(mean)
  const spread = perSeed.length > 1 ? ` +- ${(100 * deviation(perSeed)).toFixed(2)}` : ''
  return `${(100 * mean(perSeed)).toFixed(2)}${spread}`
}
const heads = ['attack', ...grid.map((h) => (h === null ? 'accuracy, %' : `h = ${h}`))]
const rows = [...table].map(([name, row]) => [name, ...grid.map((h) => shown(row.get(h) ?? new Map()))])
print(tableOf(heads, rows).slice(0, -1).join('\n'))
