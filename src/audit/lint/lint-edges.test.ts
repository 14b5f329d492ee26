import { describe, expect, test } from 'vitest'
import { epsilonBounds } from '../../accounting/loss-bounds.js'
import { OverhearError } from '../../errors.js'
import type { Privacy } from '../../transcript/manifest.js'
import type { Setup, SetupClient } from '../account/setup.js'
import { oneApart, separable, untrustedServer } from './aggregation-rules.js'
import { understated } from './claimed-epsilon.js'
import { clippingSkips, deviationOrVariance, wrongSampling } from './privacy-rules.js'

const privacy: Privacy = { mechanism: 'dp-sgd', maxNorm: 1, noiseMultiplier: 1, sampleRate: 0.1, delta: 0.01 }
const client = (id: string, turns = 2, records: number | null = 100): SetupClient => ({ id, records, turns })
const setup = (more: Partial<Setup> = {}): Setup => ({
  from: 'scenario',
  clients: [client('a'), client('b')],
  rounds: 4,
  participants: null,
  privacy: null,
  secureAggregation: false,
  batchSize: 25,
  localEpochs: 1,
  localSteps: null,
  dropLast: false,
  share: 'parameters',
  model: { kind: 'mlp', parameters: 30 },
  loss: 'mse',
  raw: {},
  ...more,
})
/** `dp` may say what the format does not define. */
const withNoise = (dp: object, more: Partial<Setup> = {}): Setup => setup({ privacy: { ...privacy, ...dp }, ...more })

interface Steps {
  readonly steps: number
  readonly z?: number
  readonly rate?: number
}
const spent = ({ steps, z = 1, rate = 0.1 }: Steps) =>
  epsilonBounds([{ kind: 'gaussian', noiseMultiplier: z, sampleRate: rate, steps }], 0.01)

test('a deviation may be rounded by a hundredth of what it should be, large or small', () => {
  const found = (dp: object) => deviationOrVariance.check(withNoise(dp)).map(({ subject }) => subject)
  const key = (name: string) => [{ of: 'privacy', key: name }]
  expect(found({ noiseMultiplier: 2, maxNorm: 3, noiseStd: 6.05 })).toEqual([])
  expect(found({ noiseMultiplier: 2, maxNorm: 3, noiseStd: 6.07 })).toEqual(key('noiseStd'))
  expect(found({ noiseMultiplier: 100, noiseStd: 101 })).toEqual([])
  expect(found({ noiseMultiplier: 100, noiseStd: 101.1 })).toEqual(key('noiseStd'))
  expect(found({ noiseMultiplier: 0.1, noiseStd: 0.105 })).toEqual(key('noiseStd'))
  expect(found({ noiseMultiplier: 2, maxNorm: 3, noiseVariance: 36.3 })).toEqual([])
  expect(found({ noiseMultiplier: 2, maxNorm: 3, noiseVariance: 36.4 })).toEqual(key('noiseVariance'))
})

test('what is clipped is pointed at under the name that it has in the file', () => {
  const found = (dp: object, names: readonly string[]) =>
    clippingSkips.check(withNoise(dp, { raw: { parameters: names.map((name) => ({ name })) } }))
  expect(found({ clippedParameters: 'weights' }, [])[0]!.subject).toEqual({ of: 'privacy', key: 'clippedParameters' })
  expect(found({ clipped: 'weights' }, [])[0]!.subject).toEqual({ of: 'privacy', key: 'clipped' })
  expect(found({ clippedParameters: [] }, ['w'])).toEqual([
    { subject: { of: 'privacy', key: 'clippedParameters' }, evidence: 'not clipped: w' },
  ])
  expect(found({ clipped: ['a'] }, ['a', ...'bcdefgh'])[0]!.evidence).toBe('not clipped: b, c, d, e, f')
  expect(found({ clipped: ['a'] }, [])).toEqual([])
})

test('a rate is at odds with no sampling where it lies between nothing and everything', () => {
  const found = (sampleRate: number | null) =>
    wrongSampling.check(withNoise({ sampling: 'none', sampleRate })).map(({ evidence }) => evidence)
  expect([null, 0, 1].map(found)).toEqual([[], [], []])
  expect(found(0.5)).toEqual(['sampleRate is 0.5, and nothing is sampled'])
})

test('a claim is held to the client of the most turns, wherever it stands', () => {
  for (const order of [
    [1, 2, 3],
    [3, 1, 2],
    [2, 3, 1],
  ]) {
    const found = understated(
      withNoise({ epsilon: 0.01 }, { localSteps: 1, clients: order.map((turns) => client(`of ${turns}`, turns)) }),
    )
    expect(found).toMatchObject({ client: 'of 3', claimed: 0.01, atLeast: spent({ steps: 3 }).lower })
  }
})

test('a claim may be rounded by a hundredth', () => {
  const { lower } = spent({ steps: 8 })
  expect(understated(withNoise({ epsilon: 0.99 * lower }))).toBeUndefined()
  expect(understated(withNoise({ epsilon: 0.989 * lower }))?.atLeast).toBe(lower)
})

