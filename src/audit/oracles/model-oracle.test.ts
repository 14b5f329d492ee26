import { expect, test } from 'vitest'
import { contextFor, only } from '../../../test/attack-context.js'
import { world } from '../../../test/attribute-world.js'
import { functionsOf } from '../../models/functions.js'
import { createModel } from '../../models/index.js'
import { modelOracle, modelOracleAdam200 } from './model-oracle.js'

const model = { kind: 'mlp', inputs: 4, outputs: 1, hidden: [6] } as const
const w = world({ model, records: 40, rounds: 3 })
const adam = (params: Readonly<Record<string, unknown>>) =>
  modelOracleAdam200.run(w.view, { ...contextFor({ params }), truth: w.truth })
const lossOf = (theta: Float64Array) =>
  functionsOf(createModel(model)).loss(theta, { features: w.complete, labels: w.view['records.label'] })

test('adam200 takes the rate that ends with the least loss, whatever stands beside it', async () => {
  const rates = [1e-6, 0.03, 100]
  const each = await Promise.all(
    rates.map(async (rate) => lossOf(only(await adam({ epochs: 10, rates: [rate] }), 'model').theta)),
  )
  const least = Math.min(...each)
  const outcome = await adam({ epochs: 10, rates })
  expect(lossOf(only(outcome, 'model').theta)).toBe(least)
  expect(outcome).toMatchObject({ details: { loss: least, learningRate: rates[each.indexOf(least)] } })
  expect(rates[each.indexOf(least)]).toBe(0.03)
})

test('a rate that diverges loses; when all do, that is an error', async () => {
  const outcome = await adam({ epochs: 3, rates: [1e300, 0.01] })
  expect(outcome).toMatchObject({ details: { learningRate: 0.01 } })
  await expect(adam({ epochs: 3, rates: [1e300] })).rejects.toThrow('Adam diverged at each of 1 rates')
})

test('the optimum that L-BFGS finds is below what epochs of Adam reach', async () => {
  const found = await modelOracle.run(w.view, { ...contextFor(), truth: w.truth })
  const epochs = await adam({ epochs: 20 })
  expect(lossOf(only(found, 'model').theta)).toBeLessThan(lossOf(only(epochs, 'model').theta))
})
