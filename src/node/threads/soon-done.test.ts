import { expect, test } from 'vitest'
import { smallPopulation, smallSpec } from '../../../test/small-federation.js'
import type { Search } from '../../federation/clients.js'
import { population } from '../../federation/population.js'
import { areSoonFound, isSoonDone } from './soon-done.js'

test('a training is soon over when there is little to multiply', () => {
  // 24 records, 5 parameters, 2 epochs: 240 products a round.
  const most = Math.floor(4e8 / 240)
  expect(isSoonDone({ ...smallSpec, rounds: most }, smallPopulation)).toBe(true)
  expect(isSoonDone({ ...smallSpec, rounds: most + 1 }, smallPopulation)).toBe(false)
  const steps = { algorithm: 'fedavg', learningRate: 0.1, localSteps: 3, batchSize: 4 } as const
  // 3 clients, 3 steps of 4 records.
  expect(isSoonDone({ ...smallSpec, rule: steps, rounds: Math.floor(4e8 / 180) }, smallPopulation)).toBe(true)
  expect(isSoonDone({ ...smallSpec, rule: steps, rounds: Math.ceil(4e8 / 180) + 1 }, smallPopulation)).toBe(false)
})

test('as much as may be multiplied is still little', () => {
  // A step on at most 8 of 7, 12 and 5 records: 20 of them, and 5 parameters.
  const rule = { algorithm: 'fedavg', learningRate: 0.1, localSteps: 1, batchSize: 8 } as const
  expect(isSoonDone({ ...smallSpec, rule, rounds: 4e6 }, smallPopulation)).toBe(true)
  expect(isSoonDone({ ...smallSpec, rule, rounds: 4e6 + 1 }, smallPopulation)).toBe(false)
})

test('pictures and crowds are not', () => {
  const crowd = population({ kind: 'generated', clients: 1001, seed: 1, generator: { name: 'toy-least-squares' } })
  expect(isSoonDone({ ...smallSpec, rounds: 1 }, crowd)).toBe(false)
  const pictures = { ...smallSpec, model: { kind: 'lenet-mnist' }, loss: 'cross-entropy', rounds: 1 } as const
  expect(isSoonDone(pictures, smallPopulation)).toBe(false)
})

test('models alone are soon found where one is sought, or little is multiplied', () => {
  const network = { ...smallSpec, model: { kind: 'mlp', inputs: 4, hidden: [1], outputs: 1 } } as const
  // 7 and 12 records and 7 parameters.
  const both = (maxIterations: number) => [0, 1].map((client) => ({ client, maxIterations, from: new Float64Array(7) }))
  const soon = (spec: typeof smallSpec, searches: readonly Search[], idle = 2) =>
    areSoonFound(spec, smallPopulation, { searches, idle })
  for (const [idle, products] of [[1, 4e8], [0, 16e8]] as const) {
    const most = Math.floor(products / (19 * 7))
    expect(soon(network, both(most), idle)).toBe(true)
    expect(soon(network, both(most + 1), idle)).toBe(false)
  } // biome-ignore format: a table
  expect(soon(network, both(1e9).slice(1))).toBe(true)
  expect(soon(smallSpec, both(1e9))).toBe(true)
  expect(soon({ ...smallSpec, loss: 'binary-cross-entropy' }, both(1e9))).toBe(false)
})
