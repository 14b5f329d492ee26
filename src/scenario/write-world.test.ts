import { describe, expect, test } from 'vitest'
import { disk } from '../../test/simulated-disk.js'
import { openKnowledge } from '../transcript/knowledge-file.js'
import { openTruth } from '../transcript/truth-file.js'
import { readWorld, type Scenario } from './scenario-schema.js'
import { targetsOf } from './targets.js'
import { buildWorld, type World } from './world.js'
import { knowledgeName, writeKnowledges, writeTruths } from './write-world.js'

const scenarioWith = (knowledge: object, data: object = {}): Scenario =>
  readWorld({
    heldBack: 0,
    data: { name: 'cps-wages', auxiliary: 0.2, ...data },
    partition: { name: 'iid', params: { clients: 4 } },
    models: [{ kind: 'linear' }],
    knowledge: { targets: ['2', '0'], sensitive: ['union', 'gender'], ...knowledge },
  })

/** What the adversary of a target reads. */
async function knowledgeOf(scenario: Scenario, target: string) {
  const world = await buildWorld(scenario)
  const { store } = disk()
  await writeKnowledges(store, scenario, world)
  const path = knowledgeName(target, targetsOf(scenario, world)[0]!)
  return { world, knowledge: await openKnowledge(store, { path }) }
}

const rowsOf = (world: World, id: string) => world.clients.find((one) => one.id === id)!.rows
const rowAt = ({ data, cols }: { data: Float64Array; cols: number }, i: number) =>
  Array.from(data.subarray(i * cols, (i + 1) * cols))

describe('what the adversary knows', () => {
  test('each target has a file of its own, the first one plainly named', async () => {
    expect(knowledgeName('2', '2')).toBe('knowledge.json')
    expect(knowledgeName('0', '2')).toBe('knowledge-0.json')
    for (const id of ['2', '0']) expect((await knowledgeOf(scenarioWith({}), id)).knowledge.target).toBe(id)
  })

  test('sensitive columns are empty in the knowledge and full in the truth; the others agree to the bit', async () => {
    const scenario = scenarioWith({})
    const { world, knowledge } = await knowledgeOf(scenario, '0')
    const { store } = disk()
    await writeTruths(store, scenario, { world, optimum: new Map(), batches: [], properties: {} })
    const [known, truth] = [(await knowledge.records())!, (await (await openTruth(store)).client('0'))!]
    const hidden = knowledge.sensitive!.flatMap(({ columns }) => columns)
    expect(knowledge.sensitive!.map(({ name }) => name)).toEqual(['union', 'gender'])
    expect(hidden).toHaveLength(2)
    const { records, columns } = world.encode(rowsOf(world, '0'))
    expect(truth.columns).toEqual(columns.map(({ name }) => name))
    expect(truth.features).toEqual(records.features)
    expect(truth.labels).toEqual(records.labels)
    expect(known.labels).toEqual(records.labels)
    for (const [j, name] of truth.columns.entries()) {
      for (let i = 0; i < truth.features.rows; i++) {
        const value = known.features.data[i * known.features.cols + j]!
        if (hidden.includes(name)) expect(value).toBeNaN()
        else expect(value).toBe(truth.features.data[i * truth.features.cols + j]!)
      }
    }
  })

  test('is only what the scenario grants', async () => {
    const { knowledge } = await knowledgeOf(scenarioWith({ records: false, auxiliary: false }), '0')
    expect(await knowledge.records()).toBeUndefined()
    expect(await knowledge.auxiliary()).toBeUndefined()
    expect(await knowledge.candidates()).toBeUndefined()
    expect(knowledge).not.toHaveProperty('metaclassCounts')
    const { knowledge: unlabelled } = await knowledgeOf(scenarioWith({ labels: false }), '0')
    expect((await unlabelled.records())!.labels).toBeUndefined()
    const { knowledge: nobody } = await knowledgeOf(scenarioWith({}, { auxiliary: 0 }), '0')
    expect(await nobody.auxiliary()).toBeUndefined()
  })

  test('the first sensitive attribute is taken unless some are named; an unknown one is refused', async () => {
    const { knowledge } = await knowledgeOf(scenarioWith({ sensitive: 'first' }), '0')
    expect(knowledge.sensitive!.map(({ name }) => name)).toEqual(['union'])
    await expect(knowledgeOf(scenarioWith({ sensitive: ['unoin'] }), '0')).rejects.toThrow(
      'knowledge.sensitive holds "unoin"; sensitive in cps-wages: union, ',
    )
  })

  test('auxiliary rows are others: none of the rows of a client', async () => {
    const { world, knowledge } = await knowledgeOf(scenarioWith({}), '0')
    const auxiliary = (await knowledge.auxiliary())!
    expect(auxiliary.features).toEqual(world.encode(world.auxiliary).records.features)
    const held = new Set(world.clients.flatMap(({ rows }) => [...rows]))
    expect([...world.auxiliary].filter((row) => held.has(row))).toEqual([])
  })
})

