import { describe, expect, test } from 'vitest'
import { createDefence } from '../../defences/index.js'
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import { memoryPorts } from '../memory-ports.js'
import { readScenario } from '../read-scenario.js'
import { withNoise } from './calibrated-noise.js'
import { scenarioSetup } from './scenario-setup.js'
import { clientsSpent } from './spent.js'

const { files } = memoryPorts()
const world = (params: Readonly<Record<string, unknown>>, training: ScenarioInput['training'] = {}) =>
  readScenario({
    name: 'target',
    seed: 5,
    data: { name: 'cps-wages', params: { wage: 'log' }, auxiliary: 0 },
    partition: { name: 'heterogeneous', params: { clients: 4, heterogeneity: 0.4, attribute: 'union' } },
    models: [{ kind: 'linear' }],
    training: { rounds: 7, localEpochs: 2, batchSize: 16, learningRate: 0.01, ...training },
    defences: [{ name: 'dp-sgd', params: { maxNorm: 0.7, delta: 3e-6, ...params } }],
  })
const spentIn = async (scenario: ReturnType<typeof world>) =>
  clientsSpent(await scenarioSetup(scenario, { files, raw: {} }))

describe('noise that a target epsilon asks for', () => {
  test.each([
    ['Poisson batches', { epsilon: 2.3, sampleRate: 0.2 }, {}],
    ['all records in every step', { epsilon: 0.7 }, { batchSize: null, localEpochs: 3 }],
    ['a shuffled order', { epsilon: 4 }, {}],
    ['so many steps a turn', { epsilon: 1.1, sampleRate: 0.35 }, { localEpochs: null, localSteps: 9 }],
  ])('%s: the client that spends most keeps to it, and less noise would not do', async (_, params, training) => {
    const made = await withNoise(world({ ...params, noiseMultiplier: null }, training), files)
    const { noiseMultiplier } = made.defences[0]!.params as { noiseMultiplier: number }
    const clients = await spentIn(made)
    expect(clients).toHaveLength(4)
    for (const { epsilon } of clients) expect(epsilon.upper).toBeLessThanOrEqual(params.epsilon * (1 + 1e-6))
    expect(clients[0]!.epsilon.upper).toBeGreaterThan(params.epsilon - 2e-3)
    const [worst] = await spentIn(world({ ...params, noiseMultiplier: 0.99 * noiseMultiplier }, training))
    expect(worst!.epsilon.lower).toBeGreaterThan(params.epsilon)
  })

  test('it is claimed in the recording, with who accounts for what', async () => {
    const made = await withNoise(world({ epsilon: 2, noiseMultiplier: null, sampleRate: 0.2 }), files)
    const { privacy } = await scenarioSetup(made, { files, raw: {} })
    expect(privacy).toMatchObject({
      epsilon: 2,
      unit: 'record',
      sampling: 'poisson',
      neighbours: 'add-remove',
      accountant: 'privacy-losses',
    })
    const { privacy: plain } = await scenarioSetup(world({}), { files, raw: {} })
    expect(plain).not.toHaveProperty('epsilon')
    expect(plain).not.toHaveProperty('sampling')
  })

  test('a figure that is given stays, and nothing is invented where neither is', async () => {
    const given = world({ epsilon: 2, noiseMultiplier: 0.5 })
    expect(await withNoise(given, files)).toBe(given)
    await expect(withNoise(world({ noiseMultiplier: null }), files)).rejects.toThrow(
      'dp-sgd has neither a noiseMultiplier nor an epsilon',
    )
    await expect(withNoise(world({ noiseMultiplier: null, epsilon: 1, delta: 0 }), files)).rejects.toThrow('at delta 0')
    expect(() => createDefence({ name: 'dp-sgd', noiseMultiplier: null, epsilon: 1 })).toThrow('not computed yet')
  })
})
