/**
 * Small worlds that between them reach every attack, local rule, sampling, partition, defence, misbehaviour, model and kind
 * of claim. `pinned-numbers.ts` keeps all that comes out of them.
 */
import type { FileReader } from '../src/data/dataset-entry.js'
import { numberColumn, type Table, tableOf, wordColumn } from '../src/data/table.js'
import { rng } from '../src/numeric/random/rng.js'
import type { ScenarioInput } from '../src/scenario/scenario-schema.js'

export type Worlds = Readonly<Record<string, ScenarioInput>>

/** People who never were: with a measured attribute, doctors of three ages, hospitals, and groups of pay. */
function people(): Table {
  const draws = rng(11)
  const rows = Array.from({ length: 160 }, (_, i) => {
    const [age, bmi, luck] = [25 + Math.floor(40 * draws.uniform()), 18 + 17 * draws.uniform(), draws.uniform()]
    const education = ['school', 'college', 'Doctorate'][i % 3]!
    const smoker = draws.uniform() < 0.4 ? 'yes' : 'no'
    const pay = 1 + 0.02 * age - 0.04 * bmi + (smoker === 'yes' ? 0.7 : 0) + 0.3 * (i % 3) + 0.2 * luck
    return { age, bmi, education, smoker, pay, site: `s${i % 4}`, high: pay > 1.5 ? 'high' : 'low' }
  })
  return tableOf([
    ...(['age', 'bmi', 'pay'] as const).map((name) =>
      numberColumn(
        name,
        rows.map((row) => row[name]),
      ),
    ),
    ...(['education', 'smoker', 'site', 'high'] as const).map((name) =>
      wordColumn(
        name,
        rows.map((row) => row[name]),
      ),
    ),
  ])
}

/** Every file is the table of people. */
export const peopleFiles: FileReader = {
  table: async () => people(),
  bytes: () => Promise.reject(new Error('there are no bytes')),
}

export const own = (params: Record<string, string>) => ({
  name: 'csv',
  params: {
    file: 'people.csv',
    label: 'pay',
    sensitive: 'smoker, bmi',
    metaclass: 'education',
    client: 'site',
    labelScale: 'none',
    ...params,
  },
  auxiliary: 0.2,
})
export const paid = own({ columns: 'age,bmi,smoker,education=one-hot-full' })
export const rich = own({
  label: 'high',
  task: 'classification',
  columns: 'age=min-max,bmi=standardise,smoker,education',
})
export const wages = { name: 'cps-wages', params: { wage: 'log' }, rows: 120, auxiliary: 0.3 }
export const iid = (clients: number) => ({ name: 'iid', params: { clients } })

/** The client's own model, its members, the labels of its known records. */
export const localModelWorlds: Worlds = {
  'full batches': {
    data: {
      name: 'toy-least-squares',
      params: { recordsPerClient: 30, numericColumns: 3, clients: 3, heterogeneity: 0.3 },
      auxiliary: 0.2,
    },
    partition: { name: 'by-column' },
    models: [{ kind: 'linear', learningRate: 0.1 }],
    training: { rounds: 9, batchSize: null, localEpochs: 2, precision: 'f64' },
    knowledge: { candidates: 12 },
    attacks: [
      'last-returned',
      'lmra-exact',
      { id: 'lmra-exact', params: { form: 'inverse' } },
      'lmra-ols',
      'lmra-data',
      'lmra-label',
      'membership-loss',
      { id: 'membership-loss', params: { from: 'global', threshold: 'split' } },
      { id: 'aia-model', params: { from: 'model-oracle' } },
      'model-oracle',
    ],
    observers: ['eavesdropper'],
  },
  'noisy batches': {
    data: { name: 'toy-least-squares', params: { recordsPerClient: 24, numericColumns: 2 }, auxiliary: 0.2 },
    partition: iid(2),
    models: [
      { kind: 'linear', learningRate: 0.1 },
      { kind: 'mlp', hidden: [3], activation: 'tanh' },
    ],
    training: { rounds: 12, batchSize: 6, momentum: 0.5, share: 'delta', shuffle: 'round' },
    knowledge: { candidates: 8, labels: false },
    attacks: [
      ...['inverse', 'tls', 'auto'].map((form) => ({ id: 'lmra-ols', params: { form } })),
      { id: 'lmra-ols', params: { select: 'condition' } },
      { id: 'lmra-ols', params: { select: 'random', draws: 20 } },
      { id: 'lmra-ols', params: { weights: 'round' } },
      { id: 'lmra-mapping', params: { hidden: 6, epochs: 12, learningRate: 0.01, iterations: 20 } },
      {
        id: 'lmra-mapping',
        params: { hidden: 5, epochs: 9, decode: 'adam', scale: 'global', inputs: 'each', iterations: 15 },
      },
      { id: 'lmra-mapping', params: { hidden: 4, epochs: 9, scale: 'none', inputs: 'none', iterations: 5 } },
      { id: 'membership-loss', params: { from: 'lmra-ols' } },
      'lmra-label',
      { id: 'model-oracle-adam200', params: { epochs: 6, batchSize: 5, rates: [0.03, 0.3] } },
      'lmra-active-adam',
      'lmra-active-ols',
      { id: 'lmra-active-ols', params: { rounds: 7, size: 0.5 } },
      { id: 'lmra-active-adam', params: { tuning: 'observable', trials: 1 } },
      { id: 'lmra-active-adam', params: { tuning: 'none', rounds: [10, 11, 13] } },
      'lmra-active-echo',
      { id: 'lmra-active-adam-oracle', params: { trials: 4 } },
    ],
    activeRounds: 4,
    observers: ['malicious-server'],
  },
}

