// @ts-nocheck: a script that is run by hand
// One round's detector of property inference: 1,200 LeNet updates of 25 records (batches of 10, one epoch) and the logistic
// regression on them, in one thread. CPU time, least of the repetitions.
//   node bench/detector.mjs [--pairs 600] [--repeat 3] [--records 25]
import { parseArgs } from 'node:util'
import { gram } from '../dist/attacks/properties/gram.js'
import { gramLogistic } from '../dist/attacks/properties/gram-logistic.js'
import { localTraining } from '../dist/attacks/properties/local-training.js'
import { trainingRows } from '../dist/attacks/properties/training-rows.js'
import { initialise, lenetMnist, matrix, rng, trainDetector } from '../dist/index.js'

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '600' },
    repeat: { type: 'string', default: '3' },
    records: { type: 'string', default: '25' },
  },
})
const [pairs, repeat, size] = [Number(values.pairs), Number(values.repeat), Number(values.records)]
const [pictures, pixels] = [2000, 784]
/** @type {import('../dist/attacks/properties/local-training.js').TrainingView} */
const view = {
  model: { kind: 'lenet-mnist', outputs: 10 },
  loss: 'cross-entropy',
  protocol: {
    ...{ learningRate: 0.01, localEpochs: 1, localSteps: null, batchSize: 10, momentum: 0, proxMu: 0, dropout: 0 },
    ...{ lossScale: 1, differentialPrivacy: null, algorithm: 'fedavg', share: 'parameters', secureAggregation: true },
    ...{ aggregateWeights: 'one', aggregation: 'weighted-mean' },
  },
  auxiliary: { columns: [], features: matrix(pictures, pixels, rng('pixels').normals(pictures * pixels)) },
  'auxiliary.label': Float64Array.from({ length: pictures }, (_, i) => i % 10),
}
const training = localTraining(view)
training.begin(initialise(lenetMnist(), rng('theta')))
/** @param {boolean} having @param {number} i */
const update = (having, i) => {
  const own = rng('updates').fork(having ? 1 : 0, i)
  const change = training.change({ rows: own.fork('rows').sample(pictures, size), rng: own })
  return having ? change.map((x) => -x) : change
}

/** Seconds of CPU, the least of several runs. @param {() => void} work */
function cost(work) {
  let best = Number.POSITIVE_INFINITY
  for (let k = 0; k < repeat; k++) {
    const start = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(start)
    best = Math.min(best, (user + system) / 1e6)
  }
  return best
}

/** @param {string} what @param {number} seconds */
const say = (what, seconds) => process.stdout.write(`${what.padEnd(52)} ${seconds.toFixed(2).padStart(7)} s\n`)
update(true, 0)
say(
  `${2 * pairs} updates of ${size} records`,
  cost(() => {
    for (let i = 0; i < pairs; i++) for (const having of [true, false]) update(having, i)
  }),
)
const count = 2 * Math.round(0.5 * pairs)
const marks = Array.from({ length: count }, (_, k) => k % 2 === 0)
const rows = trainingRows((k) => update(marks[k] === true, k >> 1), { count, floor: 0.1, maxBytes: 2 ** 28 })
let K = matrix(0, 0)
say(
  `inner products of the ${count} that train`,
  cost(() => {
    K = gram(rows)
  }),
)
say(
  'logistic regression on them, five penalties',
  cost(() => gramLogistic(K, marks, [10, 1, 0.1, 0.01, 0.001])),
)
let [overlap, penalty] = [1, 0]
say(
  `all of it: train, choose, measure, ${2 * pairs} updates`,
  cost(() => {
    const detector = trainDetector(update, { pairs, floor: 0.1 })
    overlap = 1 - detector.shape.v
    penalty = detector.penalty
  }),
)
process.stdout.write(`overlap of f+ and f-: ${overlap.toExponential(2)}, penalty ${penalty}\n`)
