import { describe, expect, expectTypeOf, test } from 'vitest'
import { parametersOf } from '../models/index.js'
import { openKnowledge } from '../transcript/knowledge-file.js'
import type { ManifestInput } from '../transcript/manifest.js'
import { openTranscript } from '../transcript/read-transcript.js'
import { encode, type TensorToWrite } from '../transcript/safetensors.js'
import { memoryStore } from '../transcript/store.js'
import { type Granted, grant, type Sources } from './grant.js'
import type { Grant, Series, View } from './granted-keys.js'
import { type ObserverName, observers } from './observers.js'

const bytes = (value: object | string) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
const flat = (owner: string, ...values: number[]): TensorToWrite => ({
  name: `${owner}/*`,
  shape: [values.length],
  data: Float64Array.from(values),
})

/** Two rounds of a linear model with two clients; b was sent something else in round 1. */
const heardByServer = [
  [flat('global', 1, 1), flat('client/a', 2, 3), flat('client/b', 4, 0)],
  [flat('global', 10, 20), flat('client/a', 11, 22), flat('client/b', 9, 9), flat('sent/b', 5, 5)],
]
const base: ManifestInput = {
  format: 'overhear-transcript/1',
  model: { kind: 'linear', inputs: 1, outputs: 1, comment: 'the truth is 42' },
  loss: 'mse',
  protocol: { share: 'parameters', learningRate: 0.5, aggregateWeights: 'samples', secret: 'the truth is 42' },
  clients: [
    { id: 'a', samples: 10 },
    { id: 'b', samples: 30 },
  ],
  rounds: [{ participants: ['a', 'b'] }, { participants: ['a', 'b'], tampered: ['b'] }],
}
async function sources(change: object = {}, rounds = heardByServer, known: object = { target: 'a' }): Promise<Sources> {
  const files = new Map<string, Uint8Array>([
    ['transcript.json', bytes({ ...base, ...change })],
    ['knowledge.json', bytes({ format: 'overhear-knowledge/1', ...known })],
    ['r.csv', bytes('x,y\n1,2\n3,4\n')],
  ])
  for (const [t, tensors] of rounds.entries()) files.set(`rounds/00000${t}.safetensors`, encode(tensors))
  const store = memoryStore(files)
  return { transcript: await openTranscript(store, { parametersOf }), knowledge: await openKnowledge(store) }
}

/** The view, behind a proxy that throws on any key that was not asked for. */
function guarded<G extends Grant>({ view, missing }: Granted<G>, needs: readonly G[]): View<G> {
  expect(missing).toBeUndefined()
  return new Proxy(view!, {
    get(target, key) {
      if (key === 'then') return undefined // asked by the promise that hands the view over
      if (!(needs as readonly unknown[]).includes(key)) throw new Error(`${String(key)} was read and not granted`)
      return target[key as G]
    },
    ownKeys() {
      throw new Error('the keys were listed')
    },
  })
}
async function viewOf<const G extends Grant>(observer: ObserverName, needs: readonly G[], from?: Sources) {
  return guarded(await grant(from ?? (await sources()), observer, needs), needs)
}
const missingOf = async (observer: ObserverName, needs: Grant[], from?: Sources) =>
  (await grant(from ?? (await sources()), observer, needs)).missing
const all = async <T>(series: Series<T>) => Promise.all(series.rounds.map((round) => series.read(round)))

describe('a view', () => {
  test('holds exactly what was asked for, and cannot be widened', async () => {
    const { view } = await grant(await sources(), 'server', ['model', 'learningRate'])
    expect(Object.keys(view!)).toEqual(['model', 'learningRate'])
    expect(Object.getPrototypeOf(view)).toBeNull()
    expect(Object.isFrozen(view)).toBe(true)
    // @ts-expect-error: what was not granted does not compile
    expect(view!.exchanges).toBeUndefined()
    expectTypeOf<keyof NonNullable<typeof view>>().toEqualTypeOf<'model' | 'learningRate'>()
    const proxy = await viewOf('server', ['model'])
    expect(() => (proxy as unknown as View<'samples'>).samples).toThrow(/not granted/)
  })

  test('adds what may be used and can be had, and is granted without the rest', async () => {
    const granted = await grant(await sources(), 'eavesdropper', ['model'], ['samples', 'updates', 'records'])
    expect(Object.keys(granted.view!)).toEqual(['model', 'samples'])
    expectTypeOf(granted.view!.samples).toEqualTypeOf<number | undefined>()
  })

  test('carries no unknown keys of the files', async () => {
    const view = await viewOf('malicious-server', ['model', 'protocol', 'parameters', 'sampleCounts', 'participation'])
    const { model, protocol, parameters, sampleCounts, participation } = view
    expect(JSON.stringify([model, protocol, parameters, sampleCounts, participation])).not.toContain('42')
    expect(protocol.share).toBe('parameters')
  })

  test('is refused whole when one key is missing, with its name', async () => {
    expect(await missingOf('eavesdropper', ['exchanges', 'updates', 'channel'])).toEqual(['updates', 'channel'])
    expect(await missingOf('server', ['exchanges', 'auxiliary.label', 'batchSize', 'records'])).toEqual([
      'auxiliary.label',
      'records',
    ])
    await expect(grant(await sources(), 'spy' as 'server', ['model'])).rejects.toThrow(/unknown observer: "spy"/)
  })
})

