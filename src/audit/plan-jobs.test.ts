import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attacks } from '../attacks/index.js'
import { parametersOf } from '../models/index.js'
import { text } from '../params.js'
import { grant, type Sources } from '../threat/grant.js'
import type { Grant, Series } from '../threat/granted-keys.js'
import type { Observer } from '../threat/observer.js'
import { type ObserverName, observers } from '../threat/observers.js'
import { openKnowledge } from '../transcript/knowledge-file.js'
import { openTranscript } from '../transcript/read-transcript.js'
import { encode, type TensorToWrite } from '../transcript/safetensors.js'
import { memoryStore } from '../transcript/store.js'
import { effortOf, type Job, observersOf, type PlanOptions, planJobs } from './plan-jobs.js'

const all = Object.keys(observers) as ObserverName[]
const needing = (needs: readonly Grant[], uses: readonly Grant[] = [], id = 'one') => ({ id, needs, uses, params: {} })

const plan = (attack: PlanOptions['attacks'][number]['attack'], options: Partial<PlanOptions> = {}) =>
  planJobs({
    attacks: [{ attack, params: {} }],
    observers: all,
    targets: ['a'],
    recordedFor: 'server',
    seed: 7,
    controls: true,
    ...options,
  })
/** Who shares a job with whom. */
const groups = (...args: Parameters<typeof plan>) =>
  plan(...args).map(({ job, alsoFor }) => [job.observer, ...alsoFor].join('+'))

describe('who can run an attack', () => {
  test('is everybody who may know what it needs, the weakest first', () => {
    expect(observersOf(needing(['model']))).toEqual(all)
    expect(observersOf(needing(['exchanges']))).toEqual(['eavesdropper', 'server', 'malicious-server'])
    expect(observersOf(needing(['updates', 'channel']))).toEqual(['malicious-server'])
    expect(observersOf(needing(['exchanges', 'participation']))).toEqual(['server', 'malicious-server'])
  })

  test('with from= needs what the attack needs that it builds on', () => {
    const building = { ...needing(['records']), params: { from: text({ default: 'last-returned', doc: '' }) } }
    expect(observersOf(building)).toEqual(['eavesdropper', 'server', 'malicious-server'])
    expect(observersOf(building, { from: 'lmra-active-echo' })).toEqual(['malicious-server'])
    expect(observersOf(building, { from: 'no such attack' })).toEqual(all)
    expect(observersOf(building, { from: 'toString' })).toEqual(all)
    expect(observersOf({ ...building, params: {} })).toEqual(all)
  })
})

describe('the plan', () => {
  test('has one job for observers with the same view, and one for each that may not have it', () => {
    expect(groups(needing(['exchanges', 'target']))).toEqual([
      'participant',
      'eavesdropper+server+malicious-server',
      'secagg-server',
      'malicious-secagg-server',
    ])
    expect(groups(needing(['globals']))).toEqual([
      'participant+secagg-server+malicious-secagg-server+server+malicious-server',
      'eavesdropper',
    ])
    expect(groups(needing(['exchanges'], ['channel']))).toEqual([
      'participant',
      'eavesdropper+server',
      'secagg-server',
      'malicious-secagg-server',
      'malicious-server',
    ])
  })

  test('shares only among the observers that were asked for', () => {
    expect(groups(needing(['exchanges']), { observers: ['malicious-server', 'server'] })).toEqual([
      'server+malicious-server',
    ])
    expect(groups(needing(['exchanges']), { observers: ['participant'] })).toEqual(['participant'])
    expect(groups(needing(['exchanges']), { observers: [] })).toEqual([])
  })

  test('aims at each target, and tests an attack once a view, never where it is refused', () => {
    const jobs = plan(needing(['exchanges', 'target']), { targets: ['a', 'b'] }).map(({ job }) => job)
    expect(jobs.map(({ observer, target, controls }) => [observer, target, controls])).toEqual([
      ['participant', 'a', false],
      ['participant', 'b', false],
      ['eavesdropper', 'a', true],
      ['eavesdropper', 'b', false],
      ['secagg-server', 'a', false],
      ['secagg-server', 'b', false],
      ['malicious-secagg-server', 'a', false],
      ['malicious-secagg-server', 'b', false],
    ])
    expect(jobs.every(({ attack, seed }) => attack === 'one' && seed === 7)).toBe(true)
    const untested = plan(needing(['exchanges', 'target']), { controls: false })
    expect(untested.some(({ job }) => job.controls)).toBe(false)
  })

  test('has one job for an attack on all clients, whatever the targets', () => {
    const jobs = plan(needing(['aggregates']), { targets: ['a', 'b'], observers: ['server'] })
    expect(jobs.map(({ job }) => job.target)).toEqual([null])
    expect(plan(needing([], ['target']), { targets: ['a', 'b'], observers: ['server'] })).toHaveLength(2)
  })

  test('without a target still has a job that can say so', () => {
    const jobs = plan(needing(['exchanges', 'target']), { targets: [], observers: ['server'] })
    expect(jobs.map(({ job }) => [job.target, job.controls])).toEqual([[null, true]])
  })
})

