// @ts-nocheck: a script that is run by hand
// Secure aggregation in a federation: time of one round, and how it grows with the clients, for both variants. Clients sit
// in worker threads, the server in the main one. Every client trains one step on one record, so that the round is the
// protocol; the same federation without it is shown beside. The first round is apart, for it compiles the code.
//   node bench/secagg.mjs [--clients 20,50,100] [--workers 2] [--neighbours 32] [--repeat 5] [--fail 0]
//     [--variants pairs,graph] [--servers malicious,honest-but-curious]
// Neighbours are those of an honest-but-curious server's graph; against a malicious one they follow from the bounds.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { federate, heldPopulation, secureAggregation } from '../dist/doors/federation.js'
import { matrix, rng } from '../dist/doors/numeric.js'
import { nativePrimitives, threadPool } from '../dist/node/index.js'

const { values: given } = parseArgs({
  options: {
    clients: { type: 'string', default: '20,50,100' },
    workers: { type: 'string', default: '2' },
    neighbours: { type: 'string', default: '32' },
    repeat: { type: 'string', default: '5' },
    fail: { type: 'string', default: '0' },
    variants: { type: 'string', default: 'pairs,graph' },
    servers: { type: 'string', default: 'malicious,honest-but-curious' },
  },
})
const [workers, neighbours, repeat, dropouts] = [given.workers, given.neighbours, given.repeat, given.fail].map(Number)
/** As many parameters as the LeNet of [prolin]. */
const parameters = 21_840
const model = { kind: 'linear', inputs: parameters - 1, outputs: 1 }
process.stdout.write(`${cpus().length} cores (${cpus()[0]?.model}), Node ${process.version}, ${workers} workers\n`)

/** Seconds by the clock and of the processor for each round. */
async function timesOf(n, defences) {
  const record = (k) => ({ features: matrix(1, model.inputs, rng(k).normals(model.inputs)), labels: rng(k).normals(1) })
  const population = heldPopulation(Array.from({ length: n }, (_, k) => record(k)))
  const rule = { algorithm: 'fedsgd', learningRate: 1e-6 }
  const spec = { model, rule, seed: 1, rounds: repeat + 1, dropouts }
  const pool = threadPool(spec, { population, workers })
  const times = []
  const now = () => ({ wall: performance.now() / 1000, cpu: process.cpuUsage() })
  let before = now()
  for await (const _ of federate(spec, { population, pool, defences })) {
    const { user, system } = process.cpuUsage(before.cpu)
    times.push({ wall: performance.now() / 1000 - before.wall, cpu: (user + system) / 1e6 })
    before = now()
  }
  await pool.close()
  return times
}

const least = (times, key) => Math.min(...times.slice(1).map((one) => one[key])).toFixed(2)
for (const n of given.clients.split(',').map(Number)) {
  const plain = await timesOf(n, [])
  process.stdout.write(`${n} clients x ${parameters}, plain: ${least(plain, 'wall')} s by the clock\n`)
  const pairs = given.servers
    .split(',')
    .flatMap((server) => given.variants.split(',').map((variant) => [server, variant]))
  for (const [server, variant] of pairs) {
    let bytes = 0
    const own = server === 'malicious' ? {} : { neighbours }
    const onSum = ({ bytesToServer }) => (bytes = bytesToServer)
    const times = await timesOf(n, [
      secureAggregation({ server, variant, primitives: nativePrimitives(), onSum, ...own }),
    ])
    process.stdout.write(
      `${n} clients x ${parameters}, ${server}, ${variant}: ${least(times, 'wall')} s by the clock, ` +
        `${least(times, 'cpu')} s of the processor (first round ${times[0].wall.toFixed(2)} s), ` +
        `${(bytes / 1e6).toFixed(1)} MB to the server\n`,
    )
  }
}
