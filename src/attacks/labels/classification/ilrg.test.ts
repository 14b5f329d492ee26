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
import { solve } from '../../../numeric/linalg/lu.js'
import { identity, type Matrix, matrix, matrixOf } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { classEmbeddings, roundedTo, solveCounts } from './class-counts.js'
import { ilrg } from './ilrg.js'
import { probabilities } from './reference-gradients.js'

interface Case {
  K: number
  true_counts: number[]
  W: number[][]
  b: number[]
  grad_W: number[][]
  grad_b: number[]
  ilrg: { embeddings: number[][]; P: number[][]; k_real: number[]; k_round: number[] }
}

const published = { params: { embeddings: 'class' } }

describeWithShared('vector c: iLRG', () => {
  test.each(['repeat_small', 'repeat_24'] as const)('%s: embeddings, probabilities, counts', async (name) => {
    const one = vector<{ cases: Record<typeof name, Case> }>('c').cases[name]
    const gradient = { gradW: matrixOf(one.grad_W), gradB: Float64Array.from(one.grad_b), recordCount: one.K }
    const E = classEmbeddings(gradient)
    for (const [at, v] of one.ilrg.embeddings.flat().entries()) expect(E.data[at]).toBeCloseTo(v, 10)
    const P = probabilities(E, { W: matrixOf(one.W), b: Float64Array.from(one.b) })
    for (const [i, row] of one.ilrg.P.entries()) {
      for (const [j, p] of row.entries()) expect(P.data[j * P.cols + i]).toBeCloseTo(p, 11)
    }
    const view = headView({ gradW: one.grad_W, gradB: one.grad_b, W: one.W, b: one.b, K: one.K })
    const outcome = await attackOn(ilrg, view, published)
    const { unrounded } = detailsOf(outcome) as { unrounded: number[] }
    for (const [i, k] of one.ilrg.k_real.entries()) expect(unrounded[i]).toBeCloseTo(k, 9)
    expect(Array.from(only(outcome, 'label-counts').counts)).toEqual(one.ilrg.k_round)
    const split = await attackOn(ilrg, view)
    expect(instanceAccuracy(Array.from(only(split, 'label-counts').counts), one.true_counts)).toBe(1)
  })
})

test('the bound on the condition lies between 1 and the condition', () => {
  const n = 6
  const embeddings = matrix(n, 4, rng(1).normals(4 * n))
  const layer = { W: matrix(n, 4, rng(2).normals(4 * n)), b: rng(3).normals(n) }
  const gradB = Float64Array.of(-0.5, 0.1, 0.1, 0.1, 0.1, 0.1)
  const { conditionAtLeast } = solveCounts(embeddings, layer, { gradW: matrix(n, 4), gradB, recordCount: 5 })
  const P = probabilities(embeddings, layer)
  const A = matrix(n, n)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) A.data[i * n + j] = P.data[j * n + i]! - (i === j ? 1 : 0) + 1 / n
  }
  const size = (M: Matrix) =>
    Math.max(
      ...Array.from({ length: n }, (_, i) => M.data.slice(i * n, (i + 1) * n).reduce((s, v) => s + Math.abs(v), 0)),
    )
  const condition = size(A) * size(solve(A, identity(n)))
  expect(conditionAtLeast).toBeLessThanOrEqual(condition * (1 + 1e-12))
  expect(conditionAtLeast).toBeGreaterThan(condition / 10)
})

describe('whole counts', () => {
  test('keep the sum, are never negative, and move the furthest first', () => {
    expect(Array.from(roundedTo(3, Float64Array.of(1.4, 1.4, 0.2)))).toEqual([2, 1, 0])
    expect(Array.from(roundedTo(2, Float64Array.of(1.6, 0.9, -0.5)))).toEqual([1, 1, 0])
    expect(Array.from(roundedTo(2, Float64Array.of(9, -3, -4)))).toEqual([2, 0, 0])
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 1, max: 50 }),
        (real, total) => {
          const counts = roundedTo(total, Float64Array.from(real))
          return counts.every((k) => k >= 0) && counts.reduce((sum, k) => sum + k, 0) === total
        },
      ),
    )
  })
})

