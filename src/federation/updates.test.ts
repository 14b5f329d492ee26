import { describe, expect, test } from 'vitest'
import type { Update } from '../transcript/round-messages.js'
import {
  changeOf,
  changeSum,
  divergenceHint,
  meanModel,
  modelAfter,
  scaledUpdate,
  updateOf,
  weightedMean,
} from './updates.js'

const frame = { received: Float64Array.of(1, 2), learningRate: 0.5 }
// All three say: the first value grows by 2, the second falls by 1.
const same: readonly Update[] = [
  { kind: 'parameters', theta: Float64Array.of(3, 1) },
  { kind: 'delta', dTheta: Float64Array.of(2, -1) },
  { kind: 'gradient', grad: Float64Array.of(-4, 2) },
]

describe.each(same.map((update) => [update.kind, update] as const))('%s', (kind, update) => {
  test('is read and written as a change', () => {
    expect([...changeOf(update, frame)]).toEqual([2, -1])
    expect(updateOf(kind, Float64Array.of(2, -1), frame)).toEqual(update)
    expect([...modelAfter(update, frame)]).toEqual([3, 1])
  })
  test('is turned round and stretched from where the client began', () => {
    expect([...changeOf(scaledUpdate(update, -1, frame), frame)]).toEqual([-2, 1])
    expect([...changeOf(scaledUpdate(update, 0.25, frame), frame)]).toEqual([0.5, -0.25])
  })
  test('moves the global model as it says', () => {
    const parts = { global: frame.received, learningRate: 0.5, weights: [3, 1] }
    const nothing = updateOf(kind, new Float64Array(2), frame)
    expect([...meanModel([update, nothing], parts)]).toEqual([2.5, 1.25])
    expect([...changeSum([update, nothing], parts)]).toEqual([6, -3])
  })
})

test('a change of nothing is a gradient of plain zero, a change of one is not', () => {
  expect(updateOf('gradient', Float64Array.of(0, 1), frame)).toEqual({ kind: 'gradient', grad: Float64Array.of(0, -2) })
})

test('the mean weighs clients by their records', () => {
  const mean = weightedMean([Float64Array.of(1, 2), Float64Array.of(5, 10)], [3, 1])
  expect([...mean]).toEqual([2, 4])
  expect(() => weightedMean([Float64Array.of(1)], [0])).toThrow('one weight a model, sum above 0')
  expect(() => weightedMean([Float64Array.of(1)], [1, 1])).toThrow('1 models with weights [1, 1]')
  expect(() => weightedMean([Float64Array.of(1), Float64Array.of(1)], [1])).toThrow('2 models with weights [1]')
  expect(() => weightedMean([], [])).toThrow('0 models with weights []')
  expect([...weightedMean([new Float64Array(0)], [0.5])]).toEqual([])
  expect(() => weightedMean([Float64Array.of(1), new Float64Array(2)], [1, 1])).toThrow(
    'model 1 has 2 values, model 0 has 1',
  )
})

test('what is multiplied with 1 stays as it is, to the last bit, whatever it is relative to', () => {
  const far = { received: Float64Array.of(1e17, 1), learningRate: 0.5 }
  const update = { kind: 'parameters', theta: Float64Array.of(0.1, 3) } as const
  expect(scaledUpdate(update, 1, far)).toEqual(update)
  expect(scaledUpdate(update, Float64Array.of(1, 2), far)).toEqual({ ...update, theta: Float64Array.of(0.1, 5) })
})

test('one update alone moves the model as it says', () => {
  const parts = { global: frame.received, learningRate: 0.5, weights: [7] }
  for (const update of same) expect([...meanModel([update], parts)]).toEqual([3, 1])
})

test('a tenth of the rate is what helps against divergence', () => {
  expect(divergenceHint(0.5)).toContain('lower the learning rate (0.5), say by --set training.learningRate=0.05, or')
  expect(divergenceHint(0.1234)).toContain('training.learningRate=0.012,')
})
