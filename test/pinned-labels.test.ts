// biome-ignore-all format: lists of cases
import { Inapplicable } from '../src/attacks/attack.js'
import { meanEmbedding } from '../src/attacks/labels/classification/class-controls.js'
import * as counting from '../src/attacks/labels/classification/class-counts.js'
import { evidenceOf, rowMinima, rowSums } from '../src/attacks/labels/classification/class-evidence.js'
import { headPlace, layerOf, withLayer } from '../src/attacks/labels/classification/class-head.js'
import { drawLabels, slopeOfNegatives } from '../src/attacks/labels/classification/draw-labels.js'
import { opposedRows } from '../src/attacks/labels/classification/idlg.js'
import { lowestClasses } from '../src/attacks/labels/classification/lowest-classes.js'
import * as references from '../src/attacks/labels/classification/reference-gradients.js'
import * as steps from '../src/attacks/labels/regression/gaussian-steps.js'
import { priorErrors } from '../src/attacks/labels/regression/label-prior.js'
import { partsOf } from '../src/attacks/labels/regression/label-prior-terms.js'
import { blupCounts, blupMeans, scoredGroups } from '../src/attacks/labels/regression/metaclass-blup.js'
import { groupsOf, meanAmong, meanRow, scatterOf } from '../src/attacks/labels/regression/metaclass-groups.js'
import { conditionOf, rules, scalings, solveSystem } from '../src/attacks/labels/regression/metaclass-solvers.js'
import { logitsOf, scoresOf } from '../src/attacks/labels/regression/record-scores.js'
import { gainOf, outputs } from '../src/attacks/labels/regression/regression-head.js'
import { reduced } from '../src/attacks/labels/regression/shortened-embeddings.js'
import { alongOneRecord, recoverLabel } from '../src/attacks/labels/regression/single-record-label.js'
import { clipped, onSimplex, wholeCounts } from '../src/attacks/labels/regression/whole-counts.js'
import { precisionOf } from '../src/attacks/shared/sent-precision.js'
import { updateSize } from '../src/attacks/shared/update-size.js'
import { matrix, matrixOf } from '../src/numeric/linalg/matrix.js'
import { rng } from '../src/numeric/random/rng.js'
import { pinResults } from './pinned-results.js'

const vector = (n: number, scale = 1) => rng(`vector ${n}`).normals(n).map((x) => x * scale)
const normal = (rows: number, cols: number, seed = '') => matrix(rows, cols, rng(`${rows} ${cols} ${seed}`).normals(rows * cols))
const grown = (n: number) => {
  const A = normal(n, n)
  const S = matrix(n, n)
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) for (let k = 0; k < n; k++) S.data[i * n + j]! += A.data[i * n + k]! * A.data[j * n + k]!
  return S
}
/** What cannot be attacked is told by what is missing. */
const told =
  (run: () => unknown): (() => unknown) =>
  () => {
    try {
      return run()
    } catch (error) {
      if (error instanceof Inapplicable) return ['inapplicable', error.outcome.missing]
      throw error
    }
  }
/** The gradient of a last layer for records of these classes at embeddings near each other. */
const gradientOf = (labels: readonly number[], n: number, m: number, spread = 0.1) => {
  const W = normal(n, m, 'layer')
  const b = vector(n, 0.3)
  const K = labels.length
  const at = normal(K, m, 'records')
  const E = matrix(K, m, at.data.map((x, i) => 1 + ((i % m) + 1) / m + spread * x))
  const P = references.probabilities(E, { W, b }).data
  const gradW = matrix(n, m)
  const gradB = new Float64Array(n)
  for (const [r, label] of labels.entries()) {
    for (let i = 0; i < n; i++) {
      const d = (P[r * n + i]! - (i === label ? 1 : 0)) / K
      gradB[i]! += d
      for (let j = 0; j < m; j++) gradW.data[i * m + j]! += d * E.data[r * m + j]!
    }
  }
  return { layer: { W, b }, gradient: { gradW, gradB, recordCount: K }, embeddings: E }
}
const batches = [[0], [0, 0, 1], [2, 2, 2, 2], [0, 1, 2, 3], [3, 1, 3, 3, 0, 1, 1], Array.from({ length: 40 }, (_, i) => (i * i) % 4)]
const heard = batches.map((labels) => gradientOf(labels, 4, 3))
const flat = { gradW: matrix(3, 2), gradB: new Float64Array(3), recordCount: 2 }
const faint = { gradW: normal(3, 2), gradB: Float64Array.of(1, -1e-13, -1), recordCount: 5 }
const clear = { gradW: normal(3, 2), gradB: Float64Array.of(1, -1e-11, -1), recordCount: 5 }
const vanishing = { gradW: normal(3, 2), gradB: Float64Array.of(1e-200, -1e-200, 0), recordCount: 5 }
const layer = { W: normal(3, 2, 'layer'), b: vector(3) }
const same = { W: matrix(3, 2), b: new Float64Array(3) }

