// @ts-nocheck: keeps to no types, as plug-ins in plain JavaScript
// Small worlds in which the sound attacks do well, one for each broken one; and with which parameters they are tried there.

const world = (data, model, training, more = {}) => ({
  ...{ seed: 3, repeats: 1, heldBack: 0, models: [model], training, attacks: ['last-returned'] },
  ...{ data: { auxiliary: 0.2, ...data }, ...more },
})
const linear = { kind: 'linear' }
const wages = (rows) => ({ name: 'cps-wages', params: { wage: 'log' }, rows })
const coins = (params) => ({ name: 'toy-least-squares', params: { numericColumns: 3, ...params } })
const pictures = (records) => ({ name: 'tiny-images', params: { records, classes: 4, side: 8 }, auxiliary: 0.5 })
const dealt = (clients) => ({ name: 'iid', params: { clients } })
const about = (more) => ({ targets: ['0'], sensitive: ['union'], ...more })

const mixedWages = world(
  wages(400),
  linear,
  { rounds: 40, localEpochs: 3, batchSize: null, learningRate: 0.05, precision: 'f64' },
  {
    partition: { name: 'heterogeneous', params: { clients: 4, heterogeneity: 0.4, attribute: 'union' } },
    knowledge: about(),
  },
)
const fewColumns = world(coins({ clients: 3, recordsPerClient: 120, heterogeneity: 0.5 }), linear, {
  ...{ rounds: 30, localEpochs: 2, batchSize: null, learningRate: 0.1, precision: 'f64' },
})
const fewRecords = world(coins({ clients: 2, recordsPerClient: 40 }), linear, {
  ...{ rounds: 60, localEpochs: 1, batchSize: 8, learningRate: 0.05, precision: 'f64' },
})
const oneRecord = world(
  wages(300),
  { kind: 'mlp', hidden: [8] },
  { rounds: 3, localSteps: 1, batchSize: 1, learningRate: 0.1, precision: 'f64' },
  { partition: dealt(3), knowledge: about() },
)
const pictureSteps = (activation, batchSize, { rounds = 10, learningRate = 0.3 } = {}) =>
  world(
    pictures(200),
    { kind: 'mlp', hidden: [32], activation },
    { rounds, localSteps: 1, batchSize, learningRate, precision: 'f64' },
    { partition: dealt(2) },
  )
const overfitted = world(
  wages(160),
  { kind: 'mlp', hidden: [32] },
  { rounds: 30, localEpochs: 120, batchSize: 8, learningRate: 0.05 },
  { seed: 5, heldBack: 0.5, partition: dealt(2), knowledge: about({ candidates: 60 }) },
)
const invertedSums = world(
  pictures(600),
  { kind: 'mlp', hidden: [16] },
  {
    ...{ rounds: 40, localEpochs: 2, batchSize: 8, learningRate: 0.05 },
    sampling: { name: 'fraction', params: { fraction: 0.4 } },
    misbehaving: { 3: { name: 'inversion' }, 8: { name: 'inversion' } },
  },
  { partition: dealt(12), knowledge: { targets: ['3'], property: 'inversion' } },
)
const hiddenMomentum = world(
  wages(200),
  linear,
  { rounds: 12, localEpochs: 2, batchSize: 16, learningRate: 0.05, momentum: 0.9, precision: 'f64' },
  { partition: dealt(4), knowledge: about({ states: { momentum: 0 } }) },
)

/** By the name of the broken attack. */
export const tried = {
  '01-next-broadcast': { scenario: mixedWages },
  '02-bias-first': { scenario: fewColumns },
  '03-sorted-columns': { scenario: fewRecords },
  '04-rows-from-one': { scenario: fewRecords },
  '05-rate-twice': { scenario: mixedWages },
  '06-forgotten-two': { scenario: oneRecord },
  '07-no-negation': { scenario: pictureSteps('sigmoid', 12) },
  '08-last-model': { scenario: pictureSteps('sigmoid', 2, { rounds: 3, learningRate: 0.1 }) },
  '09-kept-as-bytes': { scenario: pictureSteps('relu', 2) },
  '10-standardised-twice': { scenario: overfitted },
  '11-participants-of-before': { scenario: invertedSums, observer: 'server' },
  '12-mean-of-steps': { scenario: hiddenMomentum, params: { rounds: 4, plays: 9 } },
}
