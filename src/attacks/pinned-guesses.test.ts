// biome-ignore-all format: lists of cases

import { protocolOf } from '../../test/label-views.js'
import { pinResults } from '../../test/pinned-results.js'
import { begin, type DescentOptions, descend, descent, releaseDescent } from '../models/descent.js'
import { engine } from '../numeric/engine/engine.js'
import { matrix } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import { exp } from '../numeric/special/elementary-functions.js'
import { climb, copyOf, drawInto, fillValues, relaxed, valuesOf } from './attributes/gradient/smooth-attributes.js'
import { singleClassFit } from './labels/classification/single-class-fit.js'
import { type Stage as Rehearsed, solved } from './labels/regression/rehearsal/rehearsal-stage.js'
import { spreadModels } from './local-model/active/spread-models.js'
import type { RecipeFit, Stage } from './shared/recipe-fit.js'
import type { Recipe } from './shared/replayed-turn.js'
import { decaysOf, supposedRecipes } from './shared/supposed-recipes.js'

const normals = (name: string, count: number) => rng(name).normals(count)

const two = { sensitive: { name: 's', kind: 'binary', columns: ['s'] }, places: [1], candidates: [[-1], [2]] }
const three = { sensitive: { name: 'c', kind: 'category', columns: ['a', 'b'] }, places: [0, 2], candidates: [[0, 0], [1, 0], [0.5, 3]] }
const range = { sensitive: { name: 'r', kind: 'continuous', columns: ['r'], range: [-2, 5] }, places: [2], candidates: [[-2], [5]] }
const ways = (['straight-through', 'soft'] as const).flatMap((variant) => [0, 1, 2].flatMap((draws) => [0.5, 2].flatMap((temperature) => (['normal', 'zero'] as const).map((start) => ({ variant, draws, temperature, start })))))

/** Some steps up a slope, and what stands in the records on the way. */
const climbed = (attribute: object, options: (typeof ways)[number]) => () => {
  const records = matrix(5, 4, normals('records', 20))
  const one = relaxed(attribute as never, 5, options, rng('start'))
  const slope = normals('slope', 5 * 3)
  const seen = [0, 1, 2].map((step) => {
    const drawn = drawInto(records, one, { ...options, rng: rng('noise').fork(step) })
    climb(one, drawn, { slope, places: 3, from: attribute === three ? 1 : 2, rate: 0.7, tau: options.temperature })
    return [drawn.shares.slice(), copyOf(records).data, one.logits.slice(), valuesOf(one)]
  })
  fillValues(records, attribute as never, valuesOf(one))
  return [seen, records.data]
}
const tied = (attribute: object, logits: readonly number[], width: number) => () => valuesOf({ attribute: attribute as never, logits: Float64Array.from(logits), width })

const usual: Recipe = protocolOf({ algorithm: 'fedavg', share: 'parameters', learningRate: 0.1, batchSize: 4 })
const models = [{ kind: 'linear', inputs: 2, outputs: 1, bias: true }, { kind: 'mlp', inputs: 2, hidden: [3], outputs: 1 }, { kind: 'opaque' }]
interface Supposed { readonly recipe?: object; readonly samples?: number; readonly rounds?: number; readonly model?: number; readonly by?: number; readonly zeros?: (t: number) => number; readonly pull?: number }
/** What is left of turns that a recipe was held against. */
const stageOf = ({ samples = 10, rounds = 3, model = 0, by = 1, zeros = () => 0, pull = 0 }: Supposed) => {
  const turns = Array.from({ length: rounds }, (_, t) => {
    const theta = normals(`theta ${t}`, 6)
    return { round: 2 * t, theta, change: normals(`change ${t}`, 6).map((x, j) => (j < zeros(t) ? 0 : by * x - pull * theta[j]!)), learningRate: null }
  })
  return { view: { model: models[model], loss: 'mse' }, turns, supposed: { samples } } as unknown as Stage
}
const supposed = (given: Supposed) => {
  const stage = stageOf(given)
  const fit = { recipe: { ...usual, ...given.recipe }, means: stage.turns.map((_, t) => normals(`change ${t}`, 6)) } as unknown as RecipeFit
  return [() => supposedRecipes(stage, fit, true), () => supposedRecipes(stage, fit, false), () => decaysOf(stage, fit)]
}
const noise = { differentialPrivacy: { mechanism: 'dp-sgd', noiseMultiplier: 1, maxNorm: 1, delta: 1e-5, sampleRate: 0.1 } }

