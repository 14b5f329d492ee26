// F1 against rounds of every method for a property of clients under secure aggregation, beside [prolin] Figures 3 to 5.
//   node studies/prolin.mjs --property inversion [--data fashion-mnist] [--seeds 1,2,3] [--rounds 100] [--pairs 30]
//     [--size 25] [--clients 50] [--dropout 0] [--fail 0] [--secure pairs|graph] [--prob 1] [--acting 1]
//     [--batch 10] [--steps 0] [--keep FILE] [--json]
// Clients misbehave in a round with --prob, of which the attacker believes --acting; --steps 1 --batch 13 is one step on
// half of the records. --keep adds one line a seed to FILE, from which studies/prolin-again.mjs takes the estimates anew.
import { appendFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  byBlup,
  byDisaggregation,
  byOls,
  byPosterior,
  byProlin,
  byReg,
  featureSums,
  firstRounds,
  sumsOf,
} from '../dist/doors/attacks.js'
import { secureAggregation } from '../dist/doors/federation.js'
import { matrix, rng } from '../dist/doors/numeric.js'
import { nativePrimitives } from '../dist/node/index.js'
import { at, deviation, mean, numbers, print } from './figures.mjs'
import { run, scoresOf } from './prolin-run.mjs'
import { sourceOf } from './shared-data.mjs'

