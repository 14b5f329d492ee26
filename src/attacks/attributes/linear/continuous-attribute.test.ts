import { expect, test } from 'vitest'
import { attackOn, only } from '../../../../test/attack-context.js'
import { continuous, world } from '../../../../test/attribute-world.js'
import { aiaLinear } from '../aia-linear.js'
import { priorOf } from './continuous-attribute.js'

const flat = (least: number, most: number) => {
  const spread = (most - least) / Math.sqrt(12)
  return { mean: (least + most) / 2, variance: spread * spread }
}
const standard = { mean: 0, variance: 1 }

test.each([
  [[-1, 0.5], standard],
  [[-0.5, 1], standard],
  [[-0.99, 0.99], flat(-0.99, 0.99)],
  [[0, 5], flat(0, 5)],
  [[-5, 0], flat(-5, 0)],
  [[-10, 20], standard],
  [[-10, 20.5], flat(-10, 20.5)],
  [[1, 4], flat(1, 4)],
] as const)('values in %j', (range, prior) => {
  expect(priorOf(range)).toEqual(prior)
})

test.each([
  ['relu', { kind: 'mlp', inputs: 4, outputs: 1, hidden: [24], activation: 'relu' } as const],
  ['tanh', { kind: 'mlp', inputs: 4, outputs: 1, hidden: [24], activation: 'tanh' } as const],
  ['linear', { kind: 'linear', inputs: 4, outputs: 1 } as const],
])('%s: values are about as far off as their standard errors say', async (_, model) => {
  const turn = {
    model,
    records: 30,
    rounds: 8,
    localEpochs: 4,
    effect: 0.5,
    learningRate: 0.03,
    sensitive: [continuous],
  }
  for (const [seed, batchSize] of [
    [5, 8],
    [6, null],
  ] as const) {
    const w = world({ ...turn, seed, batchSize })
    const { values, confidence } = only(await attackOn(aiaLinear, w.view), 'attribute')
    const off = Array.from(w.true[0]!, (v, i) => Math.abs(v - values[i]!) / confidence![i]!)
    expect(Math.sqrt(off.reduce((sum, x) => sum + x * x, 0) / off.length)).toBeLessThan(2)
    expect(off.filter((x) => x > 4).length).toBeLessThanOrEqual(1)
  }
})
