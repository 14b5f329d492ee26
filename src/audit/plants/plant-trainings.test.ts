/** Trainings with planted leaks: the same wherever they are made, and what becomes of those that other threads leave. */
import { describe, expect, test } from 'vitest'
import { own, peopleFiles } from '../../../test/pinned-worlds.js'
import { inlinePool } from '../../federation/pool.js'
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import type { SimulatePorts } from '../../scenario/simulate.js'
import { memoryFolder } from '../../transcript/memory-folder.js'
import type { Trained } from '../ladder/trainings.js'
import type { PlantReply, PlantRequest } from '../ports.js'
import { readScenario } from '../read-scenario.js'
import { plantRunner } from './plant-elsewhere.js'
import { beginPlants, type PlantOptions } from './plant-trainings.js'

const scenarioWith = (parts: Partial<ScenarioInput> = {}) =>
  readScenario({
    data: own({ columns: 'age,bmi,smoker' }),
    partition: { name: 'iid', params: { clients: 3 } },
    models: [{ kind: 'linear' }, { kind: 'mlp', hidden: [3] }],
    training: { rounds: 3, batchSize: 8, learningRate: 0.05 },
    knowledge: { targets: ['1'] },
    attacks: ['last-returned'],
    ...parts,
  })

function machine(files = new Map<string, Uint8Array>()) {
  const events: string[] = []
  const ports: SimulatePorts = {
    folder: (path) => memoryFolder(files, `run/${path}`.replace(/\/$/, '')),
    clients: (spec, population) => inlinePool(spec, { population }),
    dataset: () => peopleFiles,
  }
  const options: PlantOptions = {
    ports,
    repeats: 1,
    run: 'run',
    emit(event) {
      if (event.kind === 'training') events.push(`${event.number} of ${event.total}`)
      if (event.kind === 'trained') events.push(event.model)
    },
  }
  return { files, events, options }
}

/** What crosses to another thread and back is a copy. */
const elsewhereOn = (files: Map<string, Uint8Array>, isSmall = () => true) => {
  const run = plantRunner({ folder: (path) => memoryFolder(files, path), isSmall })
  return async (request: PlantRequest): Promise<PlantReply> => structuredClone(await run(structuredClone(request)))
}

async function all(
  begun: Awaited<ReturnType<typeof beginPlants>>,
  without: readonly string[] = [],
): Promise<Trained[]> {
  const made: Trained[] = []
  for await (const one of begun.finished(new Set(without))) made.push(one)
  return made
}

describe('trainings with planted leaks', () => {
  test('are the same here and in other threads, file by file, and told in the same order', async () => {
    const scenario = scenarioWith()
    const [here, there] = [machine(), machine()]
    const made = await all(await beginPlants(scenario, here.options))
    const elsewhere = elsewhereOn(there.files)
    expect(await all(await beginPlants(scenario, { ...there.options, elsewhere }))).toEqual(made)
    expect(made.map(({ plant, name }) => [plant, name])).toEqual(
      [0, 1, 2].flatMap((plant) => [[plant, 'linear'], [plant, 'mlp-3']]), // biome-ignore format: a list
    )
    expect([...there.files.keys()].sort()).toEqual([...here.files.keys()].sort())
    for (const [path, bytes] of here.files) expect(there.files.get(path), path).toEqual(bytes)
    expect(there.events).toEqual(here.events)
  })

  test('are all asked for at once, before any is waited for', async () => {
    const asked: string[] = []
    const { options } = machine()
    const elsewhere = ({ planted: { plant, model } }: PlantRequest) => {
      asked.push(`${plant} ${model}`)
      return new Promise<PlantReply>(() => {})
    }
    await beginPlants(scenarioWith(), { ...options, elsewhere }, { again: 1, among: (name) => name !== 'linear' })
    expect(asked).toEqual(['3 1', '4 1', '5 1'])
  })

  test('are left out where they diverge or their model was given up, and made here where others leave them', async () => {
    const { options, files } = machine()
    const elsewhere = async ({ planted: { plant } }: PlantRequest): Promise<PlantReply> => ({
      kind: plant === 1 ? 'diverged' : 'large',
    })
    const made = await all(await beginPlants(scenarioWith(), { ...options, elsewhere }), ['mlp-3'])
    expect(made.map(({ plant, name }) => [plant, name])).toEqual([[0, 'linear'], [2, 'linear']]) // biome-ignore format: a list
    expect([...files.keys()].filter((path) => path.includes('plant-2'))).toEqual([])
    expect(await elsewhereOn(files, () => false)({} as never).catch((error) => error.name)).toBe('TypeError')
  })

  test('say that they are too large, and that they diverge', async () => {
    const { options, files } = machine()
    const replies: PlantReply[] = []
    for (const [isSmall, learningRate] of [[false, 0.05], [true, 1e9]] as const) {
      const run = elsewhereOn(files, () => isSmall)
      const scenario = scenarioWith({ training: { rounds: 30, batchSize: 8, learningRate } })
      const elsewhere = async (request: PlantRequest): Promise<PlantReply> => {
        replies.push(await run(request))
        return { kind: 'diverged' }
      }
      await all(await beginPlants(scenario, { ...options, elsewhere }))
    } // biome-ignore format: a table
    expect(replies.map(({ kind }) => kind)).toEqual([...Array(6).fill('large'), ...Array(6).fill('diverged')])
  })

  test('fail with what went wrong there, once their turn comes', async () => {
    const { options } = machine()
    const elsewhere = async (): Promise<PlantReply> => {
      throw new Error('no room')
    }
    const begun = await beginPlants(scenarioWith(), { ...options, elsewhere })
    await new Promise((resolve) => setImmediate(resolve))
    await expect(all(begun)).rejects.toThrow('no room')
  })

  test('are none where nobody wants controls, and nobody is asked', async () => {
    const { options } = machine()
    const elsewhere = (): never => {
      throw new Error('asked')
    }
    expect(await all(await beginPlants(scenarioWith({ controls: false }), { ...options, elsewhere }))).toEqual([])
  })
})