/** Steps of a descent in kernel memory. */
const descended = (options: DescentOptions, precision: 'f32' | 'f64' = 'f64') => () => {
  const [host, d] = [engine(), 5]
  const bytes = precision === 'f64' ? 8 : 4
  const [theta, grad] = [host.allocate(bytes * d), host.allocate(bytes * d)]
  const found: unknown[] = []
  try {
    host.view(precision, theta.address, d).set(normals('theta', d))
    const way = descent(options, { engine: host, precision, theta, d })
    found.push(way.direct)
    for (const turn of [0, 1]) {
      begin(way)
      for (let step = 1; step <= 3; step++) {
        host.view(precision, grad.address, d).set(normals(`grad ${turn} ${step}`, d))
        descend(way, grad.address, { learningRate: 0.1 * step, count: 3 * turn + step })
        found.push(Array.from(host.view(precision, theta.address, d)))
      }
    }
    releaseDescent(way)
  } finally {
    host.release(theta)
    host.release(grad)
  }
  return found
}

interface Law { readonly bend?: number; readonly size?: number; readonly fails?: boolean; readonly flat?: boolean }
/** A turn that bends with the numbers of its law. */
const rehearsal = ({ bend = 0.3, size = 1, fails = false, flat = false }: Law): Rehearsed => {
  const A = normals('law', 12)
  const rehearse = (c: Float64Array) => Float64Array.from({ length: 4 }, (_, j) => {
    const u = flat ? 0 : A[3 * j]! * c[0]! + A[3 * j + 1]! * (c[1] ?? 0)
    return fails && Math.abs(c[0]!) > 2 ? Number.NaN : u + bend * u * u + A[3 * j + 2]!
  })
  return { size, steps: 3, starts: new Map(), affine: undefined, rehearse, first: (c: Float64Array) => rehearse(c).map((g) => 1.5 * g) } as unknown as Rehearsed
}
const affine = (steps: number) => ({ ...rehearsal({}), steps, affine: { none: normals('none', 4), slopes: [normals('s0', 4), normals('s1', 4)] } }) as unknown as Rehearsed
const found = (law: Law, start: readonly number[], to?: 'roughly' | 'finely', heard = normals('heard', 4)) => () => solved(rehearsal(law), heard, { start: Float64Array.from(start), ...(to !== undefined && { to }) })

interface OneClass { readonly label?: number; readonly off?: number; readonly change?: object; readonly heard?: object; readonly noise?: object | null }
/** The last layer's gradient of one record of class 1, or something like it. */
const ofOneClass = ({ label = 1, off = 0, change = {}, heard = {}, noise = null }: OneClass) => async () => {
  const [n, m] = [3, 4]
  const [weights, bias, a] = [matrix(n, m, normals('W', n * m)), normals('b', n), normals('a', m)]
  const z = Array.from({ length: n }, (_, i) => a.reduce((sum, x, j) => sum + x * weights.data[i * m + j]!, bias[i]!))
  const sum = z.reduce((all, x) => all + exp(x), 0)
  const d = Float64Array.from(z, (x, i) => exp(x) / sum - (i === 1 ? 1 : 0))
  const gradW = matrix(n, m, Float64Array.from({ length: n * m }, (_, at) => d[Math.floor(at / m)]! * a[at % m]! * (1 + off * (at % 5))))
  const update = { round: 0, localSteps: 1, unit: 1, ...heard }
  const read = async () => ({ round: 0, received: normals('theta', 15), update: { kind: 'gradient', grad: Float64Array.from([...gradW.data, ...d]) }, learningRate: 0.1 })
  return (await singleClassFit({ protocol: { differentialPrivacy: noise }, exchanges: { rounds: [0], read } } as never, { update, gradW, gradB: d, layer: { weights, bias, W: weights, b: bias }, ...change } as never, label)) ?? null
}

