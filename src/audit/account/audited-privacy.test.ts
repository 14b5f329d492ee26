import { expect, test } from 'vitest'
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import { memoryPorts } from '../memory-ports.js'
import { readScenario } from '../read-scenario.js'
import { privacyFacts, recordedPrivacy, scenarioPrivacy } from './audited-privacy.js'
import { scenarioSetup } from './scenario-setup.js'

const { files } = memoryPorts()
const noisy = { name: 'dp-sgd', params: { maxNorm: 1, noiseMultiplier: 1, sampleRate: 0.5, delta: 1e-6 } }
const world = (more: Partial<ScenarioInput>) =>
  readScenario({
    name: 'privacy',
    seed: 3,
    data: { name: 'cps-wages', params: { wage: 'log' }, validation: 0.1, auxiliary: 0 },
    partition: { name: 'iid', params: { clients: 3 } },
    models: [{ kind: 'linear' }],
    training: { rounds: 4, localEpochs: 1, batchSize: null, learningRate: 0.01 },
    ...more,
  })
const setupOf = (more: Partial<ScenarioInput>) => scenarioSetup(world(more), { files, raw: {} })

test('what is claimed and accounted for, of the client who spends most', async () => {
  expect(privacyFacts(await setupOf({}))).toBeUndefined()
  const facts = privacyFacts(await setupOf({ defences: [noisy] }))!
  expect(facts.means).toContain(`at most ${Math.ceil(1000 * facts.advantage! - 1e-6) / 10} percentage points`)
  expect(facts).toMatchObject({ mechanism: 'dp-sgd', unit: 'record', delta: 1e-6, clients: [3, 3] })
  expect(facts.accounted!.lower).toBeGreaterThan(1)
  expect(facts.accounted!.upper).toBeGreaterThanOrEqual(facts.accounted!.lower)
  expect(facts.accounted!.upper).toBeLessThan(20)
  const setup = await setupOf({ defences: [noisy] })
  // The one who takes part most often; of more kinds of clients than are computed, so many are counted.
  const unlike = Array.from({ length: 20 }, (_, k) => ({ id: `c${k}`, records: 50 + k, turns: 1 + (k % 4) }))
  const many = privacyFacts({ ...setup, clients: unlike })!
  expect(many.clients).toEqual([12, 20])
  expect(many.accounted!.upper).toBeGreaterThan(privacyFacts({ ...setup, clients: [unlike[0]!] })!.accounted!.upper)
  expect(privacyFacts({ ...setup, clients: [] })).toMatchObject({ accounted: null, why: 'there are no clients' })
})

test('canaries in one more training say what the noise lets through at least, and it is kept beside the rest', async () => {
  expect(await scenarioPrivacy(world({}), files)).toBeUndefined()
  const { empirical, accounted, notMeasured } = (await scenarioPrivacy(world({ defences: [noisy] }), files))!
  expect(notMeasured).toBeUndefined()
  expect(empirical).toMatchObject({ canaries: 300, confidence: 0.95 })
  expect(empirical!.epsilon).toBeGreaterThan(0.2)
  expect(empirical!.epsilon).toBeLessThanOrEqual(accounted!.upper)
})

test('why nothing is measured is said', async () => {
  const without = await scenarioPrivacy(world({ defences: [noisy], controls: false }), files)
  expect(without).toMatchObject({ notMeasured: 'the scenario asks for no controls' })
  const local = { name: 'local-dp', params: { maxNorm: 1, noiseMultiplier: 1, delta: 1e-6 } }
  const hidden = await scenarioPrivacy(world({ defences: [local, { name: 'secure-aggregation' }] }), files)
  expect(hidden?.notMeasured).toContain('canaries under secure aggregation')
  expect(recordedPrivacy(await setupOf({ defences: [noisy] }))?.notMeasured).toContain('recording')
})
