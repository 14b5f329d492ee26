import { describe, expect, test } from 'vitest'
import '../audit/catalogue.js'
import { federationOf } from './federation-of.js'
import { loadPools } from './pools.js'
import { seedOf } from './repeats.js'
import { modelName, readWorld, scenarioSchema } from './scenario-schema.js'
import { buildWorld, chooseModel, type World } from './world.js'

const least = { data: { name: 'cps-wages' }, models: [{ kind: 'linear' }] }
const read = (more: object = {}) => readWorld({ ...least, ...more })
const refusal = (more: object): string => {
  try {
    read(more)
  } catch (error) {
    return (error as Error).message
  }
  return 'allowed'
}

describe('a scenario as it is read', () => {
  test('has every default, and its parts in the order in which they are told', () => {
    const scenario = read()
    expect([scenario.name, scenario.training.rounds, scenario.knowledge.targets, scenario.attacks]).toEqual(['scenario', 50, ['0'], 'all']) // biome-ignore format: a line
    const keys = Object.keys(scenario)
    const order = ['seed', 'data', 'partition', 'models', 'training', 'defences', 'knowledge', 'observers', 'attacks']
    expect(keys.filter((key) => order.includes(key))).toEqual(order)
  })

  test('keys and names that are not known are refused', () => {
    expect(refusal({ sed: 1 })).toContain(
      'scenario: unknown key sed (did you mean "seed"?); see "overhear audit --help"',
    )
    expect(refusal({ data: { name: 'cps-wage' } })).toContain('unknown dataset: "cps-wage" (did you mean "cps-wages"?)')
    expect(refusal({ partition: { name: 'idd' } })).toContain('unknown partition: "idd"')
    expect(refusal({ training: { optimizer: { name: 'adm' } } })).toContain('unknown optimizer: "adm"')
    expect(refusal({ models: [] })).toContain('models is a list of 0')
    expect(refusal({ attacks: [] })).toContain('attacks is a list of 0')
    expect(refusal({ attacks: [''] })).not.toBe('allowed')
    expect(read({ attacks: ['a', { id: 'b', params: { x: 1 } }] }).attacks).toEqual(['a', { id: 'b', params: { x: 1 } }]) // biome-ignore format: a line
    expect(read({ attacks: [{ id: 'b' }] }).attacks).toEqual([{ id: 'b', params: {} }])
    expect(refusal({ observers: 'everybody' })).not.toBe('allowed')
  })

  test('names of earlier versions are told by their new ones, with what these take', () => {
    expect(refusal({ training: { weights: 'equal' } })).toBe('scenario: training.weights is now called training.aggregateWeights; it takes samples, one') // biome-ignore format: a line
    for (const training of [null, 5]) expect(refusal({ training })).not.toContain('is now called')
  })

  test('settings of a turn that the rule does not obey are refused, but for null and their defaults', () => {
    expect(refusal({ training: { proxMu: 3 } })).toBe('scenario: training.proxMu is 3, which fedavg does not obey; leave it out, or take fedprox') // biome-ignore format: a line
    expect(refusal({ training: { proxMu: 0.1 } })).toBe('allowed')
    expect(refusal({ training: { algorithm: 'fedprox', proxMu: 3 } })).toBe('allowed')
    expect(refusal({ training: { algorithm: 'fedsgd', batchSize: 16 } })).toContain('training.batchSize is 16, which fedsgd does not obey') // biome-ignore format: a line
    expect(refusal({ training: { algorithm: 'fedsgd', batchSize: null, optimizer: { name: 'sgd', params: {} } } })).toBe('allowed') // biome-ignore format: a line
  })

  test('epochs and steps are one of the two; one epoch is what nobody said', () => {
    expect(refusal({ training: { localEpochs: 3, localSteps: 5 } })).toBe('scenario: training.localEpochs is 3 and localSteps is 5; give one of the two') // biome-ignore format: a line
    expect(refusal({ training: { localEpochs: 2, localSteps: 1 } })).toContain('give one of the two')
    for (const training of [{ localEpochs: 1, localSteps: 5 }, { localEpochs: null, localSteps: 5 }, { localEpochs: 3 }]) expect(refusal({ training })).toBe('allowed') // biome-ignore format: a line
  })

  test('models have the options of their kind, read as what they are', () => {
    expect(read({ models: [{ kind: 'mlp', hidden: '4,2', learningRate: 0.5 }] }).models).toEqual([{ kind: 'mlp', hidden: [4, 2], learningRate: 0.5 }]) // biome-ignore format: a line
    expect(Object.keys(read().models[0]!)).toEqual(['kind'])
    expect(refusal({ models: [{ kind: 'lineer' }] })).toContain('unknown model')
    expect(refusal({ models: [{ kind: 'linear' }, { kind: 'linear', hidden: [3] }] })).toContain('option of models[1], which is linear: "hidden"') // biome-ignore format: a line
    expect(refusal({ models: [{ kind: 'mlp', hidden: [0] }] })).toContain('models[0] (mlp): hidden[0] is 0')
    expect(refusal({ models: [{ kind: 'linear', learningRate: 0 }] })).toContain('models[0].learningRate is 0')
  })

  test('models are named in a few letters, those of one name by their number', () => {
    const models = [{ kind: 'mlp', hidden: [64] }, { kind: 'linear' }, { kind: 'mlp', hidden: [8] }, { kind: 'linear', learningRate: 1 }, { kind: 'linear' }] // biome-ignore format: a list
    expect(models.map((_, k) => modelName({ models }, k))).toEqual([
      'mlp-64',
      'linear',
      'mlp-8',
      'linear#2',
      'linear#3',
    ])
  })

  test('the schema is one while tables stay', () => {
    expect(scenarioSchema()).toBe(scenarioSchema())
  })
})

