import { auc, aucInterval } from '../src/metrics/auc.js'
import { bootstrapInterval } from '../src/metrics/bootstrap.js'
import { calibrationError } from '../src/metrics/confidence/calibration.js'
import { f1, scoreDetection } from '../src/metrics/detection.js'
import type { Known } from '../src/metrics/grading.js'
import { impliedFrequencies } from '../src/metrics/implied-frequency.js'
import { scoreClaim } from '../src/metrics/index.js'
import { bestMultiset, expectedMatches, likeliestClasses } from '../src/metrics/multiset.js'
import { midRanks, rankCorrelation } from '../src/metrics/ranks.js'
import { liftOf, scoreOf } from '../src/metrics/score.js'
import { bestThreshold } from '../src/metrics/threshold.js'
import { functionsOf } from '../src/models/functions.js'
import { linear } from '../src/models/linear.js'
import { softmaxRegression } from '../src/models/softmax.js'
import { rng } from '../src/numeric/random/rng.js'
import { type HandTruth, tableOf, truthOf } from './hand-truth.js'
import { pinResults } from './pinned-results.js'

const draws = rng('metrics')
const uniform = (name: string, n: number) => Array.from(draws.fork(name).uniforms(n))
const whole = (name: string, n: number, below: number) => uniform(name, n).map((x) => Math.floor(below * x))
const columns = ['x', 'z', 's', 'w']
const rowsFrom = (name: string, n: number) => {
  const [x, z, s, w] = ['x', 'z', 's', 'w'].map((one) => uniform(`${name} ${one}`, n))
  return x!.map((v, i) => [v, z![i]!, Number(s![i]! + 0.5 * v > 0.8), 3 * w![i]! - 1])
}
const numbersFor = (name: string, n: number) => uniform(name, n).map((x) => 4 * x - 1)
const tableFor = (name: string, n: number, label: 'class' | 'number' | 'none' = 'number') =>
  tableOf(columns, rowsFrom(name, n), {
    ...(label !== 'none' && { labels: label === 'class' ? whole(`${name} y`, n, 3) : numbersFor(`${name} y`, n) }),
    metaclasses: whole(`${name} g`, n, 3),
  })
const binary = { name: 's', columns: ['s'], kind: 'binary', values: [[0], [1]], words: ['no', 'yes'] } as const
const measured = { name: 'w', columns: ['w'] as const, kind: 'continuous', range: [-1, 2] } as const
const hidden = (name: string, n: number) => {
  const table = tableFor(name, n)
  const features = { ...table.features, data: table.features.data.map((v, at) => (at % 4 >= 2 ? Number.NaN : v)) }
  return { ...table, features }
}
const n = 14
const truth = (label: 'class' | 'number' | 'none'): HandTruth => ({
  clients: { c: tableFor('c', n, label), d: tableFor('d', 5, label) },
  batches: [{ round: 2, client: 'c', rows: [0, 3, 4, 9, 11, 12] }],
  optimum: { c: [0.5, -1, 2, 0.25, 1] },
  properties: { inversion: ['a', 'b'], none: [] },
})
const regression = functionsOf(linear({ inputs: 4, outputs: 1 }))
const classes = functionsOf(softmaxRegression({ inputs: 4, outputs: 3 }))
const theta = draws.fork('theta').normals(5)
const wide = draws.fork('wide').normals(15)
const knowns: readonly Known[] = [
  {},
  { auxiliary: tableFor('aux', 30), records: hidden('c', n), sensitive: [binary, measured], lastGlobal: theta, functions: regression, metaclass: 'g', metaclasses: ['a', 'b', 'c'], batchSize: 6 }, // biome-ignore format: one line
  { auxiliary: tableFor('aux', 30, 'class'), sensitive: [binary, measured], lastGlobal: wide, roundGlobal: wide.map((x) => -x), functions: classes, classes: 3, metaclass: 'g', metaclasses: ['a', 'b', 'c'] }, // biome-ignore format: one line
  { auxiliary: tableFor('aux', 30, 'none'), records: hidden('c', n), sensitive: [binary, measured], metaclasses: ['a', 'b', 'c'], batchSize: 9, classes: 3, candidates: tableFor('c', n) }, // biome-ignore format: one line
]
/** A claim graded by every kind of truth and of knowledge. */
const graded = (claim: object) =>
  (['class', 'number', 'none'] as const).flatMap(
    (label) =>
    knowns.map((known) => () => scoreClaim(claim as never, { truth: truthOf(truth(label)), known, contribution: new Map([['a', 1], ['b', -2], ['e', 0.5]]) })), // biome-ignore format: one line
  )
