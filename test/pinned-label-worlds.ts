/** More small worlds, as in pinned-worlds.ts: those where labels and whole records are sought. */
import { iid, paid, type Worlds, wages } from './pinned-worlds.js'

const pictures = (params: Record<string, number>) => ({ name: 'tiny-images', params, auxiliary: 0.3 })
const counting = ['idlg', 'blr', 'llg', 'llg-star', 'llg-plus', 'ilrg']

/** Which classes a batch holds, and whole records. */
export const classWorlds: Worlds = {
  'one step': {
    data: pictures({ records: 90, classes: 4, side: 4 }),
    partition: { name: 'dirichlet', params: { clients: 3, concentration: 1, least: 8 } },
    models: [{ kind: 'softmax' }, { kind: 'mlp', hidden: [8] }],
    training: { algorithm: 'fedsgd', share: 'gradient', rounds: 2, learningRate: 0.1 },
    attacks: [
      ...counting,
      { id: 'ilrg', params: { embeddings: 'class' } },
      { id: 'ilrg', params: { embeddings: 'split' } },
    ],
    observers: ['eavesdropper'],
  },
  'few pictures': {
    data: pictures({ records: 90, classes: 5, side: 4 }),
    partition: iid(2),
    models: [
      { kind: 'mlp', hidden: [10], activation: 'sigmoid' },
      { kind: 'mlp', hidden: [6], activation: 'tanh', bias: false },
    ],
    training: { localSteps: 1, batchSize: 3, rounds: 3, learningRate: 0.1, precision: 'f64' },
    attacks: [
      ...counting.filter((id) => id !== 'ilrg'),
      { id: 'idlg', params: { activations: 'positive', take: 'negative' } },
      { id: 'blr', params: { activations: 'signed', take: 'smallest' } },
      { id: 'llg-star', params: { inputs: 'normal', draws: 3 } },
      { id: 'dlg', params: { restarts: 2, iterations: 25 } },
      { id: 'dlg', params: { restarts: 1, iterations: 12, labels: 'llg-star', fixedStep: 1, spread: 0.5, memory: 4 } },
    ],
    observers: ['eavesdropper'],
  },
  // Beyond what is taken at a time.
  'many auxiliary records': {
    data: { name: 'tiny-images', params: { records: 320, classes: 3, side: 3 }, auxiliary: 0.5 },
    partition: iid(2),
    models: [{ kind: 'mlp', hidden: [5] }],
    training: { algorithm: 'fedsgd', share: 'gradient', rounds: 1, learningRate: 0.1 },
    attacks: ['llg-plus', { id: 'llg-star', params: { draws: 70 } }, 'ilrg'],
    observers: ['eavesdropper'],
    controls: false,
  },
  'several steps': {
    data: { name: 'leaf-synthetic', params: { sizes: [24, 30, 20], inputs: 4, classes: 3 }, auxiliary: 0.3 },
    partition: { name: 'by-column' },
    models: [{ kind: 'softmax' }, { kind: 'mlp', hidden: [7] }],
    training: { localEpochs: 2, batchSize: 6, rounds: 2, learningRate: 0.05 },
    attacks: counting,
    observers: ['server'],
  },
  'one record': {
    data: pictures({ records: 60, classes: 2, side: 12 }),
    partition: iid(2),
    models: [{ kind: 'lenet-dlg', learningRate: 0.1 }],
    training: { localSteps: 1, batchSize: 1, rounds: 2 },
    attacks: ['idlg', 'llg', { id: 'dlg', params: { restarts: 1, iterations: 6 } }],
    observers: ['eavesdropper'],
    controls: false,
  },
}

const solvers = [
  { solver: 'pinv' },
  { solver: 'tsvd', rank: 2, scaling: 'rows' },
  { solver: 'tsvd', scaling: 'both' },
  ...['slope-nm', 'slope-1', 'corner', 'gcv', 'discrepancy'].map((rule) => ({
    solver: 'tikhonov',
    rule,
    scaling: 'columns',
  })),
]

/** Labels that are numbers: one, their mean, the means and the numbers of groups. */
export const regressionWorlds: Worlds = {
  groups: {
    data: { name: 'metaclass-synthetic', params: { records: 160, inputs: 6, metaclasses: 3 }, auxiliary: 0.4 },
    partition: iid(2),
    models: [
      { kind: 'linear', learningRate: 0.05 },
      { kind: 'mlp', hidden: [8], learningRate: 0.05 },
    ],
    training: { localSteps: 1, batchSize: 24, rounds: 2, precision: 'f64' },
    knowledge: { metaclassCounts: true },
    attacks: [
      'label-mean',
      ...['zero', 'zeros', 'ones'].map((estimate) => ({ id: 'label-mean', params: { estimate } })),
      { id: 'label-mean', params: { estimate: 'normal', dummies: 7 } },
      'metaclass-means',
      ...['attack', 'auxiliary', 'known'].map((counts) => ({ id: 'metaclass-means', params: { counts } })),
      ...['error', 'label', 'both'].map((centre) => ({
        id: 'metaclass-means',
        params: { labels: 'ignore', centre, shift: 'none' },
      })),
      ...solvers.map((params) => ({ id: 'metaclass-means', params })),
      'metaclass-counts',
      ...solvers.map((params) => ({ id: 'metaclass-counts', params })),
      { id: 'metaclass-counts', params: { solver: 'pinv', constrain: 'simplex', whole: true } },
      { id: 'metaclass-counts', params: { metaclasses: 'clusters', clusters: 3, constrain: 'clip', shift: 'none' } },
    ],
    observers: ['eavesdropper'],
  },
  'same batch again': {
    data: paid,
    partition: iid(2),
    models: [{ kind: 'mlp', hidden: [6], activation: 'sigmoid', learningRate: 0.05 }],
    training: { algorithm: 'fedsgd', rounds: 3, share: 'gradient' },
    attacks: [
      'label-mean',
      { id: 'metaclass-means', params: { rounds: [0, 1, 2] } },
      { id: 'metaclass-counts', params: { rounds: [0, 1, 2], solver: 'tikhonov' } },
    ],
    observers: ['eavesdropper'],
  },
  'one record': {
    data: { ...wages, rows: 60 },
    partition: iid(2),
    models: [
      { kind: 'linear', learningRate: 0.05 },
      { kind: 'mlp', hidden: [5], learningRate: 0.05 },
    ],
    training: { localSteps: 1, batchSize: 1, rounds: 3, precision: 'f64' },
    attacks: ['regression-label', 'records-closed-form', { id: 'dlg', params: { restarts: 1, iterations: 10 } }],
    observers: ['eavesdropper'],
  },
  'one record, several steps': {
    data: { ...wages, rows: 60 },
    partition: { name: 'sizes', params: { sizes: [1, 20] } },
    models: [{ kind: 'linear', learningRate: 0.02 }],
    training: { localSteps: 3, batchSize: null, rounds: 2, precision: 'f64' },
    attacks: ['regression-label'],
    observers: ['eavesdropper'],
    controls: false,
  },
}
