import { describe, expect, test } from 'vitest'
import { echo, halving, noisySum } from '../../test/federation-hooks.js'
import { disk, folderOf, PowerCut } from '../../test/simulated-disk.js'
import { smallPopulation, smallSpec } from '../../test/small-federation.js'
import { parametersOf } from '../models/index.js'
import { openTranscript } from '../transcript/read-transcript.js'
import { memoryStore } from '../transcript/store.js'
import type { WritableStore } from '../transcript/write-transcript.js'
import { checkpointStore } from './checkpoint-store.js'
import { type FederationRound, federate, runToEnd } from './federate.js'
import { manifestFor } from './manifest-for.js'
import { inlinePool } from './pool.js'
import { population } from './population.js'
import { type RecordOptions, recordFederation } from './record.js'
import type { FederationSpec } from './spec.js'
import { changeSum } from './updates.js'

const spec: FederationSpec = { ...smallSpec, misbehaving: { 2: { name: 'free-rider', update: 'stale' } } }
type More = Partial<RecordOptions>
// One pool for the many runs of this file: compiling is most of their time.
const pool = inlinePool(spec, { population: smallPopulation })

/** Everything that keeps a memory, made anew as after a restart. */
const run = (store: WritableStore, more: More = {}, what = spec) =>
  recordFederation(what, {
    population: smallPopulation,
    ...(what === spec && { pool }),
    adversary: echo('1'),
    defences: [halving()],
    transcript: folderOf(store, 'transcript'),
    checkpoints: folderOf(store, 'checkpoints'),
    ...more,
  })

const transcriptOf = (files: ReadonlyMap<string, Uint8Array>) =>
  new Map([...files].filter(([path]) => path.startsWith('transcript/') && !path.endsWith('.tmp')))
const inFolder = (files: ReadonlyMap<string, Uint8Array>) =>
  memoryStore(new Map([...transcriptOf(files)].map(([path, bytes]) => [path.slice('transcript/'.length), bytes])))
const open = (files: ReadonlyMap<string, Uint8Array>) => openTranscript(inFolder(files), { parametersOf })

async function undisturbed(more: More = {}) {
  const { store, files } = disk()
  const rounds: FederationRound[] = []
  const end = await runToEnd(run(store, more), (round) => rounds.push(round))
  return { files, rounds, end }
}

describe('a recording', () => {
  test('holds every message of every round', async () => {
    const { files, rounds, end } = await undisturbed()
    const transcript = await open(files)
    expect(transcript.warnings).toEqual([])
    expect(transcript.rounds().map((r) => r.tampered)).toEqual([[], ['1'], ['1'], ['1']])
    for (const round of rounds) {
      const { global, clients, sent, participants, warnings } = await transcript.readRound(round.round)
      expect([global, participants, warnings]).toEqual([round.global, round.participants, []])
      expect(clients).toEqual(round.updates)
      expect(sent).toEqual(round.sent)
    }
    const plain = federate(spec, { population: smallPopulation, adversary: echo('1'), defences: [halving()] })
    expect(end).toEqual(await runToEnd(plain))
  })
  test.each(['delta', 'gradient'] as const)('of %s', async (share) => {
    const { store, files } = disk()
    const rule = { algorithm: 'fedsgd', learningRate: 0.1, share } as const
    const rounds: FederationRound[] = []
    await runToEnd(run(store, {}, { ...spec, rule }), (round) => rounds.push(round))
    expect((await (await open(files)).readRound(3)).clients).toEqual(rounds[3]!.updates)
  })
  test('under secure aggregation holds sums only, by a defence or by the listener', async () => {
    for (const more of [{ defences: [noisySum()] }, { recordedFor: 'secagg-server' as const, defences: [] }]) {
      const { files, rounds } = await undisturbed(more)
      const transcript = await open(files)
      expect(transcript.manifest.protocol.secureAggregation).toBe(true)
      const { clients, aggregate } = await transcript.readRound(2)
      expect(clients.size).toBe(0)
      const { updates, weights, global, learningRate } = rounds[2]!
      const exact = changeSum([...updates.values()], { global, weights: [...weights.values()], learningRate })
      expect(aggregate).toEqual(more.defences.length > 0 ? rounds[2]!.aggregate : exact)
    }
  })
  test('for an eavesdropper holds one client, what it was sent, and only its rounds', async () => {
    const { store, files } = disk()
    const sampling = { name: 'schedule', rounds: '0,1;0,2;1,2' } as const
    const rounds: FederationRound[] = []
    await runToEnd(run(store, { recordedFor: 'eavesdropper:1' }, { ...spec, sampling }), (round) => rounds.push(round))
    const transcript = await open(files)
    expect(transcript.manifest.clients).toEqual([
      { id: '0', samples: null },
      { id: '1', samples: 12 },
      { id: '2', samples: null },
    ])
    expect(transcript.rounds().map((r) => [r.round, r.participants, r.tampered])).toEqual([
      [0, ['1'], []],
      [2, ['1'], []],
      [3, ['1'], []],
    ])
    const { global, clients } = await transcript.readRound(2)
    expect(global).toEqual(rounds[2]!.sent.get('1'))
    expect([...clients]).toEqual([['1', rounds[2]!.updates.get('1')]])
  })
  test('keeps what it has when training diverges', async () => {
    const { store, files } = disk()
    const hot = { ...spec, rounds: 500, rule: { ...spec.rule, learningRate: 3 } }
    await expect(runToEnd(run(store, {}, hot))).rejects.toMatchObject({ code: 'E_NON_FINITE' })
    const transcript = await open(files)
    expect(transcript.rounds().length).toBeGreaterThan(0)
    for (const { round } of transcript.rounds()) expect((await transcript.readRound(round)).clients.size).toBe(3)
  })
})

