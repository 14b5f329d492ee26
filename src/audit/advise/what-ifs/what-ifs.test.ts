import { describe, expect, test } from 'vitest'
import { rdpEpsilon } from '../../../accounting/rdp-account.js'
import type { Setup } from '../../account/setup.js'
import { readScenario } from '../../read-scenario.js'
import type { Around, WhatIf } from '../what-if.js'
import { participation } from './clients-per-round.js'
import { compressed } from './compressed.js'
import { fewerRounds } from './fewer-rounds.js'
import { localWork } from './local-work.js'
import { privateClients } from './private-clients.js'
import { privateSteps } from './private-steps.js'
import { secureSums } from './secure-sums.js'

const scenario = (training: object = {}, more: object = {}) =>
  readScenario({
    ...{
      data: { name: 'cps-wages' },
      partition: { name: 'iid', params: { clients: 5 } },
      models: [{ kind: 'linear' }],
    },
    training: { rounds: 8, localEpochs: 1, batchSize: null, ...training },
    ...more,
  })
/** A world of clients that have so many records. */
const around = (records: readonly (number | null)[]): Around => ({
  setupOf: async (one) => ({ ...one.training, clients: records.map((n, i) => ({ id: `${i}`, records: n, turns: 8 })) }) as unknown as Setup, // biome-ignore format: a line
  gradientOf: async () => 3,
})
const ten = around([40, 60, ...Array<number>(8).fill(50)])
const ids = (kind: WhatIf, ...of: Parameters<typeof scenario>) => kind.changes(scenario(...of), ten).map(({ id }) => id)
async function changedBy(kind: WhatIf, id: string, from: ReturnType<typeof scenario>, world: Around = ten) {
  return kind
    .changes(from, world)
    .find((one) => one.id === id)!
    .apply(from)
}
const paramsOf = async (...of: Parameters<typeof changedBy>) => (await changedBy(...of)).defences.at(-1)!.params

test('an eighth of the rounds, where that is one', () => {
  const changes = (rounds: number) => fewerRounds.changes(scenario({ rounds }), ten).map(({ words }) => words)
  expect([7, 8, 15, 16].map(changes)).toEqual([
    [],
    ['stop after 1 of 8 rounds'],
    ['stop after 1 of 15 rounds'],
    ['stop after 2 of 16 rounds'],
  ])
})

test('one pass where there are more, batches of eight where they are larger', async () => {
  const work = (training: object) => ids(localWork, training)
  expect(work({ localEpochs: 1, batchSize: 8 })).toEqual([])
  expect(work({ localEpochs: 2, batchSize: 8 })).toEqual(['one-pass'])
  expect(work({ localEpochs: null, localSteps: 2, batchSize: 7 })).toEqual(['one-pass'])
  expect(work({ localEpochs: null, localSteps: 1, batchSize: 9 })).toEqual(['batches-8'])
  expect(work({ localEpochs: 1, batchSize: null })).toEqual(['batches-8'])
  // Where neither is said, a turn is one pass.
  expect(work({ localEpochs: null, localSteps: null, batchSize: 8 })).toEqual([])
  expect(work({ algorithm: 'fedsgd', share: 'gradient', localEpochs: undefined, batchSize: undefined })).toEqual([])
  const shorter = await changedBy(localWork, 'one-pass', scenario({ localEpochs: null, localSteps: 9 }))
  expect(shorter.training).toMatchObject({ localEpochs: 1, localSteps: null })
})

test('what is done already is not offered', () => {
  const with_ = (kind: WhatIf, name: string) => ids(kind, {}, { defences: [{ name }] })
  expect(ids(secureSums)).toEqual(['secure-sums'])
  expect(with_(secureSums, 'secure-aggregation')).toEqual([])
  expect(ids(compressed)).toEqual(['top-1-percent', 'two-bits'])
  expect(ids(compressed, { compression: { name: 'top-k' } })).toEqual([])
  expect(ids(privateSteps)).toEqual([
    'epsilon-10-norm-10',
    'epsilon-10-norm-1',
    'epsilon-1-norm-10',
    'epsilon-1-norm-1',
  ])
  expect(with_(privateSteps, 'dp-sgd')).toEqual([])
  expect(ids(privateClients)).toEqual(['client-epsilon-10', 'client-epsilon-1'])
  for (const name of ['dp-sgd', 'local-dp', 'central-dp']) expect(with_(privateClients, name)).toEqual([])
})

describe('who takes part', () => {
  const sampled = (sampling: object) => scenario({ sampling })

  test('everybody, where not all do, and half as many, where it is known how many do', async () => {
    const words = (sampling: object) => participation.changes(sampled(sampling), ten).map((one) => one.words)
    expect(words({ name: 'all' })).toEqual(['ask 50 % of the clients in a round, not 100 %'])
    expect(words({ name: 'fraction', params: { fraction: 0.3 } })).toEqual([
      'let every client take part in every round',
      'ask 15 % of the clients in a round, not 30 %',
    ])
    const from = sampled({ name: 'fraction', params: { fraction: 0.3 } })
    expect((await changedBy(participation, 'half-as-many', from)).training.sampling).toEqual({ name: 'fraction', params: { fraction: 0.15 } }) // biome-ignore format: a line
    expect((await changedBy(participation, 'everybody', from)).training.sampling).toEqual({ name: 'all', params: {} })
    const third = words({ name: 'fraction', params: { fraction: 1 / 3 } })
    expect(third[1]).toBe('ask 16.7 % of the clients in a round, not 33.3 %')
  })
})