const blocks = [
  [[0, 1, 2], [3, 4, 5, 6, 7], [8, 9, 10, 11]],
  [[0], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
  [[0, 3, 6, 9]],
]
const seenRound = (n: number, m: number, biased = true) => {
  const embeddings = normal(n, m, 'seen')
  if (biased) for (let i = 0; i < n; i++) embeddings.data[i * m] = 1
  return { round: 1, embeddings, predictions: vector(n), w: vector(m), grad: vector(m, 0.2), biased }
}
const priors = blocks.flatMap((rows, at) =>
  [1, 5].map((k) => ({
    embeddings: normal(12, 4, 'prior'),
    w: vector(4),
    rows,
    counts: rows.map((_, c) => k + c + at),
    grad: vector(4, 0.3),
    centres: [new Float64Array(rows.length), vector(rows.length, 0.5)],
  })),
)
const systems = [normal(5, 3), normal(3, 5), normal(4, 4), matrix(3, 2), matrixOf([[1, 0, 2], [0, 0, 0], [3, 0, 6], [1, 0, 1]]), matrixOf([[1e-6, 0], [0, 1e3], [1, 1]])]
const solver = { solver: 'tikhonov', rule: 'gcv', rank: 0, scaling: 'none' } as const
const noiseFor = (m: number, size: number) => new Float64Array(m).fill(size)
const single = { w: vector(3), b: 0.4, gradW: Float64Array.of(0.3, -0.2, 0.5), gradB: 0.25 }
const protocolOf = (localSteps: number | null, localEpochs: number | null, batchSize: number | null) => ({ protocol: { localSteps, localEpochs, batchSize } })
const features = matrix(9, 2, Float64Array.from([0, 1, 0.2, 1, 5, 1, 5.1, 1, 5.2, 1, 5.3, 1, 9, 1, 0.1, 1, 9.1, 1]))
const bits = [0.5, 1.25, 3, 0.0078125, 1.0078125, 1.00390625, 1.0009765625, 1.00048828125, 1.0000001192092896, 1.00000005, 0.1, Math.fround(0.1), 1e-281, 2e280, 1e280, 0, -0.75]

pinResults('labels', {
  'numbers of each class': [
    ...heard.flatMap(({ layer: own, gradient }) => [
      () => counting.classEmbeddings(gradient),
      () => counting.splitEmbeddings(gradient, own),
      () => counting.solveCounts(counting.classEmbeddings(gradient), own, gradient),
      () => counting.solveCounts(counting.splitEmbeddings(gradient, own), own, gradient),
    ]),
    ...[flat, faint, clear, vanishing].flatMap((gradient) => [
      () => counting.classEmbeddings(gradient),
      () => counting.splitEmbeddings(gradient, layer),
      () => counting.solveCounts(normal(3, 2), layer, gradient),
      () => counting.solveCounts(matrix(3, 2), same, gradient),
      () => counting.solveCounts(matrix(3, 2, normal(3, 2).data.map((x) => 60 * x)), layer, gradient),
    ]),
    ...[[2, [0.5, 0.5, 0.6]], [2, [0.5, 0.5, 0.4]], [3, [-1, -2, 0]], [3, [5, 4, 0.2]], [4, [1.5, 1.5, 1.5]], [0, [2, 1]], [1, [0.2, 0.2]], [2, [1, 1]], [5, [-0.4, 9, 0.4]], [1, [1.6, 0.6, -3]]].map(([total, real]) => () => counting.roundedTo(total as number, Float64Array.from(real as number[]))),
  ],
  'evidence of classes': [
    ...[normal(4, 3), matrixOf([[1, 2], [-3, -1], [2, -1]]), matrixOf([[-1, -2], [3, 1], [-2, 1]]), matrixOf([[1, 1], [1, 1], [1, 1]]), matrixOf([[0, 1], [1, 0], [0, 0]])].flatMap((gradW) => [undefined, vector(gradW.rows), new Float64Array(gradW.rows)].flatMap((gradB) => (['auto', 'positive', 'signed'] as const).map((kind) => told(() => {
      const found = evidenceOf({ gradW, gradB } as never, { model: { kind: 'opaque' } } as never, kind)
      return [found, found.weigh(vector(gradW.cols))]
    })))),
    ...[matrix(3, 2), normal(2, 3), matrixOf([[0, 1]])].flatMap((gradW) => (['positive', 'signed'] as const).map((kind) => told(() => evidenceOf({ gradW } as never, { model: { kind: 'opaque' } } as never, kind)))),
    () => [rowSums(normal(3, 4)), rowMinima(normal(3, 4)), meanEmbedding(normal(5, 3))],
    ...[normal(5, 3), matrixOf([[1, 0], [0, 1], [-1, -1]]), matrixOf([[1, 0], [0, 1], [0, 0]]), matrixOf([[1], [2], [-3]])].map((G) => () => opposedRows(G)),
  ],
  'drawn labels': [
    ...[[-3, -1, 2, 0], [1, 2, 3, 0.5], [-1, -1, -1, -1], [0, 0, 0, 0]].flatMap((g) => [1, 2, 4, 9].flatMap((K) => [
      () => [slopeOfNegatives(Float64Array.from(g), K), drawLabels(Float64Array.from(g), { slope: -0.7 }, K)],
      () => drawLabels(Float64Array.from(g), { slope: -0.5, offsets: Float64Array.of(0.5, -0.5, 1, 0) }, K),
      ...(['auto', 'smallest', 'negative'] as const).map((take) => () => lowestClasses(Float64Array.from(g), { recordCount: K, take })),
    ])),
  ],
  'where the last layer lies': [
    ...[[[4, 3], [4]], [[3, 4], [4]], [[2, 5], [3, 2]], [[4], [4]], [[5, 1, 3], [3]], [[1, 4], [1]], [[4, 1], [1]], [[2, 2], [2]], [[2, 7]], [[1, 7]], [[7]], []].map((shapes) => told(() => {
      const place = headPlace([{ name: 'first', shape: [6] }, ...shapes.map((shape, i) => ({ name: `p${i}`, shape }))] as never)
      const theta = vector(place.size)
      const { W, b } = layerOf(theta, place)
      return [place, W, b, withLayer(theta, place, { W: matrix(W.rows, W.cols), b: undefined }), withLayer(theta, place, { W, b: b?.map((x) => 2 * x) })]
    })),
    told(() => headPlace([])),
    () => layerOf(vector(7), headPlace([{ name: 'w', shape: [2, 4] }] as never)),
  ],
  'references of classes': [
    ...[1, 63, 64, 65, 130].map((rows) => () => {
      const E = normal(rows, 2, 'embeddings')
      const evidence = { weigh: (a: Float64Array) => a[0]! + 2 } as never
      const groupOf = Array.from({ length: rows }, (_, r) => r % 3)
      const all = references.referencesOf(E, { groupOf, groups: 4 }, { layer, evidence })
      const known = { functions: { penultimate: (_: unknown, part: typeof E) => normal(part.rows, 3, `${part.data[0]}`) }, theta: vector(1), layer }
      return [references.referenceOf(E, layer, evidence), all, references.embeddingsOf(known as never, E)]
    }),
    () => references.embeddingsOf({} as never, matrix(0, 2)),
    () => references.probabilities(normal(3, 2), { W: layer.W, b: undefined }),
    () => references.meanReference([{ weight: 2, products: vector(3) }, { weight: 3, products: vector(3, 5) }]),
    ...[[2, 3, 4], [2, undefined, 4], [undefined, undefined, 1], [undefined, undefined, undefined], [-2, -3, -4], [0.1, 0.1, 0.1]].map((weights) => told(() => references.affineOf(weights.map((weight) => (weight === undefined ? undefined : { weight, products: Float64Array.of(0.2, 0.3, 0.5).map((p) => p * weight) })), 6))),
    ...[{ update: { theta: vector(2), round: 3 } }, { layer, update: { round: 3 } }, { layer, update: { theta: vector(2) } }].map((head) => told(() => references.knownModel({} as never, head as never))),
  ],
  'Gaussian steps': [
    ...[1, 2, 5].map((n) => () => {
      const B = normal(n, n)
      steps.addMatrixInto(B, grown(n), 0.5)
      steps.addOuterInto(B, vector(n), 2)
      steps.addOuterInto(B, Float64Array.from({ length: n }, (_, i) => i % 2), -1)
      const { weights, logEvidence, solve } = steps.conditioned(grown(n), vector(n))
      return [B, steps.traceOf(B), weights, logEvidence, solve(normal(n, 2))]
    }),
    ...[matrix(2, 2), matrixOf([[1, 1], [1, 1]]), matrixOf([[1, 1.0000001], [1.0000001, 1]]), matrixOf([[1, 2], [2, 1]]), matrixOf([[-1, 0], [0, 2]]), matrixOf([[4, 0], [0, -1e-13]])].map((S) => () => { const { solve, ...rest } = steps.conditioned(S, Float64Array.of(1, 2)); return [rest, solve(normal(2, 1))] }),
    ...[[0], [-3, -3], [1, 5, 5], [9, -2000, 4]].map((evidence) => () => steps.averaged(evidence.map((logEvidence, i) => ({ logEvidence, means: vector(3, i + 1), variances: vector(3, i).map(Math.abs) })))),
    () => steps.averaged([{ logEvidence: 0, means: Float64Array.of(1e8), variances: Float64Array.of(0) }]),
    () => [steps.geometric(0.1, 10, 5), steps.geometric(2, 1, 2)],
  ],
  'errors without labels': [
    ...priors.map((input) => () => priorErrors(input)),
    ...priors.map((input) => () => input.centres.map((centre) => partsOf(input, centre))),
    () => priorErrors({ ...priors[0]!, grad: new Float64Array(4), centres: [new Float64Array(3)] }),
    () => priorErrors({ ...priors[0]!, embeddings: matrix(12, 4, new Float64Array(48).fill(1)) }),
    () => priorErrors({ ...priors[0]!, embeddings: matrix(12, 4, new Float64Array(48).fill(1)), grad: new Float64Array(4), centres: [new Float64Array(3)] }),
  ],
  'best linear prediction': blocks.flatMap((rows) =>
    [[seenRound(12, 3)], [seenRound(12, 3), seenRound(12, 5, false)], [seenRound(12, 9)]].flatMap((rounds) =>
      [4, 64].map((width) => () => {
        const scored = scoredGroups(rounds, { labels: vector(12, 2), rows, width })
        const counts = rows.map((_, c) => c + 1)
        return [scored, ...[true, false].flatMap((shift) => [0, 0.1].map((ridge) => [blupCounts(scored, 7, { shift, ridge }), blupMeans(scored, counts, { shift, ridge })]))]
      }),
    ),
  ),
  metaclasses: [
    ...[[0, 1, 0, 2, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 3], [0, 1], [0, 1, 0, 2, 1, 1, 1, 0, -1], [0, 1, 0, 0.5, 1, 1, 1, 0, 1]].flatMap((numbers) => [undefined, ['a', 'b', 'c']].map((names) => told(() => groupsOf({ auxiliary: { features }, 'auxiliary.metaclass': Float64Array.from(numbers), ...(names && { metaclasses: names }) } as never, { by: 'column', clusters: 0 })))),
    ...[1, 2, 3].map((clusters) => () => groupsOf({ auxiliary: { features } } as never, { by: 'clusters', clusters })),
    told(() => groupsOf({ auxiliary: { features: matrix(0, 2) } } as never, { by: 'clusters', clusters: 1 })),
    told(() => groupsOf({ auxiliary: { features } } as never, { by: 'column', clusters: 1 })),
    () => [meanRow(features, [0, 2, 8]), meanAmong(vector(9), [1, 4]), scatterOf(features, [0, 1, 5], meanRow(features, [0, 1, 5]))],
    () => [logitsOf(features, { w: vector(2), b: 3 }), scoresOf(seenRound(6, 3), vector(6, 2))],
    ...[1, 2, 5, 6].map((width) => () => [reduced(seenRound(12, 5), width), reduced(seenRound(3, 5), width)]),
    ...[499, 500, 501, 777].map((n) => () => reduced(seenRound(n, 4), 2)),
    () => reduced({ ...seenRound(4, 3), embeddings: matrix(4, 3) }, 2),
    () => reduced({ ...seenRound(4, 3), embeddings: matrixOf([[1, 2, 3], [2, 4, 6], [3, 6, 9], [1, 2, 3]]) }, 2),
  ],
  'metaclass systems': [
    ...systems.flatMap((A) => [
      () => conditionOf(A),
      ...scalings.map((scaling) => () => solveSystem(A, vector(A.rows), { ...solver, scaling, noise: noiseFor(A.rows, 0.1) })),
      ...rules.map((rule) => () => solveSystem(A, vector(A.rows), { ...solver, rule, noise: noiseFor(A.rows, 0.1) })),
      ...[1e-9, 100].map((size) => () => solveSystem(A, vector(A.rows), { ...solver, rule: 'discrepancy', noise: noiseFor(A.rows, size) })),
      ...[0, 1, 2, 9].map((rank) => () => solveSystem(A, vector(A.rows), { ...solver, solver: 'tsvd', rank, noise: noiseFor(A.rows, 0.1) })),
      () => solveSystem(A, vector(A.rows), { ...solver, solver: 'pinv', scaling: 'both', noise: noiseFor(A.rows, 0.1) }),
      () => solveSystem(A, new Float64Array(A.rows), { ...solver, noise: noiseFor(A.rows, 0.1) }),
      () => onSimplex(solveSystem(A, vector(A.rows), { ...solver, scaling: 'columns', noise: noiseFor(A.rows, 0.1) }), 3),
      () => onSimplex(solveSystem(A, vector(A.rows), { ...solver, solver: 'pinv', noise: noiseFor(A.rows, 0.1) }), 3),
    ]),
    ...[[1, 2, 3], [-1, 2, 0], [-1, -2], [0, 0, 0], [0.5, 0.5]].map((k) => () => [clipped(Float64Array.from(k), 5), wholeCounts(clipped(Float64Array.from(k), 5), 5)]),
    ...[[0.5, 0.5, 1], [1.2, 1.2, 1.6], [2, 2, 2], [0.1, 0.1, 0.1]].map((k) => () => wholeCounts(Float64Array.from(k), 4.4)),
  ],
  'the label of one record': [
    ...Object.values(outputs).flatMap((output) =>
      [true, false].flatMap((sloped) => [
        () => recoverLabel({ ...single, output, sloped, factor: 2 }),
        () => recoverLabel({ ...single, output, sloped, factor: 1, errorW: (j) => 0.1 * (j + 1), errorB: 0.2, rounding: 1e-3 }),
        () => recoverLabel({ ...single, output, sloped, factor: 2, gradB: 0 }),
        () => recoverLabel({ ...single, output, sloped, factor: 2, b: -900 }),
        () => recoverLabel({ ...single, output, sloped, factor: 2, gradB: 1e-310 }),
        () => [-40, -1, 0, 1e-9, 2, 40].map((u) => [output.value(u), output.slope(u), output.bend(u), gainOf({ output, sloped, factor: 1 }, u)]),
      ]),
    ),
    ...[0, 1, 2, 5].flatMap((n) => [0, 0.9].flatMap((momentum) => [0, 0.3].map((proxMu) => () => alongOneRecord({ steps: n, learningRate: 0.1, factor: 2, momentum, proxMu, sensitivity: 1.7 })))),
    ...[1, 2, null].flatMap((localSteps) => [1, 3, null].flatMap((localEpochs) => [4, 8, null].flatMap((B) => [undefined, 3, 4, 8, 9].flatMap((samples) => [undefined, 3, 4, 8].map((batchSize) => told(() => {
      const view = { ...protocolOf(localSteps, localEpochs, B), ...(samples && { samples }), ...(batchSize && { batchSize }) } as never
      const { steps, records } = updateSize(view, 'parameters')
      return [steps ?? 'unknown', records ?? 'unknown']
    })))))),
  ],
  'the precision of what was sent': [
    ...bits.map((x) => () => precisionOf(new Float64Array(40).fill(x))),
    ...bits.map((x) => () => precisionOf(Float64Array.of(x))),
    ...[31, 32].map((n) => () => precisionOf(new Float64Array(n).fill(1.5))),
    () => precisionOf(Float64Array.from({ length: 40 }, (_, i) => (i < 8 ? 0 : i))),
    () => precisionOf(Float64Array.from({ length: 40 }, (_, i) => (i < 9 ? 0 : i))),
    () => precisionOf(new Float64Array(0)),
    () => precisionOf(Float64Array.from({ length: 40 }, (_, i) => i + (i === 39 ? 0.1 : 0))),
  ],
})
