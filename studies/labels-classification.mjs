// [labels] Table 3.2 on MNIST and Fashion-MNIST: class-level and instance-level accuracy of six attacks on one gradient.
// node studies/labels-classification.mjs [--quick] [--json] [--runs N] [--scale unit|standardise]; needs dist/.
import { createModel, initialise, trainer } from '../dist/doors/models.js'
import { rng } from '../dist/doors/numeric.js'
import {
  accuracies,
  accuracyOf,
  attack,
  batchOf,
  countsOf,
  imagesOf,
  labelsOf,
  mean,
  print,
  table,
  trainedOn,
  viewOf,
} from './classification-views.mjs'

const given = process.argv.slice(2)
const option = (name, otherwise) => (given.includes(name) ? given[given.indexOf(name) + 1] : otherwise)
const quick = given.includes('--quick')
const json = given.includes('--json')
const runs = Number(option('--runs', quick ? 3 : 20))
const scale = option('--scale', 'unit')
const sizes = quick ? [1, 8, 64] : [1, 2, 4, 8, 16, 32, 64]
const steps = 500

const specs = {
  mlp: {
    ...{ kind: 'mlp', inputs: 784, hidden: [300, 300], outputs: 10, bias: true },
    ...{ activation: 'relu', outputActivation: 'identity' },
  },
  lenet: { kind: 'lenet-mnist', outputs: 10 },
}
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

/** What can be said without the update: K times the shares of the auxiliary images, the largest remainders rounded up. */
function unheard(view, K) {
  const shares = countsOf({ labels: view['auxiliary.label'] }).map((k) => (K * k) / view['auxiliary.label'].length)
  const counts = shares.map(Math.floor)
  const order = shares.map((share, i) => [share % 1, i]).sort(([a], [b]) => b - a)
  const left = K - counts.reduce((a, b) => a + b)
  for (const [, i] of order.slice(0, left)) counts[i]++
  return counts
}

/** Accuracies of every contender on one update. */
async function graded(view, truth, seed) {
  const K = truth.reduce((a, b) => a + b)
  const scores = { 'no message': accuracies(unheard(view, K), truth) }
  for (const [name, how] of Object.entries(contenders)) {
    if (how === null) continue
    const [id, params] = how
    const outcome = await attack(id, view, { params, seed })
    scores[name] = outcome.status === 'claimed' ? accuracies(countsOf(outcome.claims[0]), truth) : null
  }
  return scores
}

const rows = []
function record(setting, all) {
  const scores = {}
  for (const name of Object.keys(contenders)) {
    const some = all.map((one) => one[name]).filter((one) => one !== null)
    const over = (key) => (some.length === 0 ? null : mean(some.map((one) => one[key])))
    scores[name] = {
      ...{ n: some.length, cAcc: over('cAcc'), existence: over('existence') },
      iAcc: classesOnly.has(name) && setting.K > 1 ? null : over('iAcc'),
    }
  }
  rows.push({ ...setting, scores })
}

const percent = (v) => (v === null ? '-' : (100 * v).toFixed(1).replace(/\.0$/, ''))
const cell = ({ cAcc, iAcc }) => `${percent(cAcc)} / ${percent(iAcc)}`
const show = (title, first, some) => {
  if (json || some.length === 0) return
  print(`### ${title}\n`)
  table([...first, ...Object.keys(contenders)], some)
}

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
    for (const state of ['untrained', 'trained']) {
      for (const distribution of ['balanced', 'unbalanced']) {
        for (const K of sizes) {
          const all = []
          for (let r = 0; r < runs; r++) {
            const theta = state === 'trained' ? trained[r % trained.length] : starts[r]
            const random = rng(r).fork('batch', dataset, name, state, distribution, K)
            const batch = batchOf(images, labelsOf(distribution, K, random), random)
            const view = viewOf({ spec, theta, batch, auxiliary: images.auxiliary })
            all.push(await graded(view, countsOf(batch), r))
          }
          record({ dataset, model: name, state, distribution, K }, all)
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
const fedavg = []
for (const [name, spec] of Object.entries(specs)) {
  const images = await imagesOf('mnist', { scale })
  const model = createModel(spec)
  for (const [localEpochs, batchSize, learningRate] of [
    [1, 8, 0.01],
    [5, 8, 0.01],
    [5, 8, 0.1],
  ]) {
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
        ...{ spec, theta, batch, auxiliary: images.auxiliary, more: { samples: 32, batchSize } },
        ...{ exchange: { update: { kind: 'parameters', theta: own.theta() }, learningRate } },
        ...{ protocol: { share: 'parameters', localEpochs, batchSize, learningRate } },
      })
      all.push(await graded(view, countsOf(batch), r))
    }
    const setting = { dataset: 'mnist', model: name, state: 'untrained', distribution: 'unbalanced', K: 32 }
    record({ ...setting, fedavg: { localEpochs, batchSize, learningRate } }, all)
    fedavg.push(rows.pop())
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

/** Means over settings. */
const over = (name, key, keep) => mean(rows.filter(keep).map(({ scores }) => scores[name][key] ?? 0))
const states = ['untrained', 'trained']
const summary = states.flatMap((state) =>
  ['balanced', 'unbalanced'].map((distribution) => {
    const keep = (row) => row.state === state && row.distribution === distribution
    const cells = Object.keys(contenders).map((name) =>
      cell({ cAcc: over(name, 'cAcc', keep), iAcc: classesOnly.has(name) ? null : over(name, 'iAcc', keep) }),
    )
    return [state, distribution, ...cells]
  }),
)
show('Means over datasets, models and K (cAcc / iAcc in %)', ['state', 'labels'], summary)

const least = (name, keep) => Math.min(...rows.filter(keep).map(({ scores }) => scores[name].iAcc))
const single = rows.filter(({ K }) => K === 1).every(({ scores }) => scores.iDLG.iAcc === 1)
const untrained = ({ state }) => state === 'untrained'
const claims = [
  { text: 'iDLG finds the label of every single record, untrained and trained', holds: single },
  {
    text: 'iLRG finds at least 99 % of the labels in every untrained setting',
    holds: least('iLRG', untrained) >= 0.99,
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
if (!json) {
  print('### Table 3.2 of the thesis (cAcc / iAcc in %)\n')
  table(['', ...settings], thesis)
}
if (json) {
  process.stdout.write(
    `${JSON.stringify({ study: 'labels-classification', runs, scale, steps, accuraciesSeen, rows, fedavg, thesis, claims })}\n`,
  )
} else {
  for (const { dataset, model, accuracy } of accuraciesSeen) {
    print(`trained ${model} on ${dataset}: ${(100 * accuracy).toFixed(1)} % right on other images after ${steps} steps`)
  }
  print(
    `least iAcc of iLRG untrained: ${percent(least('iLRG', untrained))} %, as published: ${percent(least('iLRG published', untrained))} %`,
  )
  for (const { text, holds } of claims) print(`${holds ? 'holds' : 'FAILS'}: ${text}`)
}
