import { describe, expect, test } from 'vitest'
import { simulatedSources } from '../../test/simulated-sources.js'
import { parametersOf } from '../models/index.js'
import type { ScenarioInput } from '../scenario/scenario-schema.js'
import { manifestOf } from '../transcript/manifest.js'
import { statedProtocol } from './stated-protocol.js'

const least = (training: object, states: object): ScenarioInput => ({
  heldBack: 0,
  data: { name: 'toy-least-squares', params: { recordsPerClient: 6 } },
  models: [{ kind: 'linear' }],
  training: { rounds: 3, learningRate: 0.1, ...training },
  knowledge: { states: states as never },
})
const real = {
  optimizer: { name: 'adam' },
  weightDecay: 0.5,
  schedule: { name: 'exponential', params: { factor: 0.5 } },
}

describe('a recording that states something else', () => {
  test('says so, and the truth says what was', async () => {
    const states = { optimizer: 'sgd', learningRate: 0.2, weightDecay: null, clipNorm: 'unknown', dropLast: true }
    const { sources, truth } = await simulatedSources(least(real, states))
    const { protocol } = sources.transcript.manifest
    expect(protocol).toMatchObject({ optimizer: { name: 'sgd' }, learningRate: 0.2, dropLast: true })
    expect(protocol).not.toHaveProperty('weightDecay')
    expect(protocol).not.toHaveProperty('clipNorm')
    // Rates of rounds would tell what is hidden.
    expect(sources.transcript.rounds().map(({ learningRate }) => learningRate)).toEqual([null, null, null])
    expect(truth.protocol).toMatchObject({ learningRate: 0.1, weightDecay: 0.5, clipNorm: null, dropLast: false })
    expect(truth.protocol!.optimizer).toMatchObject({ name: 'adam', beta1: 0.9 })
  })
  test('changes no message', async () => {
    const models = await Promise.all(
      [{}, { optimizer: 'sgd', learningRate: 0.2 }].map(async (states) => {
        const { sources } = await simulatedSources(least(real, states))
        return (await sources.transcript.readRound(2)).global
      }),
    )
    expect(models[0]).toEqual(models[1])
  })
  test('rounds carry their rates by a schedule that is stated', async () => {
    const { sources } = await simulatedSources(least(real, {}))
    expect(sources.transcript.rounds().map(({ learningRate }) => learningRate)).toEqual([0.1, 0.05, 0.025])
    expect(sources.transcript.manifest.protocol.schedule).toEqual({ kind: 'exponential', factor: 0.5 })
  })
  test('null, a name, and an entry with parameters as a scenario has it', () => {
    const said = (states: object) => statedProtocol({ share: 'delta', learningRate: 0.1 }, states as never)
    expect(said({ learningRate: null })).toEqual({ share: 'delta', learningRate: null })
    expect(said({ learningRate: 'unknown' })).toEqual({ share: 'delta', learningRate: null })
    expect(said({ clipNorm: null })).toMatchObject({ clipNorm: null })
    expect(said({ compression: null, schedule: null })).toMatchObject({ compression: null, schedule: null })
    expect(said({ optimizer: null })).toEqual(said({ optimizer: 'unknown' }))
    expect(said({ compression: { name: 'top-k', params: { share: 0.1 } } })).toMatchObject({
      compression: { kind: 'top-k', share: 0.1 },
    })
    expect(said({ compression: { kind: 'top-k', share: 0.2 } })).toMatchObject({
      compression: { kind: 'top-k', share: 0.2 },
    })
  })
  test('an unknown key, or a share that nobody could read, is refused', async () => {
    const refused = (states: object) => expect(simulatedSources(least({}, states))).rejects
    await refused({ optimiser: 'sgd' }).toThrow('did you mean "optimizer"?')
    await refused({ share: 'delta' }).toThrow('share')
    expect(() => statedProtocol({ share: 'delta' }, { optimizer: 3 })).toThrow('knowledge.states holds 3')
  })
})

describe('what a recording does not say', () => {
  const read = async (tool: string, protocol: object) =>
    (
      await manifestOf(
        {
          format: 'overhear-transcript/1',
          source: { tool },
          model: { kind: 'linear', inputs: 1, outputs: 1 },
          loss: 'mse',
          protocol: { share: 'delta', ...protocol },
          clients: [{ id: '0' }],
          rounds: [],
        },
        parametersOf,
      )
    ).value.protocol
  const keys = ['optimizer', 'weightDecay', 'clipNorm', 'dropLast', 'compression', 'schedule'] as const
  test("is unknown in other people's, and the default in ours", async () => {
    const [theirs, ours] = [await read('flower', {}), await read('overhear', {})]
    for (const key of keys) expect(theirs).not.toHaveProperty(key)
    expect(keys.map((key) => ours[key])).toEqual([{ name: 'sgd' }, 0, null, false, null, null])
  })
  test('null says that there is none, of an optimizer that it is unknown', async () => {
    const said = await read('flower', { optimizer: null, clipNorm: null, compression: null, schedule: null })
    expect(said).not.toHaveProperty('optimizer')
    expect([said.clipNorm, said.compression, said.schedule]).toEqual([null, null, null])
    expect(await read('overhear', { weightDecay: 'unknown' })).not.toHaveProperty('weightDecay')
  })
  test('anything may have another name, and must have one', async () => {
    expect((await read('flower', { optimizer: { name: 'lion', beta: 0.9 } })).optimizer).toEqual({
      name: 'lion',
      beta: 0.9,
    })
    await expect(read('flower', { optimizer: { lr: 1 } })).rejects.toThrow('optimizer')
    await expect(read('flower', { compression: { name: 'top-k' } })).rejects.toThrow('compression')
  })
})
