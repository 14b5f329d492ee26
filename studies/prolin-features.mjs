// Which method wins when features are as normal as all of them assume? Sums of simulated updates, overlaps 0.1 to 0.8.
//   node studies/prolin-features.mjs [--simulations 20] [--clients 50] [--only 'n 100'] [--methods reg] [--json]
import { byBlup, byDisaggregation, byOls, byPosterior, byProlin, byReg } from '../dist/doors/attacks.js'
import { matrix, overlapOfNormals, rng, sparseFromTriplets } from '../dist/doors/numeric.js'
import { at, deviation, mean, options, print } from './figures.mjs'
import { scoresOf } from './prolin-run.mjs'

/** @typedef {import('../dist/doors/attacks.js').FeatureSums} FeatureSums */
/** @typedef {{ overlap: number, n: number, fading: boolean, tie: number }} Case */
/** @typedef {{ features: readonly FeatureSums[], products: import('../dist/doors/numeric.js').Matrix, guilty: ReadonlySet<string> }} World */
/** @typedef {{ f1: number, se: number, auc: number }} Figures */

const {
  simulations,
  clients: N,
  only,
  methods: asked,
  json,
} = options({
  simulations: 20,
  clients: 50,
  only: '',
  methods: '',
  json: false,
})
const [positives, share, z] = [5, 0.2, 40]

/** mu+ - mu- in deviations for which two normals of deviation 1 overlap so much. @param {number} overlap */
function gapOf(overlap) {
  let [low, high] = [0, 10]
  for (let k = 0; k < 60; k++) {
    const gap = (low + high) / 2
    if (overlapOfNormals({ mean1: 0, std1: 1, mean2: gap, std2: 1 }).overlap > overlap) low = gap
    else high = gap
  }
  return low
}

/**
 * Updates of z coordinates: noise of deviation 1, and for those who have the property `gap` along the round's direction,
 * which has a cosine of about 0.5 with that of any other round. `fading`: the gap falls from 1.9 to 0.1 of its mean over
 * the rounds, as membership does. `tie`: correlation of a client's features over rounds.
 * @param {Omit<Case, 'overlap'> & { seed: number, gap: number }} options
 * @returns {World}
 */
function world({ seed, n, gap, fading, tie }) {
  const draws = rng(seed).fork('features')
  const guilty = new Set(draws.fork('guilty').sample(N, positives))
  const common = unit(draws.fork('common').normals(z))
  const own = Array.from({ length: N }, (_, i) => draws.fork('client', i).normals(z))
  const directions = Array.from({ length: n }, (_, r) => {
    const other = unit(draws.fork('direction', r).normals(z))
    return unit(common.map((x, j) => x + at(other, j)))
  })
  /** @type {[row: number, column: number, value: number][]} */
  const triplets = []
  /** @type {Float64Array[]} */
  const sums = []
  /** @type {FeatureSums['shapes'][number][]} */
  const shapes = []
  for (let r = 0; r < n; r++) {
    const round = draws.fork('round', r)
    const g = fading ? gap * (1.9 - (1.8 * r) / Math.max(1, n - 1)) : gap
    const sum = new Float64Array(z)
    for (const i of round.sample(N, Math.round(share * N))) {
      const noise = round.fork('noise', i).normals(z)
      const side = guilty.has(i) ? g / 2 : -g / 2
      for (let j = 0; j < z; j++) {
        sum[j] =
          at(sum, j) +
          (side * at(at(directions, r), j) + Math.sqrt(tie) * at(at(own, i), j) + Math.sqrt(1 - tie) * at(noise, j))
      }
      triplets.push([r, i, 1])
    }
    sums.push(sum)
    const { overlap } = overlapOfNormals({ mean1: g / 2, std1: 1, mean2: -g / 2, std2: 1 })
    shapes.push({ plusMean: g / 2, plusStd: 1, minusMean: -g / 2, minusStd: 1, measured: 1e6, v: 1 - overlap })
  }
  /** @param {number} r @param {number} k */
  const dot = (r, k) => at(directions, r).reduce((total, x, j) => total + x * at(at(sums, k), j), 0)
  const products = matrix(n, n)
  for (let r = 0; r < n; r++) for (let k = 0; k < n; k++) products.data[r * n + k] = dot(r, k)
  const A = sparseFromTriplets({ rows: n, cols: N }, triplets)
  const G = Float64Array.from(sums, (_, r) => dot(r, r))
  return { features: [{ A, G, shapes }], products, guilty: new Set([...guilty].map(String)) }
}

