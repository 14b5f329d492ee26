// Sound attacks in small worlds: how often the controls call one broken that is not. Worlds of the pages and tests of this repository, of
// the broken attacks and of the empty worlds, each with seeds of its own. Rows go to a file as they come, and are not made again.
//   npm run build:ts && node studies/sound-attacks.mjs [--seeds 4] [--base 521] [--only clinics] [--out studies/sound-attacks.jsonl]
// Seeds 511 and 512 and, after a last change, 521 to 524 were named before anything was measured on them; the rules were made with 300 to 303 in view. Worlds called `family` have all
// attacks of a family beside each other, also those that are not made for such a world; they are counted by themselves.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { plantedScore, triedOn } from '../dist/audit/plants/judge-plants.js'
import { tableOf as columnsOf, defineDataset, definePlugin, numberColumn, wordColumn } from '../dist/doors/plugin.js'
import { audit, memoryPorts } from '../dist/index.js'
import { rng } from '../dist/numeric/random/rng.js'
import { binomialInterval } from '../dist/numeric/special/binomial-interval.js'
import { broken as blind } from '../test/broken/blind/index.mjs'
import { tried } from '../test/broken/blind/worlds.mjs'
import { own } from '../test/broken/own.mjs'
import { at, options, print, tableOf } from './figures.mjs'

/** @typedef {import('../dist/index.js').ScenarioInput} ScenarioInput */
/** @typedef {{ world: string, seed: number, attack: string, params: string, model: string | null, kind: string | null, status: string, reason: string, missed: boolean, lifts: (number | null)[], real: number | null }} Row */

const flags = options({ seeds: 4, base: 521, only: '', out: 'studies/sound-attacks.jsonl' })
const file = String(flags.out)

/** Stays in hospital, as docs/adding/dataset.md draws them. */
const stays = defineDataset({
  ...{ id: 'study-stays', title: 'Stays in hospital', origin: 'generator', tasks: ['regression'], predicts: 'days' },
  sensitive: ['smoker'],
  params: {},
  load({ rng: draws }) {
    const n = 300
    const age = Array.from(draws.fork('age').uniforms(n), (u) => Math.floor(20 + 70 * u))
    const weight = draws.fork('weight').normals(n, { mean: 75, std: 12 })
    const smoker = Array.from(draws.fork('smoker').uniforms(n), (u) => (u < 0.4 ? 'yes' : 'no'))
    const noise = draws.fork('noise').normals(n)
    const days = age.map((years, i) => 2 + years / 20 + (smoker[i] === 'yes' ? 3 : 0) + at(noise, i))
    return {
      task: 'regression',
      table: columnsOf([
        numberColumn('age', age),
        numberColumn('weight', weight),
        wordColumn('smoker', smoker),
        numberColumn('days', days),
      ]),
      rules: [
        { column: 'age', encode: 'number', scale: 'standardise' },
        { column: 'weight', encode: 'number', scale: 'standardise' },
        { column: 'smoker', encode: 'codes', levels: ['no', 'yes'] },
      ],
      label: { column: 'days', encode: 'number' },
      labelUnit: 'days',
    }
  },
})

/** Two labels, as src/audit/several-labels.test.ts draws them. */
function people() {
  const n = 120
  const draw = rng(3)
  const [age, pay] = [draw.fork('age').normals(n), draw.fork('pay').normals(n)]
  const smokes = Array.from({ length: n }, (_, i) => (draw.fork('smokes', i).uniform() < 0.4 ? 'yes' : 'no'))
  const noise = draw.fork('noise').normals(2 * n)
  /** @param {number} i */
  const on = (i) => (smokes[i] === 'yes' ? 1 : 0)
  const charges = Array.from({ length: n }, (_, i) => 2 + at(age, i) - at(pay, i) + 3 * on(i) + 0.1 * at(noise, 2 * i))
  const days = Array.from({ length: n }, (_, i) => 1 - 0.5 * at(age, i) + 2 * on(i) + 0.1 * at(noise, 2 * i + 1))
  return columnsOf([
    ...[numberColumn('age', age), numberColumn('pay', pay), wordColumn('smokes', smokes)],
    ...[numberColumn('charges', charges), numberColumn('days', days)],
  ])
}