const { values } = parseArgs({
  options: {
    property: { type: 'string', default: 'inversion' },
    data: { type: 'string', default: 'fashion-mnist' },
    seeds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '100' },
    pairs: { type: 'string', default: '30' },
    size: { type: 'string', default: '25' },
    clients: { type: 'string', default: '50' },
    dropout: { type: 'string', default: '0' },
    fail: { type: 'string', default: '0' },
    secure: { type: 'string' },
    prob: { type: 'string', default: '1' },
    acting: { type: 'string', default: '1' },
    batch: { type: 'string', default: '10' },
    steps: { type: 'string', default: '0' },
    riding: { type: 'string', default: 'any' },
    update: { type: 'string', default: 'zero' },
    keep: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
/** @typedef {Parameters<typeof featureSums>[2]} FeatureOptions */
const property = /** @type {FeatureOptions['property']} */ (values.property)
const riding = /** @type {FeatureOptions['riding']} */ (values.riding)
const secure = /** @type {import('../dist/doors/federation.js').SecureAggregationOptions['variant']} */ (values.secure)
const { data } = values
const [rounds, pairs, size, N] = [
  Number(values.rounds),
  Number(values.pairs),
  Number(values.size),
  Number(values.clients),
]
const defences = secure ? [secureAggregation({ variant: secure, primitives: nativePrimitives() })] : []
const tick = () => {}
const prolin = /** @type {const} */ ({ lambda: 5, likelihood: 'paper', solver: 'exact', gamma: 1, steps: 0 })
const sampler = { share: 0.1, chains: 4, sweeps: 250, maxSweeps: 1750 }
const after = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9, 1].map((share) => Math.round(share * rounds))

const source = await sourceOf(data)
/** @typedef {Map<number, { f1: number[], auc: number[] }>} Curve by number of rounds, one a seed */
/** F1 and AUC by method. @type {Map<string, Curve>} */
const found = new Map()
/** @type {number[][]} */
const overlaps = []
/** @type {number[][]} */
const cost = []
for (const seed of numbers(values.seeds)) {
  const begin = performance.now()
  const world = await run(source, {
    property,
    rounds,
    size,
    N,
    seed,
    defences,
    dropout: Number(values.dropout),
    dropouts: Number(values.fail),
    prob: Number(values.prob),
    batchSize: Number(values.batch),
    localSteps: Number(values.steps),
    misbehaviour: property === 'free-rider' ? { update: values.update } : {},
  })
  const trained = performance.now()
  const sums = sumsOf(world.view)
  /** @type {{ a: Float64Array, c: number }[]} */
  const detectors = []
  const options = {
    property,
    pairs,
    records: 0,
    floor: 0.1,
    maxNorm: 2,
    features: 1,
    riding,
    acting: Number(values.acting),
  }
  /** @param {{ a: Float64Array, c: number }} detector */
  const onDetector = ({ a, c }) => {
    detectors.push({ a, c })
  }
  const context = { rng: rng(seed).fork('attack'), tick, onDetector }
  const features = at(await featureSums(world.view, sums, options, context), 0)
  const products = matrix(sums.rounds.length, sums.rounds.length)
  for (const [k, round] of sums.rounds.entries()) {
    const { dThetaSum } = await world.view.aggregates.read(round)
    for (const [r, { a }] of detectors.entries()) {
      products.data[r * sums.rounds.length + k] = a.reduce((sum, x, j) => sum + x * at(dThetaSum, j), 0)
    }
  }
  const detected = performance.now()
  overlaps.push(features.shapes.map(({ v }) => 1 - v))
  const offsets = detectors.map(({ c }) => c)
  if (values.keep) {
    const { A, G, shapes } = features
    const { rows, cols, rowStart, column, value } = A
    const sparse = { rows, cols, rowStart: [...rowStart], column: [...column], value: [...value] }
    const kept = { property, seed, ids: sums.ids, guilty: [...world.guilty], A: sparse, G: [...G], shapes }
    appendFileSync(values.keep, `${JSON.stringify(kept)}\n`)
  }
  for (const k of after) {
    const part = [firstRounds(features, k)]
    const estimates = {
      disaggregation: byDisaggregation(at(part, 0).A, { products, offsets }),
      'property-ols': byOls(part),
      'property-reg': byReg(part, { lambda: 5 }),
      prolin: byProlin(part, prolin, { tick }),
      'property-blup': byBlup(part, { share: 0.1 }),
      'property-posterior': byPosterior(part, sampler, { rng: rng(seed).fork(k), tick }),
    }
    for (const [method, estimate] of Object.entries(estimates)) {
      const { f1, auc } = scoresOf({ ids: sums.ids, ...estimate }, world.guilty)
      /** @type {Curve} */
      const curve = found.get(method) ?? new Map()
      const scores = curve.get(k) ?? { f1: [], auc: [] }
      scores.f1.push(f1)
      scores.auc.push(auc)
      found.set(method, curve.set(k, scores))
    }
  }
  const seconds = [trained - begin, detected - trained, performance.now() - detected].map(
    (ms) => Math.round(ms / 100) / 10,
  )
  cost.push(seconds)
  process.stderr.write(`seed ${seed}: training ${seconds[0]} s, detectors ${seconds[1]} s, estimates ${seconds[2]} s\n`)
}
const name = `${data}, ${property}, N ${N}, |D_i| ${size}, ${pairs} pairs${secure ? `, secure aggregation (${secure})` : ''}`
const rows = [...found].map(([method, curve]) => {
  const last = curve.get(rounds)?.f1 ?? []
  return {
    name: `${name}: ${method}`,
    curve: [...curve].map(([k, { f1, auc }]) => ({ rounds: k, f1: mean(f1), std: deviation(f1), auc: mean(auc) })),
    ours: { mean: mean(last), std: deviation(last), n: last.length },
  }
})
if (values.json) print(JSON.stringify({ study: 'prolin', paper: 'prolin', options: values, rows, overlaps, cost }))
else {
  print(`${name}; F1 (AUC) by rounds, mean of ${numbers(values.seeds).length}`)
  print(`mean overlap ${mean(overlaps.map(mean)).toFixed(3)}`)
  print(`rounds               ${after.map((k) => String(k).padStart(11)).join(' ')}`)
  for (const [method, curve] of found) {
    const cells = after.map((k) => {
      const { f1, auc } = curve.get(k) ?? { f1: [], auc: [] }
      return `${mean(f1).toFixed(2)} (${mean(auc).toFixed(2)})`.padStart(11)
    })
    print(`${method.padEnd(20)} ${cells.join(' ')}`)
  }
}
