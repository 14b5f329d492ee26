import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parametersOf } from '../models/index.js'
import { openKnowledge } from '../transcript/knowledge-file.js'
import { openTranscript } from '../transcript/read-transcript.js'
import { encode, type TensorToWrite } from '../transcript/safetensors.js'
import { memoryStore } from '../transcript/store.js'
import { grant, type Sources } from './grant.js'
import type { Channel, Grant, Series } from './granted-keys.js'
import { type ObserverName, observers } from './observers.js'

/** Every number that crosses a wire here stands nowhere else. */
const globals = [
  [101, 102],
  [111, 112],
  [121, 122],
] as const
const returned = {
  a: { 0: [201, 202], 1: [211, 212] },
  b: { 0: [301, 302], 1: [311, 312], 2: [321, 322] },
  c: { 1: [411, 412], 2: [421, 422] },
} as const
const sentToB = [511, 512] as const
const samples = { a: 7001, b: 7002, c: 7003 } as const
type Id = keyof typeof samples
const entries = [
  { participants: ['a', 'b'], dropped: ['c'], tampered: [] },
  { participants: ['a', 'b', 'c'], dropped: [], tampered: ['b'] },
  { participants: ['b', 'c'], dropped: [], tampered: [] },
] as const
const heardOf = (id: Id, t: number) => (returned[id] as Record<number, readonly [number, number] | undefined>)[t]

/** sum_i n_i (theta_i - theta), by hand. */
const sums = entries.map(({ participants }, t) =>
  [0, 1].map((j) => participants.reduce((sum, id) => sum + samples[id] * (heardOf(id, t)![j]! - globals[t]![j]!), 0)),
)
/** (theta_{t+1} - theta_t) sum_i n_i */
const differences = [0, 1].map((t) => {
  const W = entries[t]!.participants.reduce((sum, id) => sum + samples[id], 0)
  return [0, 1].map((j) => W * (globals[t + 1]![j]! - globals[t]![j]!))
})

const flat = (owner: string, values: readonly number[]): TensorToWrite => ({
  name: `${owner}/*`,
  shape: [values.length],
  data: Float64Array.from(values),
})
const text = (value: string | object) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))

interface Recording {
  readonly manifest: object
  readonly rounds: readonly (readonly TensorToWrite[])[]
}
const protocol = { share: 'parameters', learningRate: 0.25, aggregateWeights: 'samples' }
const base = {
  format: 'overhear-transcript/1',
  model: { kind: 'mlp', inputs: 1, outputs: 1, hidden: [], comment: 666 },
  loss: 'mse',
  protocol: { ...protocol, differentialPrivacy: { mechanism: 'dp-sgd', maxNorm: 1.5, truth: 666 }, truth: 666 },
  clients: Object.entries(samples).map(([id, n]) => ({ id, samples: n, truth: 666 })),
  rounds: entries,
}
const byServer = entries.map(({ participants }, t) => [
  flat('global', globals[t]!),
  ...participants.map((id) => flat(`client/${id}`, heardOf(id, t)!)),
  ...(t === 1 ? [flat('sent/b', sentToB)] : []),
])
const summed = entries.map((_, t) => [flat('global', globals[t]!), flat('aggregate', sums[t]!)])
const recordings = {
  server: { manifest: base, rounds: byServer },
  'server, secure aggregation': {
    manifest: { ...base, protocol: { ...base.protocol, secureAggregation: true } },
    rounds: summed,
  },
  'secagg-server': { manifest: { ...base, recordedFor: 'secagg-server' }, rounds: summed },
  'eavesdropper on a': {
    manifest: {
      ...base,
      recordedFor: 'eavesdropper:a',
      clients: [{ id: 'a', samples: samples.a }],
      rounds: [{ participants: ['a'] }, { participants: ['a'] }],
    },
    rounds: [0, 1].map((t) => [flat('global', globals[t]!), flat('client/a', heardOf('a', t)!)]),
  },
  'eavesdropper on b': {
    manifest: {
      ...base,
      recordedFor: 'eavesdropper:b',
      rounds: [{ participants: ['b'] }],
    },
    rounds: [[flat('global', globals[0]), flat('client/b', heardOf('b', 0)!)]],
  },
} as const satisfies Record<string, Recording>
type RecordingName = keyof typeof recordings

/** The target is a. */
const knowledge = {
  format: 'overhear-knowledge/1',
  target: 'a',
  records: { file: 'records.csv', label: 'y' },
  sensitive: [{ name: 's', columns: ['x'], kind: 'binary', values: [[0], [1]], words: ['no', 'yes'] }],
  auxiliary: { file: 'aux.csv', label: 'y', metaclass: 'm', metaclasses: ['p', 'q'] },
  metaclassCounts: [3, 4],
  candidates: { file: 'candidates.csv', label: 'y' },
  property: { name: 'membership', record: 0, truth: 666 },
  turnCounts: [{ from: 0, to: 1, clients: { a: 2, b: 1 }, truth: 666 }],
}
const channel: Channel = async (_, theta) => theta

