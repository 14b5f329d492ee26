// Gradient matching (DLG) on lenet-dlg beside PyTorch, and all label attacks on one gradient of 1,000 classes. One core,
// interleaved, minima. Needs dist/ (npm run build); OVERHEAR_PYTHON may name an interpreter with torch.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { matchingOf } from '../dist/attacks/labels/gradient-matching.js'
import { attacks, functionsOf, initialise, lbfgs, lenetDlg, matrix, minimise, mlp, rng } from '../dist/index.js'
import { madeUp } from '../dist/node/bench-data.js'

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

/** Milliseconds of one call. @param {() => void} run @param {number} count */
function time(run, count) {
  const begin = performance.now()
  for (let i = 0; i < count; i++) run()
  return (performance.now() - begin) / count
}

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
  ['evaluate', () => objective(start), 20, 25],
  ['attack', attack, 1, 3],
])) {
  /** @type {Record<string, number>} */
  const best = { ours: Number.POSITIVE_INFINITY }
  for (let chunk = 0; chunk < chunks; chunk++) {
    best.ours = Math.min(best.ours ?? 0, time(run, count))
    for (const precision of ['f64', 'f32']) {
      const [label, workload] = [`torch ${precision}`, precision === 'f64' ? name : `${name}-f32`]
      if (torch === undefined) continue
      const { seconds } = await torch.ask({ ask: 'time', workload, count })
      best[label] = Math.min(best[label] ?? Number.POSITIVE_INFINITY, (seconds * 1e3) / count)
    }
  }
  const shown = Object.entries(best).map(([key, ms]) => `${key} ${ms.toFixed(2)} ms`)
  const ratios = ['torch f64', 'torch f32']
    .filter((key) => key in best)
    .map((key) => (best[key] ?? 0) / (best.ours ?? 1))
  console.log(`${name}: ${shown.join(', ')}; their time over ours: ${ratios.map((r) => r.toFixed(2)).join(', ')}`)
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
  ...{ exchanges: { rounds: [0], read: async () => exchange }, target: 'a', round: 0, batchSize: K },
  ...{ protocol: { ...protocol, proxMu: 0, differentialPrivacy: null }, loss: 'cross-entropy' },
  ...{ model: { kind: 'mlp', ...options, ...settings }, parameters: wide.parameters },
  auxiliary: { columns: [], features: matrix(1000, 64, rng(3).normals(1000 * 64)) },
  'auxiliary.label': Float64Array.from({ length: 1000 }, (_, r) => r % 1000),
}
const ids = ['idlg', 'blr', 'llg', 'llg-star', 'llg-plus', 'ilrg']
/** @type {Record<string, number>} */
const least = {}
for (let chunk = 0; chunk < 3; chunk++) {
  for (const id of ids) {
    const begin = performance.now()
    const context = {
      params: {},
      rng: rng(4),
      tick() {},
      claimOf: async () => ({ status: 'not-applicable', missing: [] }),
    }
    await attacks[id]?.run(/** @type {never} */ (view), /** @type {never} */ (context))
    least[id] = Math.min(least[id] ?? Number.POSITIVE_INFINITY, performance.now() - begin)
  }
}
const total = ids.reduce((sum, id) => sum + (least[id] ?? 0), 0)
console.log(
  '1,000 classes:',
  ids.map((id) => `${id} ${least[id]?.toFixed(1)}`).join(', '),
  `; all ${total.toFixed(0)} ms`,
)
