import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inlinePool } from '../federation/pool.js'
import { fileStore } from '../node/files/file-store.js'
import { recordingPorts } from '../node/recording-ports.js'
import type { ScenarioInput } from '../scenario/scenario-schema.js'
import { simulateModel } from '../scenario/simulate-model.js'
import { audit } from './audit.js'
import { jobRunner } from './job-runner.js'
import { liveLines } from './live-run.js'
import { memoryPorts } from './memory-ports.js'
import { readScenario } from './read-scenario.js'

const folder = mkdtempSync(join(tmpdir(), 'overhear-live-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const store = (path: string) => fileStore(join(folder, path))

const input: ScenarioInput = {
  data: { name: 'toy-least-squares', params: { recordsPerClient: 40, numericColumns: 2, clients: 3 } },
  models: [{ kind: 'linear' }],
  heldBack: 0,
  training: { rounds: 12, batchSize: 8, learningRate: 0.1, precision: 'f64' },
  knowledge: { sensitive: ['coin'] },
}
const scenarioFrom = (activeFrom: number | null) => readScenario({ ...input, activeFrom } as ScenarioInput)
const job = { attack: 'lmra-active-echo', params: { rounds: 1 }, observer: 'malicious-server', target: '0', seed: 1, controls: false } as const // biome-ignore format: one line

beforeAll(async () => {
  await simulateModel(scenarioFrom(null), 0, {
    folder: store,
    poolFor: (spec, population) => inlinePool(spec, { population }),
  })
})

const ports = { ...recordingPorts, folder: store, dataset: () => undefined } as never
const live = (activeFrom: number | null) => ({
  scenario: scenarioFrom(activeFrom),
  model: 0,
  checkpoints: 'checkpoints',
})
const paths = { transcript: join(folder, 'transcript'), knowledge: join(folder, 'knowledge.json'), truth: join(folder, 'truth') } // biome-ignore format: one line

describe('active attacks from a stated round', () => {
  test('the line plays that round: sent the honest model, the client answers as it did then', async () => {
    const { sources } = await (await import('./open-recording.js')).openRecording(paths, recordingPorts)
    const { global, clients } = await sources.transcript.readRound(5)
    const channel = await liveLines(ports)(live(5), job)
    const answered = await channel!('0', global!)
    const update = clients.get('0')!
    expect(update.kind === 'parameters' && [...update.theta]).toEqual([...answered])
    const late = await liveLines(ports)(live(null), job)
    expect([...(await late!('0', global!))]).not.toEqual([...answered])
  })

  test('what it sets out from was heard before that round; other attacks hear all', async () => {
    const run = jobRunner(ports)
    const told = async (attack: string, activeFrom: number | null) => {
      const { details } = await run({
        job: { ...job, attack, params: {} },
        paths,
        live: live(activeFrom),
        effort: 1,
      } as never)
      return details
    }
    const [early, end] = [await told('lmra-active-echo', 5), await told('lmra-active-echo', null)]
    expect(early.usualDistance).not.toBe(end.usualDistance)
    expect(await told('last-returned', 5)).toEqual(await told('last-returned', null))
    expect(await told('last-returned', null)).toMatchObject({ round: 11 })
  })

  test('a round beyond the training is an error before anything is trained', async () => {
    const beyond = simulateModel(scenarioFrom(13), 0, {
      folder: store,
      poolFor: (spec, population) => inlinePool(spec, { population }),
    })
    await expect(beyond).rejects.toThrow('activeFrom is 13; the training has 12 rounds')
  })
})

test('in a plant, where who is guilty is drawn anew, the line leads into that very federation', async () => {
  const { training, ...rest } = input
  const partition = { name: 'iid', params: { clients: 6 } }
  const guilty = {
    ...rest,
    partition,
    training: { ...training, misbehaving: { 2: { name: 'inversion' } } },
  } as ScenarioInput
  const asked = { knowledge: { property: 'inversion' }, observers: ['malicious-server'], attacks: ['lmra-active-echo'] }
  const { observers } = await audit({ ...guilty, ...asked, controls: true } as ScenarioInput, { ports: memoryPorts() })
    .result
  const [echo] = observers.flatMap(({ attacks }) => attacks)
  expect(echo).toMatchObject({ status: 'claimed', controls: { planted: expect.anything() } })
})
