// Table 1 of [aia] (Medical), the heterogeneity of its Figure 3 (Income, Louisiana) and the linear Income of its Table 2:
// every attack on the same clients.
//   node studies/aia-tables.mjs --data medical --seeds 1,2,3 --clients 0,1
//   node studies/aia-tables.mjs --data income --h 0,0.2,0.4 --clients 0,9 --fractions 0.01,0.05,0.1
//   node studies/aia-tables.mjs --data income-linear --clients 0 --parts passive,optimum,active
// --parts passive,optimum,active,observable,grad; --active rounds; --trials of the tuned attack; --iterations of L-BFGS, 0
// for none; Grad: --variants, --fractions of the rounds it tries, --rates, --echoes. --clients all.
// Lines of figures go to stderr as they come, tables to stdout. Needs dist/ (npm run build:ts) and the data.
import { parseArgs } from 'node:util'
import { matchGrid } from '../dist/attacks/attributes/aia-gradient.js'
import { oracles } from '../dist/audit/oracles/index.js'
import { attacks } from '../dist/doors/attacks.js'
import { functionsOf } from '../dist/doors/models.js'
import { rng } from '../dist/doors/numeric.js'
import { accuracy, deviation, federate, mean, run, sourceOf } from './attribute-run.mjs'

const { values: flags } = parseArgs({
  options: {
    data: { type: 'string', default: 'medical' },
    seeds: { type: 'string', default: '1,2,3' },
    clients: { type: 'string', default: '0,1' },
    h: { type: 'string', default: '0,0.1,0.2,0.3,0.4,0.5' },
    parts: { type: 'string', default: 'passive,optimum,active,observable,grad' },
    variants: { type: 'string', default: 'straight-through,soft' },
    fractions: { type: 'string', default: '0.01,0.05,0.1,0.2,0.5,1' },
    trials: { type: 'string', default: '50' },
    active: { type: 'string', default: '10,50' },
    echoes: { type: 'string', default: '10' },
    rates: { type: 'string', default: '1e2,1e3,1e4,1e5,1e6' },
    iterations: { type: 'string', default: '2000' },
  },
})
const numbers = (list) => list.split(',').map(Number)
const parts = new Set(flags.parts.split(','))
const trials = Number(flags.trials)
const active = numbers(flags.active)

const iid = (clients) => () => ({ id: 'iid', params: { clients } })
const linear = { learningRate: 5e-3, hidden: 0, rounds: 300 }
const known = {
  medical: { name: 'medical', run: { attribute: 'smoker', learningRate: 2e-6 }, partition: iid(2) },
  income: {
    ...{ name: 'acs-income', byHeterogeneity: true, run: { attribute: 'SEX', learningRate: 5e-7 } },
    partition: (heterogeneity) => ({ id: 'heterogeneous', params: { clients: 10, heterogeneity } }),
  },
  'income-linear': {
    ...{ name: 'acs-income', encoding: 'linear', run: { attribute: 'SEX', ...linear }, partition: iid(10) },
  },
}
const settings = known[flags.data]
if (settings === undefined) throw new Error(`--data is one of ${Object.keys(known).join(', ')}`)

/** The client as a malicious server reaches it: its turns after training, from the first again when restarted. */
function channelTo({ turn }) {
  let at = 0
  const channel = async (_client, theta) => turn(theta, at++)
  return Object.assign(channel, { restart: () => channelTo({ turn }) })
}

const truthOf = ({ view, records }) => ({
  warnings: [],
  client: async () => ({ columns: view.records.columns, ...records }),
  ...{ batch: () => undefined, optimum: async () => undefined, property: () => undefined },
})

/** Accuracy of the model-based attack on a model, and the loss that this model has on the client's records. */
async function judge(client, outcome, { model, seed }) {
  if (outcome.status !== 'claimed') throw new Error(JSON.stringify(outcome))
  const context = { params: { from: 'last-returned' }, rng: rng(seed), tick() {}, claimOf: async () => outcome }
  const guessed = await attacks['aia-model'].run(client.view, context)
  return {
    right: accuracy(guessed, client.truth),
    loss: functionsOf(model).loss(outcome.claims[0].theta, client.records),
    details: outcome.details ?? {},
  }
}

