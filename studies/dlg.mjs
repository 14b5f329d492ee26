// [zhu2019] and [labels] 3.1.1, 3.2.1, 3.3.1: records by gradient matching: images one by one and in batches, with labels
// sought or taken from another attack, and a regression beside its closed form.
// node studies/dlg.mjs [--quick] [--json] [--images N]; needs dist/.
import { createModel, initialise } from '../dist/doors/models.js'
import { assignment, matrix, rng } from '../dist/doors/numeric.js'
import {
  attack,
  batchOf,
  functionsFor,
  imagesOf,
  labelsOf,
  mean,
  print,
  regressionRecords,
  table,
  viewOf,
} from './classification-views.mjs'

const given = process.argv.slice(2)
const option = (name, otherwise) => (given.includes(name) ? given[given.indexOf(name) + 1] : otherwise)
const quick = given.includes('--quick')
const json = given.includes('--json')
const count = Number(option('--images', quick ? 3 : 10))

const psnr = (mse) => -10 * Math.log10(Math.max(mse, 1e-20))
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]

/** The claimed record of each true one, paired so that the squared errors sum to the least, and those errors. */
function paired(claim, { features: { rows, cols, data } }) {
  const mse = (i, j) => {
    let sum = 0
    for (let f = 0; f < cols; f++) sum += (claim.features[j][f] - data[i * cols + f]) ** 2
    return sum / cols
  }
  const cost = matrix(rows, rows)
  for (let i = 0; i < rows; i++) for (let j = 0; j < rows; j++) cost.data[i * rows + j] = mse(i, j)
  return Array.from(assignment(cost).columnOfRow, (j, i) => ({ j, mse: cost.data[i * rows + j] }))
}

const errorsOf = (claim, batch) => paired(claim, batch).map(({ mse }) => mse)

const sameLabels = (claim, { labels }) => `${[...claim.labels].sort()}` === `${[...labels].sort()}`

const spec = { kind: 'lenet-dlg', inputs: [1, 28, 28], outputs: 10 }
const thetaOf = (seed) =>
  rng(seed)
    .fork('theta')
    .uniforms(functionsFor(spec).size)
    .map((u) => u - 0.5)

/** One image, one start: what it ends at, and after how many iterations it is recognisable. */
async function single(images, i, labels) {
  const random = rng(i).fork('image', images.name)
  const batch = batchOf(images, [random.integer(10)], random)
  const view = viewOf({ spec, theta: thetaOf(i), batch })
  const params = { labels, restarts: 1, iterations: 300 }
  const { claims, details } = await attack('dlg', view, { params, seed: i })
  const reached = await iterationsTo(view, { labels, seed: i })
  return {
    ...{
      dataset: images.name,
      image: i,
      labels,
      psnr: psnr(errorsOf(claims[0], batch)[0]),
      distance: details.distance,
    },
    ...{ label: sameLabels(claims[0], batch), iterations: details.iterations, iterationsTo: reached },
  }
}

/** Iterations until the relative distance is below 1e-5. */
async function iterationsTo(view, { labels, seed }) {
  const { details } = await attack('dlg', view, { params: { labels, restarts: 1, tolerance: 1e-5 }, seed })
  return details.distance <= 1e-5 ? details.iterations : null
}

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
      ...{ dataset, labels, images: some.length, above30: some.filter((one) => one.psnr > 30).length },
      ...{ psnr: median(some.map((one) => one.psnr)), least: Math.min(...some.map((one) => one.psnr)) },
      ...{ labelsRight: some.filter((one) => one.label).length, steps: median(steps) },
    }
  }),
)
if (!json) {
  print('### One image, lenet-dlg, one start, 300 iterations\n')
  table(
    ['images', 'labels', 'PSNR > 30 dB', 'median dB', 'least dB', 'label right', 'median iterations to 1e-5'],
    groups.map((g) => [
      ...[g.dataset, g.labels, `${g.above30} of ${g.images}`, g.psnr.toFixed(1), g.least.toFixed(1)],
      ...[`${g.labelsRight} of ${g.images}`, g.steps],
    ]),
  )
}

// Batches: labels sought, or counted by iLRG.
const batches = []
{
  const images = await imagesOf('mnist')
  const plan = quick
    ? [[2, 200, 1]]
    : [
        [1, 300, 3],
        [2, 600, 3],
        [4, 2000, 2],
        [8, 4000, 1],
      ]
  for (const [K, iterations, tries] of plan) {
    for (const labels of ['own', 'ilrg']) {
      const all = []
      for (let r = 0; r < tries; r++) {
        const random = rng(r).fork('images', K)
        const batch = batchOf(images, labelsOf('balanced', K, random), random)
        const view = viewOf({ spec, theta: thetaOf(100 + r), batch })
        const { claims, details } = await attack('dlg', view, { params: { labels, restarts: 1, iterations }, seed: r })
        all.push({
          errors: errorsOf(claims[0], batch).map(psnr),
          distance: details.distance,
          label: sameLabels(claims[0], batch),
        })
      }
      const each = all.flatMap(({ errors }) => errors)
      batches.push({
        ...{ K, labels, batches: all.length, iterations, above30: each.filter((v) => v > 30).length / each.length },
        ...{ psnr: median(each), distance: median(all.map(({ distance }) => distance)) },
        labelsRight: all.filter(({ label }) => label).length / all.length,
      })
    }
  }
  if (!json) {
    print('### Batches of MNIST, lenet-dlg, one start\n')
    table(
      [
        'K',
        'batches',
        'iterations',
        'labels',
        'images above 30 dB',
        'median dB',
        'median distance',
        'batches with all labels right',
      ],
      batches.map((b) => [
        ...[
          b.K,
          b.batches,
          b.iterations,
          b.labels,
          `${Math.round(100 * b.above30)} %`,
          b.psnr.toFixed(1),
          b.distance.toExponential(1),
        ],
        `${Math.round(100 * b.labelsRight)} %`,
      ]),
    )
  }
}

