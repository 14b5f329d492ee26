import { errorLaw } from '../src/attacks/labels/regression/rehearsal/error-law.js'
import { firstLayerOf, firstRows, rankOneMisfit, singleInput } from '../src/attacks/shared/first-layer.js'
import { heterogeneity } from '../src/federation/heterogeneity.js'
import { perfectOrder } from '../src/metrics/ranked-figures.js'
import * as lmra from '../src/metrics/theory/lmra.js'
import { optimaApart } from '../src/metrics/theory/optima-apart.js'
import { attributeAccuracyFloor } from '../src/metrics/theory/prop1.js'
import { functionsOf } from '../src/models/functions.js'
import { createModel, type ModelSpec } from '../src/models/index.js'
import { closestChoice } from '../src/numeric/linalg/closest-choice.js'
import { matrix } from '../src/numeric/linalg/matrix.js'
import { rng } from '../src/numeric/random/rng.js'
import { conjugatePlace, fourier, inverseFourier } from '../src/numeric/special/fourier.js'
import { judge } from '../src/verdict/judge.js'
import type { Row } from '../src/verdict/tables.js'
import { isAlarm, marginOfError, type Question, wordOf, words } from '../src/verdict/words.js'
import { pinResults } from './pinned-results.js'

const normals = (name: string, count: number, std = 1) => rng(name).fork(count).normals(count, { std })
const complex = (n: number) => ({ re: normals('re', n), im: normals('im', n) })
const turned = (n: number, run: (x: ReturnType<typeof complex>) => void) => () => { const x = complex(n); run(x); return x } // biome-ignore format: a line

const columns = (groups: number, perGroup: number, length: number) => Array.from({ length: groups * perGroup }, (_, i) => rng('column').fork(i).normals(length)) // biome-ignore format: a line
const chosen =
  (groups: number, perGroup: number, length: number, more: object = {}) =>
  () => {
    const all = columns(groups, perGroup, length)
    const target = all.reduce((sum, column, i) => (i % (perGroup + 1) === 0 ? sum.map((x, j) => x + column[j]!) : sum), normals('target', length, 0.2)) // biome-ignore format: a line
    return closestChoice(all, target, { perGroup, ...more })
  }

const law =
  (n: number, m: number, most: number, known = false, flat = false) =>
  () => {
    const embeddings = matrix(
      n,
      m,
      flat ? normals('E', n * m).map((x, at) => (at % m === 0 ? 1 : x)) : normals('E', n * m),
    )
    const { size, start, errors } = errorLaw(embeddings, { most, known: known ? normals('known', n) : undefined })
    return [size, start, errors(start), errors(normals('c', size))]
  }

const records = (n: number, d: number, seed: string) => ({ features: matrix(n, d, normals(`${seed} X`, n * d)), labels: normals(`${seed} y`, n) }) // biome-ignore format: a line
const three = [records(9, 2, 'a'), records(14, 2, 'b'), records(6, 2, 'c')]
const linear = functionsOf(createModel({ kind: 'linear', inputs: 2, outputs: 1 }))
const softmax = functionsOf(createModel({ kind: 'softmax', inputs: 2, outputs: 3 }))
const classed = three.map((one) => ({ ...one, labels: one.labels.map((_, i) => i % 3) }))

const noisy = { learningRate: 0.1, gradientVariance: 2, localSteps: 3, messages: 20, curvature: 4 }
const regression = { ...noisy, dimension: 3, leastSingularValue: 0.4, inverseNorm: 2, optimumNorm: 1.5, confidence: 0.9, leastEigenvalue: 0.3, leastContraction: 0.6, failure: 0.1 } // biome-ignore format: a line
// By name: a bundle lists what a module exports in another order.
const named = Object.entries(lmra).toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one) // biome-ignore format: a line
const bounds = named.filter((one): one is never => typeof one === 'function') as unknown as ((input: object) => { note: string })[] // biome-ignore format: a line
const changes = [{}, { learningRate: 0.125 }, { learningRate: 0.126 }, { localSteps: 1 }, { messages: 1 }, { messages: 400 }, { curvature: 0.1 }, { gradientVariance: 1e-3 }, { leastSingularValue: 3 }, { inverseNorm: 0.1 }, { dimension: 1 }, { failure: 0.5 }, { leastContraction: 0.9 }, { leastEigenvalue: 2 }, { learningRate: 0.25 }, { learningRate: 0.251 }, { learningRate: 0 }, { messages: 0 }, { localSteps: -1 }] // biome-ignore format: a list

const modelOf = (spec: object) => createModel(spec as ModelSpec)
const layered = [{ kind: 'mlp', inputs: 3, hidden: [4], outputs: 1 }, { kind: 'mlp', inputs: 3, hidden: [4], outputs: 1, bias: false }, { kind: 'linear', inputs: 3, outputs: 2 }, { kind: 'lenet-dlg', inputs: [1, 8, 8], outputs: 3 }].map(modelOf) // biome-ignore format: a list
const layer = { units: 3, inputs: 2, biasAt: 6 }
const ranked = Float64Array.of(2, 4, -1, -2, 0, 0, 2, -1, 0)

