import { beforeAll, describe, expect, test } from 'vitest'
import { disk } from '../../test/simulated-disk.js'
import { openKnowledge } from '../transcript/knowledge-file.js'
import { readWorld, type Scenario } from './scenario-schema.js'
import { targetsOf } from './targets.js'
import { buildWorld, type World } from './world.js'
import { writeKnowledges } from './write-world.js'

const scenarioWith = (knowledge: object): Scenario =>
  readWorld({
    heldBack: 0,
    data: { name: 'cps-wages', auxiliary: 0.2 },
    partition: { name: 'iid', params: { clients: 4 } },
    models: [{ kind: 'linear' }],
    knowledge: { targets: ['2', '0'], ...knowledge },
  })

describe('targets', () => {
  let world: World
  beforeAll(async () => {
    world = await buildWorld(scenarioWith({}))
  })

  test('are all clients or those named, each once', () => {
    expect(targetsOf(scenarioWith({ targets: 'all' }), world)).toEqual(['0', '1', '2', '3'])
    expect(targetsOf(scenarioWith({ targets: ['3', '1', '3'] }), world)).toEqual(['3', '1'])
  })

  test('that are not there are refused', () => {
    expect(() => targetsOf(scenarioWith({ targets: ['0', '4'] }), world)).toThrow(
      'knowledge.targets holds "4"; clients: 0, 1, 2, 3',
    )
  })
})

describe('the record that membership asks about', () => {
  const holdersIn = ({ clients, record }: World) =>
    clients.filter(({ rows }) => rows.includes(record!)).map(({ id }) => id)

  test("is the first target's, and the holders' in the place of one of theirs", async () => {
    const [plain, alone, shared] = [
      await buildWorld(scenarioWith({})),
      await buildWorld(scenarioWith({ property: 'membership' })),
      await buildWorld(scenarioWith({ property: 'membership', holders: ['3', '1', '2'] })),
    ]
    expect(plain.record).toBeUndefined()
    expect([holdersIn(alone), holdersIn(shared)]).toEqual([['2'], ['1', '2', '3']])
    for (const [k, { rows }] of shared.clients.entries()) {
      const before = plain.clients[k]!.rows
      const others = Array.from(rows).filter((row, i) => row !== before[i])
      expect([rows.length, others]).toEqual([before.length, k === 1 || k === 3 ? [shared.record] : []])
    }
  })

  test.each([0, 40])('stands among %d candidates, and the knowledge says where', async (candidates) => {
    const scenario = scenarioWith({ property: 'membership', candidates })
    const world = await buildWorld(scenario)
    const { store } = disk()
    await writeKnowledges(store, scenario, world)
    const { features } = world.encode([world.record!]).records
    for (const path of ['knowledge.json', 'knowledge-0.json']) {
      const knowledge = await openKnowledge(store, { path })
      const table = (await knowledge.candidates())!
      const { name, record } = knowledge.property!
      expect(name).toBe('membership')
      const { data, cols } = table.features
      expect(data.slice(record! * cols, (record! + 1) * cols)).toEqual(features.data)
    }
  })

  test('has holders that exist, and is asked for by name', async () => {
    const strangers = scenarioWith({ property: 'membership', holders: ['7'] })
    await expect(buildWorld(strangers)).rejects.toThrow('knowledge.holders holds "7"; clients: 0, 1, 2, 3')
    const nobodyAsks = scenarioWith({ property: 'inversion', holders: ['1'] })
    await expect(buildWorld(nobodyAsks)).rejects.toThrow(/property is "inversion"; only membership/)
  })
})