describe('a run that was cut off', () => {
  // 5 operations begin the transcript and 1 the checkpoints; 4 write a round and 3 its checkpoint.
  const operations = 6 + 4 * 7
  const cuts = Array.from({ length: operations }, (_, life) => life)
  const modes: Record<string, More> = {
    'a checkpoint every round': {},
    'every third': { checkpointEvery: 3 },
    'an eavesdropper': { recordedFor: 'eavesdropper:1' },
    'no checkpoints': { checkpoints: undefined as never },
    'ahead of the disk': { ahead: 1e9 },
    'ahead of the disk, every second': { ahead: 1e9, checkpointEvery: 2 },
    'a little ahead': { ahead: 4000 },
  }
  test.each(Object.entries(modes))('at any operation is taken up to the same bytes: %s', async (_, mode) => {
    const more = Object.fromEntries(Object.entries(mode).filter(([, value]) => value !== undefined))
    const without = 'checkpoints' in mode
    const start = (store: WritableStore) =>
      without
        ? recordFederation(spec, {
            population: smallPopulation,
            pool,
            adversary: echo('1'),
            defences: [halving()],
            transcript: folderOf(store, 'transcript'),
          })
        : run(store, more)
    const whole = disk()
    const end = await runToEnd(start(whole.store))
    let cut = 0
    for (const life of cuts) {
      const { store, files } = disk(life)
      const died = await runToEnd(start(store)).then(
        () => false,
        (error) => {
          expect(error).toBeInstanceOf(PowerCut)
          return true
        },
      )
      cut += died ? 1 : 0
      if (files.has('transcript/transcript.json')) await open(files)
      expect(await runToEnd(start(disk(Number.POSITIVE_INFINITY, files).store))).toEqual(end)
      expect(transcriptOf(files)).toEqual(transcriptOf(whole.files))
    }
    expect(cut).toBeGreaterThan(15)
  })

  test('while it is ahead of the disk has memories as they were, though they go on', async () => {
    const seen: number[] = []
    const { store } = disk()
    const rounds = run(store, { ahead: 1e9, adversary: { sendTo: () => undefined, state: () => seen } })
    await runToEnd(rounds, ({ round }) => seen.push(round))
    const { found } = await checkpointStore(folderOf(store, 'checkpoints'))
    const last = found.find(({ checkpoint }) => checkpoint.nextRound === 4)
    expect(last).toMatchObject({ checkpoint: { adversary: [0, 1, 2] }, recorded: 4 })
  })

  test('by a write that fails ends before the next rounds pile up, ahead of the disk as well', async () => {
    const played: number[] = []
    const { store } = disk(9)
    const long = { ...spec, rounds: 400 }
    await expect(runToEnd(run(store, { ahead: 1e9 }, long), ({ round }) => played.push(round))).rejects.toThrow(
      PowerCut,
    )
    expect(played.length).toBeLessThan(100)
  })

  test('again and again still ends the same', async () => {
    const whole = await undisturbed()
    for (const life of [3, 5, 8, 11]) {
      const files = new Map<string, Uint8Array>()
      let end: unknown
      for (let attempt = 0; attempt < 60 && end === undefined; attempt++) {
        // A little longer each time, or a run could never get past its beginning.
        end = await runToEnd(run(disk(life + attempt, files).store)).catch((error) => {
          expect(error).toBeInstanceOf(PowerCut)
          return undefined
        })
      }
      expect(end).toEqual(whole.end)
      expect(transcriptOf(files)).toEqual(transcriptOf(whole.files))
    }
  })

  test.each([1, 2, 3, 4])('with a transcript that lost its last %d rounds writes them again', async (lost) => {
    const { files, end } = await undisturbed()
    const expected = transcriptOf(files)
    const path = 'transcript/rounds.jsonl'
    const lines = new TextDecoder().decode(files.get(path)).trimEnd().split('\n')
    files.set(
      path,
      new TextEncoder().encode(
        lines
          .slice(0, -lost)
          .map((line) => `${line}\n`)
          .join(''),
      ),
    )
    for (let t = 4 - lost; t < 4; t++) files.delete(`transcript/rounds/00000${t}.safetensors`)
    const played: number[] = []
    expect(await runToEnd(run(disk(Number.POSITIVE_INFINITY, files).store), (r) => played.push(r.round))).toEqual(end)
    expect(transcriptOf(files)).toEqual(expected)
    // Two checkpoints are kept: before rounds 3 and 4.
    expect(played).toEqual(lost === 1 ? [3] : [0, 1, 2, 3])
  })

  test('that is complete is not played again', async () => {
    const { files, end } = await undisturbed()
    const played: number[] = []
    expect(await runToEnd(run(disk(0, files).store), (r) => played.push(r.round)).catch(() => 'cut')).toBe('cut')
    const again = run(disk(1, files).store) // makes its folder, and writes nothing
    expect(await runToEnd(again, (r) => played.push(r.round))).toEqual(end)
    expect(played).toEqual([])
  })

  test('goes on for more rounds', async () => {
    const long = disk()
    await runToEnd(run(long.store, {}, { ...spec, rounds: 6 }))
    const { files } = await undisturbed()
    await runToEnd(run(disk(Number.POSITIVE_INFINITY, files).store, {}, { ...spec, rounds: 6 }))
    expect(transcriptOf(files)).toEqual(transcriptOf(long.files))
  })

  test('is not mixed with another', async () => {
    const { files } = await undisturbed()
    const store = disk(Number.POSITIVE_INFINITY, files).store
    // The manifest does not show the seed: the checkpoint does.
    await expect(runToEnd(run(store, {}, { ...spec, seed: 9, rounds: 6 }))).rejects.toThrow(
      'is of another run: its seed',
    )
    for (const path of [...files.keys()]) if (path.startsWith('checkpoints/')) files.delete(path)
    await expect(runToEnd(run(store, {}, { ...spec, seed: 9 }))).rejects.toThrow(
      'round 0 of the transcript is not what this run gives',
    )
  })

  test('checkpoints of a run without a transcript do not shorten one with', async () => {
    const { store, files } = disk()
    const { transcript: _, ...silent } = { population: smallPopulation, transcript: 0, adversary: echo('1') }
    const checkpoints = folderOf(store, 'checkpoints')
    await runToEnd(recordFederation({ ...spec, rounds: 2 }, { ...silent, defences: [halving()], checkpoints }))
    await runToEnd(run(disk(Number.POSITIVE_INFINITY, files).store))
    expect((await open(files)).rounds().length).toBe(4)
  })
})

