import { describe, expect, test } from 'vitest'
import { encodeSource } from '../data/dataset.js'
import { loadDataset } from '../data/index.js'
import { toyLeastSquares } from '../data/toy-least-squares.js'
import { functionsOf } from '../models/functions.js'
import { linear } from '../models/linear.js'
import { matrix, matrixOf } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import { dealRows } from '../partition/index.js'
import { heterogeneity } from './heterogeneity.js'

const records = (rows: number[][], labels: number[]) => ({
  features: matrixOf(rows),
  labels: Float64Array.from(labels),
})

describe('heterogeneity', () => {
  test('two clients on two lines, by hand', () => {
    // y = x and y = -x at x = -1, 1: each fits exactly; together the best slope is 0, each then loses 1.
    const one = records([[-1], [1]], [-1, 1])
    const two = records([[-1], [1]], [1, -1])
    const found = heterogeneity([one, two])
    expect([...found.globalOptimum]).toEqual([0, 0].map((x) => expect.closeTo(x, 12)))
    expect([...found.localOptima[1]!]).toEqual([-1, 0].map((x) => expect.closeTo(x, 12)))
    expect(found.excessLoss).toBeCloseTo(1, 12)
    expect(found.gradNormSq).toBeCloseTo(4, 12) // gradient -2 and 2
    expect([...found.distances.data]).toEqual([0, 2, 2, 0].map((x) => expect.closeTo(x, 12)))
    expect(found.unique).toEqual([true, true])
  })

  test('weights move the shared optimum', () => {
    const one = records([[1]], [1])
    const two = records([[1]], [-1])
    const { globalOptimum } = heterogeneity([one, two], { weights: [3, 1], bias: false })
    expect(globalOptimum[0]).toBeCloseTo(0.5, 12)
  })

  test('equal clients are alike; one law with little noise is nearly so; other laws are not', () => {
    const [one] = toyLeastSquares(rng(1), { clients: 1, recordsPerClient: 100 })
    const same = heterogeneity([one!, one!, one!])
    expect(same.excessLoss).toBeCloseTo(0, 10)
    expect(same.gradNormSq).toBeCloseTo(0, 10)
    expect(Math.max(...same.distances.data)).toBeLessThan(1e-10)
    const degree = (h: number) => heterogeneity(toyLeastSquares(rng(1), { clients: 4, heterogeneity: h })).excessLoss
    expect(degree(0)).toBeGreaterThan(0)
    expect(degree(0)).toBeLessThan(1e-3)
    expect(degree(0.5)).toBeGreaterThan(0.1)
    expect(degree(1)).toBeGreaterThan(degree(0.5))
  })

  test('the model sees the same losses and gradients', () => {
    const clients = toyLeastSquares(rng(2), { clients: 3, recordsPerClient: 50, heterogeneity: 0.5 })
    const found = heterogeneity(clients)
    const functions = functionsOf(linear({ inputs: 10, outputs: 1 }), { precision: 'f64' })
    let [excess, normSq] = [0, 0]
    clients.forEach((batch, c) => {
      const shared = functions.gradient(found.globalOptimum, batch)
      const alone = functions.gradient(found.localOptima[c]!, batch)
      excess += (shared.loss - alone.loss) / 3
      normSq += shared.grad.reduce((sum, g) => sum + g * g, 0) / 3
      expect(Math.max(...alone.grad.map(Math.abs))).toBeLessThan(1e-10)
    })
    expect(found.excessLoss).toBeCloseTo(excess, 10)
    expect(found.gradNormSq).toBeCloseTo(normSq, 10)
  })

  test('says when a client has fewer records than unknowns', () => {
    const found = heterogeneity([
      records([[1, 2]], [3]),
      records(
        [
          [1, 0],
          [0, 1],
          [1, 1],
        ],
        [1, 2, 3],
      ),
    ])
    expect(found.unique).toEqual([false, true])
    expect(found.excessLoss).toBeGreaterThanOrEqual(-1e-12)
  })

  test('partitions differ as they should', async () => {
    const source = await loadDataset('cps-wages', { rng: rng(1) })
    const degree = (name: string, params: Record<string, unknown>) => {
      const { clients } = dealRows(name, { source, rng: rng(1) }, params)
      const fit = encodeSource(source).fitted
      return heterogeneity(clients.map((rows) => encodeSource(source, { rows, fit }).records)).excessLoss
    }
    const [even, split] = [0, 0.5].map((h) =>
      degree('heterogeneous', { clients: 2, heterogeneity: h, attribute: 'gender' }),
    )
    expect(split!).toBeGreaterThan(2 * even!)
  })

  test('refuses what does not fit together', () => {
    const one = records([[1], [2]], [1, 2])
    expect(() => heterogeneity([])).toThrow(/0 clients/)
    expect(() => heterogeneity([one, records([[1, 2]], [1])])).toThrow(/client 1: 1 x 2 features, 1 labels; 1 columns/)
    expect(() => heterogeneity([one, records([[1], [2]], [1])])).toThrow(/client 1: 2 x 1 features, 1 labels/)
    expect(() => heterogeneity([one, { ...one, features: matrix(0, 1), labels: new Float64Array(0) }])).toThrow(
      /client 1: 0 x 1 features, 0 labels/,
    )
    expect(() => heterogeneity([one], { weights: [1, 1] })).toThrow(/weights \[1, 1\] for 1 clients/)
    expect(() => heterogeneity([one], { weights: [Number.POSITIVE_INFINITY] })).toThrow(/weights \[Infinity\]/)
    const none = records([[1], [2]], [0, 0])
    expect(heterogeneity([none, none]).distances.data.every((x) => x === 0)).toBe(true)
    expect(() => heterogeneity([one], { weights: [0] })).toThrow(/weights \[0\] for 1 clients/)
    expect(() => heterogeneity([records([[Number.NaN], [1]], [1, 2])])).toThrow(/finite|NaN/i)
  })
})