const gradient = { rates: [10, 1000], fractions: [0.5, 1], iterations: 8 }

/** Attributes of the target's records: of two values, of several, measured ones. */
export const attributeWorlds: Worlds = {
  wages: {
    data: wages,
    partition: { name: 'heterogeneous', params: { clients: 3, heterogeneity: 0.4, attribute: 'union' } },
    models: [
      { kind: 'linear', learningRate: 0.1 },
      { kind: 'mlp', hidden: [6], learningRate: 0.1 },
    ],
    training: { rounds: 20, localEpochs: 2, batchSize: 16 },
    knowledge: { sensitive: ['union', 'race'] },
    attacks: [
      'aia-model',
      { id: 'aia-model', params: { from: 'lmra-ols', prior: 'frequency' } },
      { id: 'aia-gradient', params: gradient },
      { id: 'aia-gradient', params: { ...gradient, variant: 'soft', start: 'zero', draws: 2, temperature: 0.5 } },
      { id: 'aia-gradient-oracle', params: gradient },
      'aia-linear',
      { id: 'aia-linear', params: { passes: 3, rehearsals: 1, rate: 'each', directions: 4, fuse: 'lmra-ols' } },
    ],
    observers: ['eavesdropper'],
  },
  'shaken models': {
    data: { ...wages, rows: 90 },
    partition: iid(3),
    models: [{ kind: 'mlp', hidden: [5], activation: 'sigmoid', learningRate: 0.1 }],
    training: { rounds: 6, batchSize: null, share: 'delta', precision: 'f64' },
    knowledge: { sensitive: ['gender'] },
    attacks: [
      'aia-linear-active',
      { id: 'aia-linear-active', params: { heard: 'all', sigma: 0.5, rate: 'one' } },
      { id: 'aia-gradient', params: { ...gradient, echo: 2 } },
    ],
    activeRounds: 5,
    observers: ['malicious-server'],
  },
  measured: {
    data: paid,
    partition: iid(3),
    models: [{ kind: 'linear', learningRate: 0.1 }],
    training: { rounds: 10, batchSize: 8, localEpochs: 2 },
    knowledge: { sensitive: ['bmi', 'smoker'], targets: ['2'] },
    attacks: [
      'aia-model',
      'aia-linear',
      { id: 'aia-gradient', params: gradient },
      { id: 'lmra-data', params: { iterations: 50 } },
    ],
    observers: ['server'],
  },
  // Beyond what is taken at a time.
  'many records': {
    data: { ...wages, rows: 534, auxiliary: 0.05 },
    partition: iid(2),
    models: [{ kind: 'mlp', hidden: [4], learningRate: 0.1 }],
    training: { rounds: 5, batchSize: 64 },
    knowledge: { sensitive: ['race'] },
    attacks: ['aia-linear', 'aia-model'],
    observers: ['eavesdropper'],
    controls: false,
  },
  'without constants': {
    data: { ...wages, rows: 90 },
    partition: iid(2),
    models: [
      { kind: 'linear', bias: false, learningRate: 0.1 },
      { kind: 'mlp', hidden: [4, 3], bias: false, learningRate: 0.1 },
    ],
    training: { rounds: 6, batchSize: null },
    knowledge: { sensitive: ['gender', 'married'] },
    attacks: ['aia-linear', { id: 'aia-gradient', params: gradient }, 'lmra-data'],
    observers: ['eavesdropper'],
    controls: false,
  },
  classes: {
    data: rich,
    partition: { name: 'by-column', params: { column: 'site' } },
    models: [
      { kind: 'logistic', learningRate: 0.2 },
      { kind: 'softmax', learningRate: 0.2 },
    ],
    training: { rounds: 8, batchSize: null },
    knowledge: { targets: ['s1'], sensitive: ['smoker'], candidates: 10 },
    attacks: ['aia-model', 'aia-linear', 'membership-loss', { id: 'model-oracle', params: { iterations: 60 } }],
    observers: ['eavesdropper'],
  },
}
