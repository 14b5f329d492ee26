import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { modelName } from '../scenario/scenario-schema.js'
import { readScenario, scenarioJsonSchema } from './read-scenario.js'

const least = { data: { name: 'cps-wages' }, models: [{ kind: 'linear' }] }

describe('a scenario', () => {
  test('needs data and models; the rest has defaults', () => {
    expect(readScenario(least)).toEqual({
      name: 'scenario',
      seed: 1,
      repeats: null,
      heldBack: 0.5,
      plugins: [],
      models: [{ kind: 'linear' }],
      data: { name: 'cps-wages', params: {}, rows: null, validation: 0.1, auxiliary: 0.1 },
      partition: { name: 'iid', params: {} },
      training: {
        algorithm: 'fedavg',
        share: 'parameters',
        rounds: 50,
        learningRate: 0.01,
        localEpochs: 1,
        localSteps: null,
        batchSize: 32,
        shuffle: 'epoch',
        optimizer: { name: 'sgd', params: {} },
        momentum: 0,
        weightDecay: 0,
        clipNorm: null,
        dropLast: false,
        schedule: { name: 'constant', params: {} },
        compression: { name: 'none', params: {} },
        proxMu: 0.1,
        lossScale: 1,
        aggregateWeights: 'samples',
        initialiser: 'pytorch',
        dropouts: 0,
        precision: 'f32',
        sampling: { name: 'all', params: {} },
        misbehaving: {},
      },
      knowledge: {
        targets: ['0'],
        sensitive: 'first',
        records: true,
        labels: true,
        auxiliary: true,
        metaclassCounts: false,
        candidates: 0,
        property: null,
        holders: [],
        turnWindow: 0,
        states: {},
      },
      defences: [],
      observers: 'all',
      attacks: 'all',
      activeRounds: 10,
      activeFrom: null,
      secondsPerAttack: null,
      workBudget: null,
      controls: true,
      contribution: false,
      alpha: 0.05,
      margin: 0.1,
      errorMargin: 0.25,
    })
  })

  test('that was read reads back as itself', () => {
    const one = readScenario({
      ...least,
      training: { rounds: 3 },
      attacks: ['dlg', { id: 'aia-model', params: { prior: 'frequency' } }],
    })
    expect(readScenario(one)).toEqual(one)
    expect(readScenario(JSON.parse(JSON.stringify(one)))).toEqual(one)
  })

  test.each([
    [null, 'scenario: the whole is null; allowed: an object'],
    [[], 'scenario: the whole is a list of 0'],
    [{ models: least.models }, 'scenario: data is missing'],
    [{ data: least.data }, 'scenario: models is missing'],
    [{ ...least, data: {} }, 'scenario: data.name is missing'],
    [{ ...least, data: { name: 'cps-wags' } }, 'unknown dataset: "cps-wags" (did you mean "cps-wages"?); known: acs-'],
    [{ ...least, data: { ...least.data, auxiliary: 1 } }, 'data.auxiliary is 1; allowed: a number below 1'],
    [{ ...least, data: { ...least.data, rows: 0 } }, 'data.rows is 0'],
    [{ ...least, name: '../up' }, 'name is "../up"; allowed: a string that matches'],
    [{ ...least, name: '' }, 'name is ""'],
    [{ ...least, seed: -1 }, 'seed is -1; allowed: a number from 0'],
    [{ ...least, seed: 1.5 }, 'seed is 1.5; allowed: a whole number'],
    [{ ...least, partition: { name: 'id' } }, 'unknown partition: "id" (did you mean "iid"?)'],
    [{ ...least, models: [] }, 'models is a list of 0; allowed: at least 1 long'],
    [{ ...least, models: [{ kind: 'mpl' }] }, 'unknown model of models[0]: "mpl" (did you mean "mlp"?); known: lenet-'],
    [{ ...least, models: [{}] }, 'models[0].kind is missing'],
    [{ ...least, models: [{ kind: 'mlp', hidden: [0] }] }, 'models[0] (mlp): hidden[0] is 0; a whole number from 1'],
    [{ ...least, models: [{ kind: 'mlp', bias: 1 }] }, 'models[0] (mlp): bias is 1; true or false is needed'],
    [{ ...least, models: [{ kind: 'linear', learningRate: 0 }] }, 'models[0].learningRate is 0'],
    [
      { ...least, models: [{ kind: 'linear' }, { kind: 'mlp', hiden: [8] }] },
      'unknown option of models[1], which is mlp: "hiden" (did you mean "hidden"?)',
    ],
    [
      { ...least, models: [{ kind: 'linear', learningRate: 1, hidden: [8] }] },
      'unknown option of models[0], which is linear: "hidden"; known: bias, kind, learningRate',
    ],
    [{ ...least, models: [{ kind: 'linear', dropout: 0.5 }] }, 'option of models[0], which is linear: "dropout"'],
    [{ ...least, models: [{ kind: 'lenet-dlg', bias: true }] }, '"bias"; known: kind, learningRate'],
    [{ ...least, training: { learningRate: 0 } }, 'training.learningRate is 0; allowed: a number above 0'],
    [{ ...least, training: { localEpochs: 0.5 } }, 'training.localEpochs is 0.5; allowed: a whole number'],
    [{ ...least, training: { momentum: 1 } }, 'training.momentum is 1'],
    [{ ...least, training: { rounds: '40' } }, 'training.rounds is "40"'],
    [{ ...least, training: { sampling: {} } }, 'training.sampling.name is missing'],
    [{ ...least, knowledge: { targets: [] } }, 'knowledge.targets is a list of 0'],
    [{ ...least, knowledge: { targets: [3] } }, 'knowledge.targets[0] is 3; allowed: a string'],
    [{ ...least, observers: 'god' }, 'observers is "god"; allowed: "all"'],
    [{ ...least, observers: ['sever'] }, 'unknown observer: "sever" (did you mean "server"?)'],
    [{ ...least, attacks: ['aia'] }, 'unknown attack: "aia"'],
    [{ ...least, attacks: [{ params: {} }] }, 'attacks[0].id is missing'],
    [
      { ...least, attacks: [{ id: 'aia-model', params: { form: 1 } }] },
      'unknown parameter of attack aia-model: "form"',
    ],
    [
      { ...least, attacks: [{ id: 'aia-model', params: { prior: 'flat' } }] },
      'attack aia-model: prior is "flat"; one of none, frequency is needed',
    ],
    [{ ...least, attacks: [{ id: 'model-oracle', params: { iterations: 0 } }] }, 'iterations is 0'],
    [{ ...least, secondsPerAttack: 0 }, 'secondsPerAttack is 0'],
    [{ ...least, control: true }, 'scenario: unknown key control (did you mean "controls"?)'],
  ])('%j is refused with what is allowed', (json, message) => {
    expect(() => readScenario(json)).toThrow(message)
  })
})

