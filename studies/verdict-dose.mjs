// Whether an audit's words rise with the dose: the same questions about worlds in which more and more can be found, and how
// often an audit finds who was trained on where that is easy to tell.
//   npm run build:ts && node studies/verdict-dose.mjs [--parts members,found,attributes,properties,labels] [--seed 1] [--audits 12]
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { audit } from '../dist/index.js'
import { nodePorts } from '../dist/node/index.js'
import { at, options, print, tableOf } from './figures.mjs'

/** @typedef {import('../dist/index.js').ScenarioInput} ScenarioInput */
/** @typedef {import('../dist/index.js').Question} Question */

const values = options({ parts: 'members,found,attributes,properties,labels', seed: 1, audits: 12 })
const seed = Number(values.seed)
const parts = String(values.parts).split(',')

/** A small federation on wages. @param {number} rounds @param {Partial<ScenarioInput>} more @returns {ScenarioInput} */
const wages = (rounds, { training = {}, ...more }) => ({
  name: 'dose',
  repeats: 10,
  controls: false,
  data: { name: 'cps-wages', params: { wage: 'log' }, auxiliary: 0.2 },
  partition: { name: 'iid', params: { clients: 8 } },
  models: [{ kind: 'mlp', hidden: [32] }],
  training: { rounds, localEpochs: 20, batchSize: null, learningRate: 0.05, ...training },
  observers: ['eavesdropper'],
  ...more,
})

/** Questions of one audit. @param {ScenarioInput} scenario @param {number} base */
async function asked(scenario, base) {
  const ports = nodePorts({ out: join(tmpdir(), `overhear-dose-${process.pid}-${base}-${Math.random()}`) })
  const { questions } = await audit({ ...scenario, seed: base }, { ports }).result
  return questions.filter(({ sameAs }) => sameAs === undefined)
}

const figure = (/** @type {number | null | undefined} */ x) => (x === null || x === undefined ? '' : x.toFixed(3))

/** @param {string | number} dose @param {Question} one */
const rowOf = (dose, { kind, name, level, ladder, test }) => {
  const step = test.record ?? test.client
  return [
    String(dose),
    name ?? kind,
    ladder.metric,
    ...[ladder.guess, ladder.federation, ladder.client, ladder.record].map(figure),
    figure(step?.effect),
    step?.interval?.map(figure).join('..') ?? '',
    step?.adjusted.toFixed(4) ?? '',
    level,
  ]
}

const head = [
  'dose',
  'question',
  'metric',
  'guess',
  'federation',
  'client',
  'record',
  'effect',
  '95 %',
  'p adjusted',
  'word',
]

/** @param {string} title @param {readonly (readonly [string | number, ScenarioInput])[]} doses */
async function rising(title, doses) {
  const rows = []
  for (const [dose, scenario] of doses) {
    for (const one of await asked(scenario, seed)) rows.push(rowOf(dose, one))
  }
  print(`## ${title}\n\n${tableOf(head, rows).join('\n')}\n`)
}

if (parts.includes('members')) {
  const knowledge = { candidates: 40 }
  await rising(
    'who was trained on, by rounds',
    [1, 5, 20, 80].map((rounds) => [rounds, wages(rounds, { knowledge, attacks: ['membership-loss'] })]),
  )
}

if (parts.includes('found')) {
  const scenario = wages(60, { knowledge: { candidates: 40 }, attacks: ['membership-loss'] })
  const rows = []
  for (let k = 0; k < Number(values.audits); k++) rows.push(rowOf(seed + k, at(await asked(scenario, seed + k), 0)))
  const strong = rows.filter((row) => Number(row[6]) >= 0.8)
  const found = strong.filter((row) => row.at(-1) === 'leaks-records').length
  print(`## who was trained on, 60 rounds, by base seed\n\n${tableOf(head, rows).join('\n')}\n`)
  print(`AUC 0.8 or more in ${strong.length} of ${rows.length} audits; found in ${found} of them\n`)
}

if (parts.includes('attributes')) {
  const training = { localEpochs: 2 }
  const knowledge = { sensitive: ['union'] }
  await rising(
    'an attribute, by rounds',
    [2, 4, 8, 16, 32].map((rounds) => [
      rounds,
      wages(rounds, { training, knowledge, attacks: ['aia-linear', 'aia-model'] }),
    ]),
  )
}

if (parts.includes('properties')) {
  await rising(
    'who sends the opposite, by clients',
    [5, 10, 20].map((clients) => [
      clients,
      wages(40, {
        partition: { name: 'iid', params: { clients } },
        training: {
          localEpochs: 4,
          sampling: { name: 'fraction', params: { fraction: 0.5 } },
          misbehaving: { 1: { name: 'inversion' } },
        },
        knowledge: { property: 'inversion' },
        attacks: [{ id: 'property-reg', params: { pairs: 10, rounds: 40 } }],
        observers: ['secagg-server'],
      }),
    ]),
  )
}

if (parts.includes('labels')) {
  const attacks = ['last-returned', 'lmra-ols', 'lmra-label', 'label-mean', 'metaclass-means', 'metaclass-counts']
  await rising(
    'models, labels, means and counts, by local steps (fewer is a larger dose for means and counts)',
    [20, 4, 1].map((localEpochs) => [
      localEpochs,
      wages(40, { models: [{ kind: 'linear' }], training: { localEpochs }, attacks }),
    ]),
  )
}
