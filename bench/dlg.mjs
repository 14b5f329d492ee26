// Gradient matching (DLG) on lenet-dlg beside PyTorch, and all label attacks on one gradient of 1,000 classes. One core,
// interleaved, minima, by the clock and of processor time. Needs dist/ (npm run build); OVERHEAR_PYTHON may name an interpreter with torch.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { matchingOf } from '../dist/attacks/records/gradient-matching.js'
import { attacks } from '../dist/doors/attacks.js'
import { functionsOf, initialise, lenetDlg, mlp } from '../dist/doors/models.js'
import { lbfgs, matrix, minimise, rng } from '../dist/doors/numeric.js'
import { madeUp } from '../dist/node/bench/bench-data.js'

const model = lenetDlg({ inputs: [1, 28, 28], outputs: 10 })
const theta = madeUp(13426, 1).map((v) => 0.5 * v)
const image = madeUp(784, 2).map((v) => 0.5 + 0.5 * v)
const start = madeUp(794, 3)

function problem() {
  const functions = functionsOf(model, { loss: 'cross-entropy' })
  const { grad } = functions.gradient(theta, { features: matrix(1, 784, image), labels: Float64Array.of(3) })
  return matchingOf({ functions, loss: 'cross-entropy', theta, grad, recordCount: 1 })
}
const { objective } = problem()
const attack = () => minimise(lbfgs({ memory: 100 }), objective, start, { maxIterations: 300 })

const environment = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', PYTHONDONTWRITEBYTECODE: '1' }

