/** [labels] Fig. 3.4: the summed gradients of the last layer beside how often each class occurs, raw and recalibrated. */
import { readScenario } from '../../audit/read-scenario.js'
import type { Records } from '../../data/records.js'
import { functionsOf } from '../../models/functions.js'
import { initialise } from '../../models/initialise.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { poolsOf } from '../../scenario/simulate.js'
import { stageOf } from '../../scenario/simulate-model.js'
import { always, measured } from '../claims.js'
import { defineStudy, type Measure } from '../study.js'

const panel = 'correlation of -g_i with k_i (MNIST, untrained LeNet)'
const [raw, recalibrated] = ['as they are (a)', 'less the offsets s_i (b)']
const sizes = [2, 8, 32, 128]
const classes = 10

function taken({ features, labels }: Records, rows: readonly number[]): Records {
  const { cols, data } = features
  const X = matrix(rows.length, cols)
  for (const [k, row] of rows.entries()) X.data.set(data.subarray(row * cols, (row + 1) * cols), k * cols)
  return { features: X, labels: Float64Array.from(rows, (row) => labels[row]!) }
}

/** Pearson's. */
function correlation(pairs: readonly (readonly [number, number])[]): number {
  const [a, b] = [0, 1].map((side) => pairs.reduce((sum, pair) => sum + pair[side]!, 0) / pairs.length)
  let [xy, xx, yy] = [0, 0, 0]
  for (const [x, y] of pairs) {
    xy += (x - a!) * (y - b!)
    xx += (x - a!) * (x - a!)
    yy += (y - b!) * (y - b!)
  }
  return xy / Math.sqrt(xx * yy)
}

export const labelsFigure34 = defineStudy({
  id: 'labels-figure-3-4',
  title: "The last layer's gradients beside the numbers of labels (MNIST, a LeNet of two convolutions)",
  paper: 'labels',
  where: 'Fig. 3.4',
  data: ['mnist'],
  unit: 'correlation over batches and classes of -g_i with k_i; 1: a line',
  axis: 'batch size',
  seconds: { quick: 8, full: 180 },
  seeds: { quick: 1, full: 3 },
  points: () => [{ at: {}, effort: 1 }],
  async measure(_, { seed, quick, ports }) {
    const scenario = readScenario({
      name: 'labels-figure-3-4',
      seed,
      heldBack: 0,
      data: { name: 'mnist', params: { scale: 'unit' }, rows: 4000, validation: 0, auxiliary: 0 },
      partition: { name: 'sizes', params: { sizes: [3000, 1000] } },
      models: [{ kind: 'lenet-mnist' }],
    })
    const { choice, population } = await stageOf(scenario, 0, { pools: await poolsOf(scenario, ports) })
    const functions = functionsOf(choice.model, { loss: choice.loss })
    const [all, auxiliary] = [population.records(0), population.records(1)]
    const root = rng(seed).fork('studies', 'figure-3-4')
    const trials = quick ? 60 : 1000
    const found = new Map<string, [number, number][]>()
    const put = (key: string, pair: [number, number]) => found.set(key, [...(found.get(key) ?? []), pair])
    for (let trial = 0; trial < trials; trial++) {
      const own = root.fork('trial', trial)
      const theta = initialise(choice.model, own.fork('theta'))
      /** g_i: the sum of row i of the last layer's weights, which stand before its bias at the end. */
      const sumsOf = (batch: Records): Float64Array => {
        const { grad } = functions.gradient(theta, batch)
        const units = functions.penultimate(theta, taken(batch, [0]).features).cols
        const start = grad.length - classes - classes * units
        return Float64Array.from({ length: classes }, (_one, i) =>
          grad.subarray(start + i * units, start + (i + 1) * units).reduce((sum, g) => sum + g, 0),
        )
      }
      // s_i as LLG+ has it: the sums of class i on auxiliary batches of every other class.
      const alone = Array.from({ length: classes }, (_one, c) => {
        const rows = [...auxiliary.labels.keys()].filter((row) => auxiliary.labels[row] === c).slice(0, 10)
        return sumsOf(taken(auxiliary, rows))
      })
      const offset = Float64Array.from({ length: classes }, (_one, i) => {
        return alone.reduce((sum, g, c) => (c === i ? sum : sum + g[i]!), 0) / (classes - 1)
      })
      for (const K of sizes) {
        const batch = taken(all, [...own.fork('batch', K).sample(all.labels.length, K)])
        const g = sumsOf(batch)
        for (let i = 0; i < classes; i++) {
          const k = batch.labels.filter((label) => label === i).length
          put(`${raw} ${K}`, [k, -g[i]!])
          put(`${recalibrated} ${K}`, [k, offset[i]! - g[i]!])
        }
      }
    }
    return sizes.flatMap((x): Measure[] =>
      [raw, recalibrated].map((series) => ({ panel, series, x, value: correlation(found.get(`${series} ${x}`)!) })),
    )
  },
  published: [],
  departs: [
    'The figure is a picture without numbers, of a network with three convolutions; ours has two.',
    'Offsets are those of LLG+: from ten auxiliary pictures of each other class.',
    '--quick: 60 trials in place of 1000.',
  ],
  claims: [
    {
      text: 'the gradients are lower the more records a class has (a correlation of 0.5 or more at every batch size)',
      holds: measured(
        sizes.map((x) => [panel, raw, x] as const),
        (values) => values.every((value) => value >= 0.5),
      ),
    },
    {
      text: 'recalibrated, they are correlated better, at every batch size',
      believed:
        'Tried: the offsets of LLG+, from ten pictures of each other class. They differ from model to model, and batches of all models are pooled here: we believe that they add more scatter than they remove. In the attack itself, which scales by model, they help (labels-table-3-1, K = 8: LLG+ is above LLG).',
      holds: always(
        sizes.map((x) => [[panel, recalibrated, x] as const, [panel, raw, x] as const]),
        (after, before) => after >= before,
      ),
    },
  ],
})