/** @param {boolean} wages @param {boolean} network @returns {Omit<ScenarioInput, 'name' | 'seed'>} */
const small = (wages, network) => ({
  ...{ repeats: 1, heldBack: 0.5 },
  data: wages
    ? { name: 'cps-wages', params: { wage: 'log' }, rows: 240, auxiliary: 0.2 }
    : { name: 'tiny-images', params: { records: 240, classes: 3, side: 6 }, auxiliary: 0.2 },
  partition: { name: 'iid', params: { clients: 6 } },
  models: [network ? { kind: 'mlp', hidden: [8], learningRate: 0.05 } : { kind: wages ? 'linear' : 'softmax', learningRate: 0.05 }],
  training: {
    ...{ rounds: 12, localEpochs: 3, batchSize: null, misbehaving: { 5: { name: 'inversion' } } },
    sampling: { name: 'fraction', params: { fraction: 0.67 } },
  },
  knowledge: { targets: ['0'], candidates: 20, property: 'inversion', ...(wages && { sensitive: ['union'] }) },
  observers: ['eavesdropper', 'secagg-server'],
  attacks: [
    ...['last-returned', 'membership-loss', { id: 'property-reg', params: { pairs: 8, rounds: 12 } }],
    ...(wages ? ['lmra-ols', 'aia-model', 'aia-linear', 'label-mean', 'lmra-label'] : ['ilrg']),
  ],
}) // biome-ignore format: settings in lines

/** @type {Record<string, Omit<ScenarioInput, 'name' | 'seed'>>} */
const worlds = {
  clinics: {
    repeats: 1,
    data: {
      name: 'toy-least-squares',
      params: { clients: 4, recordsPerClient: 150, numericColumns: 4, heterogeneity: 1, noiseStd: 0.5 },
    },
    partition: { name: 'by-column' },
    models: [{ kind: 'linear' }],
    training: {
      ...{ rounds: 20, learningRate: 0.2, batchSize: null, precision: 'f64' },
      sampling: { name: 'fraction', params: { fraction: 0.5 } },
    },
    knowledge: { sensitive: ['coin'] },
    observers: ['participant', 'eavesdropper'],
    attacks: ['last-returned', 'lmra-exact', 'aia-model', { id: 'aia-model', params: { from: 'lmra-exact' } }],
  },
  hospital: {
    repeats: 1,
    data: { name: 'study-stays' },
    partition: { name: 'iid', params: { clients: 3 } },
    models: [{ kind: 'linear' }],
    training: { rounds: 10, learningRate: 0.1 },
    knowledge: { auxiliary: false },
    observers: ['eavesdropper'],
    attacks: ['aia-model'],
  },
  'two-labels': {
    ...{ repeats: 1, heldBack: 0 },
    data: {
      name: 'csv',
      params: { file: 'people.csv', label: 'charges, days', sensitive: 'smokes', labelScale: 'none' },
      auxiliary: 0.5,
    },
    partition: { name: 'iid', params: { clients: 6 } },
    models: [{ kind: 'linear' }],
    training: {
      ...{ rounds: 12, localSteps: 1, batchSize: 2, misbehaving: { 2: { name: 'inversion' } } },
      sampling: { name: 'fraction', params: { fraction: 0.5 } },
    },
    knowledge: { candidates: 12, property: 'membership', holders: ['1'] },
    attacks: [
      ...['dlg', 'disaggregation', 'property-reg', 'contribution', 'free-rider'],
      ...['last-returned', 'lmra-data', 'membership-loss', 'aia-model', 'aia-gradient', 'aia-linear'],
    ],
    observers: ['server'],
  },
  'wages, linear': small(true, false),
  'wages, network': small(true, true),
  'pictures, linear': small(false, false),
  'pictures, network': small(false, true),
  ...ofTheBroken(),
  ...families(),
}

/** The worlds that broken attacks are tried in, with the sound ones; each of them once. */
function ofTheBroken() {
  /** @type {Map<string, { world: string, ids: Set<string> }>} */
  const found = new Map()
  for (const { world, id } of [...blind.map(({ name, id: own }) => ({ world: name, id: own })), ...own]) {
    const { scenario, observer, params } = /** @type {any} */ (tried)[world]
    const key = JSON.stringify([scenario, observer, params])
    const one = found.get(key) ?? { world, ids: new Set() }
    found.set(key, one)
    one.ids.add(id)
  }
  return Object.fromEntries(
    [...found.values()].map(({ world, ids }) => {
      const { scenario, observer = 'eavesdropper', params = {} } = /** @type {any} */ (tried)[world]
      return [world, { ...scenario, observers: [observer], attacks: [...ids].map((id) => ({ id, params })) }]
    }),
  )
}

/** Attacks that are handed the same, or nearly, beside each other. */
function families() {
  const classes = ['idlg', 'blr', 'llg', 'llg-star', 'ilrg']
  const models = [
    'last-returned',
    'lmra-exact',
    'lmra-ols',
    'lmra-mapping',
    'lmra-data',
    'aia-model',
    'aia-gradient',
    'aia-linear',
  ]
  /** @type {[string, string, readonly string[]][]} */
  const all = [
    ['properties', '11-participants-of-before', ['disaggregation', 'property-ols', 'property-reg', 'prolin', 'property-blup']],
    ['classes', '07-no-negation', classes],
    ['batches', '09-kept-as-bytes', ['dlg', 'records-closed-form', ...classes]],
    ['models, whole batches', '01-next-broadcast', models],
    ['models, small batches', '03-sorted-columns', models],
  ] // biome-ignore format: a line each
  return Object.fromEntries(
    all.map(([name, world, ids]) => {
      const { scenario, observer = 'eavesdropper' } = /** @type {any} */ (tried)[world]
      return [`family, ${name}`, { ...scenario, observers: [observer], attacks: [...ids] }]
    }),
  )
}