describe('who may know what', () => {
  const messages = [
    'exchanges',
    'updates',
    'globals',
    'aggregates',
    'participation',
    'samples',
    'sampleCounts',
  ] as const
  const granted = async (observer: ObserverName, from: Sources) => {
    const keys: Grant[] = []
    for (const key of messages) if ((await missingOf(observer, [key], from)) === undefined) keys.push(key)
    return keys
  }
  const table = async (from: Sources) =>
    Object.fromEntries(
      await Promise.all(
        (Object.keys(observers) as ObserverName[]).map(async (o) => [o, await granted(o, from)] as const),
      ),
    )

  test('in a recording for the server', async () => {
    expect(await table(await sources())).toEqual({
      participant: ['globals', 'aggregates', 'participation', 'samples', 'sampleCounts'],
      eavesdropper: ['exchanges', 'globals', 'samples'],
      'secagg-server': ['globals', 'aggregates', 'participation', 'samples', 'sampleCounts'],
      'malicious-secagg-server': ['globals', 'aggregates', 'participation', 'samples', 'sampleCounts'],
      server: [...messages],
      'malicious-server': [...messages],
    })
  })

  test('in a recording under secure aggregation', async () => {
    const rounds = [[flat('global', 1, 1), flat('aggregate', 7, 7)], [flat('aggregate', 8, 8)]]
    const from = await sources({ recordedFor: 'secagg-server' }, rounds)
    expect(await table(from)).toEqual({
      participant: ['globals', 'participation', 'samples', 'sampleCounts'],
      eavesdropper: [],
      'secagg-server': ['globals', 'aggregates', 'participation', 'samples', 'sampleCounts'],
      'malicious-secagg-server': ['globals', 'aggregates', 'participation', 'samples', 'sampleCounts'],
      server: [],
      'malicious-server': [],
    })
    const { aggregates } = await viewOf('secagg-server', ['aggregates'], from)
    expect(await all(aggregates)).toEqual([
      { round: 0, dThetaSum: Float64Array.of(7, 7), derived: false },
      { round: 1, dThetaSum: Float64Array.of(8, 8), derived: false },
    ])
  })

  test('in a recording of one line', async () => {
    const rounds = [[flat('global', 1, 1), flat('client/a', 2, 3)], [flat('client/a', 4, 5)]]
    const from = await sources({ recordedFor: 'eavesdropper:a' }, rounds, {})
    const heard = await table(from)
    expect(heard.eavesdropper).toEqual(['exchanges', 'globals', 'samples'])
    expect(Object.values(heard).flat()).toHaveLength(3)
    expect((await viewOf('eavesdropper', ['target'], from)).target).toBe('a')
    const other = await sources({ recordedFor: 'eavesdropper:a' }, rounds, { target: 'b' })
    expect((await table(other)).eavesdropper).toEqual([])
  })
})

