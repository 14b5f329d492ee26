import { expect, test } from 'vitest'
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import { memoryPorts } from '../memory-ports.js'
import { readScenario } from '../read-scenario.js'
import { measuredEpsilon } from './measured.js'
import { scenarioSetup } from './scenario-setup.js'
import { clientsSpent } from './spent.js'
import { beside } from './spent-words.js'

const world: ScenarioInput = {
  name: 'measured',
  seed: 3,
  data: { name: 'cps-wages', params: { wage: 'log' }, validation: 0.1, auxiliary: 0 },
  partition: { name: 'iid', params: { clients: 3 } },
  models: [{ kind: 'linear' }],
  training: { rounds: 4, localEpochs: 1, batchSize: null, learningRate: 0.01 },
}
const { files } = memoryPorts()

async function measured(defences: ScenarioInput['defences'], more: object = {}) {
  const scenario = readScenario({ ...world, ...(defences && { defences }) })
  const setup = await scenarioSetup(scenario, { files, raw: {} })
  const found = await measuredEpsilon(scenario, setup, { files, canaries: 200, confidence: 0.95, seed: 5, ...more })
  return { found, setup }
}

test("a scenario's own training is measured, beside what is accounted for the client as it trained", async () => {
  const params = { maxNorm: 1, noiseMultiplier: 1, sampleRate: 0.5, delta: 1e-6 }
  const { found, setup } = await measured([{ name: 'dp-sgd', params }])
  const [planned] = clientsSpent(setup)
  expect(found).toMatchObject({ unit: 'record', canaries: 200, confidence: 0.95 })
  expect(found.epsilon).toBeGreaterThan(0.2)
  expect(found.epsilon).toBeLessThanOrEqual(found.accounted.epsilon.upper)
  // The number of steps hangs on no number of records here.
  expect(found.accounted.epsilon).toEqual(planned!.epsilon)
  expect(beside(found.epsilon, found.accounted.epsilon).broken).toBe(false)
})

test('clients are the canaries where a client is what is protected', async () => {
  const params = { maxNorm: 1, noiseMultiplier: 0.7, delta: 1e-6 }
  const { found } = await measured([{ name: 'local-dp', params }])
  expect(found.unit).toBe('client')
  expect(found.epsilon).toBeGreaterThan(0.5)
  expect(found.epsilon).toBeLessThanOrEqual(found.accounted.epsilon.upper)
})

test('where nothing is promised, or updates stay with the clients, there is nothing to measure', async () => {
  await expect(measured([])).rejects.toThrow(/delta is not stated/)
  await expect(measured([], { delta: 1e-5 })).rejects.toThrow(/no differential privacy is stated/)
  await expect(measured([{ name: 'secure-aggregation' }])).rejects.toThrow(/canaries under secure aggregation/)
})
