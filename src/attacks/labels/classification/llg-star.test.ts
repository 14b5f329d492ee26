import { describe, expect, test } from 'vitest'
import { attackOn, contextFor, only } from '../../../../test/attack-context.js'
import {
  countsOf,
  detailsOf,
  headView,
  instanceAccuracy,
  mlpSpec,
  modelView,
  truthOf,
} from '../../../../test/label-views.js'
import { functionsOf } from '../../../models/functions.js'
import { initialise } from '../../../models/initialise.js'
import { mlp } from '../../../models/mlp.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { rowSums } from './class-evidence.js'
import { headPlace, layerOf } from './class-head.js'
import { llg } from './llg.js'
import { llgPlus } from './llg-plus.js'
import { llgStar } from './llg-star.js'
import { affineOf, embeddingsOf, knownModel, referenceOf } from './reference-gradients.js'

const n = 10
const model = mlpSpec({ inputs: 6, hidden: [64], outputs: n })
const made = mlp(model)
/** A head that prefers the first classes, so that offsets are not nothing. */
const theta = initialise(made, rng(5))
for (let i = 0; i < n; i++) theta[theta.length - n + i] = 2 - 0.3 * i
const featuresOf = (rows: number, seed: number) => matrix(rows, 6, rng(seed).normals(6 * rows, { mean: 0.5, std: 0.3 }))
const labels = [0, 0, 1, 1, 1, 2, 9, 9, 9, 9, 9, 9]
const batch = { features: featuresOf(labels.length, 1), labels: Float64Array.from(labels) }
const auxiliary = {
  auxiliary: { columns: [], features: featuresOf(50, 2) },
  'auxiliary.label': Float64Array.from({ length: 50 }, (_, r) => r % n),
}
const view = { ...modelView({ model, theta, batch }), ...auxiliary }
const accuracy = (outcome: Parameters<typeof only>[0]) =>
  instanceAccuracy(countsOf(Array.from(only(outcome, 'labels').labels), n), countsOf(labels, n))

describe('slope and offsets', () => {
  test('are those of gradients of batches of one class, class by class', () => {
    const f = functionsOf(made, { loss: 'cross-entropy' })
    const place = headPlace(view.parameters)
    const layer = layerOf(theta, place)
    const K = 12
    const features = featuresOf(5, 3)
    const own: number[] = []
    const offsets = new Float64Array(n)
    for (let i = 0; i < n; i++) {
      const { grad } = f.gradient(theta, { features, labels: new Float64Array(5).fill(i) })
      const g = rowSums(layerOf(grad, place).W)
      own.push(g[i]!)
      for (let j = 0; j < n; j++) if (j !== i) offsets[j]! += g[j]! / (n - 1)
    }
    const weigh = (a: Float64Array) => a.reduce((sum, v) => sum + v, 0)
    const evidence = { rows: layer.W, from: 'weights', weigh, warnings: [] } as const
    const reference = referenceOf(embeddingsOf({ functions: f, theta, layer }, features), layer, evidence)
    const affine = affineOf(new Array(n).fill(reference), K)
    const mean = own.reduce((sum, v) => sum + v, 0) / n
    expect(affine.slope).toBeCloseTo(((1 + 1 / n) * mean) / K, 12)
    for (const [j, s] of affine.offsets!.entries()) expect(s).toBeCloseTo(offsets[j]!, 12)
  })
  test('a class without a reference is left out of the means', () => {
    const reference = { weight: 2, products: Float64Array.of(1, 0.5, 0.5) }
    const { slope, offsets } = affineOf([reference, undefined, undefined], 4)
    expect(slope).toBeCloseTo(((4 / 3) * (1 - 2)) / 4, 15)
    expect(Array.from(offsets!)).toEqual([0, 0.5, 0.5])
  })
})

