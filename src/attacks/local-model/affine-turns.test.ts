import { describe, expect, test } from 'vitest'
import { mlpSpec, protocolOf } from '../../../test/label-views.js'
import type { View } from '../../threat/granted-keys.js'
import { decayOf, noiseOf, notAffine, pulledBy, requireAffine } from './affine-turns.js'

type Training = Parameters<typeof notAffine>[0]
const linear = { kind: 'linear', inputs: 3, outputs: 1, bias: true } as unknown as View<'model'>['model']
const training = (change: Partial<Training> = {}): Training => ({
  model: linear,
  loss: 'mse',
  protocol: protocolOf(),
  ...change,
})
const optimizer = (name: string) => ({ protocol: { ...protocolOf(), optimizer: { name } } as Training['protocol'] })

describe('a turn is an affine map', () => {
  test('of a linear model, the squared error and plain steps, stated or not', () => {
    for (const change of [{}, optimizer('sgd'), { protocol: { ...protocolOf(), optimizer: null } as never }]) {
      expect(notAffine(training(change))).toBe(undefined)
      expect(() => requireAffine(training(change))).not.toThrow()
    }
  })

  test.each<[Partial<Training>, string]>([
    [{ model: { kind: 'opaque' } }, 'the model is opaque, so that nothing says that its updates are affine'],
    [
      { model: mlpSpec({ inputs: 3, hidden: [2], outputs: 1 }) as unknown as Training['model'] },
      'a gradient step on a mlp model is no affine map of its parameters',
    ],
    [optimizer('adam'), 'a turn of adam is no affine map of the parameters; one of plain steps is'],
    [
      { loss: 'cross-entropy' },
      'a gradient step on cross-entropy is no affine map of the parameters; one on the squared error is',
    ],
  ])('and else it is said why not: %#', (change, why) => {
    expect(notAffine(training(change))).toBe(why)
    expect(() => requireAffine(training(change))).toThrow(why)
  })
})

test('decay of weights is told: how much, or that nobody says', () => {
  const of = (weightDecay: number | undefined) => {
    const protocol = { ...protocolOf(), ...(weightDecay !== undefined && { weightDecay }) } as Training['protocol']
    return [pulledBy({ protocol }), decayOf({ protocol })]
  }
  expect(of(0)).toEqual([false, []])
  expect(of(0.01)).toEqual([true, ['clients decay weights (0.01): this is the optimum with that penalty']])
  const silent = 'weight decay is not stated: if there is any, this is the optimum with its penalty'
  expect(of(undefined)).toEqual([false, [silent]])
})

describe('what adds noise to updates', () => {
  const of = (change: object, samples?: number) =>
    noiseOf({ protocol: { ...protocolOf(), ...change } as Training['protocol'], ...(samples && { samples }) })

  test('nothing, where all records are in every step', () => {
    expect(of({})).toEqual([])
    expect(of({ batchSize: 20 }, 20)).toEqual([])
    expect(of({ batchSize: 30 }, 20)).toEqual([])
    expect(of({ clipNorm: null, compression: null, mixup: null })).toEqual([])
  })

  test('batches, unless the client is known to hold no more', () => {
    const drawn = ['clients train on batches of 20: each update carries the noise of its draws']
    expect(of({ batchSize: 20 })).toEqual(drawn)
    expect(of({ batchSize: 20 }, 21)).toEqual(drawn)
  })

  test('all else that a protocol may state, in one order', () => {
    const stated = {
      dropout: 0.5,
      clipNorm: 2,
      compression: { kind: 'top-k' },
      mixup: { alpha: 1 },
      differentialPrivacy: { mechanism: 'dp-sgd' },
    }
    expect(of(stated)).toEqual([
      'clients drop units at random (0.5)',
      'clients shorten gradients to 2: long ones are not what the data asked for',
      'changes are compressed (top-k)',
      'clients train on mixtures of their records, not on the records',
      'clients clip or add noise (dp-sgd): no update is what the data asked for',
    ])
  })
})
