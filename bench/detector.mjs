// @ts-nocheck: a script that is run by hand
// One round's detector of property inference: 1,200 LeNet updates of 25 records (batches of 10, one epoch) and the logistic
// regression on them, beside the same in PyTorch, in one thread each. Processor time; both sides take turns with a
// twentieth of the updates at a time, and minima count. Without PyTorch (OVERHEAR_PYTHON names an interpreter) ours alone.
//   node bench/detector.mjs [--repeat 10] [--alone]
import { parseArgs } from 'node:util'
import { localTraining } from '../dist/attacks/properties/detector/replayed-training.js'
import { trainDetector } from '../dist/doors/attacks.js'
import { matrix, rng } from '../dist/doors/numeric.js'
import { madeUp } from '../dist/node/bench/bench-data.js'
import { startPeer } from './peer.mjs'

const { values } = parseArgs({
  options: { repeat: { type: 'string', default: '10' }, alone: { type: 'boolean', default: false } },
})
const repeat = Number(values.repeat)
const [pairs, size, pictures, pixels] = [600, 25, 2000, 784]
const [times, part] = [20, (2 * pairs) / 20]
/** @type {import('../dist/attacks/properties/detector/replayed-training.js').TrainingView} */
const view = {
  model: { kind: 'lenet-mnist', outputs: 10 },
  loss: 'cross-entropy',
  protocol: {
    learningRate: 0.01,
    localEpochs: 1,
    localSteps: null,
    batchSize: 10,
    momentum: 0,
    proxMu: 0,
    dropout: 0,
    lossScale: 1,
    differentialPrivacy: null,
    algorithm: 'fedavg',
    share: 'parameters',
    secureAggregation: true,
    aggregateWeights: 'one',
    aggregation: 'weighted-mean',
  },
  auxiliary: { columns: [], features: matrix(pictures, pixels, madeUp(pictures * pixels, 1)) },
  'auxiliary.label': Float64Array.from({ length: pictures }, (_, i) => i % 10),
}
const training = localTraining(view)
training.begin(madeUp(21840, 2).map((x) => 0.1 * x))
/** @param {boolean} having @param {number} i */
const update = (having, i) => {
  const own = rng('updates').fork(having ? 1 : 0, i)
  const change = training.change({ rows: own.fork('rows').sample(pictures, size), rng: own })
  if (having) for (let j = 0; j < change.length; j++) change[j] = -change[j]
  return change
}

/** Norm, sum and a product of one update: theirs must be ours. */
async function compare(peer) {
  const [ours, probe] = [update(false, 0), madeUp(21840, 3)]
  const total = (/** @type {(x: number, j: number) => number} */ of) => ours.reduce((sum, x, j) => sum + of(x, j), 0)
  const own = [Math.sqrt(total((x) => x * x)), total((x) => x), total((x, j) => x * probe[j])]
  const { numbers } = await peer.ask({ ask: 'check', workload: 'updates' })
  const far = own.some((x, k) => Math.abs(x - numbers[k]) > 1e-4 * Math.abs(own[0]))
  if (far) throw new Error(`an update: ours ${own}, theirs ${numbers}`)
  print(`one update agrees: norm ${own[0].toPrecision(6)}, theirs ${numbers[0].toPrecision(6)}`)
}

/** Seconds of processor. @param {() => unknown} work */
function cost(work) {
  const start = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1e6
}

const print = (/** @type {string} */ line) => process.stdout.write(`${line}\n`)
const least = {}
const keep = (/** @type {string} */ what, /** @type {number} */ seconds) => {
  least[what] = Math.min(least[what] ?? Number.POSITIVE_INFINITY, seconds)
}
const order = () => {
  const own = rng('updates').fork(0, 0)
  const rows = own.fork('rows').sample(pictures, size)
  return own
    .fork('epoch', 0)
    .permutation(size)
    .map((k) => rows[k])
}
const peer = values.alone ? undefined : await startPeer('detector-peer.py', [`[${order()}]`])
if (peer !== undefined) {
  print(`PyTorch ${peer.facts.version}, ${peer.facts.blas}, ${peer.facts.productGflops.toFixed(0)} GFLOP/s`)
  await compare(peer)
}
for (let k = 0; k < 2 * repeat; k++) {
  keep(
    'updates',
    cost(() => {
      for (let i = 0; i < part; i++) update(i % 2 === 0, i >> 1)
    }),
  )
  const { processor } = (await peer?.ask({ ask: 'time', workload: 'updates', count: part })) ?? {}
  if (processor !== undefined) keep('torch updates', processor)
}
/** Made beforehand, so that what follows can be timed apart. */
const made = [false, true].map((having) => Array.from({ length: pairs }, (_, i) => update(having, i).slice()))
let [overlap, penalty] = [1, 0]
const train = () => {
  const detector = trainDetector((having, i) => made[having ? 1 : 0][i], { pairs, floor: 0.1 })
  overlap = 1 - detector.shape.v
  penalty = detector.penalty
}
for (const workload of ['sgd', 'lbfgs']) {
  for (let k = 0; k < repeat; k++) {
    keep('detector', cost(train))
    const { processor } = (await peer?.ask({ ask: 'time', workload, count: 1 })) ?? {}
    if (processor !== undefined) keep(`torch ${workload}`, processor)
  }
}
peer?.close()

/** @param {string} what @param {number} seconds */
const say = (what, seconds) => print(`${what.padEnd(60)} ${seconds.toFixed(2).padStart(7)} s`)
const ours = times * least.updates
say(`ours: ${2 * pairs} updates of ${size} records (${part}, ${times} times)`, ours)
say('ours: from updates to the feature, five penalties', least.detector)
print(`overlap of f+ and f-: ${overlap.toExponential(2)}, penalty ${penalty}`)
if (peer !== undefined) {
  const theirs = times * least['torch updates']
  say(`PyTorch: the same updates (${part}, ${times} times)`, theirs)
  say('PyTorch: from updates to the feature, SGD as published', least['torch sgd'])
  say('PyTorch: from updates to the feature, L-BFGS, five penalties', least['torch lbfgs'])
  const faster = (/** @type {number} */ a, /** @type {number} */ b) => `${(a / b).toFixed(2)} times faster`
  print(`updates alone: ours ${faster(theirs, ours)}`)
  for (const kind of ['sgd', 'lbfgs']) {
    print(`all of it, beside PyTorch's ${kind}: ours ${faster(theirs + least[`torch ${kind}`], ours + least.detector)}`)
  }
}