test('a single step in all is accounted for like any other', () => {
  const one = { clients: [client('a', 1)], batchSize: null }
  const { lower } = spent({ steps: 1 })
  expect(understated(withNoise({ epsilon: 0.5 * lower }, one))?.atLeast).toBe(lower)
})

test('what was left out is named by the shortest of the counts that explain it, and never by all steps', () => {
  const four = { clients: [client('a', 4)], batchSize: null } // one step a turn
  expect(understated(withNoise({ epsilon: spent({ steps: 1 }).upper }, four))).toMatchObject({
    mistake: 'not-composed',
    how: 'that of a single step',
  })
  const turn = { clients: [client('a', 1)] } // four steps, all in one turn
  const dp = { noiseMultiplier: 2, epsilon: 0.98 * spent({ steps: 4, z: 2 }).lower }
  expect(understated(withNoise(dp, turn))?.mistake).toBe('unexplained')
})

test('Poisson batches are no mistake of whoever draws them', () => {
  // Batches of 25 of 100 would be a rate of a quarter; a tenth is stated, and drawn.
  const epsilon = spent({ steps: 8, z: 2, rate: 0.05 }).upper
  const sampled = { noiseMultiplier: 2, sampleRate: 0.1, epsilon }
  expect(understated(withNoise(sampled, { batchSize: 5, localSteps: 4 }))?.mistake).toBe('unexplained')
  const shuffled = { noiseMultiplier: 2, sampleRate: null, epsilon }
  expect(understated(withNoise(shuffled, { batchSize: 5, localSteps: 4 }))).toMatchObject({
    mistake: 'poisson',
    how: 'that of Poisson batches at rate 0.0500',
  })
  const whole = { noiseMultiplier: 2, sampleRate: null, epsilon: 0.6 * spent({ steps: 2, z: 2, rate: 1 }).lower }
  expect(understated(withNoise(whole, { batchSize: 250 }))?.mistake).toBe('unexplained')
})

test('what cannot be computed is no finding, and what fails otherwise is no silence', () => {
  const failing = (error: Error): Setup =>
    Object.defineProperty(withNoise({ epsilon: 0.1, unit: 'client', mechanism: 'dp-ftrl' }), 'participants', {
      get: () => {
        throw error
      },
    })
  const of = (code: 'E_INPUT' | 'E_VALUE' | 'E_SHAPE') => understated(failing(new OverhearError(code, 'nothing')))
  expect([of('E_INPUT'), of('E_VALUE')]).toEqual([undefined, undefined])
  expect(() => of('E_SHAPE')).toThrow('nothing')
  expect(() => understated(failing(new TypeError('a fault')))).toThrow('a fault')
})

describe('a server that the protocol does not withstand', () => {
  const defence = (name: string, server: string) => ({ name, params: { server } })
  const open = [defence('secure-aggregation', 'honest-but-curious')]
  const said = (raw: object, from: Setup['from'] = 'scenario') =>
    untrustedServer.check(setup({ from, secureAggregation: true, raw: raw as Setup['raw'] })).map(({ fix }) => fix)
  const told = ['set server: malicious, the default']
  const observers = ['malicious-secagg-server']

  test('is named where the observers have it and the sums do not', () => {
    expect(said({ defences: open, observers })).toEqual(told)
    expect(
      said({ defences: [{ name: 'dp-sgd' }, null, defence('distributed-dp', 'honest-but-curious')], observers }),
    ).toEqual(told)
    expect(
      said({ defences: [defence('dp-sgd', 'honest-but-curious'), defence('distributed-dp', 'malicious')], observers }),
    ).toEqual([])
    expect(said({ defences: [defence('secure-aggregation', 'malicious')], observers })).toEqual([])
    expect(said({ defences: open, observers: ['server'] })).toEqual([])
    expect(said({ defences: [{ name: 'secure-aggregation' }], observers })).toEqual([])
  })

  test('is not looked for where the lists are none, or in a recording', () => {
    expect(said({ observers })).toEqual([])
    expect(said({ defences: open })).toEqual([])
    expect(said({ defences: 'secure-aggregation', observers })).toEqual([])
    expect(said({ defences: open, observers }, 'transcript')).toEqual([])
  })
})

test('the first 1600 rounds are asked whether they tell clients apart, the first 2000 whether two differ in one', () => {
  const after = (n: number) => [...Array.from({ length: n }, () => ['a', 'b']), ['a']]
  const asked = (n: number) => {
    const participants = after(n)
    const one = setup({ secureAggregation: true, participants, rounds: participants.length })
    return [separable, oneApart].map((rule) => rule.check(one).length)
  }
  expect([1, 1599, 1600, 1999, 2000].map(asked)).toEqual([
    [1, 1],
    [1, 1],
    [0, 1],
    [0, 1],
    [0, 0],
  ])
})
