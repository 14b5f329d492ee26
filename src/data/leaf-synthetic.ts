/** The LEAF synthetic classification: clusters of clients whose models, and whose features, differ. */
import { OverhearError } from '../errors.js'
import type { Rng } from '../numeric/random/rng.js'
import { power } from '../numeric/special/elementary-functions.js'
import { choice, number, numbers, whole } from '../params.js'
import { checkedSource } from './dataset.js'
import { defineDataset } from './dataset-entry.js'
import { checkSize } from './sensible-size.js'
import { numberColumn, tableOf } from './table.js'

interface World {
  readonly d: number
  readonly C: number
  readonly Q: Float64Array // [d + 1, C, K], the bias first
  readonly centres: readonly Float64Array[] // mu_k of length K
  readonly deviations: Float64Array // of the features
  readonly noiseStd: number
}

interface Client {
  readonly X: Float64Array // [n, d]
  readonly labels: Float64Array
}

const MOST_REDRAWS = 10_000

/** One client: its cluster, its features, its model, its labels. */
function drawClient(rng: Rng, n: number, { d, C, Q, centres, deviations, noiseStd }: World): Client {
  const K = centres.length
  const k = rng.fork('cluster').integer(K)
  const B = rng.fork('shift').normal()
  const v = rng.fork('mean').normals(d, { mean: B })
  const u = rng.fork('code').normals(K, { std: 0.1 })
  for (let q = 0; q < K; q++) u[q]! += centres[k]![q]!
  const W = new Float64Array((d + 1) * C)
  for (let i = 0; i < W.length; i++) for (let q = 0; q < K; q++) W[i]! += Q[i * K + q]! * u[q]!
  const X = rng.fork('features').normals(n * d)
  const noise = rng.fork('noise').normals(n * C, { std: noiseStd })
  const labels = new Float64Array(n)
  for (let r = 0; r < n; r++) {
    for (let j = 0; j < d; j++) X[r * d + j] = v[j]! + deviations[j]! * X[r * d + j]!
    let top = Number.NEGATIVE_INFINITY
    for (let c = 0; c < C; c++) {
      let score = W[c]! + noise[r * C + c]!
      for (let j = 0; j < d; j++) score += X[r * d + j]! * W[(j + 1) * C + c]!
      if (score > top) {
        top = score
        labels[r] = c
      }
    }
  }
  return { X, labels }
}

/** The share of the rarest class. */
function minorityShare(labels: Float64Array, C: number): number {
  const counts = new Array<number>(C).fill(0)
  for (const c of labels) counts[c]!++
  return Math.min(...counts) / labels.length
}

export const leafSynthetic = defineDataset({
  id: 'leaf-synthetic',
  title: 'LEAF synthetic: clients in clusters, each with a softmax law of its own',
  origin: 'generator',
  tasks: ['classification'],
  predicts: 'a made-up class',
  sensitive: [],
  paper: 'lmra',
  params: {
    sizes: numbers({
      default: [350, 230, 1920, 320, 260],
      min: 1,
      whole: true,
      doc: 'records of each client; an empty list draws them as LEAF does',
    }),
    clients: whole({ default: 5, min: 1, doc: 'number of clients, when their sizes are drawn' }),
    inputs: whole({ default: 10, min: 1, doc: 'number of features' }),
    classes: whole({ default: 2, min: 2, doc: 'number of classes' }),
    clusters: whole({ default: 5, min: 1, doc: 'number of clusters, equally probable' }),
    covariance: choice({
      default: 'leaf',
      choices: ['leaf', 'lmra'],
      doc: 'variance of feature j = j^-1.2 and noise 0.1 (leaf), or j^2 and 0.2 (lmra)',
    }),
    minorityShare: number({
      default: 0,
      min: 0,
      max: 0.4,
      doc: 'clients whose rarest class has a smaller share are drawn anew',
    }),
  },
  load: ({ rng }, { sizes, clients, inputs: d, classes: C, clusters: K, covariance, minorityShare: least }) => {
    const most = sizes.length > 0 ? sizes.reduce((a, b) => a + b, 0) : 1000 * clients
    checkSize('leaf-synthetic', most, d + C)
    checkSize('leaf-synthetic', K, (d + 1) * C + K)
    const sizeRng = rng.fork('sizes')
    const drawn = (): number => Math.min(Math.trunc(sizeRng.lognormal({ logMean: 3, logStd: 2 })) + 5, 1000)
    const counts = sizes.length > 0 ? sizes : Array.from({ length: clients }, drawn)
    const centreRng = rng.fork('centres')
    const world: World = {
      d,
      C,
      Q: rng.fork('shared').normals((d + 1) * C * K),
      centres: Array.from({ length: K }, () => centreRng.normals(K, { mean: centreRng.normal() })),
      deviations: Float64Array.from({ length: d }, (_, j) => (covariance === 'leaf' ? power(j + 1, -0.6) : j + 1)),
      noiseStd: covariance === 'leaf' ? 0.1 : 0.2,
    }
    const all = counts.map((n, t) => {
      for (let attempt = 0; attempt < MOST_REDRAWS; attempt++) {
        const client = drawClient(rng.fork('client', t, attempt), n, world)
        if (minorityShare(client.labels, C) >= least) return client
      }
      const found = `leaf-synthetic: no client of ${n} records reached a minority share of ${least}`
      throw new OverhearError('E_VALUE', found, `${MOST_REDRAWS} were drawn; ask for a smaller minorityShare`)
    })
    const columns = Array.from({ length: d }, (_, j) =>
      numberColumn(
        `x${j}`,
        all.flatMap(({ X, labels }) => Array.from(labels, (_, r) => X[r * d + j]!)),
      ),
    )
    const labels = all.flatMap((client) => [...client.labels])
    const owner = all.flatMap((client, t) => Array.from(client.labels, () => t))
    return checkedSource({
      name: 'leaf-synthetic',
      task: 'classification',
      table: tableOf([...columns, numberColumn('class', labels), numberColumn('client', owner)]),
      rules: columns.map(({ name }) => ({ column: name, encode: 'number' })),
      label: { column: 'class', encode: 'codes', levels: Array.from({ length: C }, (_, c) => String(c)) },
      sensitive: [],
      client: 'client',
    })
  },
})