const n = 12
const model = mlpSpec({ inputs: 6, hidden: [40, 40], outputs: n })
const theta = initialise(mlp(model), rng(5))
const batchOf = (labels: number[]) => ({
  features: matrix(labels.length, 6, rng(7).normals(6 * labels.length)),
  labels: Float64Array.from(labels),
})
const countsFrom = async (labels: number[], options: object = {}, change: object = {}) => {
  const view = { ...modelView({ model, theta, batch: batchOf(labels) }), ...change }
  return Array.from(only(await attackOn(ilrg, view, options), 'label-counts').counts)
}

describe('batches of an untrained model', () => {
  test.each([
    ['one record', [3]],
    ['one class only', [4, 4, 4, 4, 4]],
    ['repeats', [0, 0, 0, 1, 5, 5, 11]],
    ['more records than classes', Array.from({ length: 40 }, (_, k) => (k * k) % n)],
  ])('%s', async (_, labels) => {
    for (const embeddings of ['auto', 'class', 'split']) {
      expect(await countsFrom(labels, { params: { embeddings } })).toEqual(countsOf(labels, n))
    }
  })
  test('a system with one solution is not called open', async () => {
    const view = modelView({ model, theta, batch: batchOf([0, 0, 0, 1, 5, 5, 11]) })
    expect(await attackOn(ilrg, view)).toMatchObject({ status: 'claimed', warnings: [] })
  })
  test('equal numbers of every class: the published embeddings have poles, ours not', async () => {
    const labels = Array.from({ length: 96 }, (_, k) => k % n)
    const truth = countsOf(labels, n)
    const poles = instanceAccuracy(await countsFrom(labels, published), truth)
    const split = instanceAccuracy(await countsFrom(labels), truth)
    expect(split).toBeGreaterThan(poles)
    expect(split).toBeGreaterThan(0.9)
  })
  test('the published embeddings are kept where they explain the gradient, else those that explain more', async () => {
    const kept = { class: 0, split: 0, though: 0 }
    for (let seed = 0; seed < 12; seed++) {
      const labels = Array.from({ length: 4 + seed }, (_, k) => (k * k * (seed + 1)) % Math.min(n, 2 + seed))
      const view = modelView({ model, theta, batch: batchOf(labels) })
      const by = async (embeddings: string) => detailsOf(await attackOn(ilrg, view, { params: { embeddings } }))
      const [auto, published, ours] = [await by('auto'), await by('class'), await by('split')]
      const least = Number(published.misfit) <= 0.1
      const better = Number(ours.misfit) < Number(published.misfit)
      expect(auto).toEqual(least || !better ? published : ours)
      kept[auto.embeddings as 'class' | 'split']++
      if (least && better) kept.though++
    }
    expect(Math.min(kept.class, kept.split, kept.though)).toBeGreaterThan(0)
  })
  test('signed activations', async () => {
    const signed = mlpSpec({ inputs: 6, hidden: [40], outputs: n, activation: 'tanh' })
    const labels = [0, 0, 3, 9]
    const view = modelView({ model: signed, theta: initialise(mlp(signed), rng(8)), batch: batchOf(labels) })
    expect(Array.from(only(await attackOn(ilrg, view), 'label-counts').counts)).toEqual(countsOf(labels, n))
  })
  test('a step of parameters, its rate known; not applicable when it is not', async () => {
    const labels = [0, 0, 3, 9]
    const batch = batchOf(labels)
    const view = modelView({ model, theta, batch, step: { kind: 'parameters', learningRate: 0.01 } })
    expect(Array.from(only(await attackOn(ilrg, view), 'label-counts').counts)).toEqual(countsOf(labels, n))
    const exchange = { ...(await view.exchanges.read(3)), learningRate: null }
    const blind = { ...view, exchanges: { rounds: [3], read: async () => exchange } }
    expect(await attackOn(ilrg, blind)).toMatchObject({ status: 'not-applicable', missing: ['learningRate'] })
  })
})

