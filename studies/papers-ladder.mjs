// What the papers' figures are leaks of: each headline setting at the paper's size, graded as the paper grades it, and beside it the
// same federation with half of the target's records held back, on the ladder of docs/verdict.md.
//   npm run build:ts && node studies/papers-ladder.mjs [--only medical-smoker,medical-sex] [--repeats 10] [--seed 1] [--workers 1] [--out studies/papers-ladder.jsonl]
// A setting that is in the file is not run again.
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { audit } from '../dist/index.js'
import { nodePorts } from '../dist/node/index.js'
import { options, print, tableOf } from './figures.mjs'

/** @typedef {import('../dist/index.js').ScenarioInput} ScenarioInput */
/** @typedef {{ readonly paper: string, readonly scenario: Omit<ScenarioInput, 'name' | 'seed'> }} Setting */
/** @typedef {{ setting: string, seed: number, paper: string, question: string, attack: string, full: string, rungs: Record<string, number | null>, word: string, metric: string, repeats: number, seconds: number }} Row */

const flags = options({ only: '', repeats: 10, seed: 1, workers: 1, out: 'studies/papers-ladder.jsonl' })
const file = String(flags.out)
const sharedData = fileURLToPath(new URL('../../shared/data', import.meta.url))

/** @param {string} attribute @returns {Setting} */
const medical = (attribute) => ({
  paper:
    attribute === 'smoker'
      ? '[aia] Table 1, Medical: 95.9 % by the last returned model'
      : 'no figure: the same setting, another column',
  scenario: {
    data: { name: 'medical', params: { encoding: 'network' }, validation: 0.1, auxiliary: 0 },
    partition: { name: 'iid', params: { clients: 2 } },
    models: [{ kind: 'mlp', hidden: [128] }],
    training: { rounds: 100, localEpochs: 1, batchSize: 32, learningRate: 2e-6 },
    knowledge: { targets: ['0'], sensitive: [attribute] },
    attacks: ['last-returned', 'aia-model'],
    observers: ['eavesdropper'],
  },
})

/** @param {number | null} rows @returns {Setting} */
const income = (rows) => ({
  paper: `[aia] Table 1, Income-L: 75.3 % by the last returned model (2024 in place of 2018${rows === null ? '' : '; 2,000 people in place of 15,982'})`,
  scenario: {
    data: { name: 'acs-income', ...(rows !== null && { rows }), validation: 0.1, auxiliary: 0 },
    partition: { name: 'iid', params: { clients: 10 } },
    models: [{ kind: 'mlp', hidden: [128] }],
    training: { rounds: 100, localEpochs: 1, batchSize: 32, learningRate: 5e-7 },
    knowledge: { targets: ['0'], sensitive: ['SEX'] },
    attacks: ['last-returned', 'aia-model'],
    observers: ['eavesdropper'],
  },
})

/** @type {Readonly<Record<string, Setting>>} */
const settings = {
  'medical-smoker': medical('smoker'),
  'medical-sex': medical('sex'),
  'income-louisiana': income(2000),
  // All people: a training takes minutes beside other work, so with few --repeats.
  'income-whole': income(null),
  // The same network and people by the attack that reads every message: kept with --repeats 8, five are too few for a swap of lists.
  'medical-sex-linear': {
    paper: 'no figure: sex in the setting of [aia] Table 1, 40 rounds in place of 100, by `aia-linear`',
    scenario: {
      ...medical('sex').scenario,
      training: { rounds: 40, localEpochs: 1, batchSize: 32, learningRate: 2e-6 },
      attacks: ['aia-model', 'aia-linear'],
    },
  },
  'fashion-membership': {
    paper:
      '[prolin] Fig. 3, Fashion-MNIST: which of 50 clients hold a record, from sums (200 pairs a detector in place of 6,000, 60 rounds)',
    scenario: {
      data: { name: 'fashion-mnist', validation: 0, auxiliary: 0.1 },
      partition: { name: 'sizes', params: { sizes: Array.from({ length: 50 }, () => 25) } },
      models: [{ kind: 'lenet-mnist' }],
      training: {
        ...{ rounds: 60, localEpochs: 1, batchSize: 10, learningRate: 0.01, aggregateWeights: 'one' },
        sampling: { name: 'fraction', params: { fraction: 0.2 } },
      },
      knowledge: { targets: ['3'], property: 'membership', holders: ['3', '11', '24', '36', '47'] },
      attacks: [{ id: 'property-reg', params: { pairs: 200, rounds: 60 } }],
      observers: ['secagg-server'],
    },
  },
  'salary-batch': {
    paper: '[labels] Figs. 6.4 and 6.6, Salary: a gradient of 40 records',
    scenario: {
      data: { name: 'salary', params: { duplicates: 'drop', scale: 'standardise' }, auxiliary: 0.28 },
      partition: { name: 'iid', params: { clients: 20 } },
      models: [{ kind: 'mlp', hidden: [48, 24] }],
      training: { localEpochs: null, localSteps: 1, rounds: 5, batchSize: 40, learningRate: 1e-3 },
      knowledge: { targets: ['0'] },
      attacks: ['label-mean', 'metaclass-means', 'metaclass-counts'],
      observers: ['server'],
    },
  },
  leaf: {
    paper: '[lmra] Table 1, LEAF: 5 clients, logistic',
    scenario: {
      data: { name: 'leaf-synthetic', auxiliary: 0 },
      partition: { name: 'by-column' },
      models: [{ kind: 'softmax' }],
      training: { rounds: 100, localEpochs: 1, batchSize: null, learningRate: 0.1 },
      knowledge: { targets: ['0'], candidates: 40 },
      attacks: ['last-returned', 'lmra-active-adam', 'membership-loss'],
      observers: ['eavesdropper', 'malicious-server'],
    },
  },
}