describe('the manifest', () => {
  test('says what the server sets', () => {
    const rule = { algorithm: 'fedprox', learningRate: 0.1, localSteps: 5, batchSize: 8, proxMu: 0.3 } as const
    const manifest = manifestFor({ ...spec, rule, lossScale: 0.5, aggregateWeights: 'one' }, smallPopulation)
    expect(manifest.protocol).toEqual({
      algorithm: 'fedprox',
      share: 'parameters',
      learningRate: 0.1,
      localEpochs: null,
      localSteps: 5,
      batchSize: 8,
      momentum: 0,
      proxMu: 0.3,
      dropout: 0,
      lossScale: 0.5,
      aggregateWeights: 'one',
      optimizer: { name: 'sgd' },
      weightDecay: 0,
      clipNorm: null,
      dropLast: false,
      schedule: null,
      compression: null,
    })
  })
  test('tells of dropout, of private steps, of a crowd', () => {
    const model = { kind: 'lenet-mnist', dropout: 0.5 } as const
    const defences = [{ name: 'dp', step: { maxNorm: 1, noiseMultiplier: 1.1 } }]
    const crowd = population({
      kind: 'generated',
      clients: 20_000,
      seed: 1,
      generator: { name: 'toy-least-squares', recordsPerClient: 3 },
    })
    const { protocol, clients, ...rest } = manifestFor({ ...spec, model }, crowd, { defences })
    expect(rest.model).toEqual({ kind: 'lenet-mnist' })
    expect(protocol.dropout).toBe(0.5)
    expect(protocol.differentialPrivacy).toEqual({ mechanism: 'dp-sgd', maxNorm: 1, noiseMultiplier: 1.1 })
    expect(clients).toEqual({ count: 20_000, samples: 3 })
    const overheard = manifestFor(spec, crowd, { recordedFor: 'eavesdropper:7' })
    expect(overheard.clients).toEqual({ count: 20_000, samples: null })
    expect(() => manifestFor(spec, smallPopulation, { recordedFor: 'eavesdropper:7' })).toThrow(
      'there is no such client',
    )
  })
})
