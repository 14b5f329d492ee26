import { describe, expect, test } from 'vitest'
import { tableOf } from '../../../test/hand-truth.js'
import type { Sources } from '../../threat/grant.js'
import type { Table } from '../../transcript/encoded-table.js'
import type { KnowledgeFile } from '../../transcript/knowledge-file.js'
import type { Transcript } from '../../transcript/read-transcript.js'
import { recordedSetup } from '../account/recorded-setup.js'
import type { LiveRun } from '../live-run.js'
import { aimedAt, idsIn } from './aimed-knowledge.js'
import { withOptima } from './computed-optima.js'
import { heardBefore } from './heard-before.js'

type Entries = readonly { round: number; participants: readonly string[] | null }[]
const recording = (manifest: object, entries: Entries = []): Transcript =>
  ({ manifest, rounds: () => entries }) as unknown as Transcript
const rounds = (...sets: (readonly string[] | null)[]): Entries =>
  sets.map((participants, round) => ({ round, participants }))
const named = (...ids: string[]) => ids.map((id, i) => ({ id, samples: 10 * (i + 1) }))

describe('the best model of a client’s own records', () => {
  const linear = { kind: 'linear', inputs: 1, outputs: 1 }
  const asked: string[] = []
  async function optimum(model: object, table: Table | undefined, stated?: Float64Array) {
    asked.length = 0
    const client = async (id: string) => {
      asked.push(id)
      return table
    }
    const truth = { optimum: async (_: string) => stated, client }
    const known = withOptima(truth, recording({ model, loss: 'mse', protocol: {} }))
    return { known, truth, first: await known.optimum('a') }
  }
  const line = tableOf(['x'], [[0], [1], [2]], { labels: [1, 3, 5] }) // 1 + 2 x

  test('is found where no file says it, once, and nobody can change it for the next', async () => {
    const { known, first } = await optimum(linear, line)
    expect([first![0], first![1]]).toEqual([expect.closeTo(2, 10), expect.closeTo(1, 10)])
    first!.fill(7)
    expect((await known.optimum('a'))![0]).toBeCloseTo(2, 10)
    expect(asked).toEqual(['a'])
    await known.optimum('b')
    expect(asked).toEqual(['a', 'b'])
  })

  test('is what a file says where one does', async () => {
    const { first } = await optimum(linear, line, Float64Array.of(8, 9))
    expect(first).toEqual(Float64Array.of(8, 9))
    expect(asked).toEqual([])
  })

  test('is not known without records, labels, or the columns that the model takes', async () => {
    const of = async (table: Table | undefined) => (await optimum(linear, table)).first
    expect(await of(undefined)).toBeUndefined()
    expect(await of(tableOf(['x'], [[0], [1]]))).toBeUndefined()
    expect(await of(tableOf(['x'], [], { labels: [] }))).toBeUndefined()
    expect(await of(tableOf(['x', 'y'], [[0, 1], [1, 0]], { labels: [1, 2] }))).toBeUndefined() // biome-ignore format: a row each
    // One record is enough for a best model, if for many.
    const [w, b] = (await of(tableOf(['x'], [[1]], { labels: [3] })))!
    expect(w! + b!).toBeCloseTo(3, 10)
  })

  test('is not looked for where a model has several layers, or cannot be evaluated', async () => {
    const deep = await optimum({ kind: 'mlp', inputs: 1, hidden: [2], outputs: 1 }, line)
    expect(deep.known).toBe(deep.truth)
    const opaque = await optimum({ kind: 'opaque' }, line)
    expect(opaque.known).toBe(opaque.truth)
  })

  test('has as many numbers as the model has parameters', async () => {
    const wide = tableOf(['x', 'y', 'z'], [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]], { labels: [2, 3, 4, 1] }) // biome-ignore format: a row each
    const { first } = await optimum({ kind: 'linear', inputs: 3, outputs: 1 }, wide)
    expect(Array.from(first!, (x) => x.toFixed(8))).toEqual(['1.00000000', '2.00000000', '3.00000000', '1.00000000'])
  })
})

