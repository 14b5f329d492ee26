import fc from 'fast-check'
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
import { describeWithShared, vector } from '../../../../test/shared.js'
import { initialise } from '../../../models/initialise.js'
import { mlp } from '../../../models/mlp.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { drawLabels, slopeOfNegatives } from './draw-labels.js'
import { llg } from './llg.js'

interface VectorC {
  cases: Record<
    'repeat_small' | 'repeat_24',
    { K: number; grad_W: number[][]; llg: { g: number[]; m: number; counts: number[] } }
  >
}
interface VectorN {
  cases: {
    N: number
    K: number
    grad_W: number[][]
    slope_m: number
    llg_counts: number[]
    wrong_without_stage1_subtraction: number[]
    wrong_with_stale_index: number[]
  }[]
}

const positive = { params: { activations: 'positive' } }

describeWithShared('vectors c and n: LLG', () => {
  test.each(['repeat_small', 'repeat_24'] as const)('c: %s', async (name) => {
    const { K, grad_W, llg: expected } = vector<VectorC>('c').cases[name]
    const outcome = await attackOn(llg, headView({ gradW: grad_W, K }), positive)
    expect(detailsOf(outcome).slope).toBeCloseTo(expected.m, 13)
    expect(countsOf(Array.from(only(outcome, 'labels').labels), grad_W.length)).toEqual(expected.counts)
  })
  const { cases } = vector<VectorN>('n')
  test('n has cases', () => expect(cases.length).toBeGreaterThan(2))
  test.each(cases.map((one) => [one.K, one] as const))(
    'n: K = %d, and neither of the wrong readings',
    async (_, one) => {
      const outcome = await attackOn(llg, headView({ gradW: one.grad_W, K: one.K }), positive)
      const counts = countsOf(Array.from(only(outcome, 'labels').labels), one.N)
      expect(detailsOf(outcome).slope).toBeCloseTo(one.slope_m, 13)
      expect(counts).toEqual(one.llg_counts)
      expect(counts).not.toEqual(one.wrong_without_stage1_subtraction)
      expect(counts).not.toEqual(one.wrong_with_stale_index)
    },
  )
})

describe('three classes, by hand', () => {
  test('the second stage takes m off the class that it drew', () => {
    // m = (1/8)(4/3)(-7 - 5) = -2. Stage 1 draws 0 and 1: g = (-5, -3, 12). Stage 2 draws the lowest six times:
    // 0 (-3), then 0 (-1, as the first of two at -3), 1 (-1), 0 (1), 1 (1), 0 (3). Taking m off the class drawn last in
    // stage 1 instead, as one library does, draws 0 six times over.
    const g = Float64Array.of(-7, -5, 12)
    expect(slopeOfNegatives(g, 8)).toBe(-2)
    expect(drawLabels(g, { slope: -2 }, 8)).toEqual([0, 1, 0, 0, 1, 0, 1, 0])
    expect(Array.from(g)).toEqual([-7, -5, 12])
  })
  test('offsets come off after the classes below zero were drawn', () => {
    // Class 1 stands at 1 with an offset of 4: it is found only in the second stage, at -3.
    const g = Float64Array.of(-4, 1, 3)
    expect(drawLabels(g, { slope: -3, offsets: Float64Array.of(1, 4, 3) }, 3)).toEqual([0, 1, 0])
  })
  test('more classes below zero than records: the lowest', () => {
    expect(drawLabels(Float64Array.of(-1, -3, -2), { slope: -1 }, 2)).toEqual([1, 2])
  })
})

test('K labels, always; every class below zero among them when they fit', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 2, maxLength: 8 }),
      fc.integer({ min: 1, max: 40 }),
      (values, K) => {
        const g = Float64Array.from(values)
        const labels = drawLabels(g, { slope: slopeOfNegatives(g, K) }, K)
        const below = Array.from(g.keys()).filter((i) => g[i]! < 0)
        return labels.length === K && (below.length > K || below.every((i) => labels.includes(i)))
      },
    ),
  )
})

describe('batches of an untrained model', () => {
  const model = mlpSpec({ inputs: 6, hidden: [64, 64], outputs: 20 })
  const theta = initialise(mlp(model), rng(5))
  const batchOf = (labels: number[], seed: number) => ({
    features: matrix(labels.length, 6, rng(seed).normals(6 * labels.length, { mean: 1, std: 0.2 })),
    labels: Float64Array.from(labels),
  })

  test.each([
    ['one record', [13]],
    ['one class only', [4, 4, 4, 4, 4]],
    ['repeats', [0, 0, 0, 7, 7, 19, 19, 19]],
  ])('%s', async (_, labels) => {
    const view = modelView({ model, theta, batch: batchOf(labels, 6) })
    const found = only(await attackOn(llg, view), 'labels').labels
    expect(countsOf(Array.from(found), 20)).toEqual(countsOf(labels, 20))
  })
  test('more records than classes: still K labels, most of them right', async () => {
    const labels = Array.from({ length: 60 }, (_, k) => (k < 45 ? k % 3 : 10))
    const view = modelView({ model, theta, batch: batchOf(labels, 7) })
    const counts = countsOf(Array.from(only(await attackOn(llg, view), 'labels').labels), 20)
    expect(counts.reduce((sum, k) => sum + k, 0)).toBe(60)
    expect(instanceAccuracy(counts, countsOf(labels, 20))).toBeGreaterThan(0.9)
  })
  test('signed activations, with and without a bias', async () => {
    for (const bias of [true, false]) {
      const signed = mlpSpec({ inputs: 6, hidden: [64], outputs: 20, activation: 'tanh', bias })
      const labels = [3, 3, 3, 11]
      const features = matrix(4, 6, rng(10).normals(24, { mean: 1, std: 0.1 }))
      const batch = { features, labels: Float64Array.from(labels) }
      const view = modelView({ model: signed, theta: initialise(mlp(signed), rng(8)), batch })
      const outcome = await attackOn(llg, view)
      expect(countsOf(Array.from(only(outcome, 'labels').labels), 20)).toEqual(countsOf(labels, 20))
      expect(outcome).toMatchObject({ details: { evidence: bias ? 'bias' : 'projection' } })
    }
  })
  test('planted: found; shifted: not', async () => {
    const labels = [1, 1, 1, 5, 5, 8]
    const batch = batchOf(labels, 9)
    const view = modelView({ model, theta, batch, step: { kind: 'delta', learningRate: 0.5 } })
    const input = { view, params: {}, truth: truthOf(batch), rng: rng(1) }
    if ('none' in llg.plant || 'none' in llg.shuffle) throw new Error('no controls')
    const planted = await llg.plant(input)
    const found = only(await llg.run(planted.view, contextFor()), 'labels').labels
    expect(countsOf(Array.from(found), 20)).toEqual(countsOf(labels, 20))
    const { view: shifted } = await llg.shuffle({ ...input, view: planted.view })
    const moved = countsOf(Array.from(only(await llg.run(shifted, contextFor()), 'labels').labels), 20)
    expect(instanceAccuracy(moved, countsOf(labels, 20))).toBeLessThan(0.5)
  })
})
