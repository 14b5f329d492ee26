import { describe, expect, test } from 'vitest'
import { clientRequest, participationRequest, roundRequest, timelineRequest } from '../../../api/explore.js'
import { type Misfits, roundOf, timelineOf, turnsOf } from './messages.js'
import type { OpenedRun } from './recordings.js'
import { participationOf } from './who-took-part.js'

const floats = (...values: number[]) => Float64Array.from(values)
interface Held {
  readonly round: number
  readonly participants: readonly string[] | null
  readonly dropped?: readonly string[]
  readonly tampered?: readonly string[]
  readonly global?: Float64Array
  readonly aggregate?: Float64Array
  readonly clients?: Readonly<Record<string, object>>
  readonly sent?: Readonly<Record<string, Float64Array>>
  /** Bytes of tensors by their names. */
  readonly tensors?: Readonly<Record<string, number>>
}

/** A run whose messages are at hand, and how many clients were read of each round. */
function runOf(held: readonly Held[], manifest: object = {}) {
  const reads: number[] = []
  const entries = held.map(({ round, participants, dropped = [], tampered = [] }) => {
    return { round, file: `${round}.safetensors`, participants, dropped, tampered }
  })
  const find = (round: number): Held => held.find((one) => one.round === round)!
  const transcript = {
    manifest: { parameters: [{ shape: [1, 2] }], clients: { count: 3, samples: 7 }, ...manifest },
    rounds: () => entries,
    contents: async (round: number) => {
      const { clients = {}, sent = {} } = find(round)
      return { clients: new Set(Object.keys(clients)), sent: new Set(Object.keys(sent)) }
    },
    async readRound(round: number, { clients }: { clients: readonly string[] }) {
      const { clients: all = {}, sent = {}, ...rest } = find(round)
      reads.push(clients.length)
      const own = <T>(of: Readonly<Record<string, T>>) => new Map(Object.entries(of).filter(([id]) => clients.includes(id)))
      return { ...rest, clients: own(all), sent: own(sent) }
    },
  }
  const run = {
    transcript,
    bytes: async (file: string) => 100 + Number.parseInt(file, 10),
    async header(file: string) {
      const tensors = Object.entries(find(Number.parseInt(file, 10)).tensors ?? {})
      return { tensors: new Map(tensors.map(([name, size]) => [name, { name, begin: 10, end: 10 + size }])) }
    },
  } as unknown as OpenedRun
  return { run, reads }
} // biome-ignore format: lines

const misfits: Misfits = {
  of: (client, round) => (client === 'a' ? round + 0.5 : null),
  most: (round) => (round === 0 ? null : 10 * round),
}
const [parameters, delta, gradient] = [
  (...values: number[]) => ({ kind: 'parameters', theta: floats(...values) }),
  (...values: number[]) => ({ kind: 'delta', dTheta: floats(...values) }),
  (...values: number[]) => ({ kind: 'gradient', grad: floats(...values) }),
]

const held: Held[] = [
  {
    ...{ round: 0, participants: ['a', 'b'], global: floats(3, 4), aggregate: floats(0, 2) },
    clients: { a: parameters(3, 9), b: delta(6, 8) },
    tensors: { 'global/w': 8, 'global/b': 4, 'aggregate/w': 5, 'client/a/w': 3, 'client/a/b': 1, 'client/b/w': 2, 'other/x': 9 }, // biome-ignore format: a line
  },
  {
    ...{ round: 2, participants: ['b', 'c'], dropped: ['c'], tampered: ['b'], global: floats(1, 0) },
    clients: { b: parameters(1, 2), a: gradient(0, 0) },
    sent: { b: floats(1, 1) },
    tensors: { 'sent/b/w': 6, 'client/b/w': 7 },
  },
  { round: 5, participants: ['a'], clients: { a: parameters(0, 5) } },
]

