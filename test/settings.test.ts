import { describe, expect, test } from 'vitest'
import { readScenario } from '../src/audit/read-scenario.js'
import { localRules } from '../src/federation/local-rules/index.js'
import type { LocalRule } from '../src/federation/local-rules/local-rule.js'
import { manifestFor } from '../src/federation/manifest-for.js'
import { settle } from '../src/federation/spec.js'
import { parametersOf } from '../src/models/index.js'
import { federationOf, populationOf } from '../src/scenario/federation-of.js'
import { buildWorld, chooseModel } from '../src/scenario/world.js'
import { settingsIn } from '../src/settings/index.js'
import { withSettings } from '../src/settings/set-by-text.js'
import type { Setting } from '../src/settings/setting.js'
import { manifestOf } from '../src/transcript/manifest.js'

const least = { data: { name: 'toy-least-squares', params: { recordsPerClient: 6 } }, models: [{ kind: 'linear' }] }

/** Something else than the default that is allowed, and the rule under which it is obeyed. */
const others: Readonly<Record<string, { readonly value: unknown; readonly beside?: object; readonly told?: object }>> =
  {
    algorithm: { value: 'fedprox' },
    share: { value: 'delta' },
    rounds: { value: 3 },
    learningRate: { value: 0.02 },
    localEpochs: { value: 4 },
    localSteps: { value: 7 },
    batchSize: { value: null },
    shuffle: { value: 'never' },
    dropLast: { value: true },
    optimizer: {
      value: { name: 'adam', params: { beta1: 0.8 } },
      told: { name: 'adam', beta1: 0.8, beta2: 0.999, tiny: 1e-8 },
    },
    momentum: { value: 0.5 },
    weightDecay: { value: 0.01 },
    clipNorm: { value: 2 },
    schedule: { value: { name: 'step', params: { every: 3 } }, told: { kind: 'step', every: 3, factor: 0.5 } },
    compression: { value: { name: 'top-k', params: { share: 0.2 } }, told: { kind: 'top-k', share: 0.2 } },
    proxMu: { value: 2, beside: { algorithm: 'fedprox' } },
    lossScale: { value: 0.5 },
    aggregateWeights: { value: 'one' },
    sampling: { value: { name: 'fraction', params: { fraction: 0.5 } } },
    dropouts: { value: 0.25 },
    misbehaving: { value: { 1: { name: 'inversion', params: { prob: 0.5 } } } },
    precision: { value: 'f64' },
    initialiser: { value: 'zeros' },
  }

async function everywhere(training: object) {
  const scenario = readScenario({ ...least, training })
  const world = await buildWorld(scenario)
  const spec = federationOf(scenario, chooseModel(scenario.models[0]!, world, scenario.training.learningRate), world)
  const settled = settle(spec)
  const manifest = manifestFor(spec, populationOf(world))
  const { value } = await manifestOf(JSON.parse(JSON.stringify({ ...manifest, rounds: [] })), parametersOf)
  return { scenario, settled, manifest, read: value.protocol as Readonly<Record<string, unknown>> }
}

describe.each(Object.entries(settingsIn('training')))('training.%s', (key, setting: Setting) => {
  const { value, beside = {}, told: manifested = value } = others[key]!

  test('means the same in a scenario, in the federation and in the manifest', async () => {
    const { scenario, settled, manifest, read } = await everywhere({ ...beside, [key]: value })
    expect((scenario.training as Readonly<Record<string, unknown>>)[key]).toEqual(value)
    const told = manifest.protocol as Readonly<Record<string, unknown>>
    if (key === 'sampling') expect(settled.sampling.entry.id).toBe('fraction')
    else if (setting.value.kind === 'by client') expect(settled.misbehaving.get('1')).toMatchObject({ prob: 0.5 })
    else expect(settled.settings[key]).toEqual(value)
    if (setting.manifest === undefined) expect(told).not.toHaveProperty(key)
    else expect([told[setting.manifest.key], read[setting.manifest.key]]).toEqual([manifested, manifested])
  })

  test('has one default', async () => {
    const { scenario, settled } = await everywhere(beside)
    expect((scenario.training as Readonly<Record<string, unknown>>)[key]).toEqual(
      Object.hasOwn(beside, key) ? (beside as Record<string, unknown>)[key] : setting.value.default,
    )
    if (key === 'sampling' || setting.value.kind === 'by client') return
    expect(settled.settings[key]).toEqual(setting.value.default)
  })

  test('refuses what is not allowed, and says so', () => {
    expect(() => readScenario({ ...least, training: { [key]: { nonsense: 1 } } })).toThrow(key)
  })
})

