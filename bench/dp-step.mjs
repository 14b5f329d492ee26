// What DP-SGD costs: a step with clipping, one with noise too, and one on Poisson batches of about the same size, against a plain one;
// in turns, minima of short samples.
//   npm run build && node bench/dp-step.mjs [--rounds 150]
import { parseArgs } from 'node:util'
import { initialise, lenetMnist, mlp, trainer } from '../dist/doors/models.js'
import { matrix, rng } from '../dist/doors/numeric.js'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '150' } } })
const rounds = Number(values.rounds)
const kinds = {
  plain: {},
  clipped: { privacy: { maxNorm: 1, noiseMultiplier: 0 } },
  noised: { privacy: { maxNorm: 1, noiseMultiplier: 1 } },
  poisson: { privacy: { maxNorm: 1, noiseMultiplier: 1, sampleRate: 0.5 } },
}
const worlds = [
  ...[32, 128, 512].map((batch) => ({
    name: 'mlp 41-128-1',
    model: mlp({ inputs: 41, hidden: [128], outputs: 1 }),
    batch,
    steps: 40,
  })),
  { name: 'lenet-mnist', model: lenetMnist(), batch: 32, steps: 1 },
]

console.log('model | batch | plain, us | clipped | clipped and noised | on Poisson batches')
for (const { name, model, batch, steps } of worlds) {
  const cols = model.inputs
  const n = 2 * batch
  const labels = rng(2).normals(n)
  const data = {
    features: matrix(n, cols, rng(1).normals(n * cols)),
    labels: name.startsWith('lenet') ? labels.map((_, i) => i % 10) : labels,
  }
  const rows = Int32Array.from({ length: batch }, (_, i) => i)
  // Sizes within two deviations, whose mean is the batch.
  const width = Math.floor(2 * Math.sqrt(batch))
  const drawn = Array.from({ length: 2 * width + 1 }, (_, i) =>
    Int32Array.from({ length: batch - width + i }, (_, k) => k),
  )
  const theta = initialise(model, rng(3))
  // The least of single steps would be that of the smallest batch.
  const own = Object.entries(kinds).filter(([kind]) => kind !== 'poisson' || steps > 1)
  const made = own.map(([kind, options]) => ({
    kind,
    least: Number.POSITIVE_INFINITY,
    trained: trainer(model, { data, ...options }),
  }))
  for (let r = 0; r < rounds; r++) {
    for (const one of made) {
      one.trained.load(theta)
      const begin = process.hrtime.bigint()
      const turn = (37 * r) % drawn.length
      for (let s = 0; s < steps; s++)
        one.trained.step(one.kind === 'poisson' ? (drawn[(turn + s) % drawn.length] ?? rows) : rows, 1e-4, () => rng(s))
      one.least = Math.min(one.least, Number(process.hrtime.bigint() - begin) / 1e3 / steps)
    }
  }
  const [plain = 0, ...others] = made.map((one) => one.least)
  console.log([name, batch, plain.toFixed(1), ...others.map((t) => `${(t / plain).toFixed(2)}x`)].join(' | '))
}
