/** More small worlds, as in pinned-worlds.ts: those that many clients make, who are asked, defended or do not play fair. */
import type { ScenarioInput } from '../src/scenario/scenario-schema.js'
import { iid, own, paid, rich, type Worlds, wages } from './pinned-worlds.js'

const crowd = { name: 'tiny-images', params: { records: 180, classes: 3, side: 3 }, auxiliary: 0.4 }
const few = { pairs: 8, curve: 3 }
const sums: ScenarioInput = {
  data: crowd,
  partition: iid(8),
  models: [{ kind: 'mlp', hidden: [4], learningRate: 0.1 }],
  training: { rounds: 12, batchSize: 4, localEpochs: 2, sampling: { name: 'fraction', params: { fraction: 0.5 } } },
}
const estimators = ['disaggregation', 'property-ols', 'property-reg', 'prolin', 'property-blup', 'property-posterior']
const estimated = estimators.map((id) => ({ id, params: few }))

/** Which clients have a property, from sums alone. */
export const propertyWorlds: Worlds = {
  inversion: {
    ...sums,
    training: { ...sums.training, misbehaving: { 2: { name: 'inversion' }, 5: { name: 'inversion' } } },
    knowledge: { property: 'inversion' },
    attacks: [
      ...estimated,
      { id: 'contribution', params: few },
      {
        id: 'property-ols',
        params: { ...few, units: 'own', pairs: 13, features: 2, rounds: 9, records: 5, floor: 0.3 },
      },
      { id: 'property-reg', params: { ...few, units: 'own', lambda: 1, curve: 0 } },
      { id: 'prolin', params: { ...few, likelihood: 'code', gamma: 2, pairs: 13, features: 2 } },
      { id: 'prolin', params: { ...few, solver: 'mtadam', steps: 40 } },
      { id: 'property-blup', params: { ...few, acting: 0.7, share: 0.3 } },
    ],
    observers: ['secagg-server'],
  },
  'free riders': {
    ...sums,
    training: {
      ...sums.training,
      sampling: { name: 'poisson', params: { fraction: 0.6 } },
      misbehaving: {
        1: { name: 'free-rider', params: { update: 'zero' } },
        3: { name: 'free-rider', params: { update: 'stale' } },
        6: { name: 'free-rider', params: { update: 'noise', noiseStd: 0.05 } },
      },
    },
    knowledge: { property: 'free-rider' },
    attacks: [
      { id: 'free-rider', params: few },
      ...['zero', 'noise', 'stale'].map((riding) => ({ id: 'free-rider', params: { ...few, riding } })),
      { id: 'property-blup', params: few },
    ],
    observers: ['participant'],
  },
  ascent: {
    ...sums,
    training: {
      ...sums.training,
      aggregateWeights: 'one',
      misbehaving: { 4: { name: 'ascent', params: { maxNorm: 1, prob: 0.7 } } },
    },
    knowledge: { property: 'ascent' },
    attacks: ['property-reg', 'property-posterior'].map((id) => ({ id, params: { ...few, maxNorm: 1, acting: 0.7 } })),
    observers: ['server'],
  },
  scaled: {
    ...sums,
    models: [{ kind: 'softmax', learningRate: 0.1 }],
    training: { ...sums.training, misbehaving: { 0: { name: 'scaled', params: { factor: 2, part: 0.4, key: 7 } } } },
    knowledge: { property: 'scaled' },
    attacks: [
      ...['disaggregation', 'property-blup'].map((id) => ({ id, params: { ...few, factor: 2, part: 0.4, key: 7 } })),
      { id: 'property-reg', params: { ...few, property: 'mislabelled' } },
    ],
    observers: ['server'],
  },
  membership: {
    ...sums,
    data: { ...paid, params: { ...paid.params }, auxiliary: 0.4 },
    models: [{ kind: 'linear', learningRate: 0.1 }],
    knowledge: { property: 'membership', holders: ['0', '3', '6'] },
    attacks: ['property-ols', 'property-posterior', 'contribution'].map((id) => ({ id, params: few })),
    observers: ['secagg-server'],
  },
  'who took part': {
    ...sums,
    knowledge: { property: 'inversion', turnWindow: 4 },
    attacks: ['participation'],
    observers: ['secagg-server'],
  },
  'noise inside secure sums': {
    ...sums,
    defences: [{ name: 'distributed-dp', params: { maxNorm: 0.4, noiseMultiplier: 0.3, delta: 1e-4 } }],
    knowledge: { property: 'inversion' },
    attacks: [{ id: 'property-blup', params: few }],
    observers: ['secagg-server'],
    controls: false,
  },
  'secure sums': {
    ...sums,
    training: { ...sums.training, dropouts: 0.1, misbehaving: { 7: { name: 'inversion', params: { prob: 0.8 } } } },
    defences: [{ name: 'secure-aggregation', params: { bits: 16, clip: 4, lateProb: 0.05 } }],
    knowledge: { property: 'inversion', targets: 'all' },
    attacks: [{ id: 'property-blup', params: { ...few, acting: 0.8 } }],
    observers: ['participant', 'secagg-server', 'server'],
  },
}