describe('what is heard', () => {
  test('an eavesdropper hears the line of its target alone', async () => {
    const from = await sources({}, heardByServer, { target: 'b' })
    const { exchanges, globals, samples } = await viewOf('eavesdropper', ['exchanges', 'globals', 'samples'], from)
    expect(await all(exchanges)).toEqual([
      {
        round: 0,
        received: Float64Array.of(1, 1),
        learningRate: 0.5,
        update: { kind: 'parameters', theta: Float64Array.of(4, 0) },
      },
      {
        round: 1,
        received: Float64Array.of(5, 5),
        learningRate: 0.5,
        update: { kind: 'parameters', theta: Float64Array.of(9, 9) },
      },
    ])
    expect(await all(globals)).toEqual([Float64Array.of(1, 1), Float64Array.of(5, 5)])
    expect(samples).toBe(30)
    await expect(exchanges.read(2)).rejects.toThrow(/round 2 is not in this view/)
  })

  test('rounds without the target are not on its line', async () => {
    const rounds = [heardByServer[0]!, [flat('global', 1, 2), flat('client/b', 1, 1)]]
    const from = await sources({ rounds: [{ participants: ['a', 'b'] }, { participants: ['b'] }] }, rounds)
    const { exchanges, globals, round } = await viewOf('eavesdropper', ['exchanges', 'globals', 'round'], from)
    expect([exchanges.rounds, globals.rounds, round]).toEqual([[0], [0], 0])
  })

  test('a server hears every update', async () => {
    const { updates } = await viewOf('server', ['updates'])
    const [first] = await all(updates)
    expect([...first!.keys()]).toEqual(['a', 'b'])
  })

  test('sums are formed by their definition, whatever is shared, and marked', async () => {
    // round 0: 10 (theta_a - theta) + 30 (theta_b - theta) = 10 (1, 2) + 30 (3, -1)
    const secure = await viewOf('secagg-server', ['aggregates'])
    expect((await all(secure.aggregates))[0]).toEqual({ round: 0, dThetaSum: Float64Array.of(100, -10), derived: true })
    // Formed once, and whoever reads it may write into it.
    for (let k = 0; k < 2; k++) (await secure.aggregates.read(0)).dThetaSum.fill(7)
    expect((await secure.aggregates.read(0)).dThetaSum).toEqual(Float64Array.of(100, -10))
    const sum = async (protocol: object) => {
      const { aggregates } = await viewOf('secagg-server', ['aggregates'], await sources({ protocol }))
      return [...(await aggregates.read(0)).dThetaSum]
    }
    expect(await sum({ share: 'parameters' })).toEqual([4, 1])
    expect(await sum({ share: 'delta' })).toEqual([6, 3])
    // one step of descent at rate 0.5 along each mean gradient
    expect(await sum({ share: 'gradient', learningRate: 0.5 })).toEqual([-3, -1.5])
    const unknownRate = await sources({ protocol: { share: 'gradient' } })
    expect(await missingOf('secagg-server', ['aggregates'], unknownRate)).toEqual(['aggregates'])
    const unknownWeights = await sources({ clients: [{ id: 'a', samples: 1 }, { id: 'b' }] })
    expect(await missingOf('secagg-server', ['aggregates'], unknownWeights)).toEqual(['aggregates'])
  })

  test('clients that are only counted have the same number of records each, or nobody knows', async () => {
    const counted = await sources({ clients: { count: 2, samples: 5 } })
    const view = await viewOf('server', ['aggregates', 'samples', 'sampleCounts'], counted)
    expect([...(await view.aggregates.read(0)).dThetaSum]).toEqual([20, 5])
    expect(view.samples).toBe(5)
    expect(view.sampleCounts).toEqual({ count: 2, samples: 5 })
    const unknown = await sources({ clients: { count: 2 } })
    const keys: Grant[] = ['aggregates', 'samples', 'sampleCounts']
    expect(await missingOf('server', keys, unknown)).toEqual(keys)
    const named = await viewOf('server', ['samples', 'sampleCounts'])
    expect(named.sampleCounts).toEqual([{ id: 'a', samples: 10 }, { id: 'b', samples: 30 }]) // biome-ignore format: one line
    expect(named.samples).toBe(10)
    const one = await sources({ clients: [{ id: 'a', samples: 1 }, { id: 'b' }] })
    expect(await missingOf('server', ['sampleCounts'], one)).toEqual(['sampleCounts'])
  })

  test('a participant takes the difference of two global models times the weights', async () => {
    const { aggregates } = await viewOf('participant', ['aggregates'])
    // (10 - 1, 20 - 1) times 10 + 30
    expect(await all(aggregates)).toEqual([{ round: 0, dThetaSum: Float64Array.of(360, 760), derived: true }])
    const other = await sources({ protocol: { share: 'parameters', aggregation: 'median' } })
    expect(await missingOf('participant', ['aggregates'], other)).toEqual(['aggregates'])
  })

  test('the batch is the full one only for those who may know how large that is', async () => {
    expect((await viewOf('eavesdropper', ['batchSize'])).batchSize).toBe(10)
    expect((await viewOf('participant', ['batchSize'])).batchSize).toBe(10)
    const deaf = await sources({ recordedFor: 'secagg-server' }, heardByServer, { target: 'a' })
    expect(await missingOf('eavesdropper', ['batchSize', 'round'], deaf)).toEqual(['batchSize', 'round'])
    const told = await sources({}, heardByServer, { target: 'a', batchSize: 3, round: 1 })
    expect((await viewOf('participant', ['batchSize'], told)).batchSize).toBe(3)
    const stated = await sources({ protocol: { share: 'delta', batchSize: 4 } })
    expect((await viewOf('participant', ['batchSize'], stated)).batchSize).toBe(4)
  })

  test('tables are handed over without their labels unless those are granted', async () => {
    const from = await sources({}, heardByServer, { auxiliary: { file: 'r.csv', label: 'y' } })
    const { auxiliary } = await viewOf('participant', ['auxiliary'], from)
    expect(Object.keys(auxiliary)).toEqual(['columns', 'features'])
    const view = await viewOf('participant', ['auxiliary.label'], from)
    expect([...view['auxiliary.label']]).toEqual([2, 4])
    expect(await missingOf('server', ['auxiliary.metaclass'], from)).toEqual(['auxiliary.metaclass'])
  })

  test('only a malicious server in a live federation has a channel', async () => {
    const channel = async (_: string, theta: Float64Array) => theta
    const live = { ...(await sources()), channel }
    const line = (await viewOf('malicious-server', ['channel'], live)).channel
    expect(await line('a', Float64Array.of(1, 2))).toEqual(Float64Array.of(1, 2))
    expect(await missingOf('server', ['channel'], live)).toEqual(['channel'])
    expect(await missingOf('malicious-server', ['channel'])).toEqual(['channel'])
    expect((await viewOf('malicious-server', ['tampered'])).tampered[1]).toEqual({ round: 1, clients: ['b'] })
  })
})
