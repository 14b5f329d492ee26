import { expect, test } from 'vitest'
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
