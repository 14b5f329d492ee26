// [zhu2019] and [labels] 3.1.1, 3.2.1, 3.3.1: records by gradient matching: images one by one and in batches, with labels
// sought or taken from another attack, and a regression beside its closed form.
// node studies/dlg.mjs [--quick] [--json] [--images N]; needs dist/.
import { createModel, initialise } from '../dist/doors/models.js'
import { assignment, matrix, rng } from '../dist/doors/numeric.js'
import { batchOf, functionsFor, imagesOf, labelsOf, regressionRecords, viewOf } from './classification-views.mjs'
import { at, mean, options, print, tableOf, verdicts } from './figures.mjs'
import { claimIn, numberIn, runAttack } from './run-attack.mjs'

/** @typedef {import('../dist/doors/attacks.js').RecordsClaim} RecordsClaim */
/** @typedef {import('./classification-views.mjs').Records} Records */
/** @typedef {import('./run-attack.mjs').Spec} Spec */
/** @typedef {ReturnType<typeof viewOf>} View */

const { quick, json, images: asked } = options({ quick: false, json: false, images: 0 })
const count = asked || (quick ? 3 : 10)

/** Prints a table under a title, unless JSON is wanted. @param {string} title @param {readonly string[]} heads @param {readonly (readonly (string | number)[])[]} rows */
function show(title, heads, rows) {
  if (!json) print([`### ${title}\n`, ...tableOf(heads, rows)].join('\n'))
}

/** @param {number} mse */
const psnr = (mse) => -10 * Math.log10(Math.max(mse, 1e-20))
/** The upper one of an even number. @param {readonly number[]} values */
const median = (values) =>
  at(
    [...values].sort((a, b) => a - b),
    Math.floor(values.length / 2),
  )

/** The claimed record of each true one, paired so that the squared errors sum to the least, and those errors. @param {RecordsClaim} claim @param {Records} batch */
function paired(claim, { features: { rows, cols, data } }) {
  /** @param {number} i @param {number} j */
  const mse = (i, j) => {
    let sum = 0
    for (let f = 0; f < cols; f++) sum += (at(at(claim.features, j), f) - at(data, i * cols + f)) ** 2
    return sum / cols
  }
  const cost = matrix(rows, rows)
  for (let i = 0; i < rows; i++) for (let j = 0; j < rows; j++) cost.data[i * rows + j] = mse(i, j)
  return Array.from(assignment(cost).columnOfRow, (j, i) => ({ j, mse: at(cost.data, i * rows + j) }))
}

/** @param {RecordsClaim} claim @param {Records} batch */
const errorsOf = (claim, batch) => paired(claim, batch).map(({ mse }) => mse)

/** @param {RecordsClaim} claim @param {Records} batch */
const sameLabels = (claim, { labels }) => `${Array.from(claim.labels).sort()}` === `${[...labels].sort()}`

/** @type {Spec} */
const spec = { kind: 'lenet-dlg', inputs: [1, 28, 28], outputs: 10 }
/** @param {number} seed */
const thetaOf = (seed) =>
  rng(seed)
    .fork('theta')
    .uniforms(functionsFor(spec).size)
    .map((u) => u - 0.5)

/**
 * What the attack says of a view, and how far it came.
 * @param {View} view
 * @param {{ params: Record<string, unknown>, seed: number }} options
 */
async function matched(view, options) {
  const outcome = await runAttack('dlg', view, options)
  const [distance, iterations] = [numberIn(outcome, 'distance'), numberIn(outcome, 'iterations')]
  return { claim: claimIn(outcome, 'records'), distance, iterations }
}

/** One image, one start: what it ends at, and after how many iterations it is recognisable. @param {import('./classification-views.mjs').Images} images @param {number} i @param {string} labels */
async function single(images, i, labels) {
  const random = rng(i).fork('image', images.name)
  const batch = batchOf(images, [random.integer(10)], random)
  const view = viewOf({ spec, theta: thetaOf(i), batch })
  const params = { labels, restarts: 1, iterations: 300 }
  const { claim, distance, iterations } = await matched(view, { params, seed: i })
  const reached = await iterationsTo(view, labels, i)
  return {
    dataset: images.name,
    image: i,
    labels,
    psnr: psnr(at(errorsOf(claim, batch), 0)),
    distance,
    label: sameLabels(claim, batch),
    iterations,
    iterationsTo: reached,
  }
}

