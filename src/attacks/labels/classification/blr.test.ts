import { describe, expect, test } from 'vitest'
import { attackOn, contextFor, only } from '../../../../test/attack-context.js'
import { headView, mlpSpec, modelView, truthOf } from '../../../../test/label-views.js'
import { describeWithShared, vector } from '../../../../test/shared.js'
import { initialise } from '../../../models/initialise.js'
import { mlp } from '../../../models/mlp.js'
import { matrix, matrixOf } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { blr } from './blr.js'
import { rowMinima } from './class-evidence.js'

interface VectorC {
  cases: { blr: { K: number; labels: number[]; recovered: number[]; grad_W: number[][]; row_min: number[] } }
}

const positive = { params: { activations: 'positive' } }

describeWithShared('vector c: BLR', () => {
  const { K, grad_W, row_min, recovered } = vector<VectorC>('c').cases.blr
  test('the lowest entry of each row, and the labels', async () => {
    expect(Array.from(rowMinima(matrixOf(grad_W)))).toEqual(row_min)
    const claim = only(await attackOn(blr, headView({ gradW: grad_W, K }), positive), 'labels')
    expect(Array.from(claim.labels).sort()).toEqual(recovered)
  })
})

test('one low entry outweighs a high sum, which is what sets it apart from the sums', async () => {
  const gradW = [
    [-3, 9],
    [-1, -1],
    [4, -8],
  ]
  expect(only(await attackOn(blr, headView({ gradW, K: 2 }), positive), 'labels').labels).toEqual([2, 0])
})

test('more records than classes: the classes with a negative entry', async () => {
  const gradW = [
    [-1, 2],
    [1, 1],
    [0, -3],
  ]
  const outcome = await attackOn(blr, headView({ gradW, K: 9 }), positive)
  expect(only(outcome, 'labels').labels).toEqual([2, 0])
  expect(outcome).toMatchObject({ warnings: [expect.stringContaining('2 classes are claimed for 9 records')] })
})

describe('controls', () => {
  const model = mlpSpec({ inputs: 5, hidden: [8], outputs: 10 })
  const batch = { features: matrix(4, 5, rng(1).normals(20)), labels: Float64Array.of(7, 2, 2, 9) }
  const view = modelView({ model, theta: initialise(mlp(model), rng(2)), batch })
  const input = { view, params: {}, truth: truthOf(batch), rng: rng(3) }

  test('planted: every class that occurs comes first; shifted: not those', async () => {
    if ('none' in blr.plant || 'none' in blr.shuffle) throw new Error('no controls')
    const { view: planted } = await blr.plant(input)
    const labels = Array.from(only(await blr.run(planted, contextFor()), 'labels').labels)
    expect(labels.slice(0, 3).sort()).toEqual([2, 7, 9])
    const { view: shifted } = await blr.shuffle({ ...input, view: planted })
    const moved = Array.from(only(await blr.run(shifted, contextFor()), 'labels').labels).slice(0, 3)
    expect(moved.sort()).not.toEqual([2, 7, 9])
  })
})
