// @ts-nocheck: a script that is run by hand
// Properties of 10,000 clients from 1,000 sums: processor time and peak memory of each way to read them, once the features
// of the sums are known (made up here, two normals; detectors cost the same for any number of clients).
//   node bench/property-scale.mjs [--clients 10000] [--rounds 1000] [--ask 100] [--gap 5] [--methods ols,reg,...]
// With --attacks: whole attacks on one transcript, each alone and all together, from the training's end on, in one thread.
//   node bench/property-scale.mjs --attacks property-ols,property-reg,prolin,property-blup,property-posterior [--pairs 30] [--repeat 3]
import { parseArgs } from 'node:util'
import { byBlup, byOls, byPosterior, byProlin, byReg } from '../dist/doors/attacks.js'
import { overlapOfNormals, rng, sparseFromTriplets } from '../dist/doors/numeric.js'
import { audit, memoryPorts } from '../dist/index.js'

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '1000' },
    ask: { type: 'string', default: '100' },
    gap: { type: 'string', default: '5' },
    methods: { type: 'string', default: 'ols,reg,prolin,blup,posterior' },
    attacks: { type: 'string' },
    repeat: { type: 'string', default: '3' },
    pairs: { type: 'string', default: '30' },
  },
})

/** The federation of scenarios/secure-sums.yaml without the protocol. @param {readonly string[]} attacks */
const scenarioFor = (attacks) => ({
  data: { name: 'tiny-images', params: { records: 1200 }, validation: 0.1, auxiliary: 0.5 },
  partition: { name: 'iid', params: { clients: 20 } },
  models: [{ kind: 'mlp', hidden: [32], learningRate: 0.05 }],
  training: {
    ...{ rounds: 50, localEpochs: 2, batchSize: 8, sampling: { name: 'fraction', params: { fraction: 0.3 } } },
    misbehaving: { 3: { name: 'inversion' }, 8: { name: 'inversion' } },
  },
  knowledge: { targets: ['3'], property: 'inversion' },
  observers: ['secagg-server'],
  ...{ repeats: 1, heldBack: 0, controls: false },
  attacks: attacks.map((id) => ({ id, params: { pairs: Number(values.pairs) } })),
})

/** Processor seconds of some attacks, without the training. @param {readonly string[]} attacks */
async function secondsOf(attacks) {
  const run = audit(scenarioFor(attacks), { ports: memoryPorts() })
  let start = process.cpuUsage()
  for await (const { kind } of run) if (kind === 'trained') start = process.cpuUsage()
  const { observers } = await run.result
  if (observers.some(({ attacks: own }) => own.some(({ status }) => status !== 'claimed')))
    throw new Error('an attack claimed nothing')
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1e6
}

if (values.attacks !== undefined) {
  const names = values.attacks.split(',')
  const sets = [...names.map((name) => [name]), names]
  const least = sets.map(() => Number.POSITIVE_INFINITY)
  for (let k = 0; k < Number(values.repeat); k++) {
    for (const [i, set] of sets.entries()) least[i] = Math.min(least[i], await secondsOf(set))
  }
  for (const [i, set] of sets.entries())
    process.stdout.write(`${least[i].toFixed(2).padStart(7)} s  ${set.join(', ')}\n`)
  const [all, alone] = [least.at(-1), least.slice(0, -1)]
  const times = (seconds) => (all / seconds).toFixed(2)
  process.stdout.write(
    `all: ${times(Math.min(...alone))} times the cheapest, ${times(Math.max(...alone))} times the dearest\n`,
  )
  process.exit()
}

const [N, n, ask, gap] = [values.clients, values.rounds, values.ask, values.gap].map(Number)
const draws = rng('scale')
const guilty = new Set(draws.fork('guilty').sample(N, N / 10))
const triplets = []
const G = new Float64Array(n)
for (let r = 0; r < n; r++) {
  const round = draws.fork('round', r)
  const noise = round.fork('noise').normals(ask)
  for (const [k, i] of round.sample(N, ask).entries()) {
    triplets.push([r, i, 1])
    G[r] += (guilty.has(i) ? gap / 2 : -gap / 2) + noise[k]
  }
}
const { overlap } = overlapOfNormals({ mean1: gap / 2, std1: 1, mean2: -gap / 2, std2: 1 })
const shape = { plusMean: gap / 2, plusStd: 1, minusMean: -gap / 2, minusStd: 1, measured: 1e6, v: 1 - overlap }
const features = [{ A: sparseFromTriplets({ rows: n, cols: N }, triplets), G, shapes: new Array(n).fill(shape) }]
const tick = () => {}
const sampler = { share: 0.1, chains: 4, sweeps: 250, maxSweeps: 1750 }
const methods = {
  ols: () => byOls(features),
  reg: () => byReg(features, { lambda: 5 }),
  blup: () => byBlup(features, { share: 0.1 }),
  posterior: () => byPosterior(features, sampler, { rng: rng(1), tick }),
  prolin: () => byProlin(features, { lambda: 5, likelihood: 'paper', solver: 'exact', gamma: 1, steps: 0 }, { tick }),
}

/** Share of pairs, one guilty and one not, that are ranked rightly. @param {Float64Array} probability */
function areaOf(probability) {
  const order = Array.from(probability.keys()).sort((i, j) => probability[i] - probability[j])
  let [below, wins] = [0, 0]
  for (const i of order) {
    if (guilty.has(i)) wins += below
    else below++
  }
  return wins / (guilty.size * (N - guilty.size))
}

const megabytes = () => (process.resourceUsage().maxRSS / 1024).toFixed(0)
process.stdout.write(`${N} clients, ${n} rounds of ${ask}, overlap ${overlap.toFixed(3)}; ${megabytes()} MB before\n`)
for (const name of values.methods.split(',')) {
  const start = process.cpuUsage()
  const { probability, details = {} } = methods[name]()
  const { user, system } = process.cpuUsage(start)
  const words = 'rHat' in details ? `, R-hat ${details.rHat.toFixed(2)} after ${details.sweeps} sweeps` : ''
  process.stdout.write(
    `${name.padEnd(10)} ${((user + system) / 1e6).toFixed(1).padStart(7)} s, peak ${megabytes()} MB, AUC ${areaOf(probability).toFixed(3)}${words}\n`,
  )
}
