// Estimates from features that studies/prolin.mjs has kept, without training anything: F1 (AUC) by rounds, and what the
// detectors of each tenth of the rounds are like.
//   node studies/prolin-again.mjs FILE [--methods ols,reg,prolin,blup,posterior] [--units common|own] [--lambda 5]
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { byBlup, byOls, byPosterior, byProlin, byReg, firstRounds } from '../dist/doors/attacks.js'
import { rng } from '../dist/doors/numeric.js'
import { mean, scoresOf } from './prolin-run.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    methods: { type: 'string', default: 'ols,reg,prolin,blup,posterior' },
    units: { type: 'string', default: 'common' },
    lambda: { type: 'string', default: '5' },
  },
})
const [units, lambda] = [values.units, Number(values.lambda)]
const prolin = { units, lambda, likelihood: 'paper', solver: 'exact', gamma: 1, steps: 0 }
const sampler = { share: 0.1, chains: 4, sweeps: 250, maxSweeps: 1750 }
const tick = () => {}
const methods = {
  ols: (part) => byOls(part, { units }),
  reg: (part) => byReg(part, { units, lambda }),
  prolin: (part) => byProlin(part, prolin, { tick }),
  blup: (part) => byBlup(part, { share: 0.1 }),
  posterior: (part, draws) => byPosterior(part, sampler, { rng: draws, tick }),
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

const found = {}
let at = []
const lines = readFileSync(positionals[0], 'utf8').trim().split('\n')
for (const line of lines) {
  const { property, seed, ids, guilty, A, G, shapes } = JSON.parse(line)
  const sparse = { ...A, rowStart: Int32Array.from(A.rowStart), column: Int32Array.from(A.column) }
  const features = { A: { ...sparse, value: Float64Array.from(A.value) }, G: Float64Array.from(G), shapes }
  const known = new Set(guilty)
  print(`${property}, seed ${seed}, ${ids.length} clients, ${G.length} rounds`)
  const places = new Set(ids.flatMap((id, i) => (known.has(id) ? [i] : [])))
  const tenths = Array.from({ length: 10 }, (_, k) => Math.round(((k + 1) * G.length) / 10))
  for (const [k, to] of tenths.entries()) {
    print(`rounds to ${to}: ${describe(features, places, [tenths[k - 1] ?? 0, to])}`)
  }
  at = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9, 1].map((share) => Math.round(share * G.length))
  for (const name of values.methods.split(',')) {
    for (const [place, k] of at.entries()) {
      const estimate = methods[name]([firstRounds(features, k)], rng(seed).fork(k))
      found[name] ??= at.map(() => [])
      found[name][place].push(scoresOf({ ids, ...estimate }, known))
    }
  }
}
print(`F1 (AUC) by rounds, mean of ${lines.length}`)
print(`rounds     ${at.map((k) => String(k).padStart(11)).join(' ')}`)
for (const [name, curve] of Object.entries(found)) {
  const cells = curve.map(
    (list) => `${mean(list.map(({ f1 }) => f1)).toFixed(2)} (${mean(list.map(({ auc }) => auc)).toFixed(2)})`,
  )
  print(`${name.padEnd(10)} ${cells.map((cell) => cell.padStart(11)).join(' ')}`)
}