/** Iterations until the relative distance is below 1e-5. @param {View} view @param {string} labels @param {number} seed */
async function iterationsTo(view, labels, seed) {
  const { distance, iterations } = await matched(view, { params: { labels, restarts: 1, tolerance: 1e-5 }, seed })
  return distance <= 1e-5 ? iterations : null
}

/** @type {Awaited<ReturnType<typeof single>>[]} */
const singles = []
for (const dataset of ['mnist', 'fashion-mnist']) {
  const images = await imagesOf(dataset)
  for (const labels of ['own', 'idlg']) {
    for (let i = 0; i < count; i++) singles.push(await single(images, i, labels))
  }
}
const groups = ['mnist', 'fashion-mnist'].flatMap((dataset) =>
  ['own', 'idlg'].map((labels) => {
    const some = singles.filter((one) => one.dataset === dataset && one.labels === labels)
    const steps = some.map((one) => one.iterationsTo ?? Number.POSITIVE_INFINITY)
    return {
      dataset,
      labels,
      images: some.length,
      above30: some.filter((one) => one.psnr > 30).length,
      psnr: median(some.map((one) => one.psnr)),
      least: Math.min(...some.map((one) => one.psnr)),
      labelsRight: some.filter((one) => one.label).length,
      steps: median(steps),
    }
  }),
)
show(
  'One image, lenet-dlg, one start, 300 iterations',
  ['images', 'labels', 'PSNR > 30 dB', 'median dB', 'least dB', 'label right', 'median iterations to 1e-5'],
  groups.map((g) => [
    ...[g.dataset, g.labels, `${g.above30} of ${g.images}`, g.psnr.toFixed(1), g.least.toFixed(1)],
    ...[`${g.labelsRight} of ${g.images}`, g.steps],
  ]),
)

// Batches: labels sought, or counted by iLRG.
const batches = []
{
  const images = await imagesOf('mnist')
  const plan = quick
    ? [{ K: 2, iterations: 200, tries: 1 }]
    : [
        { K: 1, iterations: 300, tries: 3 },
        { K: 2, iterations: 600, tries: 3 },
        { K: 4, iterations: 2000, tries: 2 },
        { K: 8, iterations: 4000, tries: 1 },
      ]
  for (const { K, iterations, tries } of plan) {
    for (const labels of ['own', 'ilrg']) {
      const all = []
      for (let r = 0; r < tries; r++) {
        const random = rng(r).fork('images', K)
        const batch = batchOf(images, labelsOf('balanced', K, random), random)
        const view = viewOf({ spec, theta: thetaOf(100 + r), batch })
        const { claim, distance } = await matched(view, { params: { labels, restarts: 1, iterations }, seed: r })
        all.push({ errors: errorsOf(claim, batch).map(psnr), distance, label: sameLabels(claim, batch) })
      }
      const each = all.flatMap(({ errors }) => errors)
      batches.push({
        K,
        labels,
        batches: all.length,
        iterations,
        above30: each.filter((v) => v > 30).length / each.length,
        psnr: median(each),
        distance: median(all.map(({ distance }) => distance)),
        labelsRight: all.filter(({ label }) => label).length / all.length,
      })
    }
  }
}
show(
  'Batches of MNIST, lenet-dlg, one start',
  [
    ...['K', 'batches', 'iterations', 'labels', 'images above 30 dB', 'median dB', 'median distance'],
    'batches with all labels right',
  ],
  batches.map((b) => [
    ...[b.K, b.batches, b.iterations, b.labels, `${Math.round(100 * b.above30)} %`, b.psnr.toFixed(1)],
    ...[b.distance.toExponential(1), `${Math.round(100 * b.labelsRight)} %`],
  ]),
)

