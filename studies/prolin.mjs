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
import { imagesOf, mean, run, scoresOf, std } from './prolin-run.mjs'

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
const { property, data, secure, riding } = values
const acting = Number(values.acting)
const [rounds, pairs, size, N] = [values.rounds, values.pairs, values.size, values.clients].map(Number)
const defences = secure ? [secureAggregation({ variant: secure, primitives: nativePrimitives() })] : []
const tick = () => {}
const print = (line) => process.stdout.write(`${line}\n`)
const prolin = { lambda: 5, likelihood: 'paper', solver: 'exact', gamma: 1, steps: 0 }
const sampler = { share: 0.1, chains: 4, sweeps: 250, maxSweeps: 1750 }
const at = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9, 1].map((share) => Math.round(share * rounds))

const source = await imagesOf(data)
const found = {}
const overlaps = []
const cost = []
for (const seed of values.seeds.split(',').map(Number)) {
  const begin = performance.now()
  const world = await run(source, {
    ...{ property, rounds, size, N, seed, defences, dropout: Number(values.dropout), failProb: Number(values.fail) },
    ...{ prob: Number(values.prob), batchSize: Number(values.batch), localSteps: Number(values.steps) },
    misbehaviour: property === 'free-rider' ? { update: values.update } : {},
  })
  const trained = performance.now()
  const sums = sumsOf(world.view)
  const detectors = []
  const options = { property, pairs, records: 0, floor: 0.1, maxNorm: 2, features: 1, riding, acting }
  const onDetector = ({ a, c }) => detectors.push({ a, c })
  const [features] = await featureSums(world.view, sums, options, { rng: rng(seed).fork('attack'), tick, onDetector })
  const products = matrix(sums.rounds.length, sums.rounds.length)
  for (const [k, round] of sums.rounds.entries()) {
    const { dThetaSum } = await world.view.aggregates.read(round)
    for (const [r, { a }] of detectors.entries()) {
      products.data[r * sums.rounds.length + k] = a.reduce((sum, x, j) => sum + x * dThetaSum[j], 0)
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
  for (const k of at) {
    const part = [firstRounds(features, k)]
    const estimates = {
      disaggregation: byDisaggregation(part[0].A, { products, offsets }),
      'property-ols': byOls(part),
      'property-reg': byReg(part, { lambda: 5 }),
      prolin: byProlin(part, prolin, { tick }),
      'property-blup': byBlup(part, { share: 0.1 }),
      'property-posterior': byPosterior(part, sampler, { rng: rng(seed).fork(k), tick }),
    }
    for (const [method, estimate] of Object.entries(estimates)) {
      const { f1, auc } = scoresOf({ ids: sums.ids, ...estimate }, world.guilty)
      found[method] ??= Object.fromEntries(at.map((rounds) => [rounds, { f1: [], auc: [] }]))
      found[method][k].f1.push(f1)
      found[method][k].auc.push(auc)
    }
  }
  const seconds = [trained - begin, detected - trained, performance.now() - detected].map(
    (ms) => Math.round(ms / 100) / 10,
  )
  cost.push(seconds)
  process.stderr.write(`seed ${seed}: training ${seconds[0]} s, detectors ${seconds[1]} s, estimates ${seconds[2]} s\n`)
}
const name = `${data}, ${property}, N ${N}, |D_i| ${size}, ${pairs} pairs${secure ? `, secure aggregation (${secure})` : ''}`
const rows = Object.entries(found).map(([method, curve]) => ({
  name: `${name}: ${method}`,
  curve: Object.entries(curve).map(([k, { f1, auc }]) => ({
    rounds: Number(k),
    f1: mean(f1),
    std: std(f1),
    auc: mean(auc),
  })),
  ours: { mean: mean(curve[rounds].f1), std: std(curve[rounds].f1), n: curve[rounds].f1.length },
}))
if (values.json) print(JSON.stringify({ study: 'prolin', paper: 'prolin', options: values, rows, overlaps, cost }))
else {
  print(`${name}; F1 (AUC) by rounds, mean of ${values.seeds.split(',').length}`)
  const mid = overlaps.map((list) => mean(list))
  print(`mean overlap ${mean(mid).toFixed(3)}`)
  print(`rounds               ${at.map((k) => String(k).padStart(11)).join(' ')}`)
  for (const [method, curve] of Object.entries(found)) {
    const cells = at.map((k) => `${mean(curve[k].f1).toFixed(2)} (${mean(curve[k].auc).toFixed(2)})`.padStart(11))
    print(`${method.padEnd(20)} ${cells.join(' ')}`)
  }
}
