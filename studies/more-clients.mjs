// Many clients, few of them guilty: REG and PROLIN with the paper's weights of rounds and with 1 / variance, on one set of detectors.
//   node studies/more-clients.mjs [--clients 200] [--rounds 200] [--property ascent] [--seeds 1]
// Fashion-MNIST, five guilty, a fifth in a round, 30 pairs. AUC, and F1 by the published threshold.
import { byPosterior, byProlin, byReg, featureSums, sumsOf } from '../dist/doors/attacks.js'
import { rng } from '../dist/doors/numeric.js'
import { mean, numbers, options, print, tableOf } from './figures.mjs'
import { run, scoresOf } from './prolin-run.mjs'
import { sourceOf } from './shared-data.mjs'

const { clients: N, rounds, property, seeds } = options({ clients: 200, rounds: 200, property: 'ascent', seeds: '1' })
if (property !== 'ascent' && property !== 'inversion') throw new Error(`--property is ${property}: ascent or inversion`)
const source = await sourceOf('fashion-mnist')
const fit = {
  lambda: 5,
  likelihood: /** @type {const} */ ('paper'),
  solver: /** @type {const} */ ('exact'),
  gamma: 1,
  steps: 1,
}
const sampler = { share: 0.1, chains: 4, sweeps: 250, maxSweeps: 2000 }
/** @type {Record<string, { f1: number, auc: number }[]>} */
const found = {}
for (const seed of numbers(seeds)) {
  const { view, guilty } = await run(source, { property, rounds, N, seed })
  const sums = sumsOf(view)
  const made = /** @type {const} */ ({
    property,
    pairs: 30,
    records: 0,
    floor: 0.1,
    maxNorm: 2,
    features: 1,
    riding: 'any',
  })
  const features = await featureSums(view, sums, made, { rng: rng(seed).fork('attack'), tick() {} })
  const tools = { rng: rng(seed).fork('estimate'), tick() {} }
  const estimates = {
    'REG, weights=paper': byReg(features, { lambda: 5, weights: 'paper' }),
    'REG, weights=variance': byReg(features, { lambda: 5, weights: 'variance' }),
    'PROLIN, weights=paper': byProlin(features, { ...fit, weights: 'paper' }, tools),
    'PROLIN, weights=variance': byProlin(features, { ...fit, weights: 'variance' }, tools),
    posterior: byPosterior(features, sampler, tools),
  }
  for (const [name, { positive, score }] of Object.entries(estimates)) {
    found[name] = [...(found[name] ?? []), scoresOf({ ids: sums.ids, positive, score }, guilty)]
  }
}
/** @param {{ f1: number, auc: number }[]} own @param {'f1' | 'auc'} key */
const told = (own, key) =>
  `${mean(own.map((one) => one[key])).toFixed(2)} (${own.map((one) => one[key].toFixed(2)).join(' ')})`
for (const line of tableOf(
  [`${property}, N = ${N}, ${rounds} rounds`, 'AUC', 'F1'],
  Object.entries(found).map(([name, own]) => [name, told(own, 'auc'), told(own, 'f1')]),
))
  print(line)
