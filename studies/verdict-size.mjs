// How often the test of docs/verdict.md rejects what is true: family-wise error of simulated audits in which nothing is
// learned, or only in some rows, with an exact interval; beside it what the wrong ways would do.
//   node studies/verdict-size.mjs [--worlds normal,heavy] [--audits 10000] [--seed 1] [--draws 399]
import { rng } from '../dist/numeric/random/rng.js'
import { binomialInterval } from '../dist/numeric/special/binomial-interval.js'
import { decide } from '../dist/verdict/judge.js'
import { match, matchings } from '../dist/verdict/matchings.js'
import { labellings, ranking, relabel, swap } from '../dist/verdict/relabellings.js'
import { options, print } from './figures.mjs'
import { syntheticAudit } from './verdict-worlds.mjs'

const build = { labellings, relabel, ranking, swap, match, matchings }

/** @typedef {import('./verdict-worlds.mjs').World} World */
/** @type {World} */
const usual = { trainings: 8, targets: 2, trained: 8, held: 8, relabellings: 39, scores: 'normal', leak: 0 }
/** @type {Record<string, World>} */
const worlds = {
  normal: usual,
  heavy: { ...usual, scores: 'heavy' },
  coarse: { ...usual, scores: 'coarse' },
  unequal: { ...usual, trained: 4, held: 12 },
  leaks: { ...usual, leak: 3 },
  once: { ...usual, trainings: 1, relabellings: 199 },
  'best-kept': { ...usual, keepBest: true },
}

const values = options({ worlds: Object.keys(worlds).join(','), audits: 10000, seed: 1, draws: 399 })
const alpha = 0.05
print(`${values.audits} audits each, alpha ${alpha}, seed ${values.seed}`)
for (const name of values.worlds.split(',')) {
  const world = worlds[name] ?? usual
  const wrong = { family: 0, early: 0, uncorrected: 0, found: 0 }
  /** @type {Record<string, number>} */
  const byStratum = {}
  for (let i = 0; i < values.audits; i++) {
    const stream = rng(values.seed).fork(name, i)
    const rows = syntheticAudit(build, stream, world)
    const rules = {
      alpha,
      looks: /** @type {const} */ (2),
      trainings: world.trainings,
      draws: values.draws,
      enumerate: 4096,
      rng: stream.fork('test'),
    }
    const found = decide(rows, rules)
    wrong.found += found.filter(({ id, rejected }) => id.startsWith('leak') && rejected).length
    const nulls = found.filter(({ id }) => id.startsWith('null'))
    const rejected = nulls.filter((one) => one.rejected)
    if (rejected.length > 0) wrong.family++
    for (const stratum of new Set(rejected.map((one) => one.stratum)))
      byStratum[stratum] = (byStratum[stratum] ?? 0) + 1
    if (nulls.some(({ p }) => p <= alpha)) wrong.uncorrected++
    if (nulls.some(({ rejectedAt }) => rejectedAt !== null && rejectedAt < world.trainings)) wrong.early++
  }
  const share = (/** @type {number} */ count) => {
    const { low, high } = binomialInterval({ successes: count, trials: values.audits, confidence: 0.95 })
    return `${(count / values.audits).toFixed(4)} (${low.toFixed(4)}..${high.toFixed(4)})`
  }
  const strata = Object.entries(byStratum).map(([stratum, count]) => `${stratum} ${(count / values.audits).toFixed(4)}`)
  print(
    `${name}: family-wise ${share(wrong.family)}, first look ${share(wrong.early)}, some row's own p ${share(wrong.uncorrected)}`,
  )
  print(`  by stratum: ${strata.sort().join(', ')}`)
  if (world.leak > 0) print(`  leaking rows found: ${(wrong.found / values.audits).toFixed(3)} of 4`)
}
