import { describe, expect, test } from 'vitest'
import { own, peopleFiles } from '../../test/pinned-worlds.js'
import { disk, folderOf } from '../../test/simulated-disk.js'
import { inlinePool } from '../federation/pool.js'
import { parametersOf } from '../models/index.js'
import { openTranscript } from '../transcript/read-transcript.js'
import { openTruth } from '../transcript/truth-file.js'
import { readWorld, type Scenario, type ScenarioInput } from './scenario-schema.js'
import { type SimulatePorts, simulate } from './simulate.js'
import { trainingFolder } from './training-folder.js'

const scenarioWith = (parts: Partial<ScenarioInput> = {}): Scenario =>
  readWorld({
    data: own({ columns: 'age,bmi,smoker' }),
    partition: { name: 'iid', params: { clients: 4 } },
    models: [{ kind: 'linear' }, { kind: 'mlp', hidden: [3] }],
    training: {
      rounds: 4,
      batchSize: 8,
      learningRate: 0.05,
      sampling: { name: 'fraction', params: { fraction: 0.75 } },
    },
    ...parts,
  })

function machine() {
  const { store, files } = disk()
  const lasting = new Map<string, boolean>()
  const ports: SimulatePorts = {
    folder: (path, options) => {
      lasting.set(path, options?.lasting ?? true)
      return path === '' ? store : folderOf(store, path)
    },
    clients: (spec, population) => inlinePool(spec, { population }),
    dataset: () => peopleFiles,
  }
  return { ports, files, lasting, store }
}

const roundsOf = async ({ store }: ReturnType<typeof machine>, folder: string) => {
  const transcript = await openTranscript(folderOf(store, `${folder}/transcript`), { parametersOf })
  const rounds = await Promise.all(transcript.rounds().map(({ round }) => transcript.readRound(round)))
  return { clients: transcript.manifest.clients, rounds }
}

describe('repeats', () => {
  test('lie in folders of their own, and train on other rows from another first model', async () => {
    const [scenario, on] = [scenarioWith(), machine()]
    const runs = []
    for (const repeat of [0, 1, 2]) runs.push(await simulate(scenario, { ports: on.ports, repeat }).result)
    expect(runs.map((models) => models.map(({ folder }) => folder))).toEqual([
      ['0-linear', '1-mlp-3'],
      ['repeat-1/0-linear', 'repeat-1/1-mlp-3'],
      ['repeat-2/0-linear', 'repeat-2/1-mlp-3'],
    ])
    const first = await Promise.all(runs.map(async ([run]) => (await roundsOf(on, run!.folder)).rounds[0]!.global))
    expect(new Set(first.map((theta) => theta!.join())).size).toBe(3)
    // Only the first is worth waiting for the disk, and only there are the targets' own models sought.
    for (const [path, lasting] of on.lasting) expect(lasting, path).toBe(!path.startsWith('repeat-'))
    const optima = [...on.files.keys()].filter((path) => path.includes('optimum'))
    expect(optima).toEqual(['0-linear/truth/optimum-0.safetensors', '1-mlp-3/truth/optimum-0.safetensors'])
  })

  test('hold what was trained on and what was not in their truth, named by rows of the source', async () => {
    const [scenario, on] = [scenarioWith(), machine()]
    const { world, folder } = (await simulate(scenario, { ports: on.ports, repeat: 3 }).result)[0]!
    const truth = await openTruth(folderOf(on.store, `${folder}/truth`))
    for (const { id, rows, heldBack } of world.clients) {
      const [trained, held] = [(await truth.client(id))!, (await truth.heldBack(id))!]
      expect(trained.features).toEqual(world.encode(rows).records.features)
      expect(held.features).toEqual(world.encode(heldBack).records.features)
      expect(held.labels).toEqual(world.encode(heldBack).records.labels)
      expect(held.columns).toEqual(trained.columns)
      expect(await truth.ids(id)).toEqual(Array.from(rows, String))
      expect(await truth.heldBackIds(id)).toEqual(Array.from(heldBack, String))
    }
  })

  test('of a world that holds nothing back have no names and no held-back rows to write', async () => {
    const [scenario, on] = [scenarioWith({ heldBack: 0 }), machine()]
    await simulate(scenario, { ports: on.ports }).result
    const truth = await openTruth(folderOf(on.store, '0-linear/truth'))
    expect(await truth.heldBack('0')).toBeUndefined()
    expect(await truth.ids('0')).toBeUndefined()
    expect([...on.files.keys()].filter((path) => path.includes('held-back'))).toEqual([])
  })

  test('that were cut off come to the same bytes', async () => {
    const scenario = scenarioWith()
    const [whole, cut] = [machine(), machine()]
    await simulate(scenario, { ports: whole.ports, repeat: 1, without: '2' }).result
    await simulate(scenario, { ports: whole.ports, repeat: 1 }).result
    const stop = new AbortController()
    const run = simulate(scenario, { ports: cut.ports, repeat: 1, signal: stop.signal })
    await expect(
      (async () => {
        for await (const event of run) if (event.kind === 'round' && event.round === 2) stop.abort()
      })(),
    ).rejects.toThrow('interrupted')
    await simulate(scenario, { ports: cut.ports, repeat: 1 }).result
    await simulate(scenario, { ports: cut.ports, repeat: 1, without: '2' }).result
    expect([...cut.files.keys()].sort()).toEqual([...whole.files.keys()].sort())
    for (const [path, bytes] of whole.files) expect(cut.files.get(path), path).toEqual(bytes)
  })
})