describe('whom knowledge is about', () => {
  const knowledge = (target?: string): KnowledgeFile =>
    ({ ...(target && { target }), round: 3, batchSize: 5, metaclassCounts: [1], property: 'p', records: async () => 'own' }) as unknown as KnowledgeFile // biome-ignore format: a line
  const server = recording({ clients: named('a', 'b'), recordedFor: { kind: 'server' } })
  const wire = (client: string) =>
    recording({ clients: named('a', 'b'), recordedFor: { kind: 'eavesdropper', client } })
  const counted = (...sets: (readonly string[] | null)[]) =>
    recording({ clients: { count: 9 }, recordedFor: { kind: 'server' } }, rounds(...sets))

  test('clients are those of the list, or of the rounds where they are only counted', () => {
    expect(idsIn(server)).toEqual(['a', 'b'])
    expect(idsIn(counted(['b', 'a'], null, ['c', 'b']))).toEqual(['b', 'a', 'c'])
    expect(idsIn(counted(null))).toEqual([])
  })

  test('stays as it is where nobody is named, or where it names its client', () => {
    expect(aimedAt(undefined, server, undefined)).toBeUndefined()
    const [common, own] = [knowledge(), knowledge('a')]
    expect(aimedAt(common, server, undefined)).toBe(common)
    expect(aimedAt(own, server, undefined)).toBe(own)
    expect(aimedAt(own, server, 'a')).toBe(own)
  })

  test('of one client is nothing of another but what holds for all', async () => {
    const aimed = aimedAt(knowledge(), server, 'b')!
    expect(Object.keys(aimed).sort()).toEqual(['property', 'records', 'target'])
    expect([aimed.target, await aimed.records()]).toEqual(['b', undefined])
    const none = aimedAt(undefined, server, 'b')!
    expect([none.target, none.warnings, await none.records(), await none.auxiliary(), await none.candidates()]).toEqual(['b', [], undefined, undefined, undefined]) // biome-ignore format: a line
  })

  test('is refused where it is of another, or of nobody in the recording', () => {
    expect(() => aimedAt(knowledge('a'), server, 'b')).toThrow(
      'the knowledge is of client "a", and client "b" was asked for',
    )
    expect(() => aimedAt(knowledge('c'), server, undefined)).toThrow('the target is client "c"')
    expect(() => aimedAt(undefined, server, 'c')).toThrow('the recording has the clients a, b')
    expect(() => aimedAt(undefined, wire('a'), 'b')).toThrow('the recording is of the line of client "a"')
    expect(aimedAt(undefined, wire('a'), 'a')!.target).toBe('a')
    expect(() => aimedAt(undefined, counted(['a']), 'b')).toThrow('the recording has the clients a')
    expect(() => aimedAt(undefined, counted(['a', 'c']), 'b')).toThrow('the target is client "b"')
    // Where nobody says who took part, anybody may have.
    expect(aimedAt(undefined, counted(null), 'b')!.target).toBe('b')
    expect(() => aimedAt(undefined, recording({ clients: [], recordedFor: { kind: 'server' } }), 'b')).toThrow('the target is client "b"') // biome-ignore format: a line
  })
})

describe('what was heard before a server began to send', () => {
  const sources = { transcript: recording({}, rounds(['a'], ['a'], ['a'], ['a'])) } as unknown as Sources
  const from = (activeFrom: number | null) => ({ scenario: { activeFrom } }) as unknown as LiveRun
  const heard = (attack: string, params: object = {}, live: LiveRun | undefined = from(2)) =>
    heardBefore(sources, { attack, params } as never, live)
      .transcript.rounds()
      .map(({ round }) => round)

  test('is all that an attack hears which sends models, by itself or by the one that it builds on', () => {
    expect(heard('lmra-active-adam')).toEqual([0, 1])
    expect(heard('last-returned')).toEqual([0, 1, 2, 3])
    expect(heard('aia-linear', { from: 'lmra-active-adam' })).toEqual([0, 1])
    expect(heard('aia-linear', { from: 'last-returned' })).toEqual([0, 1, 2, 3])
    expect(heard('aia-linear')).toEqual([0, 1, 2, 3])
  })

  test('is everything where no round is named, or of names that nobody knows', () => {
    expect(heard('lmra-active-adam', {}, from(null))).toEqual([0, 1, 2, 3])
    expect(heardBefore(sources, { attack: 'lmra-active-adam', params: {} } as never, undefined)).toBe(sources)
    expect(heard('lmra-active-adam', {}, from(0))).toEqual([])
    for (const id of ['nobody', 'toString', 'constructor']) {
      expect(heard(id)).toEqual([0, 1, 2, 3])
      expect(heard('aia-linear', { from: id })).toEqual([0, 1, 2, 3])
    }
    expect(heard('aia-linear', { from: 5 })).toEqual([0, 1, 2, 3])
  })
})

describe('the setup of a recording', () => {
  const protocol = { differentialPrivacy: null, secureAggregation: true, batchSize: 4, localEpochs: 2, localSteps: null, share: 'gradient' } // biome-ignore format: a line
  const of = (clients: object, entries: Entries, more: object = {}) =>
    recordedSetup(
      recording({ clients, protocol: { ...protocol, ...more }, model: { kind: 'linear' }, loss: 'mse', parameters: [{ shape: [3, 2] }, { shape: [2] }, { shape: [] }] }, entries), // biome-ignore format: a line
      { raw: true },
    )

  test('counts the turns of each client, where all rounds say who was in them', () => {
    const known = of(named('a', 'b', 'c'), rounds(['a', 'b'], ['b']))
    expect(known).toMatchObject({ from: 'transcript', rounds: 2, participants: [['a', 'b'], ['b']], dropLast: false, share: 'gradient', loss: 'mse', model: { kind: 'linear', parameters: 9 }, raw: { raw: true } }) // biome-ignore format: a line
    expect(known.clients).toEqual([
      { id: 'a', records: 10, turns: 1 },
      { id: 'b', records: 20, turns: 2 },
      { id: 'c', records: 30, turns: 0 },
    ])
    const unknown = of(named('a', 'b'), rounds(['a'], null))
    expect([unknown.participants, unknown.clients.map(({ turns }) => turns)]).toEqual([null, [2, 2]])
    const one = of(named('a'), rounds(['a']))
    expect([one.participants, one.clients.map(({ turns }) => turns)]).toEqual([[['a']], [1]])
    const none = of(named('a'), [])
    expect([none.participants, none.clients.map(({ turns }) => turns), none.rounds]).toEqual([null, [0], 0])
    expect(of(named('a'), [], { dropLast: true }).dropLast).toBe(true)
  })

  test('has one client of a crowd that nobody tells apart, else those of the rounds', () => {
    expect(of({ count: 9, samples: 5 }, rounds(null, null)).clients).toEqual([{ id: '*', records: 5, turns: 2 }])
    expect(of({ count: 9, samples: 5 }, rounds(['b'], ['a', 'b'])).clients).toEqual([
      { id: 'b', records: 5, turns: 2 },
      { id: 'a', records: 5, turns: 1 },
    ])
  })
})
