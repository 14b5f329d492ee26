// Canaries through the federation engine: in random configurations the bound that they show beside the accountant's.
//   npm run build:ts && node studies/canary-trainings.mjs [--configurations 40] [--seed 61000] [--out studies/canary-trainings.jsonl]
// A configuration that is in the file is not run again.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { epsilonBounds } from '../dist/accounting/loss-bounds.js'
import { canaryBound, heardCanaries, widened } from '../dist/audit/account/canary-training.js'
import { createDefence } from '../dist/defences/index.js'
import { heldPopulation } from '../dist/federation/population.js'
import { matrix } from '../dist/numeric/linalg/matrix.js'
import { rng } from '../dist/numeric/random/rng.js'
import { options, print, tableOf } from './figures.mjs'

const flags = options({ configurations: 40, seed: 61_000, out: 'studies/canary-trainings.jsonl' })
const file = String(flags.out)
const delta = 1e-8
const confidence = 0.999

/** @typedef {{ seed: number, mechanism: string, model: string, noise: number, rate: number, rounds: number, accounted: number, measured: number }} Row */

/** @param {number} clients @param {number} seed */
const people = (clients, seed) =>
  heldPopulation(
    Array.from({ length: clients }, (_, k) => {
      const own = rng(seed).fork('people', k)
      return { features: matrix(20, 3, own.fork('x').normals(60)), labels: own.fork('y').normals(20) }
    }),
  )

/** @param {number} seed @returns {Promise<Row>} */
async function measured(seed) {
  const draw = rng(seed).fork('configuration')
  const [a, b, c, d, e] = /** @type {[number, number, number, number, number]} */ ([...draw.uniforms(5)])
  const name = /** @type {const} */ (['dp-sgd', 'dp-sgd', 'central-dp', 'local-dp'])[Math.floor(4 * a)] ?? 'dp-sgd'
  const records = name === 'dp-sgd'
  const network = records && e < 0.3
  const rounds = 1 + Math.floor(12 * c)
  const noise = 0.6 + 4 * b * b
  const rate = !records || d < 0.3 ? 1 : 0.05 + 0.9 * d
  const model = network
    ? { kind: /** @type {const} */ ('mlp'), inputs: 3, hidden: [4], outputs: 1 }
    : { kind: /** @type {const} */ ('linear'), inputs: 3, outputs: 1 }
  /** @type {import('../dist/federation/spec.js').FederationSpec} */
  const spec = {
    model,
    rule: { algorithm: 'fedavg', learningRate: 0.01, localEpochs: 1, batchSize: null },
    rounds,
    seed,
    aggregateWeights: 'one',
  }
  const defence = createDefence(
    records
      ? { name, maxNorm: 1, noiseMultiplier: noise, sampleRate: rate }
      : { name, maxNorm: 1, noiseMultiplier: noise },
  )
  const heard = await heardCanaries({
    ...widened(spec, people(records ? 2 : 4, seed), { canaries: network ? 300 : records ? 1000 : 400 }),
    defences: [defence],
    among: records ? { unit: 'record', client: 0 } : { unit: 'client' },
    seed,
  })
  const steps = { kind: /** @type {const} */ ('gaussian'), sampleRate: rate, noiseMultiplier: noise, steps: rounds }
  return {
    seed,
    mechanism: name,
    model: network ? 'mlp-4' : 'linear',
    ...{ noise, rate, rounds },
    accounted: epsilonBounds([steps], delta).upper,
    measured: canaryBound(heard, { delta, confidence }),
  }
}

/** @type {Row[]} */
const rows = existsSync(file)
  ? readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  : []
for (let seed = flags.seed; seed < flags.seed + flags.configurations; seed++) {
  if (rows.some((row) => row.seed === seed)) continue
  const row = await measured(seed)
  appendFileSync(file, `${JSON.stringify(row)}\n`)
  rows.push(row)
}
for (const line of tableOf(
  ['seed', 'mechanism', 'model', 'noise', 'rate', 'rounds', 'accounted', 'measured'],
  rows.map((row) => [
    ...[String(row.seed), row.mechanism, row.model],
    ...[row.noise, row.rate].map((x) => x.toFixed(2)),
    String(row.rounds),
    ...[row.accounted, row.measured].map((x) => x.toFixed(3)),
  ]),
))
  print(line)
const kept = rows.filter((row) => row.measured <= row.accounted).length
print(
  `${kept} of ${rows.length} measured bounds are at most the accounted one; ${rows.filter((row) => row.measured > 0).length} lie above 0`,
)
