/** What a thread does for a federation, in this one: a test is its other side. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { smallPopulation, smallSpec } from '../../../test/small-federation.js'
import { createClients } from '../../federation/clients.js'
import type { Bytes, Own } from '../../federation/exchange.js'
import { type ClientWorkerInput, type Request, serveClients } from './client-worker.js'

const thread = vi.hoisted(() => ({
  sent: [] as unknown[][],
  made: [] as unknown[][],
  entered: [] as unknown[],
  lines: [] as unknown[],
}))
vi.mock('node:worker_threads', async (actual) => ({
  ...(await actual<typeof import('node:worker_threads')>()),
  parentPort: { postMessage: (...given: unknown[]) => thread.sent.push(given) },
}))
vi.mock('../files/plugin-file.js', () => ({ enterLoaded: async (plugins: unknown) => thread.entered.push(plugins) }))
vi.mock('./key-line.js', () => ({ keyLine: (ends: unknown) => thread.lines.push(ends) }))
/** Clients who answer with the message, as often as its first byte says, and who remember who they are. */
vi.mock('../../defences/index.js', () => ({
  allDefences: {
    echoes: {
      id: 'echoes',
      clientSide(primitives: unknown, policy: unknown) {
        thread.made.push([primitives, policy])
        return (own: Own) => ({
          answer: async (message: Bytes) => new Uint8Array(message[0]! * 1024).fill(message[1]!),
          notes: () => ({ [own.id]: own.weight, changed: own.change().length, drawn: own.rounding().u32() }),
        })
      },
    },
    silent: { id: 'silent' },
  },
}))

const enrolment = Uint8Array.of(1) as Bytes
const input: ClientWorkerInput = { spec: smallSpec, population: smallPopulation.spec, enrolment }
const theta = Float64Array.of(1, 0, -1, 2, 0.5)
const turns = [0, 2].map((client) => ({ client, round: 1, theta }))
/** The messages that a request leads to, with what is moved rather than copied. */
async function answersTo(serve: (request: Request) => Promise<void>, request: Request): Promise<unknown[][]> {
  thread.sent.length = 0
  await serve(request)
  return [...thread.sent]
}
beforeEach(() => {
  for (const list of [thread.sent, thread.made, thread.entered, thread.lines]) list.length = 0
})

describe('a thread of clients', () => {
  test('plays turns as clients do, and hands over the memory of the updates', async () => {
    const serve = await serveClients(input)
    expect(thread.entered).toEqual([{ plugins: [] }])
    expect(thread.lines).toEqual([])
    const { play } = createClients(smallSpec, smallPopulation)
    const [[reply, moved]] = (await answersTo(serve, { turns })) as [
      [{ updates: { theta: Float64Array }[] }, unknown[]],
    ]
    expect(reply).toEqual({ updates: turns.map(play) })
    expect(moved).toEqual(reply.updates.map(({ theta: { buffer } }) => buffer))
    expect(moved).toHaveLength(2)
  })

  test('searches for what a client would train alone', async () => {
    const search = { client: 1, from: theta, maxIterations: 3 }
    const serve = await serveClients({ ...input, plugins: ['p.mjs'], ends: [] })
    expect([thread.entered, thread.lines]).toEqual([[{ plugins: ['p.mjs'] }], [[]]])
    const { alone } = createClients(smallSpec, smallPopulation)
    expect(await answersTo(serve, { search })).toEqual([[{ alone: alone(search) }, []]])
  })

  test('answers an error by its code, and is there for the next request', async () => {
    const serve = await serveClients(input)
    const bad = { turns: [{ ...turns[0]!, theta: Float64Array.of(Number.NaN, 0, 0, 0, 0) }] }
    const [[reply, moved]] = (await answersTo(serve, bad)) as [
      [{ error: { code: string; message: string } }, unknown[]],
    ]
    expect([reply, moved]).toEqual([
      { error: { code: 'E_NON_FINITE', message: expect.stringContaining('client') } },
      [],
    ])
    expect(await answersTo(serve, { exchange: 9, sent: new Map() })).toMatchObject([
      [{ error: { code: 'E_INTERNAL' } }, []],
    ])
    expect(await answersTo(serve, { turns: [] })).toEqual([[{ updates: [] }, []]])
  })
})

describe('clients of an exchange', () => {
  const guests = [
    { place: 1, id: 'a', weight: 7, turn: turns[0]! },
    { place: 2, id: 'b', weight: 5 },
  ]
  const sit = (exchange: number, parts: object = {}): Request =>
    ({ exchange, defence: 'echoes', guests, ...parts }) as Request
  const done = [{ done: true, answers: [] }, []]

  test('remember earlier rounds of the same defence and policy', async () => {
    const serve = await serveClients(input)
    expect(await answersTo(serve, sit(1))).toEqual([done])
    await serve(sit(2))
    await serve(sit(3, { policy: 'strict' }))
    await serve(sit(4, { policy: 'strict' }))
    expect(thread.made.map(([, policy]) => policy)).toEqual([null, 'strict'])
    expect(thread.made[0]![0]).not.toHaveProperty('line')
    const lined = await serveClients({ ...input, ends: [] })
    await lined(sit(1))
    expect(thread.made[2]![0]).toHaveProperty('line')
  })

  test('send what is large at once and what is small with the reply, all without a copy', async () => {
    const serve = await serveClients(input)
    await serve(sit(1))
    const sent = new Map([
      [1, Uint8Array.of(16, 3) as Bytes],
      [2, Uint8Array.of(15, 4) as Bytes],
    ])
    const [large, reply] = (await answersTo(serve, { exchange: 1, sent })) as [
      [{ place: number; answer: Bytes }, unknown[]],
      [{ answers: { place: number; answer: Bytes }[] }, unknown[]],
    ]
    expect(large[0]).toEqual({ place: 1, answer: new Uint8Array(16384).fill(3) })
    expect(large[1]).toEqual([large[0].answer.buffer])
    expect(reply[0]).toEqual({ done: true, answers: [{ place: 2, answer: new Uint8Array(15360).fill(4) }] })
    expect(reply[1]).toEqual([reply[0].answers[0]!.answer.buffer])
  })

  test('tell what they know when they leave, and sit there no more', async () => {
    const serve = await serveClients(input)
    await serve(sit(1, { guests: guests.slice(0, 1) }))
    const { change, rounding } = createClients(smallSpec, smallPopulation)
    const notes = { a: 7, changed: change(turns[0]!).length, drawn: rounding(turns[0]!).u32() }
    expect(await answersTo(serve, { exchange: 1, leave: true })).toEqual([[{ notes: [notes] }, []]])
    expect(await answersTo(serve, { exchange: 1, leave: true })).toMatchObject([
      [{ error: { code: 'E_INTERNAL' } }, []],
    ])
  })

  test('have a defence that says what they do', async () => {
    const serve = await serveClients(input)
    expect(await answersTo(serve, sit(1, { defence: 'silent' }))).toEqual([
      [
        {
          error: {
            code: 'E_INPUT',
            message: 'defence silent exchanges messages and has no clientSide; threads need it',
          },
        },
        [],
      ],
    ])
  })
})