test('every setting of a training has its example, and none is left over', () => {
  expect(Object.keys(others).sort()).toEqual(Object.keys(settingsIn('training')).sort())
})

test('a spec that leaves a setting out has the default of a scenario', () => {
  const spec = { model: { kind: 'linear', inputs: 2, outputs: 1 }, seed: 1, rounds: 50 } as const
  const { settings } = settle({ ...spec, rule: { algorithm: 'fedprox', learningRate: 0.01 } })
  const { training } = readScenario({ ...least, training: { algorithm: 'fedprox' } })
  const { sampling: _, misbehaving: __, ...plain } = training
  expect(settings).toEqual(plain)
})

describe('local rules', () => {
  test.each(Object.values<LocalRule>(localRules))('$id obeys settings that there are', ({ obeys }) => {
    const known = settingsIn('training')
    for (const key of obeys) expect(known[key]).toMatchObject({ turn: true })
  })
  test('every setting of a turn is obeyed by one', () => {
    const obeyed = new Set(Object.values<LocalRule>(localRules).flatMap(({ obeys }) => [...obeys]))
    const turns = Object.entries(settingsIn('training')).filter(([, { turn }]) => turn === true)
    expect(turns.map(([key]) => key).filter((key) => !obeyed.has(key))).toEqual([])
  })
})

describe('what would do nothing is refused', () => {
  test.each([
    [
      { algorithm: 'fedsgd', batchSize: 16 },
      'training.batchSize is 16, which fedsgd does not obey; leave it out, or take',
    ],
    [{ proxMu: 3 }, 'training.proxMu is 3, which fedavg does not obey; leave it out, or take fedprox'],
    [{ localEpochs: 3, localSteps: 5 }, 'training.localEpochs is 3 and localSteps is 5; give one of the two'],
  ])('%j', (training, words) => {
    expect(() => readScenario({ ...least, training })).toThrow(words)
  })
  test('its default and null may stand there', () => {
    expect(readScenario({ ...least, training: { algorithm: 'fedsgd', batchSize: null, momentum: 0 } })).toBeDefined()
  })
})

describe('keys of 0.1.0', () => {
  test('are errors that name the new one', () => {
    expect(() => readScenario({ ...least, training: { weights: 'equal' } })).toThrow(
      'scenario: training.weights is now called training.aggregateWeights; it takes samples, one',
    )
  })
})

describe('settings given as text', () => {
  test.each([
    ['training.rounds', '7', { training: { rounds: 7 } }],
    ['training.batchSize', 'null', { training: { batchSize: null } }],
    ['training.sampling', 'fraction', { training: { sampling: { name: 'fraction', params: {} } } }],
    ['training.sampling', '{"name":"fraction"}', { training: { sampling: { name: 'fraction', params: {} } } }],
    ['knowledge.targets', '0,1', { knowledge: { targets: ['0', '1'] } }],
    ['knowledge.targets', 'all', { knowledge: { targets: 'all' } }],
    ['knowledge.sensitive', 'coin', { knowledge: { sensitive: ['coin'] } }],
    ['controls', 'false', { controls: false }],
  ])('%s=%s', (id, text, expected) => {
    const changed = withSettings(least, { [id]: text })
    expect(changed).toEqual({ ...least, ...expected })
    expect(readScenario(changed)).toMatchObject(expected)
  })
  test.each([
    ['training.round', '7', 'unknown setting: "training.round" (did you mean "training.rounds"?)'],
    ['training.rounds', 'many', 'training.rounds is "many"; a whole number from 0 is needed'],
    ['training.sampling', '{', 'JSON is needed for what has parts'],
    ['training.sampling', 'fractoin', 'unknown sampling: "fractoin" (did you mean "fraction"?)'],
    ['defences', '{"name":"dp-sgd"}', 'a list is needed'],
  ])('%s=%s is refused', (id, text, words) => {
    expect(() => withSettings(least, { [id]: text })).toThrow(words)
  })
})
