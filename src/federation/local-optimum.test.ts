import { describe, expect, test } from 'vitest'
import { functionsOf } from '../models/functions.js'
import { linear } from '../models/linear.js'
import { logistic } from '../models/logistic.js'
import { mlp } from '../models/mlp.js'
import { matrixOf } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import { localOptimum } from './local-optimum.js'

const draws = rng(5)
const n = 40
const X = Array.from({ length: n }, (_, i) => Array.from(draws.fork('x', i).normals(3)))
const noise = draws.fork('noise').normals(n, { std: 0.1 })
const y = Float64Array.from(X, ([a, b, c], i) => 2 * a! - b! + 0.5 * c! + 3 + noise[i]!)
const data = { features: matrixOf(X), labels: y }
const norm = (v: Float64Array) => Math.sqrt(v.reduce((sum, x) => sum + x * x, 0))

describe('the model that a client would train alone', () => {
  test('is the least-squares solution for a linear model, wherever the search begins', () => {
    const model = linear({ inputs: 3, outputs: 1 })
    const { gradient } = functionsOf(model)
    const one = localOptimum(model, data, { loss: 'mse', from: new Float64Array(4) })
    const other = localOptimum(model, data, { loss: 'mse', from: new Float64Array(4).fill(100) })
    expect(one).toEqual(other)
    expect(norm(gradient(one.theta, data).grad)).toBeLessThan(1e-10)
    expect(one.theta[0]).toBeCloseTo(2, 1)
    expect(one.theta[3]).toBeCloseTo(3, 1)
    expect(one.loss).toBe(functionsOf(model).loss(one.theta, data))
  })

  test('has no constant where the model has none', () => {
    const model = linear({ inputs: 3, outputs: 1, bias: false })
    const { theta } = localOptimum(model, data, { loss: 'mse', from: new Float64Array(3) })
    expect(theta).toHaveLength(3)
    expect(norm(functionsOf(model).gradient(theta, data).grad)).toBeLessThan(1e-10)
  })

  test.each([true, false])('of several labels is the best for each of them: bias %o', (bias) => {
    const labels = Float64Array.from({ length: 2 * n }, (_, i) => (i % 2 === 0 ? y[i >> 1]! : X[i >> 1]![1]! - 1))
    const model = linear({ inputs: 3, outputs: 2, bias })
    const two = { features: data.features, labels }
    const size = bias ? 8 : 6
    const { theta, converged } = localOptimum(model, two, { loss: 'mse', from: new Float64Array(size) })
    expect(converged).toBe(true)
    expect(norm(functionsOf(model).gradient(theta, two).grad)).toBeLessThan(1e-10)
    const single = localOptimum(linear({ inputs: 3, outputs: 1, bias }), data, { loss: 'mse', from: theta })
    expect(theta.slice(0, 3)).toEqual(single.theta.slice(0, 3))
  })

  test('with fewer records than parameters fits them all', () => {
    const few = { features: matrixOf(X.slice(0, 2)), labels: y.slice(0, 2) }
    const { theta, loss } = localOptimum(linear({ inputs: 3, outputs: 1 }), few, {
      loss: 'mse',
      from: new Float64Array(4),
    })
    expect(theta.every(Number.isFinite)).toBe(true)
    expect(loss).toBeLessThan(1e-20)
  })

  test('is where the gradient vanishes for a convex loss, also when the loss is scaled', () => {
    const classes = { features: data.features, labels: y.map((v, i) => (v + 3 * noise[i]! * 10 > 3 ? 1 : 0)) }
    const model = logistic({ inputs: 3 })
    const from = new Float64Array(4)
    const [one, scaled] = [1, 7].map((lossScale) =>
      localOptimum(model, classes, { loss: 'binary-cross-entropy', lossScale, from }),
    )
    expect(one!.converged).toBe(true)
    const { gradient } = functionsOf(model, { loss: 'binary-cross-entropy' })
    expect(norm(gradient(one!.theta, classes).grad)).toBeLessThan(1e-6 * norm(gradient(from, classes).grad) * 1.01)
    scaled!.theta.forEach((v, j) => {
      expect(v).toBeCloseTo(one!.theta[j]!, 3)
    })
  })

  test('of a network is no worse than where it began, and says when it did not get there', () => {
    const model = mlp({ inputs: 3, outputs: 1, hidden: [8], activation: 'tanh' })
    const from = draws.fork('theta').normals(41, { std: 0.5 })
    const { loss } = functionsOf(model)
    const short = localOptimum(model, data, { loss: 'mse', from, maxIterations: 3 })
    const long = localOptimum(model, data, { loss: 'mse', from, maxIterations: 300 })
    expect(short).toMatchObject({ converged: false, iterations: 3 })
    expect(short.loss).toBeLessThan(loss(from, data))
    expect(long.loss).toBeLessThan(short.loss)
  })

  test('a search goes on from where another ended, and ends by the same rule', () => {
    const classes = { features: data.features, labels: y.map((v, i) => (v + 3 * noise[i]! * 10 > 3 ? 1 : 0)) }
    const from = new Float64Array(4)
    const search = (more: { further?: Float64Array; maxIterations?: number }) =>
      localOptimum(logistic({ inputs: 3 }), classes, { loss: 'binary-cross-entropy', from, ...more })
    const [whole, part] = [search({}), search({ maxIterations: 3 })]
    const more = search({ further: part.theta, maxIterations: 3 })
    expect(more.loss).toBeLessThan(part.loss)
    expect(whole.iterations).toBeGreaterThan(3)
    expect(search({ further: whole.theta })).toEqual({ ...whole, iterations: 0 })
  })

  test('of a network is no longer sought where a hundred iterations gain less than a two-hundredth of the first loss', () => {
    const model = mlp({ inputs: 3, outputs: 1, hidden: [8], activation: 'tanh' })
    const from = draws.fork('theta').normals(41, { std: 0.5 })
    const run = (maxIterations: number, further?: Float64Array) =>
      localOptimum(model, data, { loss: 'mse', from, maxIterations, ...(further && { further }) })
    const end = run(5000)
    expect(end.iterations).toBeLessThan(5000)
    const { loss } = functionsOf(model)
    const hundredBefore = run(end.iterations - 100)
    expect(hundredBefore.loss - end.loss).toBeLessThan(0.0051 * loss(from, data))
    expect(end.loss).toBe(loss(end.theta, data))
    // What it would gain goes by the loss of where it began, wherever it goes on: again a hundred iterations, and no more.
    expect(run(5000, end.theta).iterations).toBe(100)
  })

  test('of a network where single precision is no help is sought in doubles', () => {
    const model = mlp({ inputs: 3, outputs: 1, hidden: [8], activation: 'tanh' })
    const from = draws.fork('theta').normals(41, { std: 0.5 })
    // Squares of 1e30 are beyond single precision.
    const huge = { features: data.features, labels: y.map((v) => 1e30 * v) }
    const { loss } = functionsOf(model)
    const found = localOptimum(model, huge, { loss: 'mse', from, maxIterations: 50 })
    expect(found.loss).toBeLessThan(0.5 * loss(from, huge))
    expect(found.iterations).toBeGreaterThan(5)
  })
})
