import { describe, expect, test } from 'vitest'
import { toyLeastSquares } from '../data/toy-least-squares.js'
import { functionsOf } from '../models/functions.js'
import { createModel } from '../models/index.js'
import { initialise } from '../models/initialise.js'
import { rng } from '../numeric/rng.js'
import { fedAvg } from './fedavg.js'
import { inlinePool } from './pool.js'
import { weightedMean } from './weighted-mean.js'

const model = { kind: 'linear', inputs: 10, outputs: 1 } as const
const data = toyLeastSquares(rng(1), { clients: 3, recordsPerClient: 60, heterogeneity: 0.2 })
const spec = {
  model,
  precision: 'f64',
  training: { learningRate: 0.1, localEpochs: 1, batchSize: null },
  seed: 1,
} as const
const theta0 = initialise(createModel(model), rng(2))

test('the mean weighs clients by their records', () => {
  const mean = weightedMean([Float64Array.of(1, 2), Float64Array.of(5, 10)], [3, 1])
  expect([...mean]).toEqual([2, 4])
  expect(() => weightedMean([Float64Array.of(1)], [0])).toThrow('one weight a model, sum above 0')
  expect(() => weightedMean([Float64Array.of(1), new Float64Array(2)], [1, 1])).toThrow(
    'model 1 has 2 values, model 0 has 1',
  )
})

test('one client, full batch, one epoch is gradient descent', async () => {
  const pool = inlinePool({ ...spec, records: { 0: data[0]! } })
  const f = functionsOf(createModel(model))
  let expected = theta0
  for (let t = 0; t < 5; t++) {
    const { grad } = f.gradient(expected, data[0]!)
    expected = expected.map((x, j) => x - 0.1 * grad[j]!)
  }
  const theta = await fedAvg(theta0, { rounds: 5, samples: [60], pool })
  for (const [j, x] of theta.entries()) expect(x).toBeCloseTo(expected[j]!, 12)
})

describe('addresses', () => {
  const training = { learningRate: 0.05, localEpochs: 2, batchSize: 7 }
  const turn = { round: 4, client: 1, theta: theta0 }
  test("adding a client never moves another's draws", async () => {
    const [few, many] = [{ 1: data[1]! }, { ...data }].map((records) => inlinePool({ ...spec, training, records }))
    expect((await few!.train([turn]))[0]).toEqual((await many!.train([{ ...turn, client: 0 }, turn]))[1])
  })
  test('another round is another shuffle', async () => {
    const pool = inlinePool({ ...spec, training, records: { ...data } })
    const [a, b] = await pool.train([turn, { ...turn, round: 5 }])
    expect(a).not.toEqual(b)
  })
})

test('divergence is an error that names the learning rate, never a model', async () => {
  const training = { learningRate: 1e6, localEpochs: 200, batchSize: 5 }
  const pool = inlinePool({ ...spec, training, records: { 0: data[0]! } })
  await expect(pool.train([{ round: 0, client: 0, theta: theta0 }])).rejects.toThrow(
    /training diverged: theta\[\d+\] is (NaN|-?Infinity) after 200 local epochs; lower the learning rate \(1000000\)/,
  )
})

test('records of the toy: nine uniform columns, a coin, the stated noise', () => {
  const [one] = toyLeastSquares(rng(3), { clients: 1, recordsPerClient: 4000, noiseStd: 0.25 })
  const { features, labels } = one!
  const coins = labels.map((_, i) => features.data[10 * i + 9]!)
  expect(new Set(coins)).toEqual(new Set([0, 1]))
  expect(Math.abs(coins.reduce((a, b) => a + b, 0) / 4000 - 0.5)).toBeLessThan(4 * (0.5 / Math.sqrt(4000)))
  // The residual of the true affine law is the noise: its deviation is what was asked for.
  const law = rng(3).fork('law').normals(11)
  const residual = labels.map((y, i) => {
    let z = law[10]!
    for (let j = 0; j < 10; j++) z += law[j]! * features.data[10 * i + j]!
    return y - z
  })
  const std = Math.sqrt(residual.reduce((s, e) => s + e * e, 0) / 4000)
  expect(Math.abs(std / 0.25 - 1)).toBeLessThan(4 / Math.sqrt(2 * 4000))
})
