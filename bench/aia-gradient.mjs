// aia-gradient on 1,000 records, 100 iterations, five messages, beside the same in PyTorch (double backward), on one
// thread each and in the same precision: float64, which the attack uses, and float32, PyTorch's default. Chunks of ten
// iterations alternate, minima count. Needs dist/ (npm run build:ts) and PyTorch; OVERHEAR_PYTHON names an interpreter.
import { cosineByEngine, cosineOf } from '../dist/attacks/attributes/gradient/cosine.js'
import { gradientCandidates } from '../dist/attacks/attributes/gradient/match-gradients.js'
import { createModel, functionsOf } from '../dist/doors/models.js'
import { matrix, rng } from '../dist/doors/numeric.js'
import { madeUp } from '../dist/node/bench/bench-data.js'
import { startPeer } from './peer.mjs'

/** @typedef {import('../dist/attacks/attributes/gradient/match-gradients.js').MatchOptions} MatchOptions */
/** @typedef {import('../dist/attacks/attributes/gradient/matched-message.js').CosineFunction} CosineFunction */

const [records, hidden, count, chunk] = [1000, 128, 5, 10]
const precisions = /** @type {const} */ (['f64', 'f32'])

/** @param {number} inputs */
function workload(inputs) {
  const size = hidden * (inputs + 2) + 1
  const features = matrix(records, inputs, Float64Array.from(madeUp(records * inputs, 2)))
  const labels = Float64Array.from(madeUp(records, 3))
  const messages = Array.from({ length: count }, (_, k) => ({
    theta: Float64Array.from(madeUp(size, 10 + k)).map((x) => 0.3 * x),
    descent: Float64Array.from(madeUp(size, 20 + k)),
  }))
  const columns = Array.from({ length: inputs }, (_, j) => `x${j}`)
  const last = `x${inputs - 1}`
  const shape = { inputs, outputs: 1, hidden: [hidden] }
  const view = /** @type {import('../dist/attacks/attributes/gradient/match-gradients.js').MatchView} */ ({
    records: { columns, features },
    'records.label': labels,
    sensitive: [{ name: last, columns: [last], kind: 'binary', values: [[-0.5], [2]] }],
    model: { kind: 'mlp', ...shape, activation: 'relu', outputActivation: 'identity', bias: true },
    loss: 'mse',
    protocol: /** @type {any} */ ({ lossScale: 1 }),
  })
  /** @param {CosineFunction} cosine @returns {MatchOptions} */
  const options = (cosine) => ({
    variant: 'straight-through',
    draws: 1,
    temperature: 1,
    start: 'zero',
    iterations: chunk,
    rates: [100],
    sets: [{ name: 'all', places: messages.map((_, k) => k) }],
    rng: rng(1),
    tick() {},
    cosine,
  })
  const functions = functionsOf(createModel({ kind: 'mlp', ...shape }))
  const input = { functions, view, labels, places: [inputs - 1], records }
  return {
    cosine: (/** @type {'f32' | 'f64'} */ precision) => cosineOf({ ...input, precision }),
    engine: () => cosineByEngine(input),
    run: (/** @type {CosineFunction} */ cosine) => gradientCandidates(view, messages, options(cosine)),
    /** @param {CosineFunction} cosine */
    numbers(cosine) {
      const parts = messages.map((message) => cosine(features, message))
      const slope = new Float64Array(records)
      for (const { slope: own } of parts) for (const [i, x] of own.entries()) slope[i] = (slope[i] ?? 0) + x
      return [parts.reduce((s, p) => s + p.value, 0), Math.hypot(...slope), slope.reduce((s, x) => s + x, 0)]
    },
  }
}

/** @param {() => unknown} work */
function secondsOf(work) {
  const start = performance.now()
  work()
  return (performance.now() - start) / 1000
}

const peer = await startPeer('aia-gradient-peer.py')
console.log(`PyTorch ${peer.facts.version}, ${peer.facts.blas}, ${peer.facts.productGflops.toFixed(0)} GFLOP/s`)
const chunks = Number(process.env.CHUNKS ?? 40)
for (const inputs of [8, 41]) {
  const own = workload(inputs)
  const theirs = (await peer.ask({ ask: 'check', workload: `${inputs} inputs, f64` })).numbers
  for (const cosine of [own.cosine('f64'), own.engine()]) {
    const ours = own.numbers(cosine)
    const far = ours.some((x, i) => Math.abs(x - theirs[i]) > 1e-10 * (1 + Math.abs(x)))
    if (far) throw new Error(`${inputs} inputs: ours ${ours}, theirs ${theirs}`)
  }
  for (const precision of precisions) {
    const [fast, engine] = [own.cosine(precision), own.engine()]
    const best = { ours: Number.POSITIVE_INFINITY, torch: Number.POSITIVE_INFINITY, engine: Number.POSITIVE_INFINITY }
    for (let k = 0; k < chunks; k++) {
      best.ours = Math.min(
        best.ours,
        secondsOf(() => own.run(fast)),
      )
      if (precision === 'f64' && k % 4 === 0)
        best.engine = Math.min(
          best.engine,
          secondsOf(() => own.run(engine)),
        )
      const { seconds } = await peer.ask({ ask: 'time', workload: `${inputs} inputs, ${precision}`, count: chunk })
      best.torch = Math.min(best.torch, seconds)
    }
    const hundred = (/** @type {number} */ s) => `${((100 / chunk) * s).toFixed(2)} s`
    const engineWords = precision === 'f64' ? `, by the general engine ${hundred(best.engine)}` : ''
    const ratio = (best.torch / best.ours).toFixed(2)
    console.log(
      `${inputs} inputs, ${precision}: ours ${hundred(best.ours)}${engineWords}, PyTorch ${hundred(best.torch)}: ${ratio} times faster`,
    )
  }
}
peer.close()