describe('what cannot say is refused or doubted', () => {
  test('no bias, no model, a gradient of zero', async () => {
    const W = [[1], [2]]
    const plain = await attackOn(ilrg, headView({ gradW: [[1], [-1]], W, K: 1 }))
    expect(plain).toMatchObject({ status: 'not-applicable', missing: ['a bias in the last layer'] })
    const deaf = await attackOn(ilrg, headView({ gradW: [[1], [-1]], gradB: [1, -1], K: 1 }))
    expect(deaf).toMatchObject({ status: 'not-applicable', missing: ['globals'] })
    const silent = await attackOn(ilrg, headView({ gradW: [[0], [0]], gradB: [0, 0], W, b: [0, 0], K: 1 }))
    expect(silent).toMatchObject({ status: 'not-applicable', missing: ['a gradient other than zero'] })
  })
  test('a bias gradient of zero in one row is no division by zero', async () => {
    // p = 1/3 for a head of zeros: two records of class 0 and one of class 1 leave row 1 at 0.
    const view = headView({
      gradW: [[-1 / 3], [0], [1 / 3]],
      gradB: [-1 / 3, 0, 1 / 3],
      K: 3,
      W: [[0], [0], [0]],
      b: [0, 0, 0],
    })
    for (const options of [{}, published]) {
      expect(Array.from(only(await attackOn(ilrg, view, options), 'label-counts').counts)).toEqual([2, 1, 0])
    }
  })
  test('a system that is singular: the shortest counts, and a doubt', async () => {
    // Embeddings so long that each class's softmax is its own corner: P = I, and nothing is left but the sum.
    const W = [
      [1e4, 0, 0],
      [0, 1e4, 0],
      [0, 0, 1e4],
    ]
    const gradW = [
      [1, 0, 0],
      [0, -0.5, 0],
      [0, 0, -0.5],
    ]
    const view = headView({ gradW, gradB: [1, -0.5, -0.5], W, b: [0, 0, 0], K: 6 })
    const outcome = await attackOn(ilrg, view, published)
    expect(Array.from(only(outcome, 'label-counts').counts)).toEqual([2, 2, 2])
    expect(outcome).toMatchObject({
      warnings: expect.arrayContaining([expect.stringContaining('the shortest is claimed')]),
    })
  })
  test('counts that had to be moved far are doubted', async () => {
    const view = headView({
      gradW: [[-5], [2], [3]],
      gradB: [-5, 2, 3],
      K: 3,
      W: [[0], [0], [0]],
      b: [0, 0, 0],
    })
    expect(await attackOn(ilrg, view)).toMatchObject({
      warnings: expect.arrayContaining([expect.stringContaining('a count was moved by')]),
    })
  })
})

test('controls: planted counts are found, shifted ones are not', async () => {
  const labels = [1, 1, 1, 5, 5, 8]
  const batch = batchOf(labels)
  const view = modelView({ model, theta, batch, step: { kind: 'delta', learningRate: 0.5 } })
  const input = { view, params: {}, truth: truthOf(batch), rng: rng(1) }
  if ('none' in ilrg.plant || 'none' in ilrg.shuffle) throw new Error('no controls')
  const { view: planted } = await ilrg.plant(input)
  const found = Array.from(only(await ilrg.run(planted, contextFor()), 'label-counts').counts)
  expect(found).toEqual(countsOf(labels, n))
  const { view: shifted } = await ilrg.shuffle({ ...input, view: planted })
  const moved = Array.from(only(await ilrg.run(shifted, contextFor()), 'label-counts').counts)
  expect(instanceAccuracy(moved, countsOf(labels, n))).toBeLessThan(0.5)
})
