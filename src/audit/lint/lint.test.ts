import { expect, test } from 'vitest'
import { clients, faulty, recording, sound } from '../../../test/lint-corpus.js'
import { parametersOf } from '../../models/index.js'
import { openTranscript } from '../../transcript/read-transcript.js'
import { memoryStore } from '../../transcript/store.js'
import { recordedSetup } from '../account/recorded-setup.js'
import { scenarioSetup } from '../account/scenario-setup.js'
import { readScenario } from '../read-scenario.js'
import { lint, lintRules, pathOf } from './index.js'

async function setupOf(manifest: Record<string, unknown>) {
  const text = JSON.stringify(manifest)
  const store = memoryStore(new Map([['transcript.json', new TextEncoder().encode(text)]]))
  return recordedSetup(await openTranscript(store, { parametersOf }), JSON.parse(text) as Record<string, unknown>)
}

test.each(faulty)('$code: $name', async ({ code, manifest }) => {
  const findings = lint(await setupOf(manifest))
  expect(findings.map((one) => one.code)).toContain(code)
  for (const { evidence, fix, doc } of findings) {
    expect(evidence.length).toBeGreaterThan(10)
    expect(fix.length).toBeGreaterThan(10)
    expect(doc).toMatch(/^docs\/lint\.md#oh\d+-/)
  }
})

test.each(sound)('nothing is said of: $name', async ({ manifest }) => {
  expect(lint(await setupOf(manifest)).map(({ code, evidence }) => `${code} ${evidence}`)).toEqual([])
})

test.each([1, 5, 50])(
  'a client of one record is in the open after %d steps: more of them are no advice',
  async (localSteps) => {
    const manifest = recording({
      clients: [...clients(7), { id: 'h', samples: 1 }],
      protocol: { batchSize: null, localEpochs: null, localSteps },
    })
    const found = lint(await setupOf(manifest)).filter(({ code }) => code === 'OH301')
    expect(found).toHaveLength(1)
    expect(found[0]!.fix).not.toMatch(/steps|epochs/)
  },
)

test('every rule but those about scenarios has a fault in the corpus; codes and names are used once', () => {
  const tried = new Set(faulty.map(({ code }) => code))
  expect(lintRules.filter(({ code }) => !tried.has(code)).map(({ code }) => code)).toEqual(['OH304'])
  expect(new Set(lintRules.flatMap(({ code, id }) => [code, id])).size).toBe(2 * lintRules.length)
})

test('scenarios: what they say, and where it stands in them', async () => {
  const raw = {
    data: { name: 'cps-wages' },
    partition: { name: 'iid', params: { clients: 3 } },
    models: [{ kind: 'linear' }],
    heldBack: 0,
    training: { rounds: 20, batchSize: null },
    defences: [{ name: 'secure-aggregation' }, { name: 'dp-sgd', params: { noiseMultiplier: 0 } }],
  }
  const setup = await scenarioSetup(readScenario(raw), { raw })
  const findings = lint(setup)
  expect(findings.map(({ code }) => code).sort()).toEqual(['OH108', 'OH203', 'OH304'])
  const paths = Object.fromEntries(findings.map((one) => [one.code, pathOf(one, setup).join('.')]))
  expect(paths).toEqual({ OH108: 'defences.1.params.noiseMultiplier', OH203: 'defences.0', OH304: 'heldBack' })
  const open = { ...raw, heldBack: 0.5, defences: [] }
  const [found] = lint(await scenarioSetup(readScenario(open), { raw: open }))
  expect(found).toMatchObject({ code: 'OH302', severity: 'error' })
  expect(found!.evidence).toContain('20 messages over 16 parameters')
})
