import { describe, expect, test } from 'vitest'
import { chosen } from '../registry.js'
import { allDefences } from './index.js'

const valuesOf = (name: string, given: object = {}) => chosen(allDefences, { name, ...given }).values as object

/** By defence: what it takes unless told. */
const usual = {
  'dp-sgd': { maxNorm: 1, noiseMultiplier: 1, epsilon: null, sampleRate: 0, delta: 1e-5 },
  'local-dp': { maxNorm: 1, noiseMultiplier: 1, delta: 1e-5 },
  'central-dp': { maxNorm: 1, noiseMultiplier: 1, delta: 1e-5 },
  'dp-ftrl': { maxNorm: 1, noiseMultiplier: 1, delta: 1e-5 },
  'distributed-dp': { maxNorm: 1, noiseMultiplier: 1, delta: 1e-5, sharers: 3, clip: 8, least: 3 },
  sparsify: { share: 0.1 },
  quantise: { bits: 2 },
  mixup: { alpha: 1 },
  'gradient-pruning': { share: 0.3 },
  'representation-mask': { share: 0.4 },
  'secure-aggregation': {
    ...{ server: 'malicious', variant: 'pairs', least: 3, directory: 'given', corrupt: 0.05, vanishing: 0.1 },
    ...{ secureBits: 40, neighbours: 32, threshold: 0, clip: 8, bits: null, lateProb: 0 },
  },
}

test.each(Object.entries(usual))('%s takes what is usual unless told', (name, values) => {
  expect(valuesOf(name)).toMatchObject(values)
})

/** [defence, parameter, the ends of what is allowed, what lies beyond]. */
type Case = readonly [string, string, readonly unknown[], readonly unknown[]]
const privacy = (name: string): Case[] => [
  [name, 'maxNorm', [1e-12, 1e9], [0, -1]],
  [name, 'noiseMultiplier', [0, 0.5, 1e9], [-0.1]],
  [name, 'delta', [0, 0.5, 1], [-0.1, 1.1]],
]
const cases: readonly Case[] = [
  ...['dp-sgd', 'local-dp', 'central-dp', 'dp-ftrl', 'distributed-dp'].flatMap(privacy),
  ['dp-sgd', 'noiseMultiplier', [null], []],
  ['dp-sgd', 'epsilon', [null, 1e-6, 0.5, 1e9], [0, -1]],
  ['dp-sgd', 'sampleRate', [0, 0.5, 1], [-0.1, 1.1]],
  ['distributed-dp', 'sharers', [3, 100], [2, 3.5]],
  ['sparsify', 'share', [0.001, 1], [0, 1.1]],
  ['quantise', 'bits', [2, 32], [1, 33, 2.5]],
  ['mixup', 'alpha', [0.001, 1000], [0, 1000.5]],
  ['gradient-pruning', 'share', [0, 0.999], [-0.1, 1]],
  ['representation-mask', 'share', [0, 0.5, 1], [-0.1, 1.1]],
  ['secure-aggregation', 'server', ['malicious', 'honest-but-curious'], ['honest']],
  ['secure-aggregation', 'variant', ['pairs', 'graph'], ['ring']],
  ['secure-aggregation', 'directory', ['given', 'first-use'], ['none']],
  ['secure-aggregation', 'least', [2, 100], [1, 2.5]],
  ['secure-aggregation', 'corrupt', [0, 0.999], [-0.1, 1]],
  ['secure-aggregation', 'vanishing', [0, 0.999], [-0.1, 1]],
  ['secure-aggregation', 'secureBits', [1, 128], [0, 129, 1.5]],
  ['secure-aggregation', 'neighbours', [2, 100], [1, 2.5]],
  ['secure-aggregation', 'threshold', [0, 0.5, 1], [-0.1, 1.1]],
  ['secure-aggregation', 'clip', [0, 100], [-0.1]],
  ['secure-aggregation', 'bits', [null, 1, 30], [0, 31, 1.5]],
  ['secure-aggregation', 'lateProb', [0, 0.5, 1], [-0.1, 1.1]],
]

describe.each(cases)('%s: %s', (name, key, allowed, beyond) => {
  test('is taken up to the ends of what is allowed, and refused beyond', () => {
    for (const value of allowed) expect(valuesOf(name, { [key]: value })).toMatchObject({ [key]: value })
    for (const value of beyond) expect(() => valuesOf(name, { [key]: value }), String(value)).toThrow(key)
  })
})