test('models that would be called the same get names of their own', () => {
  const models = readScenario({
    ...least,
    models: [{ kind: 'mlp', hidden: [8, 2] }, { kind: 'linear' }, { kind: 'linear', bias: false }, { kind: 'linear' }],
  })
  expect([0, 1, 2, 3].map((i) => modelName(models, i))).toEqual(['mlp-8-2', 'linear', 'linear#2', 'linear#3'])
})

interface Node {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Node>>
  readonly additionalProperties?: Node | boolean
  readonly items?: Node
  readonly anyOf?: readonly Node[]
  readonly enum?: readonly string[]
}

function keysOf(node: Node, path = ''): [string, Node][] {
  const below = Object.entries(node.properties ?? {}).flatMap(([key, one]): [string, Node][] => {
    return [[`${path}.${key}`, one], ...keysOf(one, `${path}.${key}`)]
  })
  const extra = typeof node.additionalProperties === 'object' ? [node.additionalProperties] : []
  const inner = [...(node.items ? [node.items] : []), ...(node.anyOf ?? []), ...extra]
  return [...below, ...inner.flatMap((one) => keysOf(one, path))]
}

describe('the schema for editors', () => {
  const schema = scenarioJsonSchema() as Node

  test('has words for every key, and refuses keys that are not there', () => {
    const all = keysOf(schema)
    expect(all.length).toBeGreaterThan(50)
    expect(all.filter(([, { description }]) => !description).map(([path]) => path)).toEqual([])
    const open = [['', schema] as const, ...all].filter(([, { properties, additionalProperties }]) => {
      return properties !== undefined && additionalProperties !== false
    })
    expect(open.map(([path]) => path)).toEqual([])
  })

  test('knows the names in the tables', () => {
    const at = (path: string): Node => keysOf(schema).find(([one]) => one === path)![1]
    expect(at('.data.name').enum).toContain('cps-wages')
    expect(at('.partition.name').enum).toContain('dirichlet')
    expect(at('.attacks.id').enum).toEqual(expect.arrayContaining(['aia-model', 'model-oracle']))
  })
})

const shipped = fileURLToPath(new URL('../../scenarios/', import.meta.url))
test.each(readdirSync(shipped).filter((name) => name.endsWith('.yaml')))('scenarios/%s can be read', (name) => {
  expect(readScenario(parse(readFileSync(`${shipped}${name}`, 'utf8'))).name).toMatch(/./)
})