mkdirSync(dirname(file), { recursive: true })
/** @type {Row[]} */
const rows = existsSync(file)
  ? readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  : []

for (const [world, scenario] of Object.entries(worlds)) {
  if (!world.includes(String(flags.only))) continue
  for (let seed = Number(flags.base); seed < Number(flags.base) + Number(flags.seeds); seed++) {
    if (rows.some((row) => row.world === world && row.seed === seed)) continue
    for (const row of await audited(world, seed, { ...scenario, name: 'sound', seed })) {
      rows.push(row)
      appendFileSync(file, `${JSON.stringify(row)}\n`)
    }
    const called = rows.filter((row) => row.world === world && row.seed === seed && row.status === 'broken')
    process.stderr.write(
      `${world}, ${seed}: ${called.map(({ attack }) => attack).join(', ') || 'none'} called broken\n`,
    )
  }
}

/** @param {string} world @param {number} seed @param {ScenarioInput} scenario @returns {Promise<Row[]>} */
async function audited(world, seed, scenario) {
  /** @type {Map<string, Uint8Array>} */
  const files = new Map()
  const dataset = () => ({ table: async () => people(), bytes: () => Promise.reject(new Error('no bytes')) })
  const plugin = definePlugin({ name: 'stays', datasets: [stays] })
  const { observers } = await audit(scenario, { ports: memoryPorts({ files, dataset }), plugins: [plugin] }).result
  const log = [...files].find(([path]) => path.endsWith('results.jsonl'))
  const kept = new TextDecoder().decode(log?.[1]).split('\n').filter(Boolean).map((line) => JSON.parse(line)) // biome-ignore format: a line
  const all = observers.flatMap((one) => one.attacks).filter(({ sameAs, controls }) => sameAs === undefined && controls)
  return all.map(({ attack, params, observer, model, findings, controls, power }) => {
    const key = JSON.stringify([attack, observer, model, params])
    const scores = kept
      .map((line) => line.result ?? line)
      .filter(
        (one) => one.plant !== undefined && JSON.stringify([one.attack, one.observer, one.model, one.params]) === key,
      )
      .sort((a, b) => a.plant - b.plant)
      .flatMap((one) => plantedScore(one) ?? [])
    const tried = triedOn(scores)
    const missed = tried !== undefined && !tried.found && tried.told.at(-1)?.score.accuracy !== 1
    return {
      ...{ world, seed, attack, params: JSON.stringify(params), model, kind: findings[0]?.claim.kind ?? null },
      status: controls?.planted.status ?? 'none',
      reason: controls?.planted.reason ?? '',
      missed,
      lifts: (power?.curve ?? []).map(({ lift }) => lift),
      real: findings[0]?.score?.lift ?? null,
    }
  })
}

const shown = rows.filter(
  ({ world, seed }) => world.includes(String(flags.only)) && seed >= flags.base && seed < flags.base + flags.seeds,
)
/** @param {readonly Row[]} those @param {string} status */
const count = (those, status) => those.filter((row) => row.status === status).length
const names = [...new Set(shown.map(({ world, attack, model }) => JSON.stringify([world, attack, model])))]
const table = tableOf(
  ['world', 'attack', 'audits', 'found it', 'did not', 'of these called broken', 'blind', 'not told'],
  names.map((name) => {
    const [world, attack, model] = JSON.parse(name)
    const those = shown.filter((row) => row.world === world && row.attack === attack && row.model === model)
    const missed = those.filter((row) => row.missed)
    return [
      ...[world, `\`${attack}\``, those.length, count(those, 'passed'), missed.length],
      ...[count(those, 'broken'), count(those, 'blind'), count(missed, 'none')],
    ]
  }),
)
print(`${table.join('\n')}\n`)
for (const [name, those] of /** @type {[string, Row[]][]} */ ([
  ['sound ones', shown.filter(({ world }) => !world.startsWith('family'))],
  ['of families', shown.filter(({ world }) => world.startsWith('family'))],
])) {
  if (those.length === 0) continue
  const broken = count(those, 'broken')
  const { low, high } = binomialInterval({ successes: broken, trials: those.length, confidence: 0.95 })
  const missed = those.filter((row) => row.missed).length
  print(
    `${name}: ${broken} of ${those.length} called broken (${low.toFixed(3)}..${high.toFixed(3)}), ${missed} found no plant\n`,
  )
}
