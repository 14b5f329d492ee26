import { describe, expect, test } from 'vitest'
import { gaussianEpsilon } from '../../accounting/analytic-gaussian.js'
import { epsilonBounds } from '../../accounting/loss-bounds.js'
import type { Privacy } from '../../transcript/manifest.js'
import { readScenario } from '../read-scenario.js'
import { scenarioSetup } from './scenario-setup.js'
import { type Setup, stepsOfTurn } from './setup.js'
import { clientSteps, clientsSpent } from './spent.js'
import { beside, boundsText, meaning } from './spent-words.js'

const privacy: Privacy = { mechanism: 'dp-sgd', maxNorm: 1, noiseMultiplier: 1.2, sampleRate: null, delta: 1e-5 }
const setup = (more: Partial<Setup> = {}, dp: Partial<Privacy> = {}): Setup => ({
  from: 'transcript',
  clients: [{ id: 'a', records: 70, turns: 6 }],
  rounds: 10,
  participants: null,
  privacy: { ...privacy, ...dp },
  secureAggregation: false,
  batchSize: 32,
  localEpochs: 2,
  localSteps: null,
  dropLast: false,
  share: 'parameters',
  model: { kind: 'linear', parameters: 4 },
  loss: 'mse',
  raw: {},
  ...more,
})
const steps = (one: Setup) => clientSteps(one, one.clients[0]!)

describe('what a client goes through', () => {
  test('Poisson batches: every local step of every turn, at the rate that is stated', () => {
    const { mechanism, neighbours } = steps(setup({}, { sampleRate: 0.1 }))
    expect(mechanism).toEqual({ kind: 'gaussian', noiseMultiplier: 1.2, sampleRate: 0.1, steps: 6 * 2 * 3 })
    expect(neighbours).toBe('add-remove')
  })

  test('batches of a shuffled order: once an epoch, without the benefit of sampling, one record replaced', () => {
    const { mechanism, neighbours } = steps(setup())
    expect(mechanism).toMatchObject({ sampleRate: 1, steps: 12 })
    expect(neighbours).toBe('replace')
    expect(steps(setup({ localEpochs: null, localSteps: 5 })).mechanism).toMatchObject({ steps: 6 * 3 })
  })

  test('batches of fixed size, all records, whole clients', () => {
    const fixed = steps(setup({}, { sampling: 'fixed' }))
    expect(fixed.mechanism).toMatchObject({ kind: 'fixed-size', sampleRate: 32 / 70, steps: 36 })
    const whole = steps(setup({ batchSize: null }))
    expect(whole.mechanism).toMatchObject({ kind: 'gaussian', sampleRate: 1, steps: 12 })
    expect(whole.neighbours).toBe('add-remove')
    expect(steps(setup({}, { unit: 'client' })).mechanism).toMatchObject({ sampleRate: 1, steps: 6 })
    const sampled = steps(setup({}, { unit: 'client', sampling: 'poisson', sampleRate: 0.2 }))
    expect(sampled.mechanism).toMatchObject({ sampleRate: 0.2, steps: 10 })
  })

  test('noise that clients share: a bound by Rényi divergences, a little above that of a Gaussian, and none below', () => {
    const shared = setup({}, { mechanism: 'distributed-dp', unit: 'client' })
    expect(steps(shared)).toMatchObject({ rounded: 0.01, mechanism: { sampleRate: 1, steps: 6 } })
    const [one] = clientsSpent(shared)
    const [gaussian] = clientsSpent(setup({}, { mechanism: 'central-dp', unit: 'client' }))
    expect(one!.epsilon.lower).toBe(0)
    expect(one!.epsilon.upper).toBe(one!.renyi!.epsilon)
    expect(one!.epsilon.upper / gaussian!.renyi!.epsilon).toBeGreaterThan(1.009)
    expect(one!.epsilon.upper / gaussian!.renyi!.epsilon).toBeLessThan(1.03)
    // Bounds on the advantage by the divergence: above the Gaussian's, and below 1.
    expect(one!.advantage).toBeGreaterThan(gaussian!.advantage)
    expect(one!.advantage).toBeLessThan(1)
  })

  test('steps of a turn', () => {
    const turn = { batchSize: 32, localEpochs: 2, localSteps: null, dropLast: true }
    expect(stepsOfTurn(turn, 70)).toBe(4)
    expect(stepsOfTurn({ ...turn, dropLast: false }, 20)).toBe(2)
    expect(stepsOfTurn(turn, null)).toBe(null)
    expect(stepsOfTurn({ ...turn, batchSize: null }, null)).toBe(2)
  })

  test('what is missing is said', () => {
    expect(() => steps(setup({ privacy: null }))).toThrow('no differential privacy is stated; without noise')
    expect(() => steps(setup({}, { noiseMultiplier: 0 }))).toThrow('the noise multiplier is 0')
    expect(() => steps(setup({}, { maxNorm: null }))).toThrow('no clipping norm')
    expect(() => steps(setup({ clients: [{ id: 'a', records: null, turns: 1 }] }))).toThrow('records client a has')
    expect(() => clientsSpent(setup({}, { delta: null }))).toThrow('delta is not stated; give --delta')
  })
})

