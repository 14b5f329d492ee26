import { expect, test } from 'vitest'
import { costOf, promisedBy } from './costs.js'

const setup = (more: object = {}) =>
  ({ clients: [{ records: 10 }, { records: 25 }], rounds: 4, batchSize: 10, localEpochs: 2, localSteps: null, dropLast: false, privacy: null, ...more }) as never // biome-ignore format: a line
const cost = (sampling: object, more: object = {}) =>
  costOf({ training: { rounds: 4, sampling } } as never, setup(more))

test('messages by the share of rounds, steps of whoever takes most', () => {
  expect(cost({ name: 'all', params: {} })).toEqual({ messages: 8, localSteps: 24 })
  expect(cost({ name: 'fraction', params: { fraction: 0.3 } }).messages).toBe(4)
  expect(cost({ name: 'fraction', params: { fraction: 0.3 } }, { clients: [] })).toEqual({ messages: 2.4, localSteps: null })
  expect(cost({ name: 'poisson', params: { fraction: 0.25 } }).messages).toBe(2)
  expect(cost({ name: 'other', params: {} }).messages).toBeNull()
  expect(cost({ name: 'all', params: {} }, { clients: [{ records: 10 }, { records: null }] }).localSteps).toBeNull()
}) // biome-ignore format: lists

test('nothing is promised without noise', () => {
  const none = [null, {}, { noiseMultiplier: 0 }].map((privacy) => promisedBy(setup({ privacy })))
  expect(none).toEqual([null, null, null])
})
