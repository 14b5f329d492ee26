// Does the contribution read from sums alone rank clients as leaving each out does? Clients whose labels are more and more wrong.
//   node studies/contribution.mjs [--clients 20] [--rounds 60] [--size 50] [--seeds 1]
import { utilityOf } from '../dist/doors/federation.js'
import { rng } from '../dist/doors/numeric.js'
import { at, mean, numbers, options, print } from './figures.mjs'
import { run } from './prolin-run.mjs'
import { claimIn, runAttack } from './run-attack.mjs'
import { sourceOf } from './shared-data.mjs'

const values = options({ clients: 20, rounds: 60, size: 50, seeds: '1', rate: 0.05 })
const { clients: N, rounds, size, rate: learningRate } = values

/** Spearman's, ties by their mean rank. @param {readonly number[]} a @param {readonly number[]} b */
function rankCorrelation(a, b) {
  /** @param {readonly number[]} x */
  const ranks = (x) => x.map((v) => x.filter((w) => w < v).length + (x.filter((w) => w === v).length - 1) / 2)
  const [p, q] = [ranks(a), ranks(b)]
  /** @param {readonly number[]} u @param {readonly number[]} v */
  const cov = (u, v) => {
    const [mu, mv] = [mean(u), mean(v)]
    return u.reduce((sum, x, i) => sum + (x - mu) * (at(v, i) - mv), 0)
  }
  return cov(p, q) / Math.sqrt(cov(p, p) * cov(q, q))
}

const source = await sourceOf('fashion-mnist')
for (const seed of numbers(values.seeds)) {
  const half = Array.from({ length: rounds }, (_, r) => {
    const ids = Array.from(
      rng(seed)
        .fork('half', r)
        .sample(N, N / 2),
      String,
    )
    return ids.sort((a, b) => Number(a) - Number(b))
  })
  /** Client i has i / (N - 1) of its labels drawn anew. @param {{ labels: Float64Array }} records @param {number} i */
  const corrupt = ({ labels }, i) => {
    const draws = rng(seed).fork('wrong', i)
    for (let k = 0; k < labels.length; k++) if (draws.uniform() < i / (N - 1)) labels[k] = draws.integer(10)
  }
  /** The run without a client. @param {string} gone */
  const without = async (gone) => {
    const schedule = half.map((ids) => ids.filter((id) => id !== gone).join(',')).join(';')
    const settings = { property: 'none', N, rounds, size, seed, learningRate, corrupt, auxiliary: 3000 }
    return run(source, { ...settings, sampling: { name: 'schedule', rounds: schedule } })
  }
  const whole = await without('')
  const test = whole.encode(whole.auxiliary.slice(1000)).records
  /** @param {Awaited<ReturnType<typeof run>>} world */
  const lossOf = ({ theta, spec }) => utilityOf(spec, { heldOut: test })(theta).heldOut?.loss ?? Number.NaN
  const all = lossOf(whole)
  /** @type {number[]} */
  const left = []
  for (let i = 0; i < N; i++) left.push(lossOf(await without(String(i))) - all)
  const outcome = await runAttack('contribution', whole.view, { stream: rng(seed).fork('attack') })
  const scores = claimIn(outcome, 'contribution').clients.map(({ score }) => score)
  const order = Array.from({ length: N }, (_, i) => -i)
  print(
    `seed ${seed}: N ${N}, ${rounds} rounds, loss ${all.toFixed(3)}; rank correlation of the claim with leaving out ` +
      `${rankCorrelation(scores, left).toFixed(2)}, with the share of right labels ${rankCorrelation(scores, order).toFixed(2)}; ` +
      `leaving out with right labels ${rankCorrelation(left, order).toFixed(2)}`,
  )
  print(`  claim   ${scores.map((x) => x.toFixed(3)).join(' ')}`)
  print(`  left    ${left.map((x) => x.toFixed(4)).join(' ')}`)
}