pinResults('guesses', {
  'attributes made smooth': [
    ...[two, three, range].flatMap((attribute) => ways.map((options) => climbed(attribute, options))),
    tied(two, [0, 1e-300, -1, 2], 1), tied(three, [1, 1, 1, 0, 2, 2, 5, 4, 5], 3), tied(range, [0, -800, 800], 1),
  ],
  'recipes that are supposed': [
    {}, { rounds: 2 }, { rounds: 1 }, { model: 1 }, { model: 2 }, { zeros: () => 3 }, { zeros: (t: number) => t }, { zeros: () => 6 },
    ...[0.5, 0.969, 0.971, 2].map((by) => ({ by })), ...[0.01, -0.01, 0.2].map((pull) => ({ pull })), ...[1, 4, 5, 8, 9, 40, 300].map((samples) => ({ samples })),
    ...[{ share: 'gradient' }, { share: 'gradient', dropout: 0.25 }, { optimizer: { name: 'adam' } }, { optimizer: { name: 'adamw' } }, { optimizer: { name: 'rmsprop' } }, { momentum: 0.9 }, { momentum: 0.5 }, { weightDecay: 0.1 }, { dropout: 0.1 }, { clipNorm: 1 }, { compression: { kind: 'top-k', share: 0.5 } }, noise, { batchSize: null }, { batchSize: 1 }, { batchSize: 64 }, { batchSize: 3, dropLast: true }, { localSteps: 1 }, { localSteps: 2 }, { localSteps: 10 }, { localEpochs: 3 }, { localEpochs: null }, { learningRate: null }].flatMap((recipe) => [{ recipe, by: 0.5, pull: 0.02, model: 1 }, { recipe, zeros: () => 2, samples: 40 }]),
  ].flatMap(supposed),
  'descents': ([
    {}, { momentum: 0.9 }, { proxMu: 0.3 }, { weightDecay: 0.1 }, { clipNorm: 0.5 }, { clipNorm: 100 }, { adam: {} }, { adam: { beta1: 0.5, beta2: 0.9, tiny: 0.1 } }, { momentum: 0.5, proxMu: 0.2, weightDecay: 0.3, clipNorm: 1 }, { adam: {}, weightDecay: 0.1, proxMu: 0.5 },
    ...['sgd', 'adam', 'adamw', 'adagrad', 'rmsprop'].flatMap((name) => [{ optimizer: { name } }, { optimizer: { name }, weightDecay: 0.2, clipNorm: 0.8 }]),
    { momentum: 1 }, { momentum: -0.1 }, { momentum: 0.5, adam: {} }, { momentum: 0.5, optimizer: { name: 'adam' } }, { adam: {}, optimizer: { name: 'adagrad' } }, { weightDecay: -1 }, { weightDecay: Number.POSITIVE_INFINITY }, { clipNorm: 0 }, { clipNorm: null }, { proxMu: -1 }, { proxMu: Number.POSITIVE_INFINITY },
  ] as DescentOptions[]).flatMap((options) => [descended(options), descended(options, 'f32')]),
  'laws of errors': [
    ...[0, 0.05, 0.3, 1, 5].flatMap((bend) => [[0.1, 0.1], [1, -1], [3, 2], [0, 0]].flatMap((start) => [found({ bend }, start), found({ bend, size: 0.01 }, start, 'roughly')])),
    ...[0.5, 5].map((x) => found({ fails: true }, [x, 0.1])), found({ flat: true }, [0.1, 0.1]), found({ bend: 1 }, [0.3]), found({ size: 100 }, [0.1, 0.1]), found({ size: 0 }, [0.1, 0.1]),
    ...[1e-6, 1e6].map((by) => found({}, [0.1, 0.1], 'finely', normals('heard', 4).map((x) => by * x))),
    ...[1, 4].map((steps) => () => solved(affine(steps), normals('heard', 4), { start: new Float64Array(2) })),
    () => { const stage = rehearsal({}); const start = Float64Array.of(0.1, 0.2); return [solved(stage, normals('heard', 4), { start }), solved(stage, normals('other', 4), { start }), stage.starts.size] },
  ],
  'models that are sent': [[0.5, -1, 2], [0, 0, 0], [3]].flatMap((start) => [1, 2, 3, 4, 5, 7, 8, 9, 13].flatMap((count) => [0.1, 2].map((size) => () => spreadModels({ start: Float64Array.from(start), count, size, heard: matrix(6, start.length, normals('heard', 6 * start.length)) })))),
  'one record of a class': [{}, { label: 0 }, { label: 2 }, ...[1e-13, 1e-10, 1e-9, 1e-8, 1e-3].map((off) => ({ off })), { heard: { localSteps: 2 } }, { heard: { unit: null } }, { noise: {} }, { change: { gradB: undefined } }, { change: { layer: undefined } }, { change: { gradB: new Float64Array(3) } }].map(ofOneClass),
})
