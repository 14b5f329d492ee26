// Estimates from features that studies/prolin.mjs has kept, without training anything: F1 (AUC) by rounds, and what the
// detectors of each tenth of the rounds are like.
//   node studies/prolin-again.mjs FILE [--methods ols,reg,prolin,blup,posterior] [--units common|own] [--lambda 5]
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { byBlup, byOls, byPosterior, byProlin, byReg, firstRounds } from '../dist/doors/attacks.js'
import { rng } from '../dist/doors/numeric.js'
import { lookup } from '../dist/errors.js'
import { at, mean, print } from './figures.mjs'
import { scoresOf } from './prolin-run.mjs'

/** @typedef {import('../dist/doors/attacks.js').FeatureSums} FeatureSums */
/** @typedef {import('../dist/doors/numeric.js').Rng} Rng */

/**
 * A line that studies/prolin.mjs has kept.
 * @typedef {object} Kept
 * @property {string} property
 * @property {number} seed
 * @property {string[]} ids
 * @property {string[]} guilty
 * @property {{ rows: number, cols: number, rowStart: number[], column: number[], value: number[] }} A
 * @property {number[]} G
 * @property {FeatureSums['shapes']} shapes
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    methods: { type: 'string', default: 'ols,reg,prolin,blup,posterior' },
    units: { type: 'string', default: 'common' },
    lambda: { type: 'string', default: '5' },
  },
})
const [file] = positionals
if (file === undefined) throw new Error('name the file that studies/prolin.mjs --keep has written')
const units = /** @type {'common' | 'own'} */ (values.units)
const lambda = Number(values.lambda)
const prolin = /** @type {const} */ ({ units, lambda, likelihood: 'paper', solver: 'exact', gamma: 1, steps: 0 })
const sampler = { share: 0.1, chains: 4, sweeps: 250, maxSweeps: 1750 }
const tick = () => {}
/** @type {Record<string, (part: readonly FeatureSums[], draws: Rng) => ReturnType<typeof byOls>>} */
const methods = {
  ols: (part) => byOls(part, { units }),
  reg: (part) => byReg(part, { units, lambda }),
  prolin: (part) => byProlin(part, prolin, { tick }),
  blup: (part) => byBlup(part, { share: 0.1 }),
  posterior: (part, draws) => byPosterior(part, sampler, { rng: draws, tick }),
}

/** Rounds in which nobody has the property show what f- is to the real clients, those with k of them what f+ is. @param {FeatureSums} sums @param {ReadonlySet<number>} guilty @param {{ from: number, to: number }} rounds */
function describe({ A, G, shapes }, guilty, { from, to }) {
  /** @type {Record<'gap' | 'spread' | 'middle' | 'G' | 'z' | 'overlap', number[]>} */
  const some = { gap: [], spread: [], middle: [], G: [], z: [], overlap: [] }
  for (let r = from; r < to; r++) {
    const { plusMean, minusMean, plusStd, minusStd, v } = at(shapes, r)
    let [expected, variance] = [0, 0]
    for (let p = at(A.rowStart, r); p < at(A.rowStart, r + 1); p++) {
      const [mu, s] = guilty.has(at(A.column, p)) ? [plusMean, plusStd] : [minusMean, minusStd]
      expected += at(A.value, p) * mu
      variance += (at(A.value, p) * s) ** 2
    }
    some.gap.push(plusMean - minusMean)
    some.spread.push(minusStd)
    some.middle.push((plusMean + minusMean) / 2)
    some.G.push(Math.abs(at(G, r)))
    some.z.push(((at(G, r) - expected) / Math.sqrt(variance)) ** 2)
    some.overlap.push(1 - v)
  }
  const cells = Object.entries(some).map(([name, list]) => `${name} ${mean(list).toPrecision(3)}`)
  return `${cells.join(', ')}, largest |G| ${Math.max(...some.G).toPrecision(3)}`
}

/** F1 and AUC by method and by share of the rounds, one a line. @type {Map<string, { f1: number, auc: number }[][]>} */
const found = new Map()
/** @type {number[]} */
let after = []
const lines = readFileSync(file, 'utf8').trim().split('\n')
for (const line of lines) {
  const { property, seed, ids, guilty, A, G, shapes } = /** @type {Kept} */ (JSON.parse(line))
  const sparse = { ...A, rowStart: Int32Array.from(A.rowStart), column: Int32Array.from(A.column) }
  const features = { A: { ...sparse, value: Float64Array.from(A.value) }, G: Float64Array.from(G), shapes }
  const known = new Set(guilty)
  print(`${property}, seed ${seed}, ${ids.length} clients, ${G.length} rounds`)
  const places = new Set(ids.flatMap((id, i) => (known.has(id) ? [i] : [])))
  const tenths = Array.from({ length: 10 }, (_, k) => Math.round(((k + 1) * G.length) / 10))
  for (const [k, to] of tenths.entries()) {
    print(`rounds to ${to}: ${describe(features, places, { from: tenths[k - 1] ?? 0, to })}`)
  }
  after = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9, 1].map((share) => Math.round(share * G.length))
  for (const name of values.methods.split(',')) {
    const curve = after.map((k) => {
      const estimate = lookup(methods, name, 'method')([firstRounds(features, k)], rng(seed).fork(k))
      return scoresOf({ ids, ...estimate }, known)
    })
    found.set(
      name,
      curve.map((score, place) => [...(found.get(name)?.[place] ?? []), score]),
    )
  }
}
print(`F1 (AUC) by rounds, mean of ${lines.length}`)
print(`rounds     ${after.map((k) => String(k).padStart(11)).join(' ')}`)
for (const [name, curve] of found) {
  const cells = curve.map(
    (list) => `${mean(list.map(({ f1 }) => f1)).toFixed(2)} (${mean(list.map(({ auc }) => auc)).toFixed(2)})`,
  )
  print(`${name.padEnd(10)} ${cells.map((cell) => cell.padStart(11)).join(' ')}`)
}
