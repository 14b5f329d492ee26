/** The pool of clients on threads that a test plays: who is handed what, and when it ends. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { smallPopulation, smallSpec } from '../../../test/small-federation.js'
import type { Guest } from '../../federation/exchange.js'
import { population } from '../../federation/population.js'
import type { Turn } from '../../federation/turn.js'
import type { Job, Thread, ThreadOptions } from './client-thread.js'
import { type ThreadPoolOptions, threadPool } from './thread-pool.js'

const fake = vi.hoisted(() => ({ threads: [] as unknown[], exchanges: [] as unknown[] }))
interface FakeThread extends ThreadOptions {
  woken: number
  ended: number
}
const threads = fake.threads as FakeThread[]
vi.mock('./client-thread.js', () => ({
  startThread(options: ThreadOptions): Thread {
    const own: FakeThread = { ...options, woken: 0, ended: 0 }
    fake.threads.push(own)
    return { wake: () => void own.woken++, end: async () => void own.ended++ }
  },
}))
vi.mock('./thread-seats.js', () => ({
  async seatsInThreads(guests: readonly Guest[], options: unknown) {
    fake.exchanges.push(options)
    if (guests.length === 0) throw new Error('nobody is there')
    return { ask: async () => {}, leave: async () => ['notes'] }
  },
}))
vi.mock('./key-line.js', () => ({
  linesBetween: (count: number) => Array.from({ length: count }, (_, i) => `ends ${i}`),
}))

const open = (parts: Partial<ThreadPoolOptions> = {}) =>
  threadPool(smallSpec, { population: smallPopulation, workers: 2, ...parts })
const turn = (client: number, round = 3): Turn => ({ client, round, theta: new Float64Array(1) })
/** All that a thread would take, one after another. */
const takeAll = ({ take }: FakeThread): Job[] => {
  const jobs: Job[] = []
  for (let job = take(); job !== undefined; job = take()) jobs.push(job)
  return jobs
}
const clientsOf = ({ request }: Job): number[] =>
  'turns' in request ? request.turns.map(({ client }) => client) : 'search' in request ? [request.search.client] : []
/** Answers a job with who was asked. */
const answer = (job: Job): void => job.resolve({ updates: clientsOf(job) } as never)

beforeEach(() => {
  threads.length = 0
  fake.exchanges.length = 0
})

describe('a pool of clients', () => {
  test('has as many threads as it is told, and no more than clients; one alone needs no lines', async () => {
    open({ workers: 9 })
    expect(threads.map(({ place }) => place)).toEqual([0, 1, 2])
    expect(threads.map(({ input }) => input.ends)).toEqual(['ends 0', 'ends 1', 'ends 2'])
    threads.length = 0
    open({ workers: 0 })
    expect(threads).toHaveLength(1)
    expect(threads[0]!.input).not.toHaveProperty('ends')
  })

  test('tells each thread of the federation, with records in memory that all share', () => {
    open({ cacheBytes: 7, plugins: ['p.mjs'] })
    const { input } = threads[0]!
    expect(input).toMatchObject({ spec: smallSpec, options: { cacheBytes: 7 }, plugins: ['p.mjs'] })
    expect(input.enrolment).toBe(threads[1]!.input.enrolment)
    const { spec: given } = smallPopulation
    expect(input.population).toEqual(given)
    if (input.population.kind !== 'held') throw new Error('they are held')
    const [{ records }] = input.population.clients as [(typeof input.population.clients)[number]]
    expect([records.labels.buffer, records.features.data.buffer].every((one) => one instanceof SharedArrayBuffer)).toBe(
      true,
    )
    threads.length = 0
    open()
    expect(threads[0]!.input).not.toHaveProperty('options')
    expect(threads[0]!.input).not.toHaveProperty('plugins')
  })

  test('shares rows of one table, and what is in shared memory already stays there', () => {
    const labels = new Float64Array(new SharedArrayBuffer(16))
    const features = { rows: 2, cols: 1, data: Float64Array.of(1, 2) }
    const clients = [{ id: 'a', rows: Int32Array.of(0) }, { id: 'b', rows: Int32Array.of(1) }] // biome-ignore format: a line
    open({ population: population({ kind: 'sliced', records: { features, labels }, clients }) })
    const { population: told } = threads[0]!.input
    if (told.kind !== 'sliced') throw new Error('it is sliced')
    expect(told.records.labels).toBe(labels)
    expect(told.records.features.data).toEqual(features.data)
    expect(told.records.features.data.buffer).toBeInstanceOf(SharedArrayBuffer)
    expect(told.clients.map(({ rows }) => [...rows])).toEqual([[0], [1]])
    expect(told.clients[0]!.rows.buffer).toBeInstanceOf(SharedArrayBuffer)
  })

  test('deals turns in small chunks, each client to the same thread, and gives the updates in their order', async () => {
    const pool = open()
    const turns = Array.from({ length: 34 }, (_, i) => turn(i % 3))
    const trained = pool.train(turns)
    expect(threads.map(({ woken }) => woken)).toEqual([1, 1])
    // The other thread helps with what is left, from the end.
    const [own] = [threads[0]!.take()!]
    expect(clientsOf(own)).toEqual([0, 2, 0])
    expect(own.who()).toBe('client "0", "2", "0" in round 3')
    const rest = takeAll(threads[1]!)
    expect(clientsOf(rest[0]!)).toEqual([1, 1, 1])
    expect(rest.flatMap(clientsOf).filter((client) => client === 1)).toHaveLength(11)
    for (const job of [...rest, own]) answer(job)
    expect(await trained).toEqual(turns.map(({ client }) => client))
  })

  test('names three whose turns are at work, and how many more', () => {
    const pool = open({ workers: 1 })
    void pool.train(Array.from({ length: 40 }, (_, i) => turn(i % 3)))
    const job = threads[0]!.take()!
    expect(clientsOf(job)).toHaveLength(5)
    expect(job.who()).toBe('client "0", "1", "2" and 2 more in round 3')
  })

  test('drops what waits of work that failed, and goes on with the next', async () => {
    const pool = open()
    const failed = expect(pool.train([turn(0), turn(1), turn(2)])).rejects.toThrow('too steep')
    threads[0]!.take()!.reject(new Error('too steep'))
    await failed
    expect(takeAll(threads[0]!)).toEqual([])
    const next = pool.train([turn(1)])
    for (const job of takeAll(threads[1]!)) answer(job)
    expect(await next).toEqual([1])
  })

  test('searches for clients alone, each in its thread', async () => {
    const pool = open()
    const from = new Float64Array(1)
    const found = pool.alone([2, 1].map((client) => ({ client, from, maxIterations: 5 })))
    expect(threads.map(({ woken }) => woken)).toEqual([1, 1])
    const [two, one] = [threads[0]!.take()!, threads[1]!.take()!]
    expect([two.who(), one.who()]).toEqual(['client "2" alone', 'client "1" alone'])
    one.resolve({ alone: Float64Array.of(1) })
    two.resolve({ alone: Float64Array.of(2) })
    expect(await found).toEqual([Float64Array.of(2), Float64Array.of(1)])
  })
})