const flat = (owner: string, ...values: number[]): TensorToWrite => ({
  name: `${owner}/*`,
  shape: [values.length],
  data: Float64Array.from(values),
})
const bytes = (value: object | string) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
const heard = [
  [flat('global', 1, 2), flat('client/a', 3, 4), flat('client/b', 5, 6)],
  [flat('global', 7, 8), flat('client/b', 9, 10)],
  [flat('global', 11, 12), flat('client/a', 13, 14)],
]
const summed = [1, 2, 3].map((x) => [flat('global', x, x), flat('aggregate', 2 * x, x)])
const recordings = {
  server: { recordedFor: 'server', rounds: heard, secure: false },
  sums: { recordedFor: 'server', rounds: summed, secure: true },
  secagg: { recordedFor: 'secagg-server', rounds: summed, secure: false },
  line: { recordedFor: 'eavesdropper:a', rounds: [heard[0]!.slice(0, 2), heard[2]!], secure: false },
}

/** Client a takes part in two rounds of three, with full batches. */
async function sourcesOf({ recordedFor, rounds, secure }: (typeof recordings)[keyof typeof recordings]) {
  const took = recordedFor === 'eavesdropper:a' ? [['a'], ['a']] : [['a', 'b'], ['b'], ['a']]
  const manifest = {
    format: 'overhear-transcript/1',
    loss: 'mse',
    recordedFor,
    model: { kind: 'linear', inputs: 1, outputs: 1 },
    protocol: { share: 'parameters', learningRate: 0.5, aggregateWeights: 'samples', secureAggregation: secure },
    clients: ['a', 'b'].map((id, k) => ({ id, samples: 10 + k })),
    rounds: took.map((participants) => ({ participants })),
  }
  const files = new Map<string, Uint8Array>([
    ['transcript.json', bytes(manifest)],
    ['knowledge.json', bytes({ format: 'overhear-knowledge/1', target: 'a', records: { file: 'r.csv', label: 'y' } })],
    ['r.csv', bytes('x,y\n1,2\n3,4\n')],
  ])
  for (const [t, tensors] of rounds.entries()) files.set(`rounds/00000${t}.safetensors`, encode(tensors))
  const store = memoryStore(files)
  const transcript = await openTranscript(store, { parametersOf })
  return { transcript, knowledge: await openKnowledge(store), channel: async () => new Float64Array(2) }
}

/** Everything that can be read out of a view. */
async function readOut(sources: Sources, observer: ObserverName, { needs, uses }: ReturnType<typeof needing>) {
  const { view, missing } = await grant(sources, observer, needs, uses)
  if (view === undefined) return { missing }
  const entries = Object.entries(view).map(async ([key, value]) => {
    if (typeof value === 'function') return [key, 'a line']
    if (!(typeof value === 'object' && value !== null && 'read' in value)) return [key, value]
    const { rounds, read } = value as Series<unknown>
    return [key, await Promise.all(rounds.map(async (round) => [round, await read(round)]))]
  })
  return Object.fromEntries(await Promise.all(entries)) as unknown
}

describe('observers who share a job', () => {
  const keys = [...new Set(Object.values<Observer>(observers).flatMap(({ mayKnow }) => [...mayKnow]))]
  const some = fc.uniqueArray(fc.constantFrom(...keys), { maxLength: 5 })

  test.each(Object.entries(recordings))('read the same out of the recording: %s', async (_, recording) => {
    const sources = await sourcesOf(recording)
    const { recordedFor, protocol } = sources.transcript.manifest
    const options = { recordedFor: recordedFor.kind, secureAggregation: protocol.secureAggregation }
    await fc.assert(
      fc.asyncProperty(some, some, async (needs, uses) => {
        const attack = needing(needs, uses)
        for (const { job, alsoFor } of plan(attack, options)) {
          const own = await readOut(sources, job.observer, attack)
          for (const other of alsoFor) expect(await readOut(sources, other, attack)).toEqual(own)
        }
      }),
      {
        numRuns: 150,
        examples: [
          [['round'], []],
          [['model'], ['batchSize']],
        ],
      },
    )
  })

  test('do so for every attack of the table', async () => {
    const sources = await sourcesOf(recordings.server)
    for (const attack of Object.values(attacks)) {
      const asked = { ...needing(attack.needs, attack.uses), params: attack.params }
      for (const { job, alsoFor } of plan(asked)) {
        const own = await readOut(sources, job.observer, asked)
        for (const other of alsoFor) expect(await readOut(sources, other, asked)).toEqual(own)
      }
    }
  })
})

describe('the effort of a job', () => {
  const job = { params: {}, observer: 'server', target: 'a', seed: 1, controls: false } as const
  const effort = (one: Partial<Job> & Pick<Job, 'attack'>) => effortOf({ ...job, ...one })

  test('is what the table guesses, more with controls and with what it builds on, none where it is refused', () => {
    const linear = attacks['aia-linear']!.effort
    expect(linear).toBeGreaterThan(attacks['last-returned']!.effort)
    expect(effort({ attack: 'aia-linear' })).toBe(linear)
    expect(effort({ attack: 'aia-linear', controls: true })).toBe(3 * linear)
    expect(effort({ attack: 'aia-linear', observer: 'secagg-server' })).toBe(0)
    const heavy = effort({ attack: 'aia-model', params: { from: 'lmra-mapping' } })
    expect(heavy - effort({ attack: 'aia-model', params: { from: 'last-returned' } })).toBe(
      attacks['lmra-mapping']!.effort - attacks['last-returned']!.effort,
    )
  })
})
