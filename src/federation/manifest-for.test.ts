import { describe, expect, test } from 'vitest'
import { smallPopulation, smallSpec } from '../../test/small-federation.js'
import type { Defence } from './hooks.js'
import { manifestFor } from './manifest-for.js'
import { type Population, population } from './population.js'

const crowd = (clients: number): Population =>
  population({ kind: 'generated', clients, seed: 1, generator: { name: 'toy-least-squares', recordsPerClient: 2 } })
const clientsOf = (people: Population, options: object = {}) => manifestFor(smallSpec, people, options).clients

describe('who there is', () => {
  test('is everybody with its records, for the server', () => {
    expect(clientsOf(smallPopulation)).toEqual([{ id: '0', samples: 7 }, { id: '1', samples: 12 }, { id: '2', samples: 5 }]) // biome-ignore format: one line
  })

  test('is without the one that stays away', () => {
    expect(clientsOf(smallPopulation, { without: '1' })).toEqual([{ id: '0', samples: 7 }, { id: '2', samples: 5 }]) // biome-ignore format: one line
  })

  test('is everybody for an eavesdropper too, who knows the records of its target alone', () => {
    expect(clientsOf(smallPopulation, { recordedFor: 'eavesdropper:1' })).toEqual([
      { id: '0', samples: null },
      { id: '1', samples: 12 },
      { id: '2', samples: null },
    ])
    expect(() => clientsOf(smallPopulation, { recordedFor: 'eavesdropper:9' })).toThrow(
      'recordedFor is "eavesdropper:9"; there is no such client',
    )
  })

  test('is a crowd above ten thousand who hold as many records each', () => {
    const listed = clientsOf(crowd(10_000)) as readonly object[]
    expect(listed.length).toBe(10_000)
    expect(listed[9_999]).toEqual({ id: '9999', samples: 2 })
    expect(clientsOf(crowd(10_001))).toEqual({ count: 10_001, samples: 2 })
    expect(clientsOf(crowd(10_001), { recordedFor: 'eavesdropper:5' })).toEqual({ count: 10_001, samples: null })
    const uneven = { ...crowd(10_001), samplesEach: undefined }
    expect((clientsOf(uneven) as readonly object[]).length).toBe(10_001)
  })
})

describe('what is stated', () => {
  test('is the format, the model, and how it is trained', () => {
    const found = manifestFor(smallSpec, smallPopulation)
    expect(found).toMatchObject({
      format: 'overhear-transcript/1',
      source: { tool: 'overhear' },
      recordedFor: 'server',
    })
    expect(found.parameters).toEqual([{ name: 'layers.0.weight', shape: [1, 4] }, { name: 'layers.0.bias', shape: [1] }]) // biome-ignore format: one line
    expect(found.protocol).toMatchObject({ algorithm: 'fedavg', learningRate: 0.05, localEpochs: 2, batchSize: 4, dropout: 0 }) // biome-ignore format: one line
    expect(found.protocol).toMatchObject({ optimizer: { name: 'sgd' }, compression: null })
    const source = { tool: 'other', version: '2' }
    expect(manifestFor(smallSpec, smallPopulation, { source }).source).toEqual(source)
  })

  test('is nothing of settings that the local rule does not obey', () => {
    const rule = { algorithm: 'fedsgd', share: 'gradient', learningRate: 0.1 } as const
    const { protocol } = manifestFor({ ...smallSpec, rule }, smallPopulation)
    expect(protocol).toMatchObject({ algorithm: 'fedsgd', share: 'gradient', learningRate: 0.1, localSteps: 1 })
    expect(manifestFor(smallSpec, smallPopulation, { states: {} }).protocol).not.toEqual(protocol)
  })

  test('is secure aggregation where the server hears sums alone', () => {
    const { protocol } = manifestFor(smallSpec, smallPopulation, { recordedFor: 'secagg-server' })
    expect(protocol.secureAggregation).toBe(true)
    expect(manifestFor(smallSpec, smallPopulation).protocol.secureAggregation).not.toBe(true)
  })

  test('is what defences say, the step of the private one too', () => {
    const defences: Defence[] = [
      { name: 'a', step: { maxNorm: 2, noiseMultiplier: 0.5 } },
      { name: 'b', protocol: { mixup: { alpha: 1 } } },
    ]
    const { protocol } = manifestFor(smallSpec, smallPopulation, { defences })
    expect(protocol).toMatchObject({
      differentialPrivacy: { mechanism: 'dp-sgd', maxNorm: 2, noiseMultiplier: 0.5 },
      mixup: { alpha: 1 },
    })
  })

  test('is a compression with its parameters, and one alone', () => {
    const compression = { name: 'top-k', params: { share: 0.5 } } as const
    const spec = { ...smallSpec, compression }
    expect(manifestFor(spec, smallPopulation).protocol.compression).toEqual({ kind: 'top-k', share: 0.5 })
    const shortens = (name: string): Defence => ({ name, protocol: { compression: { kind: 'clipped', maxNorm: 1 } } })
    const made =
      (given: typeof smallSpec, ...defences: Defence[]) =>
      () =>
        manifestFor(given, smallPopulation, { defences })
    expect(made(smallSpec, shortens('x'))().protocol.compression).toEqual({ kind: 'clipped', maxNorm: 1 })
    expect(made(spec, shortens('x'))).toThrow('training.compression top-k and defence x both shorten what clients send')
    expect(made(smallSpec, shortens('x'), shortens('y'))).toThrow('defence x and defence y both shorten')
  })
})
