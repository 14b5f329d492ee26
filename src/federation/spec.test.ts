import { expect, test } from 'vitest'
import { smallPopulation, smallRecords, smallSpec } from '../../test/small-federation.js'
import { awayFrom, heldPopulation, population } from './population.js'
import { type FederationSpec, settle } from './spec.js'

const settling = (change: object) => () => settle({ ...smallSpec, ...change } as FederationSpec)
const rule = (change: object) => settling({ rule: { ...smallSpec.rule, ...change } })

test('what is unknown in a federation is an error that names it', () => {
  expect(settling({ initialiser: 'mystery' })).toThrow('mystery')
  expect(settling({ compression: { name: 'mystery' } })).toThrow('mystery')
  expect(rule({ algorithm: 'mystery' })).toThrow('mystery')
  expect(rule({ optimizer: { name: 'mystery' } })).toThrow('mystery')
  expect(settling({ extra: 1 })).toThrow('extra')
  expect(rule({ extra: 1 })).toThrow('extra')
})

test('what does not fit together is an error', () => {
  expect(rule({ share: 'gradient' })).toThrow('share is "gradient" with fedavg; it shares one of parameters, delta')
  expect(rule({ localSteps: 3 })).toThrow('localEpochs is 2 and localSteps is 3; give one of the two')
  expect(rule({ localSteps: 3, localEpochs: null })).not.toThrow()
  expect(rule({ localSteps: null })).not.toThrow()
  expect(rule({ proxMu: 0.1 })).toThrow('proxMu')
  expect(rule({ algorithm: 'fedprox', proxMu: 0.1 })).not.toThrow()
  // What a rule does not obey may be left out by name.
  expect(rule({ proxMu: null })).not.toThrow()
  expect(settling({ loss: 'cross-entropy' })).toThrow('cross-entropy')
})

test('a seed is a finite number or a text', () => {
  for (const seed of [0, -1.5, '', 'seven', 'NaN']) expect(settling({ seed })).not.toThrow()
  for (const seed of [Number.NaN, Number.POSITIVE_INFINITY, undefined, null]) {
    expect(settling({ seed })).toThrow(`the seed is ${seed}; a number or a text is needed`)
  }
})

test('the rate of a round is the plan’s, by the schedule', () => {
  expect(settle(smallSpec).rateIn(7)).toBe(0.05)
  const schedule = { name: 'step', params: { every: 2, factor: 0.5 } }
  const { rateIn } = settle({ ...smallSpec, schedule } as FederationSpec)
  expect([0, 1, 2, 5].map(rateIn)).toEqual([0.05, 0.05, 0.025, 0.0125])
})

test('settings of a turn that a rule does not obey are told as they usually are', () => {
  const { settings } = settle({ ...smallSpec, rule: { algorithm: 'fedsgd', learningRate: 0.1, share: 'gradient' } })
  expect(settings).toMatchObject({
    algorithm: 'fedsgd',
    share: 'gradient',
    learningRate: 0.1,
    localSteps: 1,
    momentum: 0,
  })
  expect(settle(smallSpec).settings).toMatchObject({ localEpochs: 2, batchSize: 4, compression: { name: 'none' } })
})

test('somebody must be left of a federation that one client stays away from', () => {
  expect(awayFrom(smallPopulation, '1')).toBe(1)
  expect(awayFrom(heldPopulation(smallRecords.slice(0, 2)), '1')).toBe(1)
  expect(() => awayFrom(smallPopulation, 'x')).toThrow('without client "x"; there is no such client')
  const alone = heldPopulation(smallRecords.slice(0, 1))
  expect(() => awayFrom(alone, '0')).toThrow('without client "0"; nobody else is there')
  expect(() => awayFrom(alone, 'x')).toThrow('there is no such client')
})

test('clients hold as many records each, or not', () => {
  const [one, two] = [smallRecords[0]!, smallRecords[1]!]
  const each = (...records: (typeof one)[]) => heldPopulation(records).samplesEach
  expect([each(one), each(one, one), each(one, two), each(one, one, two)]).toEqual([7, 7, undefined, undefined])
  const generated = (clients: number) => () =>
    population({ kind: 'generated', clients, seed: 1, generator: { name: 'toy-least-squares', recordsPerClient: 2 } })
  expect(generated(1)()).toMatchObject({ count: 1, samplesEach: 2 })
  expect(generated(2147483648)()).toMatchObject({ count: 2147483648 })
  for (const none of [0, 2147483649, 1.5]) expect(generated(none)).toThrow()
})
