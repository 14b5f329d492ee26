// [labels] Table 3.2 on MNIST and Fashion-MNIST: class-level and instance-level accuracy of six attacks on one gradient.
// node studies/labels-classification.mjs [--quick] [--json] [--runs N] [--scale unit|standardise]; needs dist/.
import { createModel, initialise, trainer } from '../dist/doors/models.js'
import { rng } from '../dist/doors/numeric.js'
import {
  accuracies,
  accuracyOf,
  batchOf,
  countsOf,
  imagesOf,
  labelsOf,
  trainedOn,
  viewOf,
} from './classification-views.mjs'
import { at, mean, options, print, tableOf, verdicts } from './figures.mjs'
import { runAttack } from './run-attack.mjs'

/** @typedef {import('./run-attack.mjs').AnyView} AnyView */
/** @typedef {{ cAcc: number, existence: number, iAcc: number }} Accuracies */
/** @typedef {{ n: number, cAcc: number | null, existence: number | null, iAcc: number | null }} Score a mean over runs */

/**
 * @typedef {object} Setting
 * @property {string} dataset
 * @property {string} model
 * @property {'untrained' | 'trained'} state
 * @property {'balanced' | 'unbalanced'} distribution
 * @property {number} K
 */
/** @typedef {{ localEpochs: number, batchSize: number, learningRate: number }} Turn */
/** @typedef {Setting & { scores: Record<string, Score> }} Row */

const { quick, json, scale, ...given } = options({ quick: false, json: false, runs: 0, scale: 'unit' })
const runs = given.runs || (quick ? 3 : 20)
const sizes = quick ? [1, 8, 64] : [1, 2, 4, 8, 16, 32, 64]
const steps = 500

/** @type {Record<string, import('./run-attack.mjs').Spec>} */
const specs = {
  mlp: {
    kind: 'mlp',
    inputs: 784,
    hidden: [300, 300],
    outputs: 10,
    bias: true,
    activation: 'relu',
    outputActivation: 'identity',
  },
  lenet: { kind: 'lenet-mnist', outputs: 10 },
}
/** @type {Record<string, readonly [id: string, params?: Record<string, unknown>] | null>} */
const contenders = {
  'no message': null,
  iDLG: ['idlg'],
  BLR: ['blr'],
  LLG: ['llg'],
  'LLG*': ['llg-star'],
  'LLG+': ['llg-plus'],
  'iLRG published': ['ilrg', { embeddings: 'class' }],
  iLRG: ['ilrg'],
}
/** These claim each class at most once: no instance-level accuracy. */
const classesOnly = new Set(['iDLG', 'BLR'])

/** What can be said without the update: K times the shares of the auxiliary images, the largest remainders rounded up. @param {Float64Array} auxiliary @param {number} K */
function unheard(auxiliary, K) {
  const shares = countsOf(auxiliary).map((k) => (K * k) / auxiliary.length)
  const counts = shares.map(Math.floor)
  const order = shares.map((share, i) => ({ rest: share % 1, i })).sort((a, b) => b.rest - a.rest)
  const left = K - counts.reduce((a, b) => a + b)
  for (const { i } of order.slice(0, left)) counts[i] = at(counts, i) + 1
  return counts
}

/**
 * Accuracies of every contender on one update; null for one that claims nothing.
 * @param {AnyView} view
 * @param {Float64Array} labels
 * @param {number} seed
 */
async function graded(view, labels, seed) {
  const truth = countsOf(labels)
  /** @type {Record<string, Accuracies | null>} */
  const scores = {
    'no message': accuracies(unheard(view['auxiliary.label'] ?? new Float64Array(), labels.length), truth),
  }
  for (const [name, how] of Object.entries(contenders)) {
    if (how === null) continue
    const [id, params = {}] = how
    scores[name] = accuraciesOf(await runAttack(id, view, { params, seed }), truth)
  }
  return scores
}

/** @param {import('./run-attack.mjs').Outcome} outcome @param {readonly number[]} truth */
function accuraciesOf(outcome, truth) {
  if (outcome.status !== 'claimed') return null
  const [claim] = outcome.claims
  if (claim?.kind === 'label-counts') return accuracies(Array.from(claim.counts), truth)
  if (claim?.kind === 'labels') return accuracies(countsOf(claim.labels), truth)
  throw new Error(`a claim of labels was expected, not of ${claim?.kind}`)
}

