// Which method wins when features are as normal as all of them assume? Sums of simulated updates, overlaps 0.1 to 0.8.
//   node studies/prolin-features.mjs [--simulations 20] [--clients 50] [--only 'n 100'] [--json]
import { parseArgs } from 'node:util'
import { byBlup, byDisaggregation, byOls, byPosterior, byProlin, byReg } from '../dist/doors/attacks.js'
import { matrix, overlapOfNormals, rng, sparseFromTriplets } from '../dist/doors/numeric.js'
import { mean, scoresOf, std } from './prolin-run.mjs'

const { values } = parseArgs({
  options: {
    simulations: { type: 'string', default: '20' },
    clients: { type: 'string', default: '50' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
})
const simulations = Number(values.simulations)
const [N, positives, share, z] = [Number(values.clients), 5, 0.2, 40]

/** mu+ - mu- in deviations for which two normals of deviation 1 overlap so much. */
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
 */
function world({ seed, n, gap, fading, tie }) {
  const draws = rng(seed).fork('features')
  const guilty = new Set(draws.fork('guilty').sample(N, positives))
  const common = unit(draws.fork('common').normals(z))
  const own = Array.from({ length: N }, (_, i) => draws.fork('client', i).normals(z))
  const directions = Array.from({ length: n }, (_, r) => {
    const other = unit(draws.fork('direction', r).normals(z))
    return unit(common.map((x, j) => x + other[j]))
  })
  const triplets = []
  const sums = []
  const shapes = []
  for (let r = 0; r < n; r++) {
    const round = draws.fork('round', r)
    const g = fading ? gap * (1.9 - (1.8 * r) / Math.max(1, n - 1)) : gap
    const sum = new Float64Array(z)
    for (const i of round.sample(N, Math.round(share * N))) {
      const noise = round.fork('noise', i).normals(z)
      const side = guilty.has(i) ? g / 2 : -g / 2
      for (let j = 0; j < z; j++) {
        sum[j] += side * directions[r][j] + Math.sqrt(tie) * own[i][j] + Math.sqrt(1 - tie) * noise[j]
      }
      triplets.push([r, i, 1])
    }
    sums.push(sum)
    const { overlap } = overlapOfNormals({ mean1: g / 2, std1: 1, mean2: -g / 2, std2: 1 })
    shapes.push({ plusMean: g / 2, plusStd: 1, minusMean: -g / 2, minusStd: 1, measured: 1e6, v: 1 - overlap })
  }
  const dot = (a, b) => a.reduce((total, x, j) => total + x * b[j], 0)
  const products = matrix(n, n)
  for (let r = 0; r < n; r++) for (let k = 0; k < n; k++) products.data[r * n + k] = dot(directions[r], sums[k])
  const A = sparseFromTriplets({ rows: n, cols: N }, triplets)
  const G = Float64Array.from(sums, (sum, r) => dot(directions[r], sum))
  return { features: [{ A, G, shapes }], products, guilty: new Set([...guilty].map(String)) }
}

function unit(x) {
  const size = Math.sqrt(x.reduce((sum, v) => sum + v * v, 0))
  return x.map((v) => v / size)
}

const tick = () => {}
const print = (line) => process.stdout.write(`${line}\n`)
const prolin = { lambda: 5, likelihood: 'paper', solver: 'exact', gamma: 1, steps: 0 }
const methods = {
  disaggregation: ({ features: [{ A, shapes }], products }) =>
    byDisaggregation(A, { products, offsets: shapes.map(() => 0) }),
  'property-ols': ({ features }) => byOls(features),
  'property-reg': ({ features }) => byReg(features, { lambda: 5 }),
  prolin: ({ features }) => byProlin(features, prolin, { tick }),
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
const titleOf = ({ overlap, n, fading, tie }) =>
  `overlap ${overlap}, n ${n}${fading ? ', fading' : ''}${tie ? `, tie ${tie}` : ''}`
const rows = []
for (const one of cases.filter((each) => titleOf(each).includes(values.only))) {
  const found = Object.fromEntries(Object.keys(methods).map((name) => [name, { f1: [], auc: [] }]))
  for (let seed = 1; seed <= simulations; seed++) {
    const here = world({ ...one, gap: gapOf(one.overlap), seed })
    for (const [name, method] of Object.entries(methods)) {
      const { f1, auc } = scoresOf({ ids, ...method(here, seed) }, here.guilty)
      found[name].f1.push(f1)
      found[name].auc.push(auc)
    }
  }
  const row = { ...one, n: one.n, simulations }
  for (const [name, { f1, auc }] of Object.entries(found)) {
    row[name] = { f1: mean(f1), se: std(f1) / Math.sqrt(simulations), auc: mean(auc) }
  }
  rows.push(row)
  if (!values.json) {
    const cells = Object.keys(methods).map((name) => {
      const { f1, se, auc } = row[name]
      return `${name} ${f1.toFixed(2)}±${se.toFixed(2)} (${auc.toFixed(2)})`
    })
    print(`${titleOf(one)}: ${cells.join(', ')}`)
  }
}
if (values.json) print(JSON.stringify({ study: 'prolin-features', clients: N, positives, rows }, null, 1))