const heard: Pick<ScenarioInput, 'attacks' | 'observers' | 'controls'> = {
  attacks: ['last-returned'],
  observers: ['eavesdropper'],
  controls: false,
}
const training = { rounds: 4, batchSize: 8, learningRate: 0.05 }
const digits = (side: number, channels: number) => ({
  name: 'tiny-images',
  params: { records: 24, classes: 3, side, channels },
})

const defended = (name: string): ScenarioInput => ({
  data: paid,
  partition: iid(3),
  models: [{ kind: 'linear' }],
  training,
  defences: [{ name }],
  ...heard,
})

/** Every way of dealing rows, asking clients, training and defending: what is recorded, and the last model. */
export const federationWorlds: Worlds = {
  'prox, weighted': {
    data: paid,
    partition: { name: 'contiguous', params: { clients: 4 } },
    models: [{ kind: 'linear', bias: false }],
    training: {
      ...training,
      ...{ algorithm: 'fedprox', proxMu: 0.5, share: 'delta', shuffle: 'never', momentum: 0.9 },
      sampling: { name: 'weighted', params: { fraction: 0.5 } },
    },
    ...heard,
    knowledge: { targets: 'all', sensitive: [] },
  },
  'doctors, scheduled': {
    data: own({ columns: 'age=log,bmi=log1p,smoker,education', missing: 'drop' }),
    partition: { name: 'adult-phd', params: { clients: 5, ages: [38, 52] } },
    models: [{ kind: 'mlp', hidden: [4, 3], outputActivation: 'sigmoid' }],
    training: {
      ...training,
      localSteps: 3,
      sampling: { name: 'schedule', params: { rounds: '0,1;1,2,4;0,3;1,3' } },
    },
    ...heard,
    knowledge: { targets: ['0', '1', '3'], records: false },
  },
  'uneven classes': {
    data: { ...rich, rows: 120, validation: 0.2 },
    partition: { name: 'dirichlet', params: { clients: 4, concentration: 0.4, column: 'education', least: 5 } },
    models: [{ kind: 'logistic' }, { kind: 'softmax', bias: false, learningRate: 0.5 }],
    training: { ...training, dropouts: 0.3, aggregateWeights: 'one', precision: 'f64' },
    ...heard,
    seed: 5,
  },
  'wrong labels': {
    data: { ...rich, rows: 90 },
    partition: iid(3),
    models: [{ kind: 'softmax' }, { kind: 'logistic' }],
    training: { ...training, misbehaving: { 2: { name: 'mislabelled', params: { part: 0.6 } } } },
    ...heard,
  },
  'stated sizes': {
    data: { name: 'cps-wages', validation: 0 },
    partition: { name: 'sizes', params: { sizes: [20, 35, 15], shuffle: false } },
    models: [{ kind: 'linear', learningRate: 0.001 }],
    training: { ...training, algorithm: 'fedsgd', batchSize: null },
    ...heard,
    knowledge: { auxiliary: false, sensitive: ['married', 'gender'], candidates: 9 },
  },
  'drawn clients': {
    data: {
      name: 'leaf-synthetic',
      params: { sizes: [], clients: 4, inputs: 3, covariance: 'lmra', minorityShare: 0.05, clusters: 2 },
      rows: 160,
    },
    partition: { name: 'by-column' },
    models: [{ kind: 'logistic' }],
    training,
    ...heard,
    knowledge: { targets: 'all' },
  },
  'private steps': {
    data: paid,
    partition: iid(3),
    models: [{ kind: 'mlp', hidden: [4] }],
    training,
    defences: [{ name: 'dp-sgd', params: { maxNorm: 0.5, noiseMultiplier: 0.8 } }],
    attacks: ['last-returned', 'aia-model', { id: 'model-oracle', params: { iterations: 20 } }],
    observers: ['eavesdropper'],
  },
  'other optimizers': {
    data: wages,
    partition: iid(2),
    models: [{ kind: 'linear' }, { kind: 'mlp', hidden: [3], dropout: 0.2 }],
    training: {
      ...training,
      ...{ optimizer: { name: 'adamw', params: { beta1: 0.8 } }, weightDecay: 0.1, clipNorm: 2, dropLast: true },
      ...{ schedule: { name: 'step', params: { every: 2 } }, compression: { name: 'quantised', params: { bits: 9 } } },
    },
    attacks: ['last-returned', { id: 'protocol', params: { rounds: 3, plays: 5 } }],
    observers: ['eavesdropper'],
    controls: false,
    knowledge: { sensitive: ['union'], states: { optimizer: 'unknown', weightDecay: 'unknown' } },
  },
  'private batches': {
    data: rich,
    partition: iid(3),
    models: [{ kind: 'softmax' }],
    training: { ...training, batchSize: null, localSteps: 3 },
    defences: [{ name: 'dp-sgd', params: { sampleRate: 0.3, delta: 0.001 } }],
    ...heard,
  },
  'private clients': {
    data: paid,
    partition: iid(3),
    models: [{ kind: 'linear' }],
    training,
    defences: [{ name: 'local-dp', params: { maxNorm: 0.4, noiseMultiplier: 0.3 } }],
    ...heard,
  },
  'private sums': {
    data: paid,
    partition: iid(3),
    models: [{ kind: 'linear' }],
    training,
    defences: [{ name: 'central-dp', params: { maxNorm: 0.4, noiseMultiplier: 0.3 } }],
    ...heard,
  },
  'private running sums': {
    data: paid,
    partition: iid(3),
    models: [{ kind: 'linear' }],
    training,
    defences: [{ name: 'dp-ftrl', params: { maxNorm: 0.4, noiseMultiplier: 0.3 } }],
    ...heard,
  },
  'pruned changes': defended('gradient-pruning'),
  'clipped changes': defended('clip'),
  'sparse changes': defended('sparsify'),
  'coarse changes': defended('quantise'),
  'mixed records': defended('mixup'),
  'masked representations': { ...defended('representation-mask'), models: [{ kind: 'mlp', hidden: [4] }] },
  'masks along a graph': {
    data: { ...crowd, params: { ...crowd.params, records: 120 } },
    partition: iid(8),
    models: [{ kind: 'softmax' }],
    training: { ...training, rounds: 3, sampling: { name: 'fraction', params: { fraction: 0.9 } } },
    defences: [
      {
        name: 'secure-aggregation',
        params: {
          ...{ server: 'honest-but-curious', variant: 'graph', neighbours: 4, threshold: 0.6 },
          ...{ lateProb: 0.1, bits: 18, clip: 2 },
        },
      },
    ],
    ...heard,
    observers: ['secagg-server'],
    attacks: [{ id: 'property-reg', params: { ...few, property: 'mislabelled' } }],
  },
  'grey pictures': {
    data: digits(28, 1),
    partition: iid(2),
    models: [{ kind: 'lenet-mnist', dropout: 0.25 }],
    training: { ...training, rounds: 2 },
    ...heard,
  },
  'coloured pictures': {
    data: digits(32, 3),
    partition: iid(2),
    models: [{ kind: 'lenet-cifar' }, { kind: 'lenet-dlg' }],
    training: { ...training, rounds: 1, localSteps: 1 },
    ...heard,
  },
}