/** @param {readonly Record<string, Accuracies | null>[]} all one a run @param {boolean} single whether each is of one record */
function scoresOver(all, single) {
  /** @type {Record<string, Score>} */
  const scores = {}
  for (const name of Object.keys(contenders)) {
    const some = all.flatMap((one) => one[name] ?? [])
    /** @param {keyof Accuracies} key */
    const over = (key) => (some.length === 0 ? null : mean(some.map((one) => one[key])))
    scores[name] = {
      n: some.length,
      cAcc: over('cAcc'),
      existence: over('existence'),
      iAcc: classesOnly.has(name) && !single ? null : over('iAcc'),
    }
  }
  return scores
}

/** @param {number | null} v */
const percent = (v) => (v === null ? '-' : (100 * v).toFixed(1).replace(/\.0$/, ''))
/** @param {Pick<Score, 'cAcc' | 'iAcc'>} score */
const cell = ({ cAcc, iAcc }) => `${percent(cAcc)} / ${percent(iAcc)}`
/** @param {string} title @param {readonly string[]} first @param {readonly (readonly (string | number)[])[]} some */
const show = (title, first, some, heads = Object.keys(contenders)) => {
  if (json || some.length === 0) return
  print(`### ${title}\n`)
  for (const line of tableOf([...first, ...heads], some)) print(line)
}

/** @type {Row[]} */
const rows = []

const states = /** @type {const} */ (['untrained', 'trained'])
const distributions = /** @type {const} */ (['balanced', 'unbalanced'])
/** @type {{ dataset: string, model: string, accuracy: number }[]} */
const accuraciesSeen = []
for (const dataset of ['mnist', 'fashion-mnist']) {
  const images = await imagesOf(dataset, { scale })
  for (const [name, spec] of Object.entries(specs)) {
    const model = createModel(spec)
    const starts = Array.from({ length: runs }, (_, r) => initialise(model, rng(r).fork('theta', dataset, name)))
    const trained = starts
      .slice(0, 3)
      .map((theta, r) => trainedOn(images, { spec, theta, steps, seed: `${dataset} ${name} ${r}` }))
    const right = mean(trained.map((theta) => accuracyOf(images.auxiliary, { spec, theta })))
    accuraciesSeen.push({ dataset, model: name, accuracy: right })
    for (const state of states) {
      for (const distribution of distributions) {
        for (const K of sizes) {
          const all = []
          for (let r = 0; r < runs; r++) {
            const theta = state === 'trained' ? at(trained, r % trained.length) : at(starts, r)
            const random = rng(r).fork('batch', dataset, name, state, distribution, K)
            const batch = batchOf(images, labelsOf(distribution, K, random), random)
            const view = viewOf({ spec, theta, batch, auxiliary: images.auxiliary })
            all.push(await graded(view, batch.labels, r))
          }
          rows.push({ dataset, model: name, state, distribution, K, scores: scoresOver(all, K === 1) })
        }
        const block = rows.slice(-sizes.length)
        show(
          `${dataset}, ${name}, ${state}, ${distribution} (cAcc / iAcc in %)`,
          ['K'],
          block.map(({ K, scores }) => [K, ...Object.values(scores).map(cell)]),
        )
      }
    }
  }
}

// FedAvg: the labels of a client's whole turn of several steps, untrained.
/** @type {(Row & { fedavg: Turn })[]} */
const fedavg = []
for (const [name, spec] of Object.entries(specs)) {
  const images = await imagesOf('mnist', { scale })
  const model = createModel(spec)
  for (const turn of [
    { localEpochs: 1, batchSize: 8, learningRate: 0.01 },
    { localEpochs: 5, batchSize: 8, learningRate: 0.01 },
    { localEpochs: 5, batchSize: 8, learningRate: 0.1 },
  ]) {
    const { localEpochs, batchSize, learningRate } = turn
    const all = []
    for (let r = 0; r < runs; r++) {
      const theta = initialise(model, rng(r).fork('theta', 'mnist', name))
      const random = rng(r).fork('fedavg', name, localEpochs, learningRate)
      const batch = batchOf(images, labelsOf('unbalanced', 32, random), random)
      const own = trainer(model, { data: batch, precision: 'f64', loss: 'cross-entropy' })
      own.load(theta)
      for (let e = 0; e < localEpochs; e++) {
        const order = random.fork('epoch', e).permutation(32)
        for (let s = 0; s < 32; s += batchSize) own.step(order.subarray(s, s + batchSize), learningRate)
      }
      const view = viewOf({
        spec,
        theta,
        batch,
        auxiliary: images.auxiliary,
        more: { samples: 32, batchSize },
        exchange: { update: { kind: 'parameters', theta: own.theta() }, learningRate },
        protocol: { share: 'parameters', ...turn },
      })
      all.push(await graded(view, batch.labels, r))
    }
    fedavg.push({
      dataset: 'mnist',
      model: name,
      state: 'untrained',
      distribution: 'unbalanced',
      K: 32,
      fedavg: turn,
      scores: scoresOver(all, false),
    })
  }
}
show(
  'FedAvg turns of 32 records in batches of 8, mnist, untrained, unbalanced (cAcc / iAcc in %)',
  ['model', 'epochs', 'rate'],
  fedavg.map(({ model, fedavg: { localEpochs, learningRate }, scores }) => [
    ...[model, localEpochs, learningRate],
    ...Object.values(scores).map(cell),
  ]),
)