const at = { client: 'c', round: 2 }
const score = { metric: 'm', value: 0.4, guesses: [], better: 'higher' } as const
const lists = [[], [1], [2, 2], [3, 1, 2], [1, 1, 2, 2, 0], uniform('list', 15)]

pinResults('metrics', {
  attributes: [
    ...graded({ kind: 'attribute', client: 'c', name: 's', values: whole('guess', n, 2) }),
    ...graded({
      kind: 'attribute',
      client: 'c',
      name: 's',
      values: whole('guess', n, 2),
      confidence: uniform('sure', n),
    }),
    ...graded({ kind: 'attribute', client: 'c', name: 'w', values: numbersFor('guessed', n) }),
    ...graded({
      kind: 'attribute',
      client: 'c',
      name: 'w',
      values: numbersFor('guessed', n),
      confidence: uniform('sure', n),
    }),
    ...graded({ kind: 'attribute', client: 'e', name: 's', values: [0] }).slice(0, 2),
    ...graded({ kind: 'attribute', client: 'c', name: 'q', values: [0] }).slice(0, 2),
    ...[[0], [2], [0.5], [Number.NaN]].flatMap((values) => graded({ kind: 'attribute', client: 'd', name: 's', values: [...values, 0, 1, 0, 1].slice(0, 5) }).slice(4, 6)), // biome-ignore format: one line
  ],
  labels: [
    ...graded({ kind: 'label', ...at, value: 1 }),
    ...graded({ kind: 'label', client: 'd', round: 1, value: 0.25 }),
    ...graded({ kind: 'label-mean', ...at, value: 0.7 }),
    ...graded({ kind: 'labels', ...at, labels: [0, 0, 1, 2, 2, 2] }),
    ...graded({ kind: 'labels', ...at, labels: [0, 2], once: true }),
    ...graded({ kind: 'labels', client: 'c', labels: whole('labels', n, 3) }),
    ...graded({ kind: 'labels', client: 'c', labels: numbersFor('labels', n) }),
    ...graded({ kind: 'label-counts', ...at, counts: [3, 1, 2] }),
    ...graded({ kind: 'label-counts', ...at, counts: [6, 0, 0] }),
    ...graded({ kind: 'label-counts', ...at, counts: [-1, 0, 0] }),
  ],
  metaclasses: [
    ...graded({ kind: 'metaclass-means', ...at, values: [0.5, Number.NaN, 2] }),
    ...graded({ kind: 'metaclass-means', ...at, values: [0.5, 1] }),
    ...graded({ kind: 'metaclass-counts', ...at, values: [1, 2.5, 2.5] }),
    ...graded({ kind: 'metaclass-counts', ...at, values: [2, 2, 2] }),
  ],
  'models and records': [
    ...graded({ kind: 'model', client: 'c', theta: Float64Array.of(0.4, -1, 2.2, 0, 1) }),
    ...graded({ kind: 'model', client: 'c', theta: Float64Array.of(0.4, -1) }),
    ...graded({ kind: 'model', client: 'd', theta }),
    ...graded({ kind: 'model', client: 'c', theta: wide }),
    ...graded({ kind: 'records', ...at, features: rowsFrom('rebuilt', 6), labels: whole('l', 6, 3) }),
    ...graded({ kind: 'records', ...at, features: rowsFrom('rebuilt', 4), labels: whole('l', 4, 3) }),
    ...graded({ kind: 'records', ...at, features: [[1, 2]], labels: [1] }),
  ],
  'members, properties, contributions': [
    ...graded({ kind: 'members', client: 'c', rows: [0, 1, 5] }),
    ...graded({ kind: 'members', client: 'd', rows: [0, 1, 5], scores: uniform('ranked', n) }),
    ...graded({ kind: 'members', client: 'c', rows: [0, 0] }).slice(3, 4),
    ...graded({ kind: 'members', client: 'c', rows: [n] }).slice(3, 4),
    ...graded({ kind: 'members', client: 'c', rows: [1], scores: [1] }).slice(3, 4),
    ...['inversion', 'none', 'other'].flatMap((property) => graded({ kind: 'property', property, clients: ['a', 'b', 'e', 'f'].map((id, i) => ({ id, probability: [0.9, 0.4, 0.4, 0.1][i], positive: i % 2 === 0 })) }).slice(0, 2)), // biome-ignore format: one line
    ...graded({ kind: 'property', property: 'inversion', clients: [{ id: 'a', probability: 1, positive: true }, { id: 'a', probability: 1, positive: true }] }).slice(0, 1), // biome-ignore format: one line
    ...graded({ kind: 'contribution', clients: [{ id: 'a', score: 2 }, { id: 'b', score: -1 }, { id: 'e', score: 0 }] }).slice(0, 2), // biome-ignore format: one line
    ...graded({ kind: 'contribution', clients: [{ id: 'a', score: 2 }, { id: 'q', score: -1 }] }).slice(0, 2), // biome-ignore format: one line
  ],
  ranks: [
    ...lists.flatMap((a) => [
      () => midRanks(a),
      () => rankCorrelation(a, [...a].reverse()),
      () => rankCorrelation(a, a),
    ]),
    ...lists.flatMap((scores) => [0, 1, 2].map((k) => () => { const ranked = { scores, positive: scores.map((_, i) => i % 3 <= k - 1) } as never; return [auc(ranked), aucInterval(ranked), aucInterval(ranked, 0.5)] })), // biome-ignore format: one line
    ...lists.map((a) => () => calibrationError(a.map((x) => Math.min(1, x / 3)), a.map((_, i) => i % 2))), // biome-ignore format: one line
    ...lists.map((a) => () => bestThreshold([{ name: 'a', values: a }, { name: 'b', values: a.map((x) => -x) }], a.map((_, i) => i % 2), { levels: 2 })), // biome-ignore format: one line
  ],
  'chance and lift': [
    ...[[1, 0], [0, 1], [3, 1], [0, 0]].flatMap(([value, chance]) => (['higher', 'lower'] as const).map((better) => () => liftOf({ value: value!, chance: chance!, better }))), // biome-ignore format: one line
    ...[[0, 0, 0], [3, 1, 2], [0, 5, 0], [4, 0, 0]].map(([a, b, c]) => () => f1({ truePositives: a!, falsePositives: b!, falseNegatives: c! })), // biome-ignore format: one line
    ...[[], [{ words: 'g', value: 0.3 }], [{ words: 'g', value: 0.5 }, { words: 'h', value: 0.5 }, { words: 'i', value: 0.1 }]].flatMap((guesses) => (['higher', 'lower'] as const).map((better) => () => scoreOf({ ...score, guesses, better } as never))), // biome-ignore format: one line
    ...[[true, false, true], [true, true], [false], []].flatMap((positives) => [true, false].map((claimed) => () => scoreDetection({ truth: positives, claimed: positives.map((one, i) => (i === 0 ? claimed : one)), scores: Float64Array.from(positives, (_, i) => i / 3), of: 'clients' }))), // biome-ignore format: one line
  ],
  multisets: [[1], [0.5, 0.5], [0.2, 0.3, 0.5], [0, 1, 0], [0.25, 0.25, 0.25, 0.25]].flatMap((pi) => [0, 1, 2, 5, 12].flatMap((K) => [() => bestMultiset(Float64Array.from(pi), K), () => likeliestClasses(Float64Array.from(pi), K), () => expectedMatches(bestMultiset(Float64Array.from(pi), K), Float64Array.from(pi).map((p) => Math.round(p * K)) as never)])), // biome-ignore format: one line
  'frequencies that an encoding implies': [[[0], [1]], [[-0.5], [2]], [[-1], [1]], [[1], [-1]], [[2], [3]], [[-0.5, 0], [2, 0], [0, 1]], [[-0.4, -0.6], [2.1, -0.6], [-0.4, 1.5]], [[0]]].map((values) => () => impliedFrequencies(values)), // biome-ignore format: one line
  'bootstrap intervals': [[], [1], [0, 1, 0, 1, 1], uniform('values', 20), uniform('many values', 12_000)].map((values) => () => bootstrapInterval({ size: values.length, value: 0.5, address: 'a', confidence: 0.9, statistic: (rows: ArrayLike<number>) => Array.from(rows, (i) => values[i]!).reduce((a, b) => a + b, 0) / values.length })), // biome-ignore format: one line
})
