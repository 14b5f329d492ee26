import { expect, test } from 'vitest'
import { functionsOf } from '../../../models/functions.js'
import { initialise } from '../../../models/initialise.js'
import { mlp } from '../../../models/mlp.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { layersLayout } from './column-layout.js'
import { differencesOf, layersOf } from './gradient-differences.js'
import { factorsOf } from './record-columns.js'
import { recordGradients } from './record-gradients.js'

// W1 [2, 3], b1, W2 [2, 2], b2 behind one another; the second column is the sensitive one.
const model = mlp({ inputs: 3, hidden: [2], outputs: 2, activation: 'tanh' })
const functions = functionsOf(model, { lossScale: 0.5 })
const [k, h, place, maxNorm] = [3, 2, 1, 0.4]
const [b1, W2] = [6, 8]
const theta = initialise(model, rng(4))

// Programs take 2,048 records at most: one piece that is full, one of each size of the rest.
test.each([1, 2048, 2049, 4099])('%d records: the differences are those of gradients taken one by one', (n) => {
  const known = rng(1).normals(k * n)
  const features = [-0.5, 0.25, 2].map((value) => {
    const own = matrix(n, k, known.slice())
    for (let i = 0; i < n; i++) own.data[k * i + place] = value
    return own
  })
  const labels = rng(2).normals(2 * n)
  const trained = { loss: 'mse', lossScale: 0.5, maxNorm } as const
  const candidates = { records: n, features, labels }
  const gradients = recordGradients(functions, trained, candidates)
  const input = { functions, trained, candidates, gradients, places: [place] }
  const plan = layersOf(input)!
  const layout = layersLayout({ n, values: 3, features: known, k, h, bias: 1, places: [place], size: functions.size })
  expect([layout.h, layout.e, layout.k1]).toEqual([h, h + 6, 3])
  const factors = factorsOf(layout, differencesOf(input, plan, layout))
  const at = factors.at(theta)
  const D = {
    first: factors.host.view('f64', at.first, 2 * n * h) as Float64Array,
    rest: factors.host.view('f64', at.rest, 2 * n * layout.e) as Float64Array,
  }

  const q = features.map((own) => {
    const G = functions.gradPerExample(theta, { features: own, labels })
    return Array.from({ length: n }, (_, i) => {
      const g = G.data.slice(i * G.cols, (i + 1) * G.cols)
      const size = Math.sqrt(g.reduce((sum, x) => sum + x * x, 0))
      return g.map((x) => x * Math.min(1, maxNorm / size))
    })
  })
  const first: number[] = []
  const rest: number[] = []
  for (const own of q.slice(1)) {
    for (const [i, g] of own.entries()) {
      const difference = g.map((x, j) => x - q[0]![i]![j]!)
      first.push(...difference.slice(b1, W2))
      rest.push(...[0, 1].map((a) => difference[a * k + place]!), ...difference.slice(W2))
    }
  }
  const furthest = (a: Float64Array, b: readonly number[]) =>
    a.reduce((most, x, j) => Math.max(most, Math.abs(x - b[j]!)), Math.abs(a.length - b.length))
  expect(furthest(D.first, first)).toBeLessThan(1e-12)
  expect(furthest(D.rest, rest)).toBeLessThan(1e-12)
  const zero = Array.from(theta, (_, j) => q[0]!.reduce((all, g) => all + g[j]!, 0))
  expect(furthest(at.base, zero)).toBeLessThan(1e-10)

  const r = rng(3).normals(functions.size)
  const along = q.flat().map((g) => g.reduce((sum, x, j) => sum + x * r[j]!, 0))
  expect(furthest(gradients.along(theta, r), along)).toBeLessThan(1e-12)
  const weights = rng(5).normals(3 * n)
  const sum = Array.from(theta, (_, j) => q.flat().reduce((all, g, i) => all + weights[i]! * g[j]!, 0))
  expect(furthest(gradients.weighted(theta, weights), sum)).toBeLessThan(1e-10)
})
