// How much faster a federation of 10 clients is on 2 worker threads than on 1, same bits. Run `npm run build:ts` first,
// then `node bench/threads.mjs`, on a machine that does nothing else.
import { digestOf, federate, heldPopulation, rng, runToEnd, toyLeastSquares } from '../dist/index.js'
import { threadPool } from '../dist/node/index.js'

const repeats = 7
const data = toyLeastSquares(rng(1), { clients: 10, recordsPerClient: 1280, numericColumns: 40, heterogeneity: 0.3 })
const population = heldPopulation(data)
/** @type {import('../dist/index.js').FederationSpec} */
const spec = {
  model: { kind: 'mlp', inputs: 41, hidden: [128], outputs: 1 },
  rule: { algorithm: 'fedavg', learningRate: 0.01, localEpochs: 1, batchSize: 32 },
  seed: 1,
  rounds: 40,
}

/** @param {number[]} values */
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const pools = [1, 2].map((workers) => threadPool(spec, { population, workers }))
/** @type {number[][]} */
const times = [[], []]
/** @type {Set<string>} */
const digests = new Set()
for (let repeat = 0; repeat <= repeats; repeat++) {
  for (const [i, pool] of pools.entries()) {
    const start = performance.now()
    const { theta } = await runToEnd(federate(spec, { population, pool }))
    if (repeat > 0) times[i]?.push(performance.now() - start) // the first warms up
    digests.add(await digestOf(theta))
  }
}
await Promise.all(pools.map((pool) => pool.close()))
const [one = Number.NaN, two = Number.NaN] = times.map(median)
console.log(
  `10 clients, ${spec.rounds} rounds of 40 steps, MLP 41-128-1, batches of 32; medians of ${repeats}, interleaved`,
)
console.log(`1 worker   ${(one / 1000).toFixed(3)} s`)
console.log(`2 workers  ${(two / 1000).toFixed(3)} s`)
console.log(`ratio      ${(two / one).toFixed(3)} (at most 0.6 is aimed at)`)
console.log(digests.size === 1 ? 'same bits' : `${digests.size} different results: a bug`)
process.exitCode = digests.size === 1 ? 0 : 1