describe('a timeline', () => {
  const timeline = (asked: object = {}, given = held) =>
    timelineOf(runOf(given).run, timelineRequest.parse(asked), misfits)

  test('is a row for each round, with norms of what was sent, summed and changed', async () => {
    const { rounds, total, from } = await timeline()
    expect([from, total]).toEqual([0, 3])
    const spread = (of: number, ...[least, low, middle, high, most]: number[]) => ({ of, least, low, middle, high, most })
    expect(rounds).toEqual([
      { round: 0, bytes: 100, participants: 2, dropped: 0, tampered: 0, sent: 5, sum: 2, changes: spread(2, 5, 5, 10, 10, 10), misfit: null },
      // From what it was sent alone, and from nothing that was heard.
      { round: 2, bytes: 102, participants: 2, dropped: 1, tampered: 1, sent: 1, sum: null, changes: spread(2, 0, 0, 1, 1, 1), misfit: 20 },
      { round: 5, bytes: 105, participants: 1, dropped: 0, tampered: 0, sent: null, sum: null, changes: spread(1, 5, 5, 5, 5, 5), misfit: 50 },
    ])
  }) // biome-ignore format: lines

  test('has a window', async () => {
    const { rounds, total, from } = await timeline({ from: 1, count: 1 })
    expect([rounds.map(({ round }) => round), total, from]).toEqual([[2], 3, 1])
    expect((await timeline({ from: 3 })).rounds).toEqual([])
  })

  test('of rounds that nobody is heard in has no spread', async () => {
    const { rounds } = await timeline({}, [{ round: 0, participants: null }])
    expect(rounds[0]).toMatchObject({ participants: null, changes: null, sent: null })
  })

  test('reads forty clients of a round, evenly, and fewer of a large model', async () => {
    const clients = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`c${i}`, delta(i)]))
    const read = async (numbers: number, rounds = 1) => {
      const many = Array.from({ length: rounds }, (_, round) => ({ round, participants: null, clients }))
      const { run, reads } = runOf(many, { parameters: [{ shape: [numbers] }] })
      const answer = await timelineOf(run, timelineRequest.parse({}), misfits)
      return [reads[0], answer.rounds[0]!.changes] as const
    }
    const [few, changes] = await read(1)
    // Every two and a half of a hundred: 0, 2, 5, ... 97.
    expect([few, changes?.least, changes?.low, changes?.middle, changes?.most]).toEqual([40, 0, 25, 50, 97])
    expect((await read(1_000_000))[0]).toBe(39)
    expect((await read(1_000_000, 2))[0]).toBe(19)
    expect((await read(20_000_000))[0]).toBe(1)
    expect((await read(40_000_001))[0]).toBe(1)
  })
})

describe("a round's messages", () => {
  const messages = async (asked: object) =>
    (await roundOf(runOf(held).run, roundRequest.parse(asked), misfits)).messages

  test('are those of the server first, then those of each client', async () => {
    expect(await messages({ round: 0 })).toEqual([
      { who: 'the server', way: 'to all', bytes: 12, norm: 5, tampered: false, misfit: null },
      { who: 'the sum', way: 'sum', bytes: 5, norm: 2, tampered: false, misfit: null },
      { who: 'a', way: 'from', bytes: 4, norm: 5, tampered: false, misfit: 0.5 },
      { who: 'b', way: 'from', bytes: 2, norm: 10, tampered: false, misfit: null },
    ])
    expect(await messages({ round: 2 })).toEqual([
      { who: 'the server', way: 'to all', bytes: 0, norm: 1, tampered: false, misfit: null },
      { who: 'b', way: 'to one', bytes: 6, norm: Math.SQRT2, tampered: true, misfit: null },
      { who: 'b', way: 'from', bytes: 7, norm: 1, tampered: true, misfit: null },
      { who: 'a', way: 'from', bytes: 0, norm: 0, tampered: false, misfit: 2.5 },
    ])
  })

  test('have a window over clients, in the first of which the server stands', async () => {
    const { run } = runOf(held)
    const answer = await roundOf(run, roundRequest.parse({ round: 0, from: 1, count: 1 }), misfits)
    expect(answer).toMatchObject({ round: 0, from: 1, total: 2, messages: [{ who: 'b' }] })
    expect(answer.messages).toHaveLength(1)
    await expect(messages({ round: 1 })).rejects.toThrow('round 1 is not in the transcript')
  })
})

