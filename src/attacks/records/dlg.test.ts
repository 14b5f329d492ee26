import { describe, expect, test } from 'vitest'
import { attackOn, contextFor, only } from '../../../test/attack-context.js'
import { detailsOf, headView, mlpSpec, modelView, truthOf, type UpdateViewForTest } from '../../../test/label-views.js'
import { records } from '../../metrics/records-score.js'
import { type Batch, functionsOf } from '../../models/functions.js'
import { initialise } from '../../models/initialise.js'
import { lenetDlg } from '../../models/lenet-dlg.js'
import { logistic } from '../../models/logistic.js'
import { mlp } from '../../models/mlp.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { assignment } from '../../numeric/optimise/assignment.js'
import { rng } from '../../numeric/random/rng.js'
import { claimed, type Outcome } from '../attack.js'
import { dlg } from './dlg.js'
import { matchingOf } from './gradient-matching.js'

/** Largest error of any entry once the claimed records stand in the order of the true ones. */
function largestError(outcome: Outcome, { features }: Batch): number {
  const { rows: n, cols, data } = features
  const claim = only(outcome, 'records').features
  const error = (i: number, j: number) =>
    Math.max(...Array.from({ length: cols }, (_, f) => Math.abs(claim[j]![f]! - data[i * cols + f]!)))
  const cost = matrix(
    n,
    n,
    Float64Array.from({ length: n * n }, (_, at) => error(Math.floor(at / n), at % n)),
  )
  return Math.max(...Array.from(assignment(cost).columnOfRow, (j, i) => error(i, j)))
}

const uniform = (size: number, seed: number) =>
  rng(seed)
    .uniforms(size)
    .map((u) => u - 0.5)

const classifier = mlpSpec({ inputs: 5, hidden: [16], outputs: 4, activation: 'sigmoid' })
const classifierTheta = initialise(mlp(classifier), rng(3), 'normal')
const one: Batch = { features: matrix(1, 5, rng(1).normals(5)), labels: Float64Array.of(2) }
const two: Batch = { features: matrix(2, 5, rng(2).normals(10)), labels: Float64Array.of(1, 3) }
const viewOf = (batch: Batch) => modelView({ model: classifier, theta: classifierTheta, batch })

describe('the distance', () => {
  test.each(['own', 'given'])('has the slope of its finite differences, labels %s', (labels) => {
    const functions = functionsOf(mlp(classifier), { loss: 'cross-entropy' })
    const { grad } = functions.gradient(classifierTheta, two)
    const givenLabels = Float64Array.of(0, 1, 0, 0, 0, 0, 0, 1)
    const problem = { functions, loss: 'cross-entropy', theta: classifierTheta, grad, recordCount: 2 } as const
    const { objective, size } = matchingOf({ ...problem, ...(labels === 'given' && { givenLabels }) })
    expect(size).toBe(labels === 'own' ? 10 + 8 : 10)
    const x = rng(4).normals(size)
    const slope = objective(x).gradient.slice()
    for (let j = 0; j < size; j++) {
      const h = 1e-5
      const [up, down] = [h, -h].map((by) => objective(x.map((v, i) => (i === j ? v + by : v))).value)
      expect((up! - down!) / (2 * h)).toBeCloseTo(slope[j]!, 5)
    }
  })
})

