// Free riders under secure aggregation whose kind is not known: F1 and AUC of the attack `free-rider`, 5 of N riding.
//   node studies/free-riders.mjs [--update zero,noise,stale] [--riding any] [--seeds 1] [--rounds 100] [--clients 50] [--noise 0.01]
import { parseArgs } from 'node:util'
import { attacks } from '../dist/doors/attacks.js'
import { rng } from '../dist/doors/numeric.js'
import { imagesOf, mean, run, scoresOf } from './prolin-run.mjs'

const { values } = parseArgs({
  options: {
    update: { type: 'string', default: 'zero,noise,stale' },
    riding: { type: 'string', default: 'any' },
    seeds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '100' },
    clients: { type: 'string', default: '50' },
    noise: { type: 'string', default: '0.01' },
  },
})
const [rounds, N, noiseStd] = [values.rounds, values.clients, values.noise].map(Number)
const source = await imagesOf('fashion-mnist')
for (const update of values.update.split(',')) {
  const found = []
  for (const seed of values.seeds.split(',').map(Number)) {
    const world = await run(source, { property: 'free-rider', rounds, N, seed, misbehaviour: { update, noiseStd } })
    const params = { riding: values.riding, curve: 0, maxSweeps: 1750 }
    const context = { params, rng: rng(seed).fork('attack'), tick() {}, claimOf: async () => undefined }
    const { claims, details, warnings } = await attacks['free-rider'].run(world.view, context)
    const { clients } = claims[0]
    const of = (name) => clients.map((client) => client[name])
    const scores = scoresOf({ ids: of('id'), positive: of('positive'), probability: of('probability') }, world.guilty)
    found.push({ ...scores, fitting: details.fitting ?? [values.riding], warnings })
  }
  const digits = (name) =>
    `${mean(found.map((one) => one[name])).toFixed(2)} (${found.map((one) => one[name].toFixed(3)).join(' ')})`
  const kinds = found.map(({ fitting }) => fitting.join('+')).join(' ')
  process.stdout.write(`${update}: F1 ${digits('f1')}, AUC ${digits('auc')}, kinds that fit: ${kinds}\n`)
  for (const text of new Set(found.flatMap(({ warnings }) => warnings))) process.stdout.write(`  ${text}\n`)
}
