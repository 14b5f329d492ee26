// How much faster a federation of 10 clients is on 2 worker threads than on 1, same bits. Run `npm run build:ts` first,
// then `node bench/threads.mjs`, on a machine that does nothing else.
import { federate, heldPopulation, runToEnd, toyLeastSquares } from '../dist/doors/federation.js'
import { digestOf } from '../dist/doors/models.js'
import { rng } from '../dist/doors/numeric.js'
import { threadPool } from '../dist/node/index.js'

const repeats = 15
const data = toyLeastSquares(rng(1), { clients: 10, recordsPerClient: 1280, numericColumns: 40, heterogeneity: 0.3 })
const population = heldPopulation(data)
/** @type {import('../dist/doors/federation.js').FederationSpec} */
const spec = {
  model: { kind: 'mlp', inputs: 41, hidden: [128], outputs: 1 },
  rule: { algorithm: 'fedavg', learningRate: 0.01, localEpochs: 1, batchSize: 32 },
  seed: 1,
  rounds: 40,
}

/** @param {number[]} values */
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const [one, two, left, right] = [1, 2, 1, 1].map((workers) => threadPool(spec, { population, workers }))
/** @type {Set<string>} */
const digests = new Set()
/** @param {import('../dist/doors/federation.js').ClientPool | undefined} pool */
const train = async (pool) => {
  if (pool === undefined) return
  const { theta } = await runToEnd(federate(spec, { population, pool }))
  digests.add(await digestOf(theta))
}
// What the machine itself allows: two whole runs side by side, which share nothing, at half their time.
const cases = [
  { name: '1 worker', share: 1, run: () => train(one) },
  { name: '2 workers', share: 1, run: () => train(two) },
  { name: 'two runs side by side, half', share: 0.5, run: () => Promise.all([train(left), train(right)]) },
]
/** @type {number[][]} */
const times = cases.map(() => [])
for (let repeat = 0; repeat <= repeats; repeat++) {
  for (const [i, { share, run }] of cases.entries()) {
    const start = performance.now()
    await run()
    if (repeat > 0) times[i]?.push((performance.now() - start) * share) // the first warms up
  }
}
await Promise.all([one, two, left, right].map((pool) => pool?.close()))
const medians = times.map(median)
console.log(
  `10 clients, ${spec.rounds} rounds of 40 steps, MLP 41-128-1, batches of 32; medians of ${repeats}, interleaved`,
)
for (const [i, { name }] of cases.entries()) {
  const time = medians[i] ?? Number.NaN
  console.log(`${name.padEnd(28)}${(time / 1000).toFixed(3)} s  ${(time / (medians[0] ?? Number.NaN)).toFixed(3)}`)
}
console.log('2 workers are meant to take at most 0.6 where two runs side by side take 0.5: on two idle cores')
console.log(digests.size === 1 ? 'same bits' : `${digests.size} different results: a bug`)
process.exitCode = digests.size === 1 ? 0 : 1