describe('records of a small classifier', () => {
  test('one record and its label, to 1e-3', async () => {
    const outcome = await attackOn(dlg, viewOf(one))
    expect(largestError(outcome, one)).toBeLessThan(1e-3)
    expect(Array.from(only(outcome, 'records').labels)).toEqual([2])
    expect(outcome).toMatchObject({ warnings: [], details: { restarts: 1, labels: 'own' } })
    expect(detailsOf(outcome).distance).toBeLessThan(1e-9)
  })
  test('two records, up to their order', async () => {
    const shares: number[] = []
    const onShare = (share: number) => void shares.push(share)
    const outcome = await attackOn(dlg, viewOf(two), { params: { restarts: 5, iterations: 600 }, onShare })
    for (const [i, share] of shares.entries()) expect(share).toBeGreaterThanOrEqual(shares[i - 1] ?? 0)
    expect(largestError(outcome, two)).toBeLessThan(1e-2)
    expect(Array.from(only(outcome, 'records').labels).sort()).toEqual([1, 3])
  })
  test('labels claimed by another attack, as labels or as counts, leave only the records to find', async () => {
    const answers = {
      idlg: claimed({ kind: 'labels', client: 'a', round: 3, labels: [1, 3] }),
      ilrg: claimed({ kind: 'label-counts', client: 'a', round: 3, counts: [0, 1, 0, 1] }),
    }
    for (const labels of ['idlg', 'ilrg']) {
      const outcome = await attackOn(dlg, viewOf(two), { params: { labels, restarts: 5 }, claims: answers })
      expect(largestError(outcome, two)).toBeLessThan(1e-2)
      expect(Array.from(only(outcome, 'records').labels)).toEqual([1, 3])
    }
    const few = { idlg: claimed({ kind: 'labels', client: 'a', round: 3, labels: [1] }) }
    expect(await attackOn(dlg, viewOf(two), { params: { labels: 'idlg' }, claims: few })).toMatchObject({
      status: 'not-applicable',
      missing: ['2 labels'],
    })
    for (const label of [4, -1, 0.5]) {
      const odd = { idlg: claimed({ kind: 'labels', client: 'a', round: 3, labels: [1, label] }) }
      expect(await attackOn(dlg, viewOf(two), { params: { labels: 'idlg' }, claims: odd })).toMatchObject({
        status: 'not-applicable',
        missing: ['labels that are classes'],
      })
    }
    expect(await attackOn(dlg, viewOf(two), { params: { labels: 'blr' } })).toMatchObject({ status: 'not-applicable' })
  })
  test('full steps, as published, get there too', async () => {
    const outcome = await attackOn(dlg, viewOf(one), { params: { fixedStep: 1, restarts: 5 } })
    expect(largestError(outcome, one)).toBeLessThan(1e-3)
  })
  test('the same bits twice; other draws, another path', async () => {
    const params = { restarts: 1, iterations: 20 }
    const [a, b, c] = [1, 1, 2].map((seed) => attackOn(dlg, viewOf(one), { params, seed }))
    expect(await a).toEqual(await b)
    expect(detailsOf(await c!).distance).not.toBe(detailsOf(await a!).distance)
  })
})

test('a record of lenet-dlg, 8 x 8', async () => {
  const model = { kind: 'lenet-dlg', inputs: [1, 8, 8] as [number, number, number], outputs: 4 } as const
  const theta = uniform(functionsOf(lenetDlg(model)).size, 7)
  const batch = { features: matrix(1, 64, rng(6).uniforms(64)), labels: Float64Array.of(3) }
  const outcome = await attackOn(dlg, modelView({ model, theta, batch }), { params: { restarts: 1 } })
  expect(largestError(outcome, batch)).toBeLessThan(0.05)
})

test('a regression: record and number; a binary label', async () => {
  const regression = mlpSpec({ inputs: 5, hidden: [16], outputs: 1, activation: 'sigmoid' })
  const batch = { features: one.features, labels: Float64Array.of(1.7) }
  const theta = initialise(mlp(regression), rng(5), 'normal')
  const outcome = await attackOn(dlg, modelView({ model: regression, theta, batch, loss: 'mse' }), {
    params: { restarts: 5 },
  })
  expect(largestError(outcome, batch)).toBeLessThan(1e-2)
  expect(only(outcome, 'records').labels[0]).toBeCloseTo(1.7, 2)
  const given = { 'regression-label': claimed({ kind: 'label', client: 'a', round: 3, value: 1.7 }) }
  const told = await attackOn(dlg, modelView({ model: regression, theta, batch, loss: 'mse' }), {
    params: { labels: 'regression-label', restarts: 5 },
    claims: given,
  })
  expect(largestError(told, batch)).toBeLessThan(1e-2)

  const binary = { kind: 'logistic', inputs: 5, outputs: 1, bias: true } as const
  const coin = { features: one.features, labels: Float64Array.of(1) }
  const view = modelView({
    model: binary,
    theta: initialise(logistic(binary), rng(5)),
    batch: coin,
    loss: 'binary-cross-entropy',
  })
  const found = await attackOn(dlg, view)
  expect(largestError(found, coin)).toBeLessThan(1e-3)
  expect(Array.from(only(found, 'records').labels)).toEqual([1])
})

