import { describe, expect, test } from 'vitest'
import { truthOf } from '../../test/hand-truth.js'
import { scoreClaim } from './index.js'
import { rightSettings } from './protocol-score.js'

const right = (key: string, claimed: unknown, real: unknown): boolean | undefined =>
  rightSettings({ [key]: claimed }, { [key]: real }).get(key)

describe('a setting is right', () => {
  test.each([
    ['learningRate', 0.5, 0.375], // a fourth of the larger
    ['learningRate', 0.08, 0.1],
    ['learningRate', -0.1, -0.1],
    ['learningRate', null, null],
    ['momentum', 0.1, 0],
    ['momentum', null, 0],
    ['momentum', null, 0.05],
    ['weightDecay', 0, 0.0009],
    ['weightDecay', 0.01, 0.012],
    ['weightDecay', null, 0],
    ['clipNorm', 1, 1.2],
    ['dropout', 0.25, 0.2],
    ['dropout', undefined, 0],
    ['batchSize', 8, 8],
    ['batchSize', null, null],
    ['localEpochs', 2, 2],
    ['dropLast', undefined, false],
    ['dropLast', true, true],
    ['optimizer', { name: 'adam', beta1: 0.9 }, { name: 'adam' }],
    ['optimizer', null, 'sgd'],
    ['optimizer', 'adam', { name: 'adam' }],
    ['schedule', { kind: 'exponential', factor: 0.9 }, { kind: 'exponential', factor: 0.5 }],
    ['schedule', undefined, null],
    ['compression', { kind: 'top-k', share: 0.1 }, { kind: 'top-k', share: 0.12 }],
    ['compression', { kind: 'quantised', bits: 8 }, { kind: 'quantised', bits: 8 }],
    ['compression', null, null],
    ['differentialPrivacy', null, { mechanism: 'clip', noiseMultiplier: 0 }],
    ['differentialPrivacy', { mechanism: 'noise', noiseMultiplier: 0 }, { mechanism: 'dp-sgd', noiseMultiplier: 1 }],
    ['differentialPrivacy', { mechanism: 'unknown' }, { noiseMultiplier: 0.1 }],
    ['differentialPrivacy', 'none', null],
  ])('%s: %j for %j', (key, claimed, real) => expect(right(key, claimed, real)).toBe(true))

  test.each([
    ['learningRate', 0.1, 0.0749],
    ['learningRate', 0.1, 0.14],
    ['learningRate', -0.1, 0.1],
    ['learningRate', null, 0.1],
    ['learningRate', 0.1, null],
    ['learningRate', '0.1', 0.1],
    ['momentum', 0.9, 0.79],
    ['momentum', null, 0.5],
    ['weightDecay', 0, 0.001],
    ['weightDecay', 0.0009, 0.0011 * 2],
    ['clipNorm', null, 1],
    ['dropout', 0.35, 0.2],
    ['batchSize', 8, 9],
    ['batchSize', null, 8],
    ['localEpochs', 2, 1],
    ['dropLast', undefined, true],
    ['optimizer', { name: 'adam' }, { name: 'sgd' }],
    ['optimizer', null, { name: 'adam' }],
    ['schedule', null, { kind: 'exponential' }],
    ['compression', { kind: 'top-k', share: 0.1 }, { kind: 'top-k', share: 0.2 }],
    ['compression', { kind: 'top-k', share: 0.1, bits: 8 }, { kind: 'top-k', share: 0.3, bits: 8 }],
    ['compression', { kind: 'random-k', share: 0.1 }, { kind: 'top-k', share: 0.1 }],
    ['compression', { kind: 'quantised', bits: 8 }, { kind: 'quantised', bits: 4 }],
    ['compression', null, { kind: 'top-k', share: 0.1 }],
    ['differentialPrivacy', null, { mechanism: 'noise' }],
    ['differentialPrivacy', { mechanism: 'clip', noiseMultiplier: 0 }, { mechanism: 'dp-sgd', noiseMultiplier: 0.5 }],
    ['differentialPrivacy', null, { mechanism: 'unknown' }],
  ])('%s: but not %j for %j', (key, claimed, real) => expect(right(key, claimed, real)).toBe(false))

  test('or not asked about where the truth is silent, or nobody grades it', () => {
    expect([...rightSettings({ momentum: 1, rounds: 3 }, { rounds: 3, momentum: undefined })]).toEqual([])
  })
})

describe('the score', () => {
  const real = { learningRate: 0.1, momentum: 0.9, batchSize: 8, optimizer: { name: 'sgd' } }
  const graded = (settings: object, known: object = {}) =>
    scoreClaim({ kind: 'protocol', client: 'c', settings } as never, { truth: truthOf({ protocol: real }), known })
  test('is the share of settings that are right, beside what is stated', async () => {
    const stated = { protocol: { learningRate: 0.1, momentum: 0, batchSize: 8 } }
    const score = await graded({ learningRate: 0.1, momentum: 0.9, batchSize: 4 }, stated)
    expect(score).toMatchObject({
      metric: 'share of settings',
      value: 0.75,
      better: 'higher',
      notes: ['wrong: batchSize', 'stated wrongly or not at all: momentum'],
    })
    expect(JSON.stringify(score)).toContain('what the recording states')
    const silent = await graded(real)
    expect(silent).toMatchObject({ value: 1, notes: [] })
    expect(JSON.stringify(silent)).not.toContain('what the recording states')
  })
  test('is of numbers', async () => {
    await expect(async () => graded({ learningRate: Number.NaN })).rejects.toThrow('learningRate is claimed to be NaN')
  })
})