async function sourcesOf(name: RecordingName, known: object = knowledge): Promise<Sources> {
  const { manifest, rounds } = recordings[name]
  const store = memoryStore(
    new Map([
      ['transcript.json', text(manifest)],
      ...rounds.map((tensors, t) => [`rounds/00000${t}.safetensors`, encode(tensors)] as const),
      ['knowledge.json', text(known)],
      ['records.csv', text('w,x,y\n1,,2\n')],
      ['aux.csv', text('x,y,m\n5,6,q\n7,8,p\n')],
      ['candidates.csv', text('w,y\n9,10\n')],
    ]),
  )
  return { transcript: await openTranscript(store, { parametersOf }), knowledge: await openKnowledge(store), channel }
}

type Heard = Partial<Record<Grant, unknown>>
const series = (values: Record<number, unknown>) => ({ series: values })
const floats = (values: readonly number[]) => Float64Array.from(values)
const parameters = (values: readonly number[]) => ({ kind: 'parameters', theta: floats(values) })

/** What every observer may be told, whatever was recorded. */
function told(name: RecordingName): Heard {
  const secureAggregation = name === 'server, secure aggregation'
  const spec = { hidden: [], activation: 'relu', outputActivation: 'identity', bias: true }
  return {
    model: { kind: 'mlp', inputs: 1, outputs: 1, ...spec },
    loss: 'mse',
    learningRate: 0.25,
    target: 'a',
    parameters: [
      { name: 'layers.0.weight', shape: [1, 1] },
      { name: 'layers.0.bias', shape: [1] },
    ],
    protocol: {
      ...protocol,
      algorithm: 'fedavg',
      localEpochs: 1,
      localSteps: null,
      batchSize: null,
      momentum: 0,
      proxMu: 0,
      dropout: 0,
      lossScale: 1,
      aggregation: 'weighted-mean',
      secureAggregation,
      differentialPrivacy: { mechanism: 'dp-sgd', maxNorm: 1.5, noiseMultiplier: null, sampleRate: null, delta: null },
    },
    records: { columns: ['w', 'x'], features: { rows: 1, cols: 2, data: floats([1, NaN]) } },
    'records.label': floats([2]),
    sensitive: knowledge.sensitive,
    auxiliary: { columns: ['x'], features: { rows: 2, cols: 1, data: floats([5, 7]) } },
    'auxiliary.label': floats([6, 8]),
    'auxiliary.metaclass': floats([1, 0]),
    metaclasses: ['p', 'q'],
    metaclassCounts: [3, 4],
    candidates: { columns: ['w'], features: { rows: 1, cols: 1, data: floats([9]) } },
    'candidates.label': floats([10]),
    property: { name: 'membership', record: 0 },
    turnCounts: [{ from: 0, to: 1, clients: { a: 2, b: 1 } }],
  }
}

const turn = (t: number) => ({
  round: t,
  received: floats(globals[t]!),
  learningRate: 0.25,
  update: parameters(heardOf('a', t)!),
})
const allGlobals = series(Object.fromEntries(globals.map((theta, t) => [t, floats(theta)])))
const onTheLine = {
  exchanges: series({ 0: turn(0), 1: turn(1) }),
  globals: series({ 0: floats(globals[0]), 1: floats(globals[1]) }),
  samples: samples.a,
  batchSize: samples.a,
  round: 0,
}
const sumsBy = (values: readonly (readonly number[])[], derived: boolean) =>
  series(Object.fromEntries(values.map((sum, t) => [t, { round: t, dThetaSum: floats(sum), derived }])))
const lists = {
  participation: entries.map(({ participants, dropped }, round) => ({ round, participants, dropped })),
  sampleCounts: Object.entries(samples).map(([id, n]) => ({ id, samples: n })),
  samples: samples.a,
  batchSize: samples.a,
  round: 0,
}
const updates = series(
  Object.fromEntries(
    entries.map(({ participants }, t) => [
      t,
      new Map(participants.map((id) => [id, parameters(heardOf(id, t)!)] as const)),
    ]),
  ),
)
const tampered = entries.map((entry, round) => ({ round, clients: entry.tampered }))
const asParticipant = { ...lists, globals: allGlobals, aggregates: sumsBy(differences, true) }
const secure = (derived: boolean) => ({ ...lists, globals: allGlobals, aggregates: sumsBy(sums, derived) })
const active = { channel: 'a line' }

/** What each hears in each recording, besides what it is told. */
const heardBy: Record<RecordingName, Record<ObserverName, Heard>> = {
  server: {
    participant: asParticipant,
    eavesdropper: onTheLine,
    'secagg-server': secure(true),
    'malicious-secagg-server': secure(true),
    server: { ...secure(true), exchanges: onTheLine.exchanges, updates },
    'malicious-server': { ...secure(true), exchanges: onTheLine.exchanges, updates, tampered, ...active },
  },
  'server, secure aggregation': {
    participant: asParticipant,
    // Whoever stands on the line hears what is sent, and masked sums are not recorded by client.
    eavesdropper: { globals: onTheLine.globals, samples: samples.a, batchSize: samples.a },
    'secagg-server': secure(false),
    'malicious-secagg-server': secure(false),
    server: secure(false),
    'malicious-server': { ...secure(false), tampered }, // no line: it would hear one client's answer
  },
  'secagg-server': {
    participant: asParticipant,
    eavesdropper: {},
    'secagg-server': secure(false),
    'malicious-secagg-server': secure(false),
    server: {},
    'malicious-server': {},
  },
  'eavesdropper on a': {
    participant: {},
    eavesdropper: onTheLine,
    'secagg-server': {},
    'malicious-secagg-server': {},
    server: {},
    'malicious-server': active,
  },
  'eavesdropper on b': {
    participant: {},
    eavesdropper: {},
    'secagg-server': {},
    'malicious-secagg-server': {},
    server: {},
    'malicious-server': active,
  },
}

