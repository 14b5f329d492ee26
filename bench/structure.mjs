// The figures of docs/engine.md about structure: sparse rows by density, the clipped step, stacked clients, second order.
// Interleaved chunks, minima, one core, f32. Needs dist/ (npm run build).
import { initialise, linear, mlp, trainer } from '../dist/doors/models.js'
import { compile, gradient, matrix, pushforward, rng, trace as t } from '../dist/doors/numeric.js'

/** @typedef {import('../dist/doors/models.js').Model} Model */
/** @typedef {import('../dist/doors/models.js').TrainerOptions} TrainerOptions */

/** Least mean time of one call in microseconds. @param {Record<string, () => void>} contenders @param {number} count */
function fastest(contenders, count) {
  /** @type {Record<string, number>} */
  const best = {}
  for (let chunk = 0; chunk < 40; chunk++) {
    for (const [name, run] of Object.entries(contenders)) {
      const start = performance.now()
      for (let i = 0; i < count; i++) run()
      best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, ((performance.now() - start) / count) * 1e3)
    }
  }
  return Object.fromEntries(Object.entries(best).map(([name, us]) => [name, Number(us.toFixed(2))]))
}

const model = mlp({ inputs: 41, hidden: [128], outputs: 1 })
const [n, batch] = [512, Int32Array.from({ length: 32 }, (_, i) => 3 * i)]
const values = rng(1).normals(n * 41)
const labels = rng(2).normals(n)

/** @param {Float64Array} X @param {Partial<TrainerOptions>} options */
function stepOn(X, options) {
  const client = trainer(model, {
    data: { features: matrix(n, 41, X), labels },
    precision: 'f32',
    sparse: false,
    ...options,
  })
  client.load(initialise(model, rng(3)))
  return () => client.step(batch, 1e-4)
}

for (const filled of [4, 8, 12, 16, 20, 24]) {
  const X = new Float64Array(values.length)
  for (let i = 0; i < n; i++) for (const j of rng(i).sample(41, filled)) X[41 * i + j] = values[41 * i + j] ?? 0
  const us = fastest({ sparse: stepOn(X, { sparse: true }), dense: stepOn(X, {}) }, 200)
  console.log(`${Math.round((100 * filled) / 41)} % nonzeros (us)`, us)
}

const step = fastest(
  { plain: stepOn(values, {}), clipped: stepOn(values, { privacy: { maxNorm: 1, noiseMultiplier: 0 } }) },
  300,
)
console.log('DP-SGD clipping (us)', step, 'ratio', ((step.clipped ?? 0) / (step.plain ?? 1)).toFixed(3))

/** The nodes of one batch of `rows` records under a squared error. @param {Model} net @param {number} rows @param {string} who */
function traced(net, rows, who = '') {
  const size = net.parameters.reduce((sum, p) => sum + p.shape.reduce((a, b) => a * b, 1), 0)
  const theta = t.input(`theta${who}`, { rows: 1, cols: size })
  const X = t.input(`X${who}`, { rows, cols: net.inputs })
  const e = t.sub(net.trace(theta, X).output, t.input(`y${who}`, { rows, cols: 1 }))
  const grad = gradient(t.scale(t.dot(e, e), 1 / rows), [theta])[0]
  if (grad === undefined) throw new Error('no gradient')
  return { theta, grad, sizes: { theta: size, v: size, X: rows * net.inputs, y: rows, times: 1 } }
}

/** @param {import('../dist/doors/numeric.js').Program} program @param {Record<string, number>} sizes */
function filled(program, sizes) {
  for (const name of program.inputNames) {
    const kind = name.replace(/\d+$/, '')
    program.set(
      name,
      rng(name)
        .normals(sizes[kind] ?? 0)
        .map((x) => (kind === 'times' ? -1e-4 : x / 10)),
    )
  }
  return () => program.run()
}

const small = {
  'linear 20': linear({ inputs: 20, outputs: 1 }),
  'mlp 8-16-1': mlp({ inputs: 8, hidden: [16], outputs: 1 }),
  'mlp 41-128-1': model,
}
for (const [name, net] of Object.entries(small)) {
  const clients = Array.from({ length: 10 }, (_, k) => {
    const { theta, grad, sizes } = traced(net, 32, String(k))
    return { update: { input: theta, addend: grad, times: t.input(`times${k}`, { rows: 1, cols: 1 }) }, sizes }
  })
  const sizes = clients[0]?.sizes ?? { theta: 0, v: 0, X: 0, y: 0, times: 1 }
  const apart = clients.map(({ update }) =>
    filled(compile({ outputs: [], updates: [update], precision: 'f32' }), sizes),
  )
  const stacked = filled(compile({ outputs: [], updates: clients.map((c) => c.update), precision: 'f32' }), sizes)
  const runApart = () => {
    for (const run of apart) run()
  }
  console.log(`ten clients, ${name} (us for all ten)`, fastest({ apart: runApart, stacked }, 30))
}

for (const hidden of [[64, 64], [128], [1000]]) {
  const net = mlp({ inputs: 41, hidden, outputs: 1, activation: 'tanh' })
  const { theta, grad, sizes } = traced(net, 32)
  const v = t.input('v', theta)
  const programs = {
    gradient: [grad],
    forward: [pushforward(grad, theta, v)],
    reverse: gradient(t.dot(grad, v), [theta]),
  }
  const runs = Object.entries(programs).map(([name, outputs]) => [
    name,
    filled(compile({ outputs, precision: 'f32' }), sizes),
  ])
  console.log(`Hessian-vector products, mlp 41-${hidden.join('-')}-1 tanh (us)`, fastest(Object.fromEntries(runs), 30))
}
