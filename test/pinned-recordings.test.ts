import { classWorlds, regressionWorlds } from './pinned-label-worlds.js'
import { pinRecordings } from './pinned-numbers.js'
import { attributeWorlds, localModelWorlds } from './pinned-worlds.js'

const manifest = /transcript\/transcript\.json$/
const knowledge = /\/knowledge\.json$/
const noRate = { file: manifest, from: /"learningRate": [\d.]+/, to: '"learningRate": null' }
const noSizes = { file: manifest, from: /"samples": \d+/g, to: '"samples": null' }
const opaque = { file: manifest, from: /"kind": "\w+"/, to: '"kind": "opaque"' }
/** The first ten lines of the table of known records. */
const fewRecords = { file: /\/knowledge-records\.csv$/, from: /^((?:.*\n){11})[\s\S]*$/, to: '$1' }
const gradient = { id: 'aia-gradient', params: { rates: [10, 1000], fractions: [0.5, 1], iterations: 4 } }
const linear = ['known', 'one', 'each'].map((rate) => ({ id: 'aia-linear', params: { rate } }))
const counting = ['idlg', 'blr', 'llg', 'llg-star', 'llg-plus', 'ilrg']
const groups = ['label-mean', 'metaclass-means', 'metaclass-counts']
const batchOf = (size: number) => ({ file: knowledge, from: /"target"/, to: `"batchSize": ${size}, "target"` })
const inRound = (round: number) => ({ file: knowledge, from: /"target"/, to: `"round": ${round}, "target"` })
const unlabelled = { file: knowledge, from: /("knowledge-auxiliary.csv"), "label": "\w+"/, to: '$1' }
/** The label is the last column but one. */
const noLabels = { file: /\/knowledge-auxiliary\.csv$/, from: /,[^,\n]*(,[^,\n]*)$/gm, to: '$1' }
const exactly = {
  ...attributeWorlds.measured!,
  training: { rounds: 8, batchSize: null },
  knowledge: { sensitive: ['smoker'] },
}
const measured = { ...exactly, training: { rounds: 4, batchSize: null }, knowledge: { sensitive: ['bmi'] } }

pinRecordings({
  'some records are unknown': {
    scenario: { ...attributeWorlds.wages!, models: [{ kind: 'mlp', hidden: [6], learningRate: 0.1 }] },
    edits: [fewRecords],
    attacks: ['aia-model', 'aia-linear', ...linear, gradient, 'lmra-data', 'lmra-label'],
  },
  'some records are unknown, measured': {
    scenario: attributeWorlds.measured!,
    edits: [fewRecords],
    attacks: ['aia-model', 'aia-linear', gradient],
  },
  'some records are unknown, full batches': {
    scenario: exactly,
    edits: [fewRecords],
    attacks: ['aia-linear', ...linear],
  },
  'full batches': { scenario: exactly, edits: [], attacks: ['aia-linear', ...linear, 'lmra-exact', 'lmra-data'] },
  'the learning rate is unknown': {
    scenario: { ...attributeWorlds.measured!, knowledge: { sensitive: ['smoker'] } },
    edits: [noRate, noSizes],
    attacks: ['aia-linear', ...linear, gradient, 'lmra-ols', 'lmra-exact'],
  },
  'measured, the learning rate is unknown': {
    scenario: measured,
    edits: [noRate],
    attacks: ['aia-linear', 'aia-model'],
  },
  'measured, full batches, some records are unknown': {
    scenario: measured,
    edits: [fewRecords],
    attacks: ['aia-linear', { id: 'lmra-data', params: { iterations: 20 } }],
  },
  'the learning rate is unknown, full batches': {
    scenario: exactly,
    edits: [noRate],
    attacks: ['aia-linear', ...linear, 'lmra-exact'],
  },
  'a model that nobody knows': {
    scenario: localModelWorlds['full batches']!,
    edits: [opaque],
    attacks: ['last-returned', 'lmra-exact', 'lmra-ols', 'lmra-label', 'membership-loss', 'aia-model'],
  },
  'the rate of a linear model is unknown': {
    scenario: localModelWorlds['full batches']!,
    edits: [noRate, noSizes],
    attacks: ['lmra-exact', 'lmra-ols', 'membership-loss', 'aia-linear'],
  },
  'classes, by a model that nobody knows': {
    scenario: { ...classWorlds['one step']!, models: [{ kind: 'mlp', hidden: [8] }] },
    edits: [opaque],
    attacks: [...counting, 'dlg'],
  },
  'classes, sizes unknown': {
    scenario: { ...classWorlds['several steps']!, models: [{ kind: 'mlp', hidden: [7] }] },
    edits: [noSizes, noRate],
    attacks: counting,
  },
  'classes, batch stated, second round': {
    scenario: { ...classWorlds['one step']!, models: [{ kind: 'softmax' }] },
    edits: [batchOf(12), inRound(1), noSizes],
    attacks: [...counting, 'dlg'],
  },
  'groups, labels unknown': {
    scenario: { ...regressionWorlds.groups!, models: [{ kind: 'mlp', hidden: [8] }] },
    edits: [unlabelled, noLabels, inRound(1)],
    attacks: [...groups, { id: 'metaclass-means', params: { centre: 'both' } }],
  },
  'groups, rate and sizes unknown': {
    scenario: { ...regressionWorlds['same batch again']!, models: [{ kind: 'linear' }] },
    edits: [noRate, noSizes],
    attacks: [...groups, 'regression-label'],
  },
  'groups, rate unknown, parameters returned': {
    scenario: { ...regressionWorlds.groups!, models: [{ kind: 'linear' }] },
    edits: [noRate],
    attacks: [...groups, 'regression-label'],
  },
  'groups, batch stated': {
    scenario: { ...regressionWorlds['same batch again']!, models: [{ kind: 'linear' }] },
    edits: [noSizes, batchOf(30)],
    attacks: [...groups, 'regression-label'],
  },
})
