// Does the contribution read from sums alone rank clients as leaving each out does? Clients whose labels are more and more wrong.
//   node studies/contribution.mjs [--clients 20] [--rounds 60] [--size 50] [--seeds 1]
import { parseArgs } from 'node:util'
import { attacks } from '../dist/doors/attacks.js'
import { utilityOf } from '../dist/doors/federation.js'
import { rng } from '../dist/doors/numeric.js'
import { imagesOf, mean, run } from './prolin-run.mjs'

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '60' },
    size: { type: 'string', default: '50' },
    seeds: { type: 'string', default: '1' },
    rate: { type: 'string', default: '0.05' },
  },
})
const [N, rounds, size, learningRate] = [values.clients, values.rounds, values.size, values.rate].map(Number)
const print = (line) => process.stdout.write(`${line}\n`)

/** Spearman's, ties by their mean rank. */
function rankCorrelation(a, b) {
  const ranks = (x) => x.map((v) => x.filter((w) => w < v).length + (x.filter((w) => w === v).length - 1) / 2)
  const [p, q] = [ranks(a), ranks(b)]
  const [mp, mq] = [mean(p), mean(q)]
  const cov = (u, v, mu, mv) => u.reduce((sum, x, i) => sum + (x - mu) * (v[i] - mv), 0)
  return cov(p, q, mp, mq) / Math.sqrt(cov(p, p, mp, mp) * cov(q, q, mq, mq))
}

const source = await imagesOf('fashion-mnist')
for (const seed of values.seeds.split(',').map(Number)) {
  const half = Array.from({ length: rounds }, (_, r) => {
    const ids = Array.from(
      rng(seed)
        .fork('half', r)
        .sample(N, N / 2),
      String,
    )
    return ids.sort((a, b) => Number(a) - Number(b))
  })
  /** Client i has i / (N - 1) of its labels drawn anew. */
  const corrupt = ({ labels }, i) => {
    const draws = rng(seed).fork('wrong', i)
    for (let k = 0; k < labels.length; k++) if (draws.uniform() < i / (N - 1)) labels[k] = draws.integer(10)
  }
  const without = async (gone) => {
    const schedule = half.map((ids) => ids.filter((id) => id !== gone).join(',')).join(';')
    const options = { property: 'none', N, rounds, size, seed, learningRate, corrupt, auxiliary: 3000 }
    return run(source, { ...options, sampling: { name: 'schedule', rounds: schedule } })
  }
  const whole = await without('')
  const test = whole.encode(whole.auxiliary.slice(1000)).records
  const lossOf = ({ theta, spec }) => utilityOf(spec, { heldOut: test })(theta).heldOut.loss
  const all = lossOf(whole)
  const left = []
  for (let i = 0; i < N; i++) left.push(lossOf(await without(String(i))) - all)
  const context = { params: {}, rng: rng(seed).fork('attack'), tick() {}, claimOf: async () => undefined }
  const outcome = await attacks.contribution.run(whole.view, context)
  const scores = outcome.claims[0].clients.map(({ score }) => score)
  const order = Array.from({ length: N }, (_, i) => -i)
  print(
    `seed ${seed}: N ${N}, ${rounds} rounds, loss ${all.toFixed(3)}; rank correlation of the claim with leaving out ` +
      `${rankCorrelation(scores, left).toFixed(2)}, with the share of right labels ${rankCorrelation(scores, order).toFixed(2)}; ` +
      `leaving out with right labels ${rankCorrelation(left, order).toFixed(2)}`,
  )
  print(`  claim   ${scores.map((x) => x.toFixed(3)).join(' ')}`)
  print(`  left    ${left.map((x) => x.toFixed(4)).join(' ')}`)
}