const keys = Object.keys({
  ...told('server'),
  ...heardBy.server['malicious-server'],
}) as Grant[]
const names = Object.keys(observers) as ObserverName[]
const places = (Object.keys(recordings) as RecordingName[]).flatMap((recording) =>
  names.map((observer) => [observer, recording] as const),
)

/** A granted value as plain data: a series is read whole, a line is tried. */
async function plain(key: Grant, value: unknown): Promise<unknown> {
  if (key === 'channel') return (await (value as Channel)('a', floats([1])))[0] === 1 ? 'a line' : 'none'
  if (typeof value !== 'object' || value === null || !('read' in value)) return value
  const { rounds, read } = value as Series<unknown>
  return series(Object.fromEntries(await Promise.all(rounds.map(async (t) => [t, await read(t)] as const))))
}

/** Every number in plain data. */
function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  if (typeof value !== 'object' || value === null) return []
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array)
  if (value instanceof Map) return [...value.values()].flatMap(numbersIn)
  return Object.values(value).flatMap(numbersIn)
}

test('every key is in the suite, and every observer in every table', () => {
  const known = new Set(Object.values(observers).flatMap(({ mayKnow }) => [...mayKnow]))
  expect([...keys].sort()).toEqual([...known].sort())
  for (const table of Object.values(heardBy)) expect(Object.keys(table).sort()).toEqual([...names].sort())
})

describe.each(places)('%s, in what was recorded for: %s', (observer, recording) => {
  const expected = { ...told(recording), ...heardBy[recording][observer] }

  test.each(keys)('%s is granted with its value, or missing', async (key) => {
    const { view, missing } = await grant(await sourcesOf(recording), observer, [key])
    if (key in expected) {
      expect(Reflect.ownKeys(view!)).toEqual([key])
      expect(await plain(key, view![key])).toEqual(expected[key])
    } else {
      expect([view, missing]).toEqual([undefined, [key]])
    }
  })

  test('several keys are granted together, or the missing ones named', async () => {
    const sources = await sourcesOf(recording)
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.constantFrom(...keys)), fc.array(fc.constantFrom(...keys)), async (n, u) => {
        const { view, missing } = await grant(sources, observer, n, u)
        const lacking = n.filter((key) => !(key in expected))
        if (lacking.length > 0) {
          expect([view, missing]).toEqual([undefined, lacking])
        } else {
          const granted = new Set([...n, ...u.filter((key) => key in expected)])
          expect(new Set(Reflect.ownKeys(view!))).toEqual(granted)
        }
      }),
      { numRuns: 20 },
    )
  })

  test('nothing else is in it, at any depth', async () => {
    const sources = await sourcesOf(recording)
    const { view } = await grant(sources, observer, [], keys)
    const found: number[] = []
    for (const [key, value] of Object.entries(view!)) found.push(...numbersIn(await plain(key as Grant, value)))
    const may = new Set(numbersIn(expected))
    expect(found.filter((v) => !may.has(v))).toEqual([])
    expect(found).not.toContain(666)
  })
})

describe('a narrower recording never shows more', () => {
  const narrower: [RecordingName, RecordingName][] = [
    ['secagg-server', 'server'],
    ['eavesdropper on a', 'server'],
    ['eavesdropper on b', 'server'],
    ['server, secure aggregation', 'server'],
    ['secagg-server', 'server, secure aggregation'],
  ]
  test.each(narrower)('%s against %s', async (less, more) => {
    for (const observer of names) {
      const [low, high] = await Promise.all(
        [less, more].map(async (name) => (await grant(await sourcesOf(name), observer, [], keys)).view!),
      )
      expect(Reflect.ownKeys(low!).filter((key) => !(key in high!))).toEqual([])
    }
  })

  test('without a target there is no line to listen to', async () => {
    const { target: _, ...rest } = knowledge
    const sources = await sourcesOf('server', rest)
    for (const observer of names) {
      const { view } = await grant(sources, observer, [], keys)
      for (const key of ['target', 'exchanges', 'samples', 'batchSize', 'round']) expect(view).not.toHaveProperty(key)
      if (observer === 'eavesdropper') expect(view).not.toHaveProperty('globals')
    }
    const line = await grant(await sourcesOf('eavesdropper on a', rest), 'eavesdropper', ['exchanges', 'target'])
    expect(line.view?.target).toBe('a')
  })
})
