// Peak memory and time per round of 1,000,000 clients beside 10,000, of whom 1,000 are asked each round: rounds are
// interleaved. Run `npm run build:ts` first, then `node bench/scale.mjs [--workers N] [--rounds N]`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { federate, inlinePool, population, recordFederation } from '../dist/doors/federation.js'
import { fileStore, threadPool } from '../dist/node/index.js'

const { values } = parseArgs({ options: { workers: { type: 'string' }, rounds: { type: 'string' } } })
const workers = Number(values.workers ?? 0)
const rounds = Number(values.rounds ?? 31)

/** @param {number} clients @returns {{ spec: import('../dist/doors/federation.js').FederationSpec, population: import('../dist/doors/federation.js').Population }} */
const world = (clients) => ({
  spec: {
    model: { kind: 'linear', inputs: 20, outputs: 1 },
    rule: { algorithm: 'fedavg', learningRate: 0.05, localEpochs: 1, batchSize: 10 },
    sampling: { name: 'fraction', fraction: 1000 / clients },
    seed: 1,
    rounds,
  },
  population: population({
    kind: 'generated',
    clients,
    seed: 2,
    generator: { name: 'toy-least-squares', recordsPerClient: 20, numericColumns: 19, heterogeneity: 0.2 },
  }),
})

/** @param {ReturnType<typeof world>} of */
const poolFor = ({ spec, population }) =>
  workers > 0 ? threadPool(spec, { population, workers }) : inlinePool(spec, { population })

/** @param {number[]} times */
const median = (times) => [...times].sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN
const peak = () => `${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`

const few = world(10_000)
const many = world(1_000_000)
const runs = [few, many].map((own) => {
  const pool = poolFor(own)
  return { pool, rounds: federate(own.spec, { population: own.population, pool }), times: /** @type {number[]} */ ([]) }
})
for (let round = 0; round < rounds; round++) {
  for (const run of round % 2 === 0 ? runs : runs.toReversed()) {
    const start = performance.now()
    const { value } = await run.rounds.next()
    if (round > 0) run.times.push(performance.now() - start)
    if (value === undefined || !('participants' in value) || value.participants.length !== 1000)
      throw new Error('1,000')
  }
}
await Promise.all(runs.map(({ pool }) => pool.close()))
const [a = Number.NaN, b = Number.NaN] = runs.map(({ times }) => median(times))
console.log(
  `${workers > 0 ? `${workers} workers` : 'one thread'}, 1,000 clients of 20 records per round, linear d = 20; ${rounds} rounds`,
)
console.log(`   10,000 clients  ${a.toFixed(1)} ms a round (median)`)
console.log(
  `1,000,000 clients  ${b.toFixed(1)} ms a round (median), ratio ${(b / a).toFixed(3)} (at most 1.2 is aimed at)`,
)
console.log(`peak memory, transcript off: ${peak()}`)

const folder = mkdtempSync(join(tmpdir(), 'overhear-scale-'))
try {
  const store = fileStore(folder)
  await store.makeFolder('')
  const times = []
  let before = performance.now()
  const pool = poolFor(many)
  for await (const _ of recordFederation(many.spec, { population: many.population, pool, transcript: store })) {
    times.push(performance.now() - before)
    before = performance.now()
  }
  await pool.close()
  console.log(`1,000,000 clients, transcript on: ${median(times).toFixed(1)} ms a round; peak memory ${peak()}`)
} finally {
  rmSync(folder, { recursive: true })
}