/** @param {Float64Array} x */
function unit(x) {
  const size = Math.sqrt(x.reduce((sum, v) => sum + v * v, 0))
  return x.map((v) => v / size)
}

const tick = () => {}
const prolin = /** @type {const} */ ({ lambda: 5, likelihood: 'paper', solver: 'exact', gamma: 1, steps: 0 })
/** @type {Record<string, (world: World, seed: number) => ReturnType<typeof byOls>>} */
const methods = {
  disaggregation: ({ features, products }) => {
    const { A, shapes } = at(features, 0)
    return byDisaggregation(A, { products, offsets: shapes.map(() => 0) })
  },
  'property-ols': ({ features }) => byOls(features),
  'property-reg': ({ features }) => byReg(features, { lambda: 5 }),
  'property-reg, variance': ({ features }) => byReg(features, { lambda: 5, weights: 'variance' }),
  prolin: ({ features }) => byProlin(features, prolin, { tick }),
  'prolin, variance': ({ features }) => byProlin(features, { ...prolin, weights: 'variance' }, { tick }),
  'prolin, code': ({ features }) => byProlin(features, { ...prolin, likelihood: 'code' }, { tick }),
  'property-blup': ({ features }) => byBlup(features, { share: 0.1 }),
  'property-posterior': ({ features }, seed) =>
    byPosterior(features, { share: 0.1, chains: 4, sweeps: 200, maxSweeps: 1400 }, { rng: rng(seed), tick }),
}
const ids = Array.from({ length: N }, (_, i) => String(i))
const cases = [
  ...[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8].map((overlap) => ({ overlap, n: 2 * N, fading: false, tie: 0 })),
  ...[0.1, 0.3, 0.5].map((overlap) => ({ overlap, n: N, fading: false, tie: 0 })),
  ...[0.1, 0.3].map((overlap) => ({ overlap, n: N / 2, fading: false, tie: 0 })),
  ...[0.3, 0.5].map((overlap) => ({ overlap, n: 2 * N, fading: true, tie: 0 })),
  ...[0.1, 0.3, 0.5].map((overlap) => ({ overlap, n: 2 * N, fading: false, tie: 0.3 })),
]
/** @param {Case} one */
const titleOf = ({ overlap, n, fading, tie }) =>
  `overlap ${overlap}, n ${n}${fading ? ', fading' : ''}${tie ? `, tie ${tie}` : ''}`
/** @type {(Case & { simulations: number, [method: string]: number | boolean | Figures })[]} */
const rows = []
for (const one of cases.filter((each) => titleOf(each).includes(only))) {
  const worlds = Array.from({ length: simulations }, (_, k) => world({ ...one, gap: gapOf(one.overlap), seed: k + 1 }))
  const chosen = Object.entries(methods).filter(([name]) => name.includes(asked))
  const found = chosen.map(([name, method]) => {
    const scores = worlds.map((here, k) => scoresOf({ ids, ...method(here, k + 1) }, here.guilty))
    const f1 = scores.map((score) => score.f1)
    const auc = mean(scores.map((score) => score.auc))
    return { name, f1: mean(f1), se: deviation(f1) / Math.sqrt(simulations), auc }
  })
  rows.push({ ...one, simulations, ...Object.fromEntries(found.map(({ name, ...figures }) => [name, figures])) })
  if (!json) {
    const cells = found.map(({ name, f1, se, auc }) => `${name} ${f1.toFixed(2)}±${se.toFixed(2)} (${auc.toFixed(2)})`)
    print(`${titleOf(one)}: ${cells.join(', ')}`)
  }
}
if (json) print(JSON.stringify({ study: 'prolin-features', clients: N, positives, rows }, null, 1))
