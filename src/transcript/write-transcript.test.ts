import { describe, expect, test } from 'vitest'
import { disk, PowerCut } from '../../test/simulated-disk.js'
import { OverhearError } from '../errors.js'
import { parametersOf } from '../models/index.js'
import { openTranscript } from './read-transcript.js'
import { memoryStore } from './store.js'
import { openWriter, type RoundToWrite, type WritableStore } from './write-transcript.js'

const manifest = {
  format: 'overhear-transcript/1' as const,
  model: { kind: 'linear' as const, inputs: 2, outputs: 1 },
  loss: 'mse' as const,
  protocol: { share: 'delta' as const },
  clients: [{ id: '0', samples: 5 }, { id: 'b' }],
}
const round = (t: number): RoundToWrite => ({
  round: t,
  participants: ['0', 'b'],
  tampered: t === 1 ? ['b'] : [],
  ...(t === 2 && { learningRate: 0.5 }),
  global: Float64Array.of(t, 0.1, 1 / 3),
  clients: new Map([
    ['0', { kind: 'delta', dTheta: Float64Array.of(1, 2, t) }],
    ['b', { kind: 'delta', dTheta: Float64Array.of(-1, -2, -t) }],
  ]),
  ...(t === 1 && { sent: new Map([['b', Float64Array.of(9, 9, 9)]]) }),
})
const options = { parametersOf }
const open = (store: WritableStore) => openWriter(store, manifest, options)

async function run(store: WritableStore, rounds: number): Promise<void> {
  const writer = await open(store)
  for (let t = (writer.rounds().at(-1)?.round ?? -1) + 1; t < rounds; t++) await writer.append(round(t))
}

describe('a transcript that was written', () => {
  test.each([
    ['flat', 'f64'],
    ['parameters', 'f64'],
    ['flat', 'f32'],
  ] as const)('is read back: %s, %s', async (layout, precision) => {
    const { store } = disk()
    const writer = await openWriter(store, manifest, { parametersOf, layout, precision })
    for (const t of [0, 1, 2]) await writer.append(round(t))
    const transcript = await openTranscript(store, options)
    expect(transcript.warnings).toEqual([])
    expect(transcript.rounds().map((r) => r.learningRate)).toEqual([null, null, 0.5])
    const stored = (v: number) => (precision === 'f32' ? Math.fround(v) : v)
    for (const t of [0, 1, 2]) {
      const { global, clients, sent, tampered } = await transcript.readRound(t)
      expect([...global!]).toEqual([t, stored(0.1), stored(1 / 3)])
      expect(clients.get('b')).toEqual({ kind: 'delta', dTheta: Float64Array.of(-1, -2, -t) })
      expect([tampered.length, sent.size]).toEqual(t === 1 ? [1, 1] : [0, 0])
    }
  })

  test('is whole up to its last round wherever the power was cut, and can be taken up', async () => {
    const whole = disk()
    await run(whole.store, 3)
    const reached = new Set<number>()
    for (let life = 0; life < 17; life++) {
      const { store, files } = disk(life)
      await expect(run(store, 3)).rejects.toThrow(PowerCut)
      if (files.has('transcript.json')) {
        const transcript = await openTranscript(memoryStore(files), options)
        reached.add(transcript.rounds().length)
        for (const { round: t } of transcript.rounds()) {
          expect((await transcript.readRound(t)).clients.get('0')).toEqual(round(t).clients!.get('0'))
        }
      }
      await run(disk(Number.POSITIVE_INFINITY, files).store, 3)
      const left = [...files.keys()].filter((path) => !path.endsWith('.tmp'))
      expect(left.sort()).toEqual([...whole.files.keys()].sort())
      for (const path of left) expect(files.get(path)).toEqual(whole.files.get(path))
    }
    expect([...reached].sort()).toEqual([0, 1, 2])
    await run(disk(17).store, 3) // 5 operations to begin, 4 a round: the last cut above was the last possible
  })

  test('is not taken up with another manifest', async () => {
    const { store } = disk()
    await run(store, 1)
    const other = { ...manifest, protocol: { share: 'delta' as const, batchSize: 4 } }
    await expect(openWriter(store, other, options)).rejects.toThrow(/its protocol differ/)
    const reordered = Object.fromEntries(Object.entries(manifest).reverse()) as typeof manifest
    expect((await openWriter(store, reordered, options)).rounds()).toHaveLength(1)
  })

  test('that lost its manifest is begun again where a repair is asked for', async () => {
    const { store } = disk()
    await run(store, 3)
    await store.rename('transcript.json', 'elsewhere.json')
    await expect(open(store)).rejects.toThrow('no transcript.json; an empty folder is needed, or --repair')
    const again = await openWriter(store, manifest, { ...options, repair: true })
    expect(again.rounds()).toEqual([])
    await again.append(round(0))
    expect((await openTranscript(store, options)).rounds()).toHaveLength(1)
  })

  test('a last line of rubbish is dropped, by readers and by the next writer', async () => {
    for (const rubbish of [[0xc3], [0, 0, 10], [0x7b, 0x22, 0xe2, 0x82], [10]]) {
      const { store, files } = disk()
      await run(store, 2)
      files.set('rounds.jsonl', Uint8Array.from([...files.get('rounds.jsonl')!, ...rubbish]))
      expect((await openTranscript(store, options)).rounds()).toHaveLength(2)
      await run(store, 3)
      const { rounds, warnings } = await openTranscript(store, options)
      expect([rounds().length, warnings]).toEqual([3, []])
    }
  })

  test('a complete last line without its end is kept', async () => {
    const { store, files } = disk()
    await run(store, 2)
    files.set('rounds.jsonl', files.get('rounds.jsonl')!.slice(0, -1))
    await run(store, 3)
    expect((await openTranscript(store, options)).rounds()).toHaveLength(3)
  })
})

