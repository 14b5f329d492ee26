// [aia] Section 6: whether for classification Grad is above the model-based attack, the other way round than for regression,
// and where aia-linear stands in both. The worlds of Fig. 1 (ACS Income of Louisiana), with more seeds and clients.
//   OVERHEAR_SHARED=../shared node studies/aia-reversal.mjs [--seeds 1,2,3] [--sizes 64,256] [--clients 2] [--tasks REGEX] [--rounds 100]
import { parseArgs } from 'node:util'
import { datasetReader } from '../dist/node/files/dataset-files.js'
import { meanOf } from '../dist/numeric/special/summaries.js'
import { recordedRun } from '../dist/studies/recorded-run.js'
import { print } from './figures.mjs'

const grid = { fractions: [0.01, 0.05], rates: [1e3, 1e5] }
/** @type {Readonly<Record<string, readonly [id: string, params: Readonly<Record<string, unknown>>]>>} */
const attacks = {
  Grad: ['aia-gradient', grid],
  model: ['aia-model', { from: 'last-returned' }],
  'aia-linear': ['aia-linear', {}],
}

/** @param {boolean} classes @param {number} size @param {number} seed @param {object} model */
const worldOf = (classes, size, seed, model) => ({
  ...{ name: 'aia-reversal', seed, heldBack: 0 },
  data: {
    name: 'acs-income',
    params: { part: classes ? 'louisiana-2018' : 'louisiana' },
    ...{ rows: 4 * size, validation: 0, auxiliary: 0 },
  },
  partition: { name: 'sizes', params: { sizes: [size, size, size, size] } },
  models: [model],
  training: { rounds: Number(values.rounds), localEpochs: 1, batchSize: 32, learningRate: classes ? 0.03 : 5e-7 },
  knowledge: { targets: 'all', sensitive: ['SEX'] },
})

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1,2,3' },
    sizes: { type: 'string', default: '64,256' },
    clients: { type: 'string', default: '2' },
    tasks: { type: 'string', default: '' },
    rounds: { type: 'string', default: '100' },
  },
})
const numbers = (/** @type {string} */ text) => text.split(',').map(Number)
/** @type {readonly (readonly [string, boolean, object])[]} */
const tasks = [
  ['regression, 128 units', false, { kind: 'mlp', hidden: [128] }],
  ['classification, 128 units', true, { kind: 'mlp', hidden: [128] }],
  ['classification, logistic', true, { kind: 'logistic' }],
]
const dataDir = `${process.env.OVERHEAR_SHARED ?? '../shared'}/data`
const ports = { dataset: (/** @type {string} */ name) => datasetReader(name, dataDir) }
print(
  '| task | records | best constant | Grad | model | by the label alone | aia-linear | Grad above model | clients |',
)
print('|---|--:|--:|--:|--:|--:|--:|--:|--:|')
for (const [task, classes, model] of tasks.filter(([name]) => new RegExp(values.tasks).test(name))) {
  for (const size of numbers(values.sizes)) {
    /** @type {Record<string, number[]>} */
    const right = { constant: [], label: [], Grad: [], model: [], 'aia-linear': [] }
    for (const seed of numbers(values.seeds)) {
      const scenario = /** @type {import('../dist/scenario/scenario-schema.js').ScenarioInput} */ (
        worldOf(classes, size, seed, model)
      )
      const run = await recordedRun(scenario, ports)
      for (const target of run.targets.slice(0, Number(values.clients))) {
        for (const [name, [id, params]] of Object.entries(attacks)) {
          const { findings, details } = await run.attack(id, { target, params })
          const score = findings[0]?.score
          right[name]?.push(score?.accuracy ?? Number.NaN)
          if (name !== 'model') continue
          right.constant?.push(Number(score?.also.bestConstantInHindsight))
          const [rule] = /** @type {{ agreement: number }[]} */ (/** @type {unknown} */ (details.labelOnly ?? []))
          if (rule !== undefined) right.label?.push(rule.agreement)
        }
      }
    }
    const percent = (/** @type {string} */ name) => {
      const claimed = (right[name] ?? []).filter((x) => !Number.isNaN(x))
      return claimed.length === 0 ? '-' : (100 * meanOf(claimed)).toFixed(1)
    }
    const above = right.Grad?.filter((x, i) => x > Number(right.model?.[i])).length
    const cells = ['constant', 'Grad', 'model', 'label', 'aia-linear'].map(percent)
    print(`| ${task} | ${size} | ${cells.join(' | ')} | ${above} | ${right.Grad?.length} |`)
  }
}