/** @param {Row} row @param {string} name @param {'cAcc' | 'iAcc'} key */
const scoreOf = ({ scores }, name, key) => scores[name]?.[key] ?? 0
/** Mean over settings. @param {string} name @param {'cAcc' | 'iAcc'} key @param {(row: Row) => boolean} keep */
const over = (name, key, keep) => mean(rows.filter(keep).map((row) => scoreOf(row, name, key)))
const summary = states.flatMap((state) =>
  distributions.map((distribution) => {
    /** @param {Row} row */
    const keep = (row) => row.state === state && row.distribution === distribution
    const cells = Object.keys(contenders).map((name) =>
      cell({ cAcc: over(name, 'cAcc', keep), iAcc: classesOnly.has(name) ? null : over(name, 'iAcc', keep) }),
    )
    return [state, distribution, ...cells]
  }),
)
show('Means over datasets, models and K (cAcc / iAcc in %)', ['state', 'labels'], summary)

/** @param {Row} row */
const untrained = ({ state }) => state === 'untrained'
/** @param {string} name */
const least = (name) => Math.min(...rows.filter(untrained).map((row) => scoreOf(row, name, 'iAcc')))
const single = rows.filter(({ K }) => K === 1).every((row) => scoreOf(row, 'iDLG', 'iAcc') === 1)
const claims = [
  { text: 'iDLG finds the label of every single record, untrained and trained', holds: single },
  {
    text: 'iLRG finds at least 99 % of the labels in every untrained setting',
    holds: least('iLRG') >= 0.99,
  },
  {
    text: 'iLRG as published does so on average',
    holds: over('iLRG published', 'iAcc', untrained) >= 0.99,
  },
  {
    text: 'iLRG is less effective on trained models',
    holds: over('iLRG', 'iAcc', untrained) > over('iLRG', 'iAcc', ({ state }) => state === 'trained'),
  },
]
// For orientation; its datasets are CIFAR-100, ImageNet and SVHN.
const thesis = [
  ['DLG', '83.3', '', '', '', ''],
  ['iDLG', '100', '100 / -', '89.9 / -', '', ''],
  ['BLR', '', '100 / -', '99.3 / -', '', ''],
  ['LLG', '', '', '', '98 / 98.4', '86.3 / 93.4'],
  ['iLRG', '', '100 / 100', '', '99.8 / 100', '99.6 / 99.7'],
]
const settings = ['LeNet-5, K = 1', 'LeNet-5, K = 24', 'ResNet-50, K = 32', 'LeNet-5, SVHN, first', 'second (FedAvg)']
show('Table 3.2 of the thesis (cAcc / iAcc in %)', [''], thesis, settings)
if (json) {
  process.stdout.write(
    `${JSON.stringify({ study: 'labels-classification', runs, scale, steps, accuraciesSeen, rows, fedavg, thesis, claims })}\n`,
  )
} else {
  for (const { dataset, model, accuracy } of accuraciesSeen) {
    print(`trained ${model} on ${dataset}: ${(100 * accuracy).toFixed(1)} % right on other images after ${steps} steps`)
  }
  print(
    `least iAcc of iLRG untrained: ${percent(least('iLRG'))} %, as published: ${percent(least('iLRG published'))} %`,
  )
  for (const line of verdicts(claims)) print(line)
}
