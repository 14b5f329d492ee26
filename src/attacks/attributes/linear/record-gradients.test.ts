import { expect, test } from 'vitest'
import { functionsOf } from '../../../models/functions.js'
import { createModel, type ModelSpec } from '../../../models/index.js'
import { initialise } from '../../../models/initialise.js'
import type { Loss } from '../../../models/model.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { recordGradients } from './record-gradients.js'

const net = (outputs: number, more: object = {}) =>
  ({ kind: 'mlp', inputs: 3, outputs, hidden: [4], activation: 'tanh', ...more }) as ModelSpec

test.each<[Loss, ModelSpec, readonly number[]]>([
  ['mse', net(2), [0.5, -1, 2, 0, 1, 1, -2, 0.25, 1, 3]],
  ['cross-entropy', net(3), [0, 2, 1, 1, 0]],
  ['binary-cross-entropy', net(1, { outputActivation: 'sigmoid' }), [1, 0, 0, 1, 1]],
])('the mean over all records is the gradient of the trained loss: %s', (loss, spec, given) => {
  const [n, lossScale] = [5, 0.25]
  const model = createModel(spec)
  const functions = functionsOf(model, { loss, lossScale })
  const labels = Float64Array.from(given)
  const features = [1, 2].map((seed) => matrix(n, 3, rng(seed).normals(3 * n)))
  const found = recordGradients(functions, { loss, lossScale }, { records: n, features, labels })
  const theta = initialise(model, rng(3))
  expect([found.records, found.values, found.size]).toEqual([n, 2, functions.size])
  expect([...found.clipping(theta)]).toEqual(new Array(10).fill(1))
  const r = rng(4).normals(functions.size)
  const along = found.along(theta, r)
  for (const [v, own] of features.entries()) {
    const weights = Float64Array.from({ length: 2 * n }, (_, at) => Number(Math.floor(at / n) === v))
    const { grad } = functions.gradient(theta, { features: own, labels })
    const each = functions.gradPerExample(theta, { features: own, labels })
    for (const [j, x] of found.weighted(theta, weights).entries()) expect(x / n).toBeCloseTo(grad[j]!, 12)
    for (let i = 0; i < n; i++)
      expect(along[v * n + i]).toBeCloseTo(
        r.reduce((sum, x, j) => sum + x * each.data[i * functions.size + j]!, 0),
        12,
      )
  }
})

test('another model is clipped by its own gradients', () => {
  const functions = functionsOf(createModel(net(1)))
  const [features, labels] = [[matrix(2, 3, rng(1).normals(6))], rng(2).normals(2)]
  const found = recordGradients(
    functions,
    { loss: 'mse', lossScale: 1, maxNorm: 0.5 },
    { records: 2, features, labels },
  )
  const thetas = [1, 2].map((seed) => initialise(functions.model, rng(seed)))
  for (const theta of [...thetas, ...thetas]) {
    const each = functions.gradPerExample(theta, { features: features[0]!, labels })
    for (const [i, by] of found.clipping(theta).entries()) {
      const own = each.data.subarray(i * functions.size, (i + 1) * functions.size)
      const size = Math.sqrt(own.reduce((sum, x) => sum + x * x, 0))
      expect(by).toBeCloseTo(Math.min(1, 0.5 / size), 12)
    }
  }
})

test('what is not fully connected cannot be clipped', () => {
  const functions = functionsOf(createModel({ kind: 'lenet-dlg', inputs: [1, 4, 4], outputs: 2 } as ModelSpec))
  const candidates = { records: 1, features: [matrix(1, 16)], labels: Float64Array.of(1) }
  const found = recordGradients(functions, { loss: 'cross-entropy', lossScale: 1, maxNorm: 1 }, candidates)
  const theta = new Float64Array(functions.size)
  expect(() => found.clipping(theta)).toThrow('clipping is known for fully connected models alone')
})