describe('what cannot say is refused or doubted', () => {
  test('an opaque model, no model sent, too many records, a gradient of zero', async () => {
    const opaque = headView({ gradW: [[1], [-1]], W: [[1], [2]], K: 1 })
    expect(await attackOn(dlg, opaque)).toMatchObject({ missing: ['model'] })
    const exchange = await viewOf(one).exchanges.read(3)
    const hearing = (change: object): UpdateViewForTest => ({
      ...viewOf(one),
      exchanges: { rounds: [3], read: async () => ({ ...exchange, ...change }) },
    })
    expect(await attackOn(dlg, hearing({ received: undefined }))).toMatchObject({ missing: ['globals'] })
    const many = { ...viewOf(one), batchSize: 9 }
    expect(await attackOn(dlg, many)).toMatchObject({ missing: ['a batch of at most 8 records'] })
    const silent = hearing({ update: { kind: 'gradient', grad: new Float64Array(classifierTheta.length) } })
    expect(await attackOn(dlg, silent)).toMatchObject({ missing: ['a gradient other than zero'] })
  })
  test('a gradient of no record is said to be unexplained', async () => {
    const grad = rng(9).normals(classifierTheta.length)
    const exchange = { ...(await viewOf(one).exchanges.read(3)), update: { kind: 'gradient', grad } as const }
    const view = { ...viewOf(one), exchanges: { rounds: [3], read: async () => exchange } }
    expect(await attackOn(dlg, view, { params: { iterations: 30 } })).toMatchObject({
      warnings: [expect.stringContaining('no record explains it')],
      details: { restarts: 3 },
    })
  })
})

test('controls: planted records are found, a scrambled update gives none', async () => {
  const view = modelView({
    model: classifier,
    theta: classifierTheta,
    batch: one,
    step: { kind: 'delta', learningRate: 0.1 },
  })
  const input = { view, params: {}, truth: truthOf(one), rng: rng(1) }
  if ('none' in dlg.plant || 'none' in dlg.shuffle) throw new Error('no controls')
  const { view: planted } = await dlg.plant(input)
  expect(largestError(await dlg.run(planted, contextFor()), one)).toBeLessThan(1e-2)
  const { view: scrambled } = await dlg.shuffle({ ...input, view: planted })
  const outcome = await dlg.run(scrambled, contextFor({ params: { iterations: 50 } }))
  expect(largestError(outcome, one)).toBeGreaterThan(0.3)
  expect(detailsOf(outcome).distance).toBeGreaterThan(1e-3)
})

test('starts too wild to be evaluated are an error', async () => {
  const params = { spread: 1e308, restarts: 2, iterations: 5 }
  const regression = mlpSpec({ inputs: 5, hidden: [4], outputs: 1 })
  const batch = { features: one.features, labels: Float64Array.of(1) }
  const view = modelView({ model: regression, theta: initialise(mlp(regression), rng(5)), batch, loss: 'mse' })
  await expect(attackOn(dlg, view, { params })).rejects.toThrow('2 starts end at a distance of')
})

test('two outputs that are no classes: claimed and graded', async () => {
  const model = mlpSpec({ inputs: 3, hidden: [8], outputs: 2, activation: 'sigmoid' })
  const batch: Batch = { features: matrix(1, 3, rng(5).normals(3)), labels: Float64Array.of(0.4, -1.2) }
  const view = modelView({ model, theta: initialise(mlp(model), rng(6), 'normal'), batch, loss: 'mse' })
  const claim = only(await attackOn(dlg, view), 'records')
  expect(claim.labels).toHaveLength(2)
  const score = await records.grade(claim, { truth: truthOf(batch), known: {} })
  if ('missing' in score) throw new Error(score.missing.join())
  expect(score.value).toBeLessThan(1e-2)
  expect(score.also.labelMAE).toBeLessThan(1e-2)
})