describe('without one client', () => {
  test('the others are asked, draw and hold as if it were there', async () => {
    const scenario = scenarioWith({
      training: { ...scenarioWith().training, misbehaving: { 2: { name: 'inversion' } } },
    })
    const on = machine()
    const [all] = await simulate(scenario, { ports: on.ports, repeat: 1 }).result
    const [rest] = await simulate(scenario, { ports: on.ports, repeat: 1, without: '2' }).result
    expect(rest!.folder).toBe('repeat-1/0-linear/without-2')
    expect(rest!.world.clients).toEqual(all!.world.clients)
    expect(rest!.spec).toEqual({ ...all!.spec, misbehaving: {} })
    const [full, less] = [await roundsOf(on, all!.folder), await roundsOf(on, rest!.folder)]
    expect((less.clients as readonly { id: string }[]).map(({ id }) => id)).toEqual(['0', '1', '3'])
    expect(full.rounds.some(({ participants }) => participants!.includes('2'))).toBe(true)
    for (const [r, { participants }] of less.rounds.entries()) {
      expect(participants).toEqual(full.rounds[r]!.participants!.filter((id) => id !== '2'))
    }
    // The same model goes out first, and comes back from the others to the bit.
    expect(less.rounds[0]!.global).toEqual(full.rounds[0]!.global)
    for (const [id, update] of less.rounds[0]!.clients) expect(update).toEqual(full.rounds[0]!.clients.get(id))
    expect(rest!.checkpoint.theta).not.toEqual(all!.checkpoint.theta)
    // Only the recording, and where the run ended.
    const written = [...on.files.keys()].filter((path) => path.includes('without-2'))
    expect(written.every((path) => /without-2\/(transcript|checkpoints)\//.test(path))).toBe(true)
  })

  test('that is not there, or the only one, is an error', async () => {
    const { ports } = machine()
    await expect(simulate(scenarioWith(), { ports, without: '9' }).result).rejects.toThrow(
      'the federation is to run without client "9"; there is no such client',
    )
    const alone = scenarioWith({ partition: { name: 'iid', params: { clients: 1 } } })
    await expect(simulate(alone, { ports, without: '0' }).result).rejects.toThrow('nobody else is there')
  })
})

describe('what each client adds', () => {
  const asked = scenarioWith({ contribution: true, models: [{ kind: 'linear' }] })
  test('is the loss without it less the loss with it, in the truth of the first training alone', async () => {
    const on = machine()
    const [all] = await simulate(asked, { ports: on.ports }).result
    const truth = await openTruth(folderOf(on.store, 'truth'))
    expect([...truth.contribution!.keys()]).toEqual(['0', '1', '2', '3'])
    for (const [id, added] of truth.contribution!) {
      const [less] = await simulate(asked, { ports: machine().ports, without: id }).result
      expect(added).toBe(less!.utility.heldOutLoss! - all!.utility.heldOutLoss!)
    }
    expect(new Set(truth.contribution!.values()).size).toBe(4)
    for (const [path, lasting] of on.lasting) expect(lasting, path).toBe(!path.startsWith('without-'))
    await simulate(asked, { ports: on.ports, repeat: 1 }).result
    expect((await openTruth(folderOf(on.store, 'repeat-1/truth'))).contribution).toBeUndefined()
  })
  test('needs rows to be measured on', async () => {
    const blind = scenarioWith({ contribution: true, data: { ...asked.data, validation: 0 } })
    await expect(simulate(blind, { ports: machine().ports }).result).rejects.toThrow('set data.validation above 0')
  })
})

test('where trainings lie', () => {
  const [one, two] = [scenarioWith({ models: [{ kind: 'linear' }] }), scenarioWith()]
  expect(trainingFolder(one)).toBe('')
  expect(trainingFolder(one, { repeat: 4 })).toBe('repeat-4')
  expect(trainingFolder(one, { without: 'a' })).toBe('without-a')
  expect(trainingFolder(two, { model: 1, repeat: 2, without: 'a' })).toBe('repeat-2/1-mlp-3/without-a')
})