/** @param {ScenarioInput} scenario */
async function audited(scenario) {
  const out = mkdtempSync(join(tmpdir(), 'overhear-papers-'))
  try {
    const run = audit(scenario, { ports: nodePorts({ out, dataDir: sharedData, workers: flags.workers }) })
    for await (const event of run)
      if (event.kind === 'training') process.stderr.write(`${scenario.name}: ${event.number} of ${event.total}\n`)
    return await run.result
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

/**
 * A row for each question: how the attacks did at the paper's size, and the rungs at half of it.
 * @param {Awaited<ReturnType<typeof audited>>} full @param {Awaited<ReturnType<typeof audited>>} half
 * @returns {Pick<Row, 'question' | 'attack' | 'full' | 'rungs' | 'word' | 'metric'>[]}
 */
function rowsOf(full, half) {
  return half.questions.map(({ observer, kind, name, level, ladder, by, notTested }) => {
    const scores = full.observers
      .filter((one) => one.observer === observer)
      .flatMap(({ attacks }) => attacks)
      .flatMap(({ attack, findings }) =>
        findings.flatMap(({ claim, score }) =>
          claim.kind === kind && score !== null ? [`${attack} ${shown(score)}`] : [],
        ),
      )
    const { metric, guess, federation, client, record } = ladder
    return {
      question: `${name ?? kind}, ${observer}`,
      attack: Object.values(by).join(', '),
      full: scores.join('; '),
      rungs: { guess, federation, client, record },
      word: notTested === null ? level : `${level}: ${notTested}`,
      metric,
    }
  })
}

/** @param {import('../dist/index.js').Score} score */
const shown = ({ metric, value, accuracy }) =>
  `${metric} ${value.toFixed(3)}${accuracy === undefined || accuracy === null ? '' : `, right ${(100 * accuracy).toFixed(1)} %`}`

const wanted = flags.only === '' ? Object.keys(settings) : String(flags.only).split(',')
/** @type {Row[]} */
const rows = existsSync(file)
  ? readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  : []
for (const name of wanted) {
  const setting = settings[name]
  if (setting === undefined) throw new Error(`no setting "${name}"; known: ${Object.keys(settings).join(', ')}`)
  if (rows.some((row) => row.setting === name && row.seed === flags.seed)) continue
  const began = performance.now()
  const full = await audited({ ...setting.scenario, name, seed: flags.seed, heldBack: 0, repeats: 1, controls: false })
  const half = await audited({ ...setting.scenario, name, seed: flags.seed, repeats: flags.repeats, controls: false })
  const seconds = Math.round((performance.now() - began) / 1000)
  for (const row of rowsOf(full, half)) {
    const made = { setting: name, seed: flags.seed, paper: setting.paper, ...row, repeats: flags.repeats, seconds }
    appendFileSync(file, `${JSON.stringify(made)}\n`)
    rows.push(made)
  }
}

/** @param {number | null | undefined} x */
const figure = (x) => (x === null || x === undefined ? '-' : x.toFixed(3))
for (const line of tableOf(
  ['setting', 'paper', 'question', 'at its size', 'metric', 'guess', 'federation', 'client', 'record', 'word'],
  rows.map(({ setting, paper, question, full, metric, rungs, word }) => [
    ...[setting, paper, question, full, metric],
    ...['guess', 'federation', 'client', 'record'].map((rung) => figure(rungs[rung])),
    word,
  ]),
))
  print(line)