/** Every figure of one client: [name, { right, ... }] in the order of the table. */
async function* figures(client, { model, seed }) {
  const { truth } = client
  const ones = mean([...truth])
  const oracle = (id, params = {}, view = client.view) =>
    oracles[id].run(view, {
      ...{ params, rng: rng(seed).fork('attack', id), tick() {}, truth: truthOf(client) },
      claimOf: async () => ({ status: 'not-applicable', missing: [] }),
    })
  const live = () => ({ ...client.view, channel: channelTo(client), tampered: [] })
  const on = (outcome) => judge(client, outcome, { model, seed })
  yield ['majority', { right: Math.max(ones, 1 - ones) }]
  if (parts.has('passive')) yield ['last-returned', await on(await run('last-returned', client.view, {}, seed))]
  if (parts.has('passive') && settings.run.hidden === 0) {
    for (const form of ['direct', 'inverse'])
      yield [`lmra-ols, ${form}`, await on(await run('lmra-ols', client.view, { form }, seed))]
  }
  if (parts.has('optimum')) {
    yield ['model-oracle-adam200', await on(await oracle('model-oracle-adam200'))]
    const iterations = Number(flags.iterations)
    if (iterations > 0) yield ['model-oracle', await on(await oracle('model-oracle', { iterations }))]
  }
  for (const rounds of active) {
    if (parts.has('active')) {
      yield [`echo, ${rounds} rounds`, await on(await run('lmra-active-echo', live(), { rounds }, seed))]
      const params = { rounds, trials }
      yield [`Adam, ${rounds} rounds, oracle`, await on(await oracle('lmra-active-adam-oracle', params, live()))]
    }
    if (parts.has('observable')) {
      const params = { rounds, trials }
      yield [`Adam, ${rounds} rounds, observable`, await on(await run('lmra-active-adam', live(), params, seed))]
    }
  }
  if (parts.has('grad')) for (const variant of flags.variants.split(',')) yield* gradients(client, { variant, seed })
}

/** Grad and Grad-w-O, passive and with echoes, from one grid: its candidates do not depend on which others are tried. */
async function* gradients(client, { variant, seed }) {
  const { truth } = client
  const echo = Number(flags.echoes)
  const params = {
    ...{ variant, temperature: 1, iterations: 100, echo, rates: numbers(flags.rates) },
    // Straight-through as published; soft from even logits with the noise of two classes.
    ...(variant === 'soft' ? { start: 'zero', draws: 2 } : { start: 'normal', draws: 1 }),
    fractions: numbers(flags.fractions),
  }
  const view = { ...client.view, model: { outputActivation: 'identity', ...client.view.model } }
  const context = { params, rng: rng(seed).fork('attack', 'aia-gradient'), tick() {} }
  const { candidates } = await matchGrid({ ...view, channel: channelTo(client) }, context)
  const scored = candidates.map(({ set, rate, cosine, guesses: [values] }) => ({
    ...{ set, rate, cosine },
    right: truth.reduce((sum, v, i) => sum + Number(values[i] === v), 0) / truth.length,
  }))
  const best = (all, key) => all.reduce((a, b) => (b[key] > a[key] ? b : a))
  const details = ({ right, ...rest }) => ({ right, details: rest })
  const passive = scored.filter(({ set }) => set.endsWith('heard'))
  yield [`Grad, ${variant}`, details(best(passive, 'cosine'))]
  yield [`Grad-w-O, ${variant}`, details(best(passive, 'right'))]
  if (echo === 0) return
  yield [`Grad, ${variant}, ${echo} echoes`, details(best(scored, 'cosine'))]
  yield [`Grad-w-O, ${variant}, ${echo} echoes`, details(best(scored, 'right'))]
}

const { encoding } = settings
const source = await sourceOf(settings.name, encoding === undefined ? {} : { encoding })
const grid = settings.byHeterogeneity ? numbers(flags.h) : [null]
/** name -> column -> seed -> [right of each client] */
const table = new Map()
for (const h of grid) {
  for (const seed of numbers(flags.seeds)) {
    const only = flags.clients === 'all' ? {} : { only: numbers(flags.clients) }
    const options = { source, ...settings.run, partition: settings.partition(h), seed, ...only }
    const { clients, model } = federate(options)
    for (const client of clients) {
      let since = performance.now()
      for await (const [name, figure] of figures(client, { model, seed })) {
        const row = table.get(name) ?? table.set(name, new Map()).get(name)
        const cell = row.get(h) ?? row.set(h, new Map()).get(h)
        cell.set(seed, [...(cell.get(seed) ?? []), figure.right])
        const seconds = Number(((performance.now() - since) / 1000).toFixed(1))
        process.stderr.write(`${JSON.stringify({ h, seed, client: client.id, name, ...figure, seconds })}\n`)
        since = performance.now()
      }
    }
  }
}

/** Mean and spread over the seeds of the mean over the clients, as in the paper. */
const shown = (cell) => {
  const perSeed = [...cell.values()].map(mean)
  const spread = perSeed.length > 1 ? ` +- ${(100 * deviation(perSeed)).toFixed(2)}` : ''
  return `${(100 * mean(perSeed)).toFixed(2)}${spread}`
}
const print = (line) => process.stdout.write(`${line}\n`)
print(`| attack | ${grid.map((h) => (h === null ? 'accuracy, %' : `h = ${h}`)).join(' | ')} |`)
print(`|---|${grid.map(() => '---|').join('')}`)
for (const [name, row] of table) print(`| ${name} | ${grid.map((h) => shown(row.get(h))).join(' | ')} |`)