describe('rounds that are given at once', () => {
  const atOnce = async (store: WritableStore, count: number): Promise<PromiseSettledResult<void>[]> => {
    const writer = await open(store)
    const rounds = Array.from({ length: count }, (_, t) => round(t)).slice(writer.rounds().length)
    return Promise.allSettled(rounds.map((one) => writer.append(one)))
  }

  test('are written as one after the other, with fewer waits for the disk', async () => {
    const [one, all] = [disk(), disk(5 + 4 + 2 * 6 + 2)] // to begin, the first by itself, the other six together
    await run(one.store, 7)
    for (const { status } of await atOnce(all.store, 7)) expect(status).toBe('fulfilled')
    expect(all.files).toEqual(one.files)
  })

  test('count in order, wherever the power was cut', async () => {
    const whole = disk()
    await run(whole.store, 4)
    const reached = new Set<number>()
    for (let life = 5; life < 17; life++) {
      const { store, files } = disk(life)
      const results = await atOnce(store, 4)
      const kept = results.filter(({ status }) => status === 'fulfilled').length
      expect(results.slice(0, kept).every(({ status }) => status === 'fulfilled')).toBe(true)
      const transcript = await openTranscript(memoryStore(files), options)
      // Of lines that were half written some may be whole, and so are their rounds.
      expect(transcript.rounds().length).toBeGreaterThanOrEqual(kept)
      for (const { round: t } of transcript.rounds()) {
        expect((await transcript.readRound(t)).clients.get('0')).toEqual(round(t).clients!.get('0'))
      }
      reached.add(transcript.rounds().length)
      await atOnce(disk(Number.POSITIVE_INFINITY, files).store, 4)
      for (const [path, bytes] of whole.files) expect(files.get(path)).toEqual(bytes)
    }
    expect(reached.size).toBeGreaterThan(2)
  })

  test('stand as they were when they were given', async () => {
    const { store } = disk()
    const writer = await open(store)
    const global = Float64Array.of(1, 2, 3)
    const first = writer.append({ ...round(0), global })
    const second = writer.append({ ...round(1), global })
    global.fill(9)
    await Promise.all([first, second])
    const transcript = await openTranscript(store, options)
    for (const t of [0, 1]) expect((await transcript.readRound(t)).global).toEqual(Float64Array.of(1, 2, 3))
  })

  test('behind one that is refused are not written, or one would be missing between; given again they are', async () => {
    const writer = await open(disk().store)
    const results = await Promise.allSettled([0, 1, 1, 2].map((t) => writer.append(round(t))))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
    expect((results[3] as PromiseRejectedResult).reason.message).toMatch('round 2 cannot be written: an earlier one was refused') // biome-ignore format: a line
    expect(writer.rounds().map((one) => one.round)).toEqual([0, 1])
    await writer.append(round(2))
    expect(writer.rounds().map((one) => one.round)).toEqual([0, 1, 2])
  })
})

describe('what a reader would refuse is not written', () => {
  test.each<[string, Partial<RoundToWrite>, RegExp]>([
    ['non-finite', { global: Float64Array.of(1, NaN, 2) }, /global: parameter "layers.0.weight" holds NaN at 1/],
    ['length', { global: Float64Array.of(1) }, /\[3\] is needed/],
    ['unknown id', { participants: ['x'] }, /holds "x"/],
    ['other share', { clients: new Map([['0', { kind: 'gradient', grad: new Float64Array(3) }]]) }, /share is "delta"/],
    ['round again', { round: 0 }, /round is 0 after 0/],
  ])('%s', async (_, change, message) => {
    const { store, files } = disk()
    const writer = await open(store)
    await writer.append(round(0))
    const before = [...files.keys()]
    await expect(writer.append({ ...round(1), ...change })).rejects.toThrow(message)
    expect([...files.keys()]).toEqual(before)
    await writer.append(round(1))
    expect(writer.rounds()).toHaveLength(2)
  })

  test('nor anything after a failed write, nor over foreign rounds', async () => {
    const { store } = disk(7)
    const writer = await open(store)
    await expect(writer.append(round(0))).rejects.toThrow(PowerCut)
    await expect(writer.append(round(0))).rejects.toThrow(/an earlier write failed/)
    const waiting = await open(disk(7).store)
    const results = await Promise.allSettled([0, 1, 2].map((t) => waiting.append(round(t))))
    expect(results.map((one) => (one as PromiseRejectedResult).reason.name)).toEqual([
      'Error',
      ...Array(2).fill('OverhearError'),
    ])
    expect(waiting.rounds()).toEqual([])
    const foreign = disk(100, new Map([['rounds.jsonl', Uint8Array.of(1)]]))
    await expect(open(foreign.store)).rejects.toThrow(OverhearError)
  })
})