describe('metaclasses', () => {
  test('counts are those of the target, in the words of the auxiliary data, and add up to its records', async () => {
    const { world, knowledge } = await knowledgeOf(scenarioWith({ metaclassCounts: true }), '0')
    const rows = rowsOf(world, '0')
    const column = world.source.table.columns.find(({ name }) => name === 'occupation')!
    if (column.kind !== 'word') throw new Error('occupations are words')
    const expected = knowledge.metaclasses!.map((word) => {
      return [...rows].filter((row) => column.words[column.codes[row]!] === word).length
    })
    expect(knowledge.metaclassCounts).toEqual(expected)
    expect(knowledge.metaclassCounts!.reduce((sum, n) => sum + n, 0)).toBe(rows.length)
    const auxiliary = (await knowledge.auxiliary())!
    expect(Array.from(auxiliary.metaclasses!, (k) => knowledge.metaclasses![k])).toEqual(
      Array.from(world.auxiliary, (row) => column.words[column.codes[row]!]),
    )
  })

  test('a dataset without groups has none', async () => {
    const scenario = readWorld({
      heldBack: 0,
      data: { name: 'toy-least-squares', params: { recordsPerClient: 20 } },
      partition: { name: 'by-column' },
      models: [{ kind: 'linear' }],
      knowledge: { metaclassCounts: true },
    })
    const { knowledge } = await knowledgeOf(scenario, '0')
    expect(knowledge).not.toHaveProperty('metaclassCounts')
    expect(knowledge.metaclasses).toBeUndefined()
  })
})

describe('candidates', () => {
  test.each([
    [0, 0],
    [1, 0],
    [31, 30],
    [10_000, 10_000], // as many as there are
  ])('%d asked for: at most %d, half of them the target’s and half held by nobody', async (candidates, count) => {
    const { world, knowledge } = await knowledgeOf(scenarioWith({ candidates }), '0')
    const table = await knowledge.candidates()
    if (count === 0) return expect(table).toBeUndefined()
    const key = (dataset: ReturnType<World['encode']>, i: number) =>
      JSON.stringify([...rowAt(dataset.records.features, i), dataset.records.labels[i]])
    const keys = (rows: Int32Array) => {
      const dataset = world.encode(rows)
      return new Set(Array.from(rows, (_, i) => key(dataset, i)))
    }
    const [members, others] = [keys(rowsOf(world, '0')), keys(world.validation)]
    const asked = Array.from({ length: table!.features.rows }, (_, i) =>
      JSON.stringify([...rowAt(table!.features, i), table!.labels![i]]),
    )
    const half = Math.min(count / 2, rowsOf(world, '0').length, world.validation.length)
    expect(asked).toHaveLength(2 * half)
    // A worker may have a double among the others: then a row counts on both sides.
    expect(asked.filter((one) => members.has(one)).length).toBeGreaterThanOrEqual(half)
    expect(asked.filter((one) => others.has(one)).length).toBeGreaterThanOrEqual(half)
    // Not first the one kind and then the other.
    const first = asked.slice(0, half).filter((one) => members.has(one)).length
    expect(first).toBeGreaterThan(0)
    expect(first).toBeLessThan(half)
  })
})

describe('the truth', () => {
  test('holds the records of every client, optima and properties', async () => {
    const scenario = scenarioWith({})
    const world = await buildWorld(scenario)
    const { store } = disk()
    const optimum = new Map([['0', Float64Array.of(1, 2)]])
    const batches = [{ round: 2, client: '0', rows: [3, 1] }]
    await writeTruths(store, scenario, { world, optimum, batches, properties: { inversion: ['1'] } })
    const truth = await openTruth(store)
    expect(truth.batch({ round: 2, client: '0' })).toEqual([3, 1])
    for (const { id, rows } of world.clients) expect((await truth.client(id))!.features.rows).toBe(rows.length)
    expect(await truth.optimum('0')).toEqual(Float64Array.of(1, 2))
    expect(await truth.optimum('1')).toBeUndefined()
    expect(truth.property('inversion')).toEqual(['1'])
  })

  test.each([
    [200, 0, 200],
    [201, 0, 1],
    [201, 0.5, 11],
  ])(
    'of %i clients that hold %d back has the records of %i: the targets and ten others',
    async (clients, heldBack, n) => {
      const scenario = readWorld({
        heldBack,
        seed: 3,
        data: { name: 'toy-least-squares', params: { clients, recordsPerClient: 6, numericColumns: 2 } },
        partition: { name: 'by-column' },
        models: [{ kind: 'linear' }],
        knowledge: { targets: ['7'] },
      })
      const world = await buildWorld(scenario)
      const names = async () => {
        const { store } = disk()
        await writeTruths(store, scenario, { world, optimum: new Map(), batches: [], properties: {} })
        const truth = await openTruth(store)
        const held = await Promise.all(world.clients.map(async ({ id }) => ((await truth.client(id)) ? [id] : [])))
        return held.flat()
      }
      const shown = await names()
      expect(shown).toHaveLength(n)
      expect(shown).toContain('7')
      expect(await names()).toEqual(shown)
    },
  )
})
