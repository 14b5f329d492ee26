import { describe, expect, test } from 'vitest'
import { simulatedSources } from '../../../test/simulated-sources.js'
import { rng } from '../../numeric/random/rng.js'
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import type { Update } from '../../transcript/round-messages.js'
import { audit } from '../audit.js'
import { halvesOf, wholeList } from '../ladder/asked-records.js'
import { memoryPorts } from '../memory-ports.js'
import { type RehearsedRecording, rehearsedRecordings } from './rehearsed-recordings.js'

const world = (training: object = {}): ScenarioInput => ({
  name: 'rehearsed',
  heldBack: 0.5,
  repeats: 1,
  data: { name: 'toy-least-squares', params: { clients: 2, recordsPerClient: 40, numericColumns: 3 }, auxiliary: 0.2 },
  models: [{ kind: 'linear' }],
  training: { rounds: 6, localEpochs: 2, batchSize: null, learningRate: 0.1, precision: 'f64', ...training },
  knowledge: { targets: ['0'], sensitive: ['coin'] },
  observers: ['eavesdropper'],
  controls: false,
})

async function opened(training: object = {}) {
  const { sources, truth } = await simulatedSources({ ...world(training), attacks: ['last-returned'] })
  const { table, trained } = wholeList((await halvesOf('0', truth, undefined))!, rng(1))
  return { sources, observer: 'eavesdropper' as const, client: '0', table, trained }
}

const sentIn = async ({ sources }: Pick<RehearsedRecording, 'sources'>, client: string): Promise<number[]> => {
  const all: number[] = []
  for (const { round } of sources.transcript.rounds()) {
    const update = (await sources.transcript.readRound(round)).clients.get(client) as Update & { theta: Float64Array }
    all.push(...update.theta)
  }
  return all
}
const furthest = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0)

describe('a recording, its turns played over', () => {
  test.each([
    ['in doubles', {}, 1e-12],
    ['in floats', { precision: 'f32' }, 1e-6],
  ])('%s is itself where nothing is secret', async (_, training, within) => {
    const about = await opened(training)
    const knowledge = { ...about.sources.knowledge!, sensitive: [] }
    const [same] = await rehearsedRecordings({ ...about, sources: { ...about.sources, knowledge } }, 1, rng(2))
    expect(same!.table.features.data).toEqual(about.table.features.data)
    expect(furthest(await sentIn(same!, '0'), await sentIn(about, '0'))).toBeLessThan(within)
  })

  test('has other secrets, and messages that follow from them; all else is as it was', async () => {
    const about = await opened()
    const all = await rehearsedRecordings(about, 2, rng(2))
    expect(all).toHaveLength(2)
    const { columns, features } = about.table
    const coin = columns.indexOf('coin')
    const coins = new Set(features.data.filter((_, i) => i % features.cols === coin))
    for (const { table } of all) {
      const moved = [...table.features.data.keys()].filter((i) => table.features.data[i] !== features.data[i])
      expect(moved.length).toBeGreaterThan(3)
      expect(moved.every((i) => i % features.cols === coin && coins.has(table.features.data[i]!))).toBe(true)
    }
    const own = await sentIn(about, '0')
    const [first, second] = [await sentIn(all[0]!, '0'), await sentIn(all[1]!, '0')]
    for (const other of [first, second]) expect(furthest(other, own)).toBeGreaterThan(1e-3)
    expect(furthest(first, second)).toBeGreaterThan(1e-3)
    expect(await sentIn(all[0]!, '1')).toEqual(await sentIn(about, '1'))
    const again = await rehearsedRecordings(about, 1, rng(2))
    expect(await sentIn(again[0]!, '0')).toEqual(first)
  })

  test('is none where labels are not known, nothing is secret, or a turn cannot be played', async () => {
    const about = await opened()
    const { labels: _, ...unlabelled } = about.table
    expect(await rehearsedRecordings({ ...about, table: unlabelled }, 1, rng(2))).toEqual([])
    const { knowledge: __, ...unknown } = about.sources
    expect(await rehearsedRecordings({ ...about, sources: unknown }, 1, rng(2))).toEqual([])
    const { transcript } = about.sources
    const manifest = { ...transcript.manifest, model: { kind: 'opaque' } }
    const opaque = { ...about.sources, transcript: { ...transcript, manifest } } as typeof about.sources
    expect(await rehearsedRecordings({ ...about, sources: opaque }, 1, rng(2))).toEqual([])
  })
})

test('one training alone: its confidence is judged by rehearsals', async () => {
  const { questions } = await audit({ ...world(), attacks: ['aia-model'] }, { ports: memoryPorts() }).result
  const { attacks } = questions.find(({ kind }) => kind === 'attribute')!
  const { confidence } = attacks.find(({ attack }) => attack === 'aia-model')!
  expect(confidence!.claims).toBeGreaterThan(10)
  expect(confidence!.temperature).not.toBe(1)
  expect(confidence!.error[1]).not.toBe(confidence!.error[0])
})