/** A process that answers one line of JSON with another, or undefined without PyTorch. */
async function peer() {
  const script = fileURLToPath(new URL('dlg-peer.py', import.meta.url))
  for (const python of process.env.OVERHEAR_PYTHON ? [process.env.OVERHEAR_PYTHON] : ['python3', '/usr/bin/python3']) {
    const child = spawn(python, [script], {
      env: { ...process.env, ...environment },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    child.on('error', () => {})
    child.stdin.on('error', () => {})
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const facts = await lines.next()
    if (facts.done) continue
    /** @param {object} request */
    const ask = async (request) => {
      child.stdin.write(`${JSON.stringify(request)}\n`)
      return JSON.parse((await lines.next()).value)
    }
    return { facts: JSON.parse(facts.value), ask, close: () => child.stdin.end() }
  }
  return undefined
}

/** Milliseconds of one call, by the clock and of processor time. @param {() => unknown} run @param {number} count */
async function time(run, count) {
  const [begin, used] = [performance.now(), process.cpuUsage()]
  for (let i = 0; i < count; i++) await run()
  const { user, system } = process.cpuUsage(used)
  return { clock: (performance.now() - begin) / count, processor: (user + system) / 1e3 / count }
}

/** @typedef {{ clock: number, processor: number }} Took */
/** @param {Took | undefined} a @param {Took} b */
const lesser = (a, b) =>
  a === undefined ? b : { clock: Math.min(a.clock, b.clock), processor: Math.min(a.processor, b.processor) }
/** @param {Took} took */
const shown = ({ clock, processor }) => `${clock.toFixed(2)} ms (processor ${processor.toFixed(2)})`

const torch = await peer()
if (torch === undefined) console.log('no PyTorch was found: its figures are left out')
else console.log('PyTorch', torch.facts)

if (torch !== undefined) {
  const { value, gradient } = objective(start)
  const length = (/** @type {Float64Array} */ v) => Math.sqrt(v.reduce((sum, x) => sum + x * x, 0))
  const ours = [value, length(gradient.subarray(0, 784)), length(gradient.subarray(784))]
  const { numbers } = await torch.ask({ ask: 'check', workload: 'evaluate' })
  for (const [i, v] of ours.entries()) {
    if (Math.abs(v - numbers[i]) > 1e-9 * Math.abs(v)) throw new Error(`${ours} is not ${numbers}`)
  }
  console.log('distance and slopes agree:', ours.map((v) => v.toPrecision(10)).join(', '))
}

for (const [name, run, count, chunks] of /** @type {const} */ ([
  ['evaluate', () => objective(start), 50, 10],
  ['attack', attack, 1, 3],
])) {
  /** @type {Took | undefined} */
  let ours
  /** @type {Record<string, Took>} */
  const theirs = {}
  for (let chunk = 0; chunk < chunks; chunk++) {
    ours = lesser(ours, await time(run, count))
    if (torch === undefined) continue
    for (const precision of ['f64', 'f32']) {
      const workload = precision === 'f64' ? name : `${name}-f32`
      const { seconds } = await torch.ask({ ask: 'time', workload, count })
      const { numbers } = await torch.ask({ ask: 'check', workload: `${workload} processor` })
      const took = { clock: (seconds * 1e3) / count, processor: numbers[0] * 1e3 }
      theirs[precision] = lesser(theirs[precision], took)
    }
  }
  if (ours === undefined) continue
  console.log(`${name}: ours ${shown(ours)}`)
  for (const [precision, took] of Object.entries(theirs)) {
    const ratios = [took.clock / ours.clock, took.processor / ours.processor].map((r) => r.toFixed(2))
    console.log(`  torch ${precision} ${shown(took)}, over ours ${ratios[0]} (${ratios[1]})`)
  }
}
if (torch !== undefined) {
  const { numbers } = await torch.ask({ ask: 'check', workload: 'attack' })
  console.log(
    `distance after 300 iterations: ours ${attack().value.toExponential(2)}, torch f64 ${numbers[0].toExponential(2)}`,
  )
  torch.close()
}

// All label attacks on one gradient of 1,000 classes.
const options = { inputs: 64, hidden: [128], outputs: 1000 }
const wide = mlp(options)
const first = initialise(wide, rng(1))
const K = 32
const labels = Float64Array.from({ length: K }, (_, k) => (37 * k * k) % 1000)
const batch = { features: matrix(K, 64, rng(2).normals(K * 64)), labels }
const { grad } = functionsOf(wide, { loss: 'cross-entropy' }).gradient(first, batch)
const exchange = { round: 0, received: first, learningRate: null, update: { kind: 'gradient', grad } }
const settings = { activation: 'relu', outputActivation: 'identity', bias: true }
const protocol = { share: 'gradient', localEpochs: 1, localSteps: null, batchSize: null, lossScale: 1, momentum: 0 }
const view = {
  exchanges: { rounds: [0], read: async () => exchange },
  target: 'a',
  round: 0,
  batchSize: K,
  protocol: { ...protocol, proxMu: 0, differentialPrivacy: null },
  loss: 'cross-entropy',
  model: { kind: 'mlp', ...options, ...settings },
  parameters: wide.parameters,
  auxiliary: { columns: [], features: matrix(1000, 64, rng(3).normals(1000 * 64)) },
  'auxiliary.label': Float64Array.from({ length: 1000 }, (_, r) => r % 1000),
}
const ids = ['idlg', 'blr', 'llg', 'llg-star', 'llg-plus', 'ilrg']
/** @type {Record<string, Took>} */
const least = {}
for (let chunk = 0; chunk < 5; chunk++) {
  for (const id of ids) {
    const claimOf = async () => ({ status: 'not-applicable', missing: [] })
    const context = { params: {}, rng: rng(4), tick() {}, claimOf }
    const run = () => attacks[id]?.run(/** @type {never} */ (view), /** @type {never} */ (context))
    least[id] = lesser(least[id], await time(run, 1))
  }
}
for (const id of ids) console.log(`1,000 classes: ${id} ${shown(least[id] ?? { clock: 0, processor: 0 })}`)
const total = Object.values(least).reduce((a, b) => ({
  clock: a.clock + b.clock,
  processor: a.processor + b.processor,
}))
console.log(`1,000 classes: all ${shown(total)}`)