describe('an exchange', () => {
  const guests = [{ place: 1, id: '0', weight: 1, turn: turn(0) }, { place: 2, id: '1', weight: 1 }] // biome-ignore format: a line
  type Post = (worker: number, job: object) => Promise<unknown>
  const postAt = (at: number): Post => (fake.exchanges[at] as { post: Post }).post

  test('has a number of its own, and jobs that no other thread takes', async () => {
    const pool = open()
    const seats = await pool.sit(guests, { name: 'secagg', client: (() => {}) as never, policy: 'strict' })
    await pool.sit(guests, { name: 'secagg', client: (() => {}) as never })
    expect(fake.exchanges).toMatchObject([
      { exchange: 0, defence: 'secagg', policy: 'strict', workers: 2 },
      { exchange: 1 },
    ])
    const done = postAt(0)(1, { guests, request: { exchange: 0 } })
    const idle = postAt(0)(1, { guests: guests.slice(1), request: { exchange: 0 } })
    expect(threads.map(({ woken }) => woken)).toEqual([0, 2])
    expect(threads[0]!.take()).toBeUndefined()
    const [first, second] = takeAll(threads[1]!) as [Job, Job]
    expect([first.who(), second.who()]).toEqual(['client "0" in round 3', 'nobody'])
    first.resolve('yes' as never)
    second.resolve('too' as never)
    expect(await Promise.all([done, idle])).toEqual(['yes', 'too'])
    expect(await seats.leave()).toEqual(['notes'])
  })

  test('counts as under way until its clients have left, once however often they do', async () => {
    const stop = new AbortController()
    const pool = open({ signal: stop.signal })
    const seats = await pool.sit(guests, { name: 'secagg', client: (() => {}) as never })
    const more = await pool.sit(guests, { name: 'secagg', client: (() => {}) as never })
    stop.abort()
    expect(threads.map(({ ended }) => ended)).toEqual([0, 0])
    await Promise.all([seats.leave(), seats.leave()])
    expect(threads.map(({ ended }) => ended)).toEqual([0, 0])
    await more.leave()
    expect(threads.map(({ ended }) => ended)).toEqual([1, 1])
  })

  test('that could not begin is not under way', async () => {
    const stop = new AbortController()
    const pool = open({ signal: stop.signal })
    await expect(pool.sit([], { name: 'secagg', client: (() => {}) as never })).rejects.toThrow('nobody is there')
    stop.abort()
    expect(threads.map(({ ended }) => ended)).toEqual([1, 1])
  })
})

describe('its end', () => {
  test('comes once, and nothing is begun after it', async () => {
    const pool = open()
    await Promise.all([pool.close(), pool.close()])
    expect(threads.map(({ ended }) => ended)).toEqual([1, 1])
    await expect(pool.train([turn(0)])).rejects.toThrow('the pool of worker threads is closed')
    await expect(pool.alone([])).rejects.toThrow('is closed')
    await expect(pool.sit([], { name: 'secagg', client: (() => {}) as never })).rejects.toThrow('is closed')
  })

  test('that is asked for by a signal waits for the turns under way', async () => {
    const stop = new AbortController()
    const pool = open({ signal: stop.signal })
    const trained = pool.train([turn(0)])
    stop.abort()
    expect(threads.map(({ ended }) => ended)).toEqual([0, 0])
    answer(threads[0]!.take()!)
    await trained
    expect(threads.map(({ ended }) => ended)).toEqual([1, 1])
  })

  test('leaves nothing that listens for the signal', async () => {
    const stop = new AbortController()
    const remove = vi.spyOn(stop.signal, 'removeEventListener')
    const pool = open({ signal: stop.signal })
    await pool.close()
    expect(remove).toHaveBeenCalledOnce()
  })
})