// Regression: labels by matching, and for one record in closed form. The naive guess is the mean label of the dataset.
const regression = []
{
  const records = await regressionRecords('salary')
  const { cols, data } = records.features
  const naive = mean(Array.from(records.labels))
  const pick = (K, random) => {
    const rows = Array.from(random.sample(records.labels.length, K))
    const features = matrix(K, cols)
    for (const [k, row] of rows.entries()) features.data.set(data.subarray(row * cols, (row + 1) * cols), k * cols)
    return { features, labels: Float64Array.from(rows, (row) => records.labels[row]) }
  }
  for (const [activation, K, params] of [
    ['relu', 1, { restarts: 1, fixedStep: 1 }],
    ['relu', 1, { restarts: 1 }],
    ['relu', 1, { restarts: 5 }],
    ['sigmoid', 1, { restarts: 1, fixedStep: 1 }],
    ['sigmoid', 1, { restarts: 1 }],
    ['relu', 4, { restarts: 5 }],
    ['sigmoid', 4, { restarts: 5 }],
  ]) {
    const model = {
      ...{ kind: 'mlp', inputs: cols, hidden: [48, 24], outputs: 1, activation, bias: true },
      outputActivation: 'identity',
    }
    const all = []
    for (let r = 0; r < 2 * count; r++) {
      const random = rng(r).fork('records', K)
      const batch = pick(K, random)
      const theta = initialise(createModel(model), random.fork('theta'))
      const view = viewOf({ spec: model, theta, batch, loss: 'mse' })
      const { claims, details } = await attack('dlg', view, { params, seed: r })
      all.push({
        label: labelError(claims[0], batch),
        naive: mean(Array.from(batch.labels, (y) => Math.abs(y - naive))),
        features: Math.sqrt(mean(errorsOf(claims[0], batch))),
        closed: K === 1 ? Math.abs((await closedForm(view)) - batch.labels[0]) : null,
        matched: details.distance <= 1e-5,
      })
    }
    const over = (key, how) => how(all.map((one) => one[key]))
    regression.push({
      ...{ activation, K, ...params, batches: all.length, matched: all.filter((one) => one.matched).length },
      ...{ labelMedian: over('label', median), labelMean: over('label', mean), naive: over('naive', mean) },
      ...{ features: over('features', median), closed: K === 1 ? Math.max(...all.map((one) => one.closed)) : null },
    })
  }
}

/** Mean absolute error of the labels, each paired with the record it was found with. */
function labelError(claim, batch) {
  return mean(paired(claim, batch).map(({ j }, i) => Math.abs(claim.labels[j] - batch.labels[i])))
}

/** [labels] Eq. (4.4), identity output: y = w . (grad_w / grad_b) + b - grad_b / 2. */
async function closedForm({ exchanges, parameters }) {
  const { received, update } = await exchanges.read(0)
  const m = parameters.at(-2).shape[1]
  const d = received.length
  const gradB = update.grad[d - 1]
  let z = received[d - 1]
  for (let j = 0; j < m; j++) z += (received[d - 1 - m + j] * update.grad[d - 1 - m + j]) / gradB
  return z - gradB / 2
}
if (!json) {
  print('### Salaries (units of 10,000), MLP [48, 24], untrained\n')
  table(
    ['activation', 'K', 'search', 'starts', 'gradient matched', 'label MAE', 'median', 'naive', 'closed form, largest'],
    regression.map((g) => [
      ...[g.activation, g.K, g.fixedStep ? 'full steps' : 'line search', g.restarts, `${g.matched} of ${g.batches}`],
      ...[g.labelMean.toFixed(3), g.labelMedian.toFixed(3), g.naive.toFixed(2), g.closed?.toExponential(1) ?? '-'],
    ]),
  )
}

const own = groups.filter((g) => g.dataset === 'mnist')
const claims = [
  {
    text: 'at least 8 of 10 images above 30 dB, one start each, 300 iterations',
    holds: own[0].above30 >= 0.8 * own[0].images,
  },
  { text: 'with the labels of iDLG the gradients match in fewer iterations', holds: own[1].steps < own[0].steps },
  {
    text: 'DLG does worse than the closed form on the label of a regression',
    holds: regression.filter((g) => g.K === 1).every((g) => g.labelMean > 10 * g.closed),
  },
]
if (json) process.stdout.write(`${JSON.stringify({ study: 'dlg', singles, groups, batches, regression, claims })}\n`)
else for (const { text, holds } of claims) print(`${holds ? 'holds' : 'FAILS'}: ${text}`)
