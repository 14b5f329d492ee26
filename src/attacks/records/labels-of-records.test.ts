import { describe, expect, test } from 'vitest'
import { mlpSpec } from '../../../test/label-views.js'
import { functionsOf } from '../../models/functions.js'
import { initialise } from '../../models/initialise.js'
import { mlp } from '../../models/mlp.js'
import type { Loss } from '../../models/model.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { labelsOfRecords, stacked } from './labels-of-records.js'

function world(change: object, { K = 3, loss = 'mse' as Loss, lossLabels = (i: number) => i / 3 - 0.4 } = {}) {
  const model = mlp(mlpSpec({ inputs: 4, hidden: [6], outputs: 1, ...change }))
  const functions = functionsOf(model, { loss })
  const theta = initialise(model, rng(1).fork('theta'))
  const features = matrix(K, 4, rng(2).normals(4 * K))
  const each = loss === 'cross-entropy' ? 1 : model.outputs
  const labels = Float64Array.from({ length: K * each }, (_, i) => lossLabels(i))
  const { grad } = functions.gradient(theta, { features, labels })
  return { labels, known: { functions, loss, theta, grad, features } }
}

describe('labels of known records', () => {
  test.each<[string, object]>([
    ['one number', {}],
    ['several numbers', { outputs: 3 }],
    ['a smooth layer', { activation: 'tanh', outputs: 2 }],
    ['a bounded output', { outputActivation: 'sigmoid' }],
    ['another', { outputActivation: 'tanh', outputs: 2 }],
    ['two layers', { hidden: [6, 5] }],
  ])('%s: those behind the gradient', (_, change) => {
    const { labels, known } = world(change)
    const found = labelsOfRecords(known)!
    expect(found.length).toBe(labels.length)
    for (const [i, y] of labels.entries()) expect(found[i]).toBeCloseTo(y, 8)
  })
  test('classes, and yes or no', () => {
    const classes = world({ outputs: 4 }, { K: 5, loss: 'cross-entropy', lossLabels: (i) => [2, 0, 3, 1, 2][i]! })
    expect([...labelsOfRecords(classes.known)!]).toEqual([2, 0, 3, 1, 2])
    for (const outputs of [1, 2]) {
      const yes = world({ outputs }, { K: 4, loss: 'binary-cross-entropy', lossLabels: (i) => Number(i % 3 === 0) })
      expect([...labelsOfRecords(yes.known)!]).toEqual([...yes.labels])
    }
  })
  test('of as many records as the last layer reads numbers and one more, but not of more or of the same', () => {
    const sizes = { activation: 'tanh', hidden: [3] }
    const { labels, known } = world(sizes, { K: 4 })
    for (const [i, y] of labels.entries()) expect(labelsOfRecords(known)![i]).toBeCloseTo(y, 5)
    expect(labelsOfRecords(world(sizes, { K: 5 }).known)).toBeUndefined()
    const twice = matrix(2, 4, Float64Array.of(1, 2, 3, 4, 1, 2, 3, 4))
    expect(labelsOfRecords({ ...world({}, { K: 2 }).known, features: twice })).toBeUndefined()
  })
})

test('records become rows', () => {
  const { rows, cols, data } = stacked([Float64Array.of(1, 2, 3), Float64Array.of(4, 5, 6)])
  expect({ rows, cols, data: [...data] }).toEqual({ rows: 2, cols: 3, data: [1, 2, 3, 4, 5, 6] })
})
