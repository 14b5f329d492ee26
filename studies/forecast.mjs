// Forecast and real round of exposure: 20 configurations whose features are normal, of known signal.
//   node studies/forecast.mjs [--worlds 2] [--seed 2]
// Real: the first of 16 numbers of rounds from which on the posterior of a guilty client stays above 0.95, median over guilty ones.
import { byPosterior, forecastAtRandom } from '../dist/doors/attacks.js'
import { rng } from '../dist/doors/numeric.js'
import { at, options, print, tableOf } from './figures.mjs'

const { worlds, seed } = options({ worlds: 2, seed: 2 })
const measured = 1e6
const guilty = 2

/** @param {number} N @param {number} m @param {number} n @param {number} signal @param {import('../dist/doors/numeric.js').Rng} draws */
function world(N, m, n, signal, draws) {
  const column = new Int32Array(m * n)
  const G = new Float64Array(n)
  for (let r = 0; r < n; r++) {
    const own = draws.fork('round', r)
    column.set(own.sample(N, m).sort(), r * m)
    for (let p = r * m; p < (r + 1) * m; p++) G[r] = at(G, r) + own.normal() + (at(column, p) < guilty ? signal : 0)
  }
  const shape = { plusMean: signal, plusStd: 1, minusMean: 0, minusStd: 1, measured, v: 0.5 }
  return (/** @type {number} */ k) => ({
    A: {
      rows: k,
      cols: N,
      rowStart: Int32Array.from({ length: k + 1 }, (_, r) => r * m),
      column: column.slice(0, k * m),
      value: new Float64Array(k * m).fill(1),
    },
    G: G.slice(0, k),
    shapes: Array.from({ length: k }, () => shape),
  })
}

/** @type {string[][]} */
const rows = []
let right = 0
for (const [N, m] of /** @type {const} */ ([
  [8, 3],
  [15, 5],
  [30, 6],
  [40, 16],
  [60, 12],
])) {
  for (const signal of [2.5, 4, 6, 10]) {
    const most = forecastAtRandom({ clients: N, perRound: m, rounds: 1e9 }, { signal, measured })
    const n = 2 * Math.max(8, most.latest ?? 0)
    const looks = Array.from({ length: 16 }, (_, k) => Math.max(2, Math.round((n * (k + 1)) / 16)))
    /** @type {number[]} */
    const real = []
    for (let w = 0; w < worlds; w++) {
      const draws = rng(seed).fork('forecast', N, m, signal, w)
      const first = world(N, m, n, signal, draws)
      const curves = looks.map((k) => {
        const sampler = { steady: false, share: 0.1, chains: 4, sweeps: 120, maxSweeps: 360 }
        return byPosterior([first(k)], sampler, { rng: draws.fork('posterior', k), tick() {} }).score
      })
      for (let i = 0; i < guilty; i++) {
        const below = curves.findLastIndex((p) => !(at(p, i) > 0.95))
        real.push(below === curves.length - 1 ? Number.POSITIVE_INFINITY : at(looks, below + 1))
      }
    }
    real.sort((a, b) => a - b)
    const middle = at(real, Math.floor((real.length - 1) / 2))
    const shown = real.map((x) => (Number.isFinite(x) ? x : `> ${n}`)).join(', ')
    const inside = middle >= (most.soonest ?? 0) && middle <= (most.latest ?? 0)
    if (inside) right++
    rows.push([`${N}`, `${m}`, `${signal}`, `${most.usual} (${most.soonest} to ${most.latest})`, `${middle}`, shown])
  }
}
for (const line of tableOf(['N', 'in a round', 'signal', 'forecast (10 % to 90 %)', 'real, median', 'each'], rows))
  print(line)
print(`The real median lies within the range of the forecast in ${right} of ${rows.length}.`)
