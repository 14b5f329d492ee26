import { expect, test } from 'vitest'
import { attackOn, only } from '../../../../test/attack-context.js'
import { mlpSpec, modelView } from '../../../../test/label-views.js'
import { initialise } from '../../../models/initialise.js'
import { mlp } from '../../../models/mlp.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { llgPlus } from './llg-plus.js'

const model = mlpSpec({ inputs: 4, hidden: [6], outputs: 3, activation: 'sigmoid' })
const theta = initialise(mlp(model), rng(1))
const batch = { features: matrix(5, 4, rng(2).normals(20)), labels: Float64Array.of(0, 2, 2, 0, 0) }
const view = modelView({ model, theta, batch })

const on = (features: ReturnType<typeof matrix>, labels: readonly number[]) =>
  attackOn(llgPlus, { ...view, auxiliary: { columns: [], features }, 'auxiliary.label': Float64Array.from(labels) })

test('classes without auxiliary records are told; one record is enough to begin', async () => {
  const some = await on(matrix(3, 4, rng(3).normals(12)), [0, 1, 2])
  expect(only(some, 'labels').labels.length).toBe(5)
  expect('warnings' in some && some.warnings.join()).not.toContain('no auxiliary record')
  const one = await on(matrix(1, 4, rng(3).normals(4)), [2])
  expect(only(one, 'labels').labels.length).toBe(5)
  expect(one).toMatchObject({ warnings: [expect.stringContaining('2 of 3 classes have no auxiliary record')] })
})

test('no auxiliary records, or of another width, are missing', async () => {
  expect(await on(matrix(0, 4), [])).toMatchObject({
    missing: ['auxiliary'],
    why: expect.stringContaining('there is no auxiliary record'),
  })
  expect(await on(matrix(1, 5), [0])).toMatchObject({
    missing: ['auxiliary'],
    why: expect.stringContaining('auxiliary records have 5 columns, the model reads 4'),
  })
})

test.each([-1, 0.5, 3, Number.NaN])('a label of %f is no class', async (label) => {
  expect(await on(matrix(2, 4), [1, label])).toMatchObject({
    missing: ['auxiliary.label'],
    why: expect.stringContaining(`auxiliary record 1 has label ${label}, classes are 0 to 2`),
  })
})
