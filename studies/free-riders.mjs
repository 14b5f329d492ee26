// Free riders under secure aggregation whose kind is not known: F1 and AUC of the attack `free-rider`, 5 of N riding.
//   node studies/free-riders.mjs [--update zero,noise,stale] [--riding any] [--seeds 1] [--rounds 100] [--clients 50] [--noise 0.01]
import { rng } from '../dist/doors/numeric.js'
import { mean, numbers, options, print } from './figures.mjs'
import { run, scoresOf } from './prolin-run.mjs'
import { claimed, claimIn, runAttack } from './run-attack.mjs'
import { sourceOf } from './shared-data.mjs'

const values = options({
  update: 'zero,noise,stale',
  riding: 'any',
  seeds: '1',
  rounds: 100,
  clients: 50,
  noise: 0.01,
})
const { rounds, clients: N, noise: noiseStd, riding } = values
const source = await sourceOf('fashion-mnist')
for (const update of values.update.split(',')) {
  /** @type {{ f1: number, auc: number, fitting: string, warnings: readonly string[] }[]} */
  const found = []
  for (const seed of numbers(values.seeds)) {
    const world = await run(source, { property: 'free-rider', rounds, N, seed, misbehaviour: { update, noiseStd } })
    const params = { riding, curve: 0, maxSweeps: 1750 }
    const outcome = await runAttack('free-rider', world.view, { params, stream: rng(seed).fork('attack') })
    const { clients } = claimIn(outcome, 'property')
    const claim = {
      ids: clients.map(({ id }) => id),
      positive: clients.map(({ positive }) => positive),
      score: clients.map(({ probability }) => probability ?? 0),
    }
    const { details, warnings } = claimed(outcome)
    const fitting = Array.isArray(details.fitting) ? details.fitting.join('+') : riding
    found.push({ ...scoresOf(claim, world.guilty), fitting, warnings })
  }
  /** @param {'f1' | 'auc'} name */
  const digits = (name) =>
    `${mean(found.map((one) => one[name])).toFixed(2)} (${found.map((one) => one[name].toFixed(3)).join(' ')})`
  const kinds = found.map(({ fitting }) => fitting).join(' ')
  print(`${update}: F1 ${digits('f1')}, AUC ${digits('auc')}, kinds that fit: ${kinds}`)
  for (const text of new Set(found.flatMap(({ warnings }) => warnings))) print(`  ${text}`)
}