describe('the federation of a scenario', () => {
  const of = async (training: object, more: object = {}) => {
    const scenario = read({ training, seed: 5 })
    const world = await buildWorld(scenario)
    const choice = chooseModel(scenario.models[0]!, world, scenario.training.learningRate)
    return federationOf(scenario, choice, { misbehaving: scenario.training.misbehaving, repeat: 0, ...more }) as unknown as Record<string, unknown> & { rule: Record<string, unknown> } // biome-ignore format: a line
  }
  test('settings of a turn go to the rule that obeys them, the others beside it', async () => {
    const spec = await of({ rounds: 7, batchSize: 8, dropouts: 0.25, precision: 'f64', sampling: { name: 'fraction', params: { fraction: 0.5 } }, misbehaving: { 1: { name: 'inversion', params: { prob: 0.5 } } } }) // biome-ignore format: a line
    expect(spec).toMatchObject({ rounds: 7, dropouts: 0.25, precision: 'f64', loss: 'mse', seed: 5, sampling: { name: 'fraction', fraction: 0.5 }, misbehaving: { 1: { name: 'inversion', prob: 0.5 } } }) // biome-ignore format: a line
    expect(spec.rule).toMatchObject({ algorithm: 'fedavg', share: 'parameters', batchSize: 8, localEpochs: 1, localSteps: null, momentum: 0 }) // biome-ignore format: a line
    for (const key of ['algorithm', 'share', 'batchSize']) expect(spec).not.toHaveProperty(key)
    for (const key of ['rounds', 'proxMu']) expect(spec.rule).not.toHaveProperty(key)
    expect((await of({ algorithm: 'fedprox', proxMu: 2 })).rule.proxMu).toBe(2)
  })
  test('of steps there are no epochs, and a repeat has its own seed', async () => {
    const { rule, seed } = await of({ localSteps: 3 }, { repeat: 2 })
    expect([rule.localSteps, 'localEpochs' in rule, seed]).toEqual([3, false, seedOf(5, 2)])
  })
})

describe('pools', () => {
  const rowsOf = async (data: object) => {
    const { clients, validation, auxiliary } = await loadPools(read({ data: { name: 'cps-wages', ...data } }))
    return [...clients.flatMap(({ rows }) => [...rows]), ...validation, ...auxiliary]
  }
  test('are of all rows, of so many, or of all where there are no more', async () => {
    const all = await rowsOf({})
    expect(all).toHaveLength(534)
    expect([await rowsOf({ rows: 534 }), await rowsOf({ rows: 600 })]).toEqual([all, all])
    expect(new Set(await rowsOf({ rows: 533 })).size).toBe(533)
    expect(await rowsOf({ rows: 1, auxiliary: 0, validation: 0 }).catch(() => 'too few')).toBe('too few')
  })
  test('know every word that a column may hold, whoever has it, and are encoded once', async () => {
    const pools = await loadPools(read({ data: { name: 'cps-wages', rows: 12, auxiliary: 0, validation: 0 }, partition: { name: 'iid', params: { clients: 2 } } })) // biome-ignore format: a line
    const { levels } = pools.fitted.encoder.rules.find(({ column }) => column === 'occupation')!
    expect(levels).toHaveLength(6)
    expect(pools.encoded()).toBe(pools.encoded())
    const { records, placeOf } = pools.encoded()
    expect([records.features.rows, placeOf.size]).toEqual([12, 12])
    const [first] = pools.clients[0]!.rows
    expect(placeOf.get(first!)).toBe(0)
  })
})

describe('what clients train on', () => {
  const world = (more: object) => buildWorld(read({ partition: { name: 'iid', params: { clients: 3 } }, ...more }))
  /** Each client's own rows, encoded by themselves, are those at its places. */
  const expectAlike = (made: World): void => {
    const { records, places } = made.trained()
    const { cols, data } = records.features
    for (const [k, { rows }] of made.clients.entries()) {
      const own = made.encode(rows).records
      expect(places[k]).toHaveLength(rows.length)
      for (const [i, place] of places[k]!.entries()) {
        expect(data.subarray(place * cols, (place + 1) * cols)).toEqual(own.features.data.subarray(i * cols, (i + 1) * cols)) // biome-ignore format: a line
        expect(records.labels[place]).toBe(own.labels[i])
      }
    }
  }
  const membership = { knowledge: { property: 'membership', holders: ['1', '2'] } }
  test.each([
    [{ heldBack: 0 }, false],
    [{ heldBack: 0.5 }, false],
    [{ heldBack: 0, ...membership }, true],
    [{ heldBack: 0.5, ...membership }, false],
  ])('%j: one set of records with the places of each client', async (more, own) => {
    const made = await world(more)
    expectAlike(made)
    // Where nothing is held back the shared record counts for the encoders as often as it is held.
    const pools = await loadPools(read({ partition: { name: 'iid', params: { clients: 3 } }, ...more }))
    expect(JSON.stringify(made.fitted) !== JSON.stringify(pools.fitted)).toBe(own)
  })
  test('is the first repeat unless told', async () => {
    const scenario = read()
    const [plain, first, second] = [await buildWorld(scenario), await buildWorld(scenario, undefined, { repeat: 0 }), await buildWorld(scenario, undefined, { repeat: 1 })] // biome-ignore format: a line
    const rows = ({ clients }: World) => clients.map(({ rows: own }) => own.join())
    expect([rows(plain), plain.repeat, second.repeat]).toEqual([rows(first), 0, 1])
    expect(rows(second)).not.toEqual(rows(plain))
  })
})