describe("a client's turns", () => {
  const turns = (client: string, more: object = {}, manifest: object = {}, given = held) =>
    turnsOf(runOf(given, manifest).run, clientRequest.parse({ client, ...more }), misfits)

  test('are each beside the one before', async () => {
    const { messages, ...about } = await turns('b')
    expect(about).toEqual({ id: 'b', samples: 7, turns: 2, from: 0, total: 2 })
    expect(messages).toEqual([
      { round: 0, bytes: 2, norm: 10, turned: null, tampered: false, misfit: null },
      { round: 2, bytes: 7, norm: 1, turned: 0.8, tampered: true, misfit: null },
    ])
    // The one before is read all the same.
    expect((await turns('b', { from: 1 })).messages).toEqual([messages[1]])
    expect((await turns('b', { count: 1 })).messages).toEqual([messages[0]])
  })

  test('without a change turn nowhere', async () => {
    const still = held.map((one) => ({ ...one, participants: ['a'] }))
    expect((await turns('a', {}, {}, still)).messages.map(({ turned }) => turned)).toEqual([null, null, null])
  })

  test('are those that it took part in or dropped out of, of all rounds where nobody says who took part', async () => {
    expect(await turns('c')).toMatchObject({ turns: 1, total: 1, messages: [] })
    const unknown = held.map((one, i) => (i === 2 ? { ...one, participants: null } : one))
    expect(await turns('a', {}, {}, unknown)).toMatchObject({ turns: null, total: 3 })
    await expect(turns('nobody')).rejects.toThrow('there is no client "nobody"')
    const clients = [{ id: 'nobody', samples: 3 }]
    expect(await turns('nobody', {}, { clients })).toEqual({ id: 'nobody', samples: 3, turns: 0, from: 0, total: 0, messages: [] }) // biome-ignore format: a line
    expect((await turns('a', {}, { clients })).samples).toBeNull()
  })
})

describe('who took part', () => {
  const part = (given: readonly Held[], asked: object = {}, manifest: object = {}) =>
    participationOf(runOf(given, manifest).run, participationRequest.parse(asked))

  test('is a letter a round for each client, and whether sums tell it apart', async () => {
    const found = await part(held)
    expect(found).toMatchObject({ from: 0, total: 3, fromRound: 0, rounds: 3, alone: true })
    expect(found.rows.map(({ id, turns, samples, cells }) => [id, turns, samples, cells])).toEqual([
      ['a', 2, 7, '101'],
      ['b', 2, 7, '1t0'],
      ['c', 1, 7, '0d0'],
    ])
    // a alone in the last round, so b by the first, and c by the second.
    expect([found.separable, found.roundsMissing, found.rows.map(({ separable }) => separable)]).toEqual([3, 0, [true, true, true]]) // biome-ignore format: a line
  })

  test('is told apart of those alone who are not always together', async () => {
    const twins = [
      { round: 0, participants: ['x', 'y', 'z'] },
      { round: 1, participants: ['z'] },
    ]
    const found = await part(twins)
    expect(found.rows.map(({ separable, together }) => [separable, together])).toEqual([[false, ['y']], [false, ['x']], [true, []]]) // biome-ignore format: a line
    expect([found.separable, found.roundsMissing, found.alone]).toEqual([1, 1, false])
    const window = await part(twins, { from: 1, count: 1, fromRound: 1, rounds: 1 })
    expect(window).toMatchObject({ from: 1, total: 3, fromRound: 1, rounds: 2, separable: 1 })
    expect(window.rows).toMatchObject([{ id: 'y', separable: false, together: ['x'], cells: '0' }])
    const crowd = await part([{ round: 0, participants: Array.from({ length: 14 }, (_, i) => `${i}`) }])
    expect(crowd.rows[13]!.together).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
  })

  test('counts those who never came, and cannot be asked of a recording that does not say', async () => {
    const clients = [{ id: 'p', samples: 5 }, { id: 'q', samples: null }] // biome-ignore format: a list
    const found = await part([{ round: 0, participants: ['p'] }], {}, { clients })
    expect(found.rows.map(({ id, turns, samples, separable }) => [id, turns, samples, separable])).toEqual([['p', 1, 5, true], ['q', 0, null, false]]) // biome-ignore format: a line
    expect([found.separable, found.roundsMissing]).toEqual([1, 1])
    const nobody = await part([], {}, { clients })
    expect(nobody).toMatchObject({ rounds: 0, alone: false, separable: null, roundsMissing: null })
    expect(nobody.rows[0]).toMatchObject({ separable: null, cells: '', together: [] })
    await expect(part([{ round: 0, participants: null }])).rejects.toThrow('does not say who took part in its rounds')
  })
})