test('running sums of a tree: one Gaussian step, as far as a client moves all nodes', () => {
  const participants = [['a'], ['b'], [], ['a', 'b'], ['b']]
  const clients = ['a', 'b', 'c'].map((id) => ({ id, records: 70, turns: 2 }))
  const tree = setup({ clients, participants }, { mechanism: 'dp-ftrl', unit: 'client', noiseMultiplier: 3 })
  // Rounds 1 to 4: a in 1 and 3 (nodes 1, 1-2, 3, 1-4), b in 2 and 3 and 4 (1-2, 3, 1-4), c in none.
  const [a, b, c] = clients.map((client) => clientSteps(tree, client).mechanism)
  expect(a).toMatchObject({ noiseMultiplier: 3 / Math.sqrt(1 + 1 + 1 + 4), sampleRate: 1, steps: 1 })
  expect(b).toMatchObject({ noiseMultiplier: 3 / Math.sqrt(1 + 1 + 9), steps: 1 })
  expect(c).toMatchObject({ steps: 0 })
  const drawn = clientSteps({ ...tree, participants: null, rounds: 4 }, clients[0]!)
  expect(drawn.mechanism).toMatchObject({ noiseMultiplier: 3 / Math.sqrt(1 + 4 + 1 + 16) })
  expect(drawn.batches).toBe('running sums of a tree, 4 turns in 4 rounds')
})

test('clients by their own participation, the one who spends most first', () => {
  const clients = [
    { id: 'a', records: 70, turns: 1 },
    { id: 'b', records: 70, turns: 9 },
    { id: 'c', records: 70, turns: 0 },
  ]
  const spent = clientsSpent(setup({ clients, batchSize: null, localEpochs: 1 }))
  expect(spent.map(({ client }) => client)).toEqual(['b', 'a', 'c'])
  expect(spent[0]!.epsilon.upper).toBeCloseTo(gaussianEpsilon(3 / 1.2, 1e-5), 8)
  expect(spent[2]!.epsilon).toEqual({ lower: 0, upper: 0 })
})

test('a scenario: its records, its rounds', async () => {
  const scenario = readScenario({
    data: { name: 'cps-wages' },
    partition: { name: 'iid', params: { clients: 3 } },
    models: [{ kind: 'linear' }],
    training: { rounds: 5, batchSize: 16 },
    defences: [{ name: 'dp-sgd', params: { noiseMultiplier: 1.5, sampleRate: 0.1, delta: 1e-4 } }],
  })
  const one = await scenarioSetup(scenario, { raw: {} })
  expect(one.clients).toHaveLength(3)
  expect(one.model.parameters).toBe(16)
  const [spent] = clientsSpent(one)
  const perTurn = Math.ceil(one.clients[0]!.records! / 16)
  const exact = epsilonBounds([{ kind: 'gaussian', noiseMultiplier: 1.5, sampleRate: 0.1, steps: 5 * perTurn }], 1e-4)
  expect(spent!.epsilon.upper).toBeGreaterThanOrEqual(exact.lower)
  expect(spent!.epsilon.lower).toBeLessThanOrEqual(exact.upper)
})

test('words: bounds rounded outwards, an advantage as a sentence, a broken mechanism first', () => {
  expect(boundsText({ lower: 1.23456, upper: 1.23451 })).toBe('1.2345 to 1.2346')
  const spent = {
    neighbours: 'replace',
    delta: 1e-5,
    epsilon: { lower: 1, upper: 1 },
    renyi: null,
    advantage: 0.1234,
  } as const
  expect(meaning(spent, 'client')).toContain('which of two values a client had')
  expect(meaning(spent, 'client')).toContain('at most 12.4 percentage points')
  expect(beside(2, { lower: 1.8, upper: 1.9 })).toMatchObject({ broken: true })
  expect(beside(1.85, { lower: 1.8, upper: 1.9 })).toMatchObject({ broken: false })
  expect(beside(2, { lower: 1.8, upper: 1.9 }).sentence).toMatch(/^BROKEN: .* 2, .*1\.9 at most/)
})