// Regression: labels by matching, and for one record in closed form. The naive guess is the mean label of the dataset.
const regression = []
{
  const records = await regressionRecords('salary')
  const { cols, data } = records.features
  const naive = mean(records.labels)
  /** @param {number} K @param {import('../dist/doors/numeric.js').Rng} random @returns {Records} */
  const pick = (K, random) => {
    const rows = Array.from(random.sample(records.labels.length, K))
    const features = matrix(K, cols)
    for (const [k, row] of rows.entries()) features.data.set(data.subarray(row * cols, (row + 1) * cols), k * cols)
    return { features, labels: Float64Array.from(rows, (row) => at(records.labels, row)) }
  }
  /** @typedef {{ activation: 'relu' | 'sigmoid', K: number, restarts: number, fixedStep?: number }} Search */
  /** @type {readonly Search[]} */
  const searches = [
    { activation: 'relu', K: 1, restarts: 1, fixedStep: 1 },
    { activation: 'relu', K: 1, restarts: 1 },
    { activation: 'relu', K: 1, restarts: 5 },
    { activation: 'sigmoid', K: 1, restarts: 1, fixedStep: 1 },
    { activation: 'sigmoid', K: 1, restarts: 1 },
    { activation: 'relu', K: 4, restarts: 5 },
    { activation: 'sigmoid', K: 4, restarts: 5 },
  ]
  for (const { activation, K, ...params } of searches) {
    /** @type {Spec} */
    const model = {
      kind: 'mlp',
      inputs: cols,
      hidden: [48, 24],
      outputs: 1,
      activation,
      bias: true,
      outputActivation: 'identity',
    }
    /** @type {{ label: number, naive: number, features: number, closed: number, matched: boolean }[]} */
    const all = []
    for (let r = 0; r < 2 * count; r++) {
      const random = rng(r).fork('records', K)
      const batch = pick(K, random)
      const theta = initialise(createModel(model), random.fork('theta'))
      const view = viewOf({ spec: model, theta, batch, loss: 'mse' })
      const { claim, distance } = await matched(view, { params, seed: r })
      all.push({
        label: labelError(claim, batch),
        naive: mean(batch.labels.map((y) => Math.abs(y - naive))),
        features: Math.sqrt(mean(errorsOf(claim, batch))),
        closed: K === 1 ? Math.abs((await closedForm(view)) - at(batch.labels, 0)) : Number.NaN,
        matched: distance <= 1e-5,
      })
    }
    /** @param {'label' | 'naive' | 'features' | 'closed'} key */
    const of = (key) => all.map((one) => one[key])
    regression.push({
      activation,
      K,
      ...params,
      batches: all.length,
      matched: all.filter((one) => one.matched).length,
      labelMedian: median(of('label')),
      labelMean: mean(of('label')),
      naive: mean(of('naive')),
      features: median(of('features')),
      closed: K === 1 ? Math.max(...of('closed')) : null,
    })
  }
}

/** Mean absolute error of the labels, each paired with the record it was found with. @param {RecordsClaim} claim @param {Records} batch */
function labelError(claim, batch) {
  return mean(paired(claim, batch).map(({ j }, i) => Math.abs(at(claim.labels, j) - at(batch.labels, i))))
}

/** [labels] Eq. (4.4), identity output: y = w . (grad_w / grad_b) + b - grad_b / 2. @param {View} view */
async function closedForm({ exchanges, parameters }) {
  const { received, update } = await exchanges.read(0)
  if (received === undefined || update.kind !== 'gradient') throw new Error('a gradient at a known model was expected')
  const m = at(at(parameters, parameters.length - 2).shape, 1)
  const d = received.length
  const gradB = at(update.grad, d - 1)
  let z = at(received, d - 1)
  for (let j = 0; j < m; j++) z += (at(received, d - 1 - m + j) * at(update.grad, d - 1 - m + j)) / gradB
  return z - gradB / 2
}
show(
  'Salaries (units of 10,000), MLP [48, 24], untrained',
  ['activation', 'K', 'search', 'starts', 'gradient matched', 'label MAE', 'median', 'naive', 'closed form, largest'],
  regression.map((g) => [
    ...[g.activation, g.K, g.fixedStep ? 'full steps' : 'line search', g.restarts, `${g.matched} of ${g.batches}`],
    ...[g.labelMean.toFixed(3), g.labelMedian.toFixed(3), g.naive.toFixed(2), g.closed?.toExponential(1) ?? '-'],
  ]),
)

const [sought, given] = ['own', 'idlg'].map((labels) =>
  groups.find((g) => g.dataset === 'mnist' && g.labels === labels),
)
const claims = [
  {
    text: 'at least 8 of 10 images above 30 dB, one start each, 300 iterations',
    holds: sought !== undefined && sought.above30 >= 0.8 * sought.images,
  },
  {
    text: 'with the labels of iDLG the gradients match in fewer iterations',
    holds: sought !== undefined && given !== undefined && given.steps < sought.steps,
  },
  {
    text: 'DLG does worse than the closed form on the label of a regression',
    holds: regression.filter((g) => g.K === 1).every((g) => g.closed !== null && g.labelMean > 10 * g.closed),
  },
]
if (json) print(JSON.stringify({ study: 'dlg', singles, groups, batches, regression, claims }))
else print(verdicts(claims).join('\n'))