describe('a model with offsets', () => {
  test('LLG* and LLG+ count better than LLG', async () => {
    const [plain, star, plus] = await Promise.all([llg, llgStar, llgPlus].map((attack) => attackOn(attack, view)))
    expect(accuracy(star!)).toBeGreaterThan(accuracy(plain!))
    expect(accuracy(plus!)).toBeGreaterThanOrEqual(accuracy(star!))
    expect(accuracy(plus!)).toBeGreaterThan(0.9)
    expect(detailsOf(star!).slope).toBeLessThan(0)
  })
  test('each kind of made-up input runs; the draws come from the attack’s own stream', async () => {
    const slopes = new Set<unknown>()
    for (const inputs of ['zeros', 'ones', 'normal', 'all']) {
      slopes.add(detailsOf(await attackOn(llgStar, view, { params: { inputs } })).slope)
    }
    expect(slopes.size).toBe(4)
    const twice = [await attackOn(llgStar, view), await attackOn(llgStar, view)]
    expect(twice[0]).toEqual(twice[1])
  })
  test('a step of parameters, its rate known, says what the gradient says', async () => {
    const stepped = {
      ...modelView({ model, theta, batch, step: { kind: 'parameters', learningRate: 0.1 } }),
      ...auxiliary,
    }
    for (const attack of [llgStar, llgPlus]) {
      expect(only(await attackOn(attack, stepped), 'labels')).toEqual(only(await attackOn(attack, view), 'labels'))
    }
  })
})

describe('what is missing', () => {
  test('a model that can be evaluated', async () => {
    const opaque = headView({ gradW: [[1], [-1], [0]], gradB: [1, -1, 0], W: [[1], [2], [3]], b: [0, 0, 0], K: 2 })
    expect(await attackOn(llgStar, opaque)).toMatchObject({ status: 'not-applicable', missing: ['model'] })
  })
  test('the model that was sent', async () => {
    const exchange = { ...(await view.exchanges.read(3)), received: undefined }
    const deaf = { ...view, exchanges: { rounds: [3], read: async () => exchange } }
    expect(await attackOn(llgPlus, deaf)).toMatchObject({ status: 'not-applicable', missing: ['globals'] })
  })
  test('units that answer: dead ones give no slope', async () => {
    const dead = theta.slice()
    dead.fill(0, 0, 6 * 64 + 64)
    const functions = functionsOf(made, { loss: 'cross-entropy' })
    const layer = layerOf(dead, headPlace(view.parameters))
    const known = { functions, theta: dead, layer }
    const evidence = { rows: layer.W, from: 'weights', weigh: (a: Float64Array) => a[0]!, warnings: [] } as const
    const reference = referenceOf(embeddingsOf(known, featuresOf(3, 1)), layer, evidence)
    expect(() => affineOf(new Array(n).fill(reference), 4)).toThrow('do not lower its evidence')
  })
  test('auxiliary records: wrong width, wrong class; classes without one are a doubt', async () => {
    const narrow = { ...view, auxiliary: { columns: [], features: matrix(50, 2) } }
    expect(await attackOn(llgPlus, narrow)).toMatchObject({ status: 'not-applicable', missing: ['auxiliary'] })
    const foreign = { ...view, 'auxiliary.label': new Float64Array(50).fill(n) }
    expect(await attackOn(llgPlus, foreign)).toMatchObject({ missing: ['auxiliary.label'] })
    const few = { ...view, 'auxiliary.label': new Float64Array(50).map((_, r) => r % 3) }
    expect(await attackOn(llgPlus, few)).toMatchObject({
      warnings: [expect.stringContaining('7 of 10 classes have no auxiliary record')],
    })
  })
})

describe('controls', () => {
  test.each([llgStar, llgPlus])('$id: planted labels are found, shifted ones are not', async (attack) => {
    const input = { view, params: {}, truth: truthOf(batch), rng: rng(1) }
    if ('none' in attack.plant || 'none' in attack.shuffle) throw new Error('no controls')
    const { view: planted } = await attack.plant(input)
    expect(accuracy(await attack.run(planted, contextFor()))).toBe(1)
    const { view: shifted } = await attack.shuffle({ ...input, view: planted })
    expect(accuracy(await attack.run(shifted, contextFor()))).toBeLessThan(0.7)
  })
  test('a model is asked for when there is none', () => {
    expect(() => knownModel(functionsOf(made), { update: { round: 3 }, layer: undefined } as never)).toThrow('lacks')
  })
})