/** A row that is judged, and the question that it answers. */
const asked = (shift: number, more: { margin?: number; rung?: number | null; guess?: number | null; federation?: number | null; step?: Row['step']; trainings?: number; alone?: boolean; notTested?: string }) => () => {
  const { margin = 0.3, rung = 0.8, guess = 0.5, federation = null, step = 'record', trainings = 5, alone = false, notTested } = more
  const deals = Array.from({ length: trainings }, (_, t) => {
    const contrast = Float64Array.of(1, -0.5, -0.25, -0.25)
    return { training: t, contrast, T: normals(`deal ${t}`, 4, 0.2).map((x, k) => x + shift * contrast[k]!) }
  })
  const [judged] = judge([{ id: 'r', step, stratum: 's', deals }], { rng: rng('words'), draws: 99 })
  const question: Question = { rows: alone ? [] : [{ judged: judged!, rung, margin }], guess, federation, ...(notTested !== undefined && { notTested }) }
  const { untested, ...worded } = wordOf(question)
  return [worded, untested.map((one) => one.split(' ').join('-'))]
} // biome-ignore format: a list

pinResults('parts', {
  'Fourier transforms': [
    ...[1, 2, 4, 8, 64].flatMap((n): (() => unknown)[] => [turned(n, fourier), turned(n, inverseFourier), turned(n, (x) => { fourier(x); inverseFourier(x) }), () => Array.from({ length: n }, (_, k) => conjugatePlace(k))]), // biome-ignore format: a line
    turned(3, fourier),
    turned(0, fourier),
    () => fourier({ re: new Float64Array(2), im: new Float64Array(4) }),
  ],
  'choices that are closest': [chosen(3, 1, 5), chosen(4, 2, 6), chosen(5, 3, 4), chosen(6, 1, 2), chosen(8, 2, 9), chosen(6, 2, 3, { mostBranches: 5 }), chosen(6, 2, 3, { mostBranches: 1 }), chosen(4, 2, 1), () => closestChoice(columns(3, 1, 2), normals('t', 2), { perGroup: 2 }), () => closestChoice([], normals('t', 2), { perGroup: 1 }), () => closestChoice(columns(2, 1, 2), normals('t', 2), { perGroup: 0 })], // biome-ignore format: a line
  'laws of errors': [law(6, 3, 2), law(6, 3, 9), law(6, 3, 0), law(6, 3, 2, true), law(4, 1, 1, true), law(9, 4, 4, false, true), law(1, 2, 2)], // biome-ignore format: a line
  'clients that differ': [
    () => heterogeneity(three),
    () => heterogeneity(three, { bias: false }),
    () => heterogeneity(three, { weights: [1, 0, 3] }),
    () => heterogeneity([three[0]!]),
    () => heterogeneity([]),
    () => heterogeneity(three, { weights: [1] }),
    () => heterogeneity([three[0]!, records(5, 3, 'd')]), // biome-ignore format: a line
    () => optimaApart({ functions: linear, clients: three, classes: false }),
    () => optimaApart({ functions: linear, clients: three, classes: false, weights: [1, 2, 3], penalty: 0.5 }),
    () => optimaApart({ functions: softmax, clients: classed, classes: true, penalty: 0.1 }),
    () => optimaApart({ functions: softmax, clients: classed, classes: true }),
    () => optimaApart({ functions: linear, clients: [], classes: false }), // biome-ignore format: a line
  ],
  'bounds of papers': [
    ...bounds.flatMap((bound) => changes.map((change) => () => { const { note, ...figures } = bound({ ...regression, ...change }); return [figures, note.split(' ').length] })), // biome-ignore format: a line
    ...[[0.01, [1]], [0.2, [1]], [0, [1]], [-1, [1]], [5, [0.1]], [0.01, [1, 2]]].map(([E, weights]) => () => attributeAccuracyFloor({ meanSquaredError: E as number, weights: weights as number[], values: [[0], [1], [3]] })), // biome-ignore format: a line
    ...[[0.01, [1, 2]], [0.3, [0, 0]]].map(([E, weights]) => () => attributeAccuracyFloor({ meanSquaredError: E as number, weights: weights as number[], values: [[0, 0], [1, 0], [0, 1]] })), // biome-ignore format: a line
    ...[
      [1, 1],
      [1, 9],
      [3, 4],
      [4, 3],
      [20, 1],
      [50, 60],
    ].map(
      ([m, n]) =>
        () =>
          perfectOrder(m!, n!),
    ),
  ],
  'first layers': [
    ...layered.map((model) => () => firstLayerOf(model) ?? 'none'),
    () => firstRows(Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9), layer),
    ...[ranked, ranked.map((x, i) => (i < 6 ? x : 0)), ranked.map((x) => 1e-200 * x), normals('descent', 9), new Float64Array(9)].map((descent) => () => singleInput(descent, layer) ?? 'none'), // biome-ignore format: a line
    ...layered.map((model) => () => rankOneMisfit(normals('whole', 400), model)),
    () => rankOneMisfit(Float64Array.from({ length: 21 }, (_, i) => (i < 12 ? (1 + Math.floor(i / 3)) * ((i % 3) + 1) : 0)), layered[0]!), // biome-ignore format: a line
    () => rankOneMisfit(new Float64Array(21), layered[0]!),
  ],
  'words of a question': [
    ...[-1, 0, 0.2, 1, 3].flatMap((shift) => [asked(shift, {}), asked(shift, { step: 'client' }), asked(shift, { step: 'property', rung: null }), asked(shift, { trainings: 1 }), asked(shift, { trainings: 12, margin: 1 }), asked(shift, { federation: 0.9 }), asked(shift, { guess: null, federation: 0.6 }), asked(shift, { guess: 0.79, margin: 0.01 })]), // biome-ignore format: a line
    asked(1, { alone: true }),
    asked(1, { notTested: 'out' }),
    () => [words, words.map(isAlarm), isAlarm('not-tested'), marginOfError({ from: 0.7, best: 1, share: 0.1 }), marginOfError({ from: 3, best: 0, share: 0.2 })], // biome-ignore format: a line
  ],
})
