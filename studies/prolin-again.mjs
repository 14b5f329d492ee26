// Estimates from features that studies/prolin.mjs has kept, without training anything: F1 (AUC) by rounds, and what the
// detectors of each tenth of the rounds are like.
//   node studies/prolin-again.mjs FILE [--methods ols,reg,prolin,blup,posterior] [--lambda 5] [--points 10]
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { byBlup, byOls, byPosterior, byProlin, byReg, firstRounds, rng } from '../dist/index.js'
import { mean, scoresOf } from './prolin-run.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    methods: { type: 'string', default: 'ols,reg,prolin,blup,posterior' },
    lambda: { type: 'string', default: '5' },
    points: { type: 'string', default: '10' },
  },
})
const lambda = Number(values.lambda)
const tick = () => {}
const methods = {
  ols: (part) => byOls(part),
  reg: (part) => byReg(part, { lambda }),
  prolin: (part) => byProlin(part, { lambda, likelihood: 'paper', solver: 'exact', gamma: 1, steps: 0 }, { tick }),
  blup: (part) => byBlup(part, { share: 0.1 }),
  posterior: (part, seed) =>
    byPosterior(part, { share: 0.1, chains: 4, sweeps: 250, maxSweeps: 1750 }, { rng: rng(seed), tick }),
}
const print = (line) => process.stdout.write(`${line}\n`)

/** Rounds in which nobody has the property show what f- is to the real clients, those with k of them what f+ is. */
function describe({ A, G, shapes }, guilty, [from, to]) {
  const some = { gap: [], spread: [], middle: [], G: [], z: [], overlap: [] }
  for (let r = from; r < to; r++) {
    const { plusMean, minusMean, plusStd, minusStd, v } = shapes[r]
    let [expected, variance] = [0, 0]
    for (let p = A.rowStart[r]; p < A.rowStart[r + 1]; p++) {
      const [mu, s] = guilty.has(A.column[p]) ? [plusMean, plusStd] : [minusMean, minusStd]
      expected += A.value[p] * mu
      variance += (A.value[p] * s) ** 2
    }
    some.gap.push(plusMean - minusMean)
    some.spread.push(minusStd)
    some.middle.push((plusMean + minusMean) / 2)
    some.G.push(Math.abs(G[r]))
    some.z.push(((G[r] - expected) / Math.sqrt(variance)) ** 2)
    some.overlap.push(1 - v)
  }
  const cells = Object.entries(some).map(([name, list]) => `${name} ${mean(list).toPrecision(3)}`)
  return `${cells.join(', ')}, largest |G| ${Math.max(...some.G).toPrecision(3)}`
}

for (const line of readFileSync(positionals[0], 'utf8').trim().split('\n')) {
  const { property, seed, ids, guilty, A, G, shapes } = JSON.parse(line)
  const sparse = { ...A, rowStart: Int32Array.from(A.rowStart), column: Int32Array.from(A.column) }
  const features = { A: { ...sparse, value: Float64Array.from(A.value) }, G: Float64Array.from(G), shapes }
  const [n, points, known] = [G.length, Number(values.points), new Set(guilty)]
  print(`${property}, seed ${seed}, ${ids.length} clients, ${n} rounds`)
  const places = new Set(ids.flatMap((id, i) => (known.has(id) ? [i] : [])))
  const at = Array.from({ length: points }, (_, k) => Math.round(((k + 1) * n) / points))
  for (const [k, to] of at.entries()) print(`rounds to ${to}: ${describe(features, places, [at[k - 1] ?? 0, to])}`)
  print(`rounds     ${at.map((k) => String(k).padStart(11)).join(' ')}`)
  for (const name of values.methods.split(',')) {
    const cells = at.map((k) => {
      const { f1, auc } = scoresOf({ ids, ...methods[name]([firstRounds(features, k)], seed) }, known)
      return `${f1.toFixed(2)} (${auc.toFixed(2)})`.padStart(11)
    })
    print(`${name.padEnd(10)} ${cells.join(' ')}`)
  }
}