describe('noise for a target', () => {
  const epsilonOf = (z: number, steps: number, delta: number) =>
    rdpEpsilon([{ kind: 'gaussian', noiseMultiplier: z, sampleRate: 1, steps }], delta).epsilon

  test('for a client’s whole change, in sums of two thirds of those who are asked', async () => {
    const { least, sharers, clip, maxNorm, delta, noiseMultiplier } = await paramsOf(privateClients, 'client-epsilon-1', scenario({ rounds: 4 })) as Record<string, number> // biome-ignore format: a line
    expect({ least, sharers, maxNorm, delta }).toEqual({ least: 6, sharers: 6, maxNorm: 0.3, delta: 0.01 })
    // Enough by Rényi divergences even where rounding makes a change longer by a hundredth, and hardly more than that.
    expect(epsilonOf(noiseMultiplier! / 1.01, 4, 0.01)).toBeLessThanOrEqual(1)
    expect(epsilonOf(noiseMultiplier! / 1.01 / 1.0101, 4, 0.01)).toBeGreaterThan(1)
    expect(clip).toBeCloseTo(Math.max(8, 1.1 * 0.3 * (1 + (8 * noiseMultiplier!) / 6)), 12)
    const weak = await paramsOf(privateClients, 'client-epsilon-10', scenario({ rounds: 1 }))
    expect(weak).toMatchObject({ clip: 8 })
    const strong = (await paramsOf(privateClients, 'client-epsilon-1', scenario({ rounds: 400 }))) as Record<
      string,
      number
    >
    expect(strong.clip).toBeGreaterThan(8)
    expect(strong.clip).toBeCloseTo(0.33 * (1 + (8 * strong.noiseMultiplier!) / 6), 12)
  })

  test('takes the place of plain secure sums, and keeps what they say', async () => {
    const sums = (params: object) => scenario({}, { defences: [{ name: 'secure-aggregation', params }] })
    const curious = await changedBy(
      privateClients,
      'client-epsilon-10',
      sums({ server: 'honest-but-curious', threshold: 0.9 }),
    )
    expect(curious.defences.map(({ name }) => name)).toEqual(['distributed-dp'])
    expect(curious.defences[0]!.params).toMatchObject({ server: 'honest-but-curious', threshold: 0.9, sharers: 3 })
    expect(curious.defences[0]!.params).not.toHaveProperty('least')
    expect(await paramsOf(privateClients, 'client-epsilon-10', sums({}))).toMatchObject({ least: 6, sharers: 6 })
  })

  test('is on the device where fewer than three take part', async () => {
    const place = async (count: number, sampling: object = { name: 'all' }) => {
      const changed = await changedBy(
        privateClients,
        'client-epsilon-10',
        scenario({ sampling }),
        around(Array(count).fill(9)),
      )
      const { least, delta } = changed.defences[0]!.params as { least?: number; delta: number }
      return [changed.defences[0]!.name, least, delta]
    }
    expect(await place(2)).toEqual(['local-dp', undefined, 0.05])
    expect(await place(3)).toEqual(['distributed-dp', 3, 0.1 / 3])
    expect(await place(9, { name: 'fraction', params: { fraction: 0.2 } })).toEqual(['local-dp', undefined, 0.1 / 9])
    expect(await place(9, { name: 'fraction', params: { fraction: 0.6 } })).toEqual(['distributed-dp', 3, 0.1 / 9])
    expect(await place(9)).toEqual(['distributed-dp', 6, 0.1 / 9])
    expect(await place(0)).toEqual(['local-dp', undefined, 0.1])
  })

  test('for a record, by the smallest batch share and the most steps that a client has', async () => {
    const of = (training: object, world = ten) =>
      paramsOf(privateSteps, 'epsilon-10-norm-10', scenario(training), world)
    expect(await of({})).toMatchObject({ maxNorm: 30, sampleRate: 1, delta: 0.1 / 60 })
    expect(await of({ batchSize: 10, rounds: 1 })).toMatchObject({ sampleRate: 10 / 40, delta: 0.1 / 60 })
    expect(await of({ batchSize: 50 })).toMatchObject({ sampleRate: 1 })
    expect(await paramsOf(privateSteps, 'epsilon-1-norm-1', scenario())).toMatchObject({ maxNorm: 3 })
    const noise = async (training: object, world = ten) => ((await of(training, world)) as { noiseMultiplier: number }).noiseMultiplier // biome-ignore format: a line
    // Twice the rounds or twice the passes are as many steps.
    expect(await noise({ localEpochs: 2 })).toBe(await noise({ rounds: 16 }))
    expect(await noise({ localEpochs: 2 })).toBeGreaterThan(await noise({}))
    expect(await noise({}, around([null, 60]))).toBe(await noise({}, around([60])))
    await expect(of({}, around([null, null]))).rejects.toThrow('it is not known how many records clients have')
  })
})
