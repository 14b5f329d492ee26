/** Clients in worker threads, each with kernels and memory of its own; only models, updates and messages cross. */
import { availableParallelism } from 'node:os'
import { OverhearError } from '../../errors.js'
import type { Search } from '../../federation/clients.js'
import type { Guest, Seats } from '../../federation/exchange.js'
import { type ClientPool, enrolled, type PoolOptions } from '../../federation/pool.js'
import type { PopulationSpec } from '../../federation/population.js'
import type { FederationSpec } from '../../federation/spec.js'
import type { Turn } from '../../federation/turn.js'
import type { Update } from '../../transcript/round-messages.js'
import { type Job, startThread, type Thread } from './client-thread.js'
import type { ClientWorkerInput } from './client-worker.js'
import { linesBetween } from './key-line.js'
import { seatsInThreads, type ThreadSeatsOptions } from './thread-seats.js'

export interface ThreadPoolOptions extends PoolOptions {
  /** Threads; as many as the machine offers, and no more than clients, unless told. */
  readonly workers?: number
  /** Closes the pool once the turns under way are done. */
  readonly signal?: AbortSignal
  /** Files of plug-ins that the threads load. */
  readonly plugins?: readonly string[]
}

/** Turns that travel in one message: the fewer clients, the smaller, so that no thread waits long for another. */
const chunksPerWorker = 8

interface Pool {
  readonly population: PoolOptions['population']
  readonly signal: AbortSignal | undefined
  readonly threads: readonly Thread[]
  /** Jobs that wait, by the worker that should take them: it may still hold the records. */
  readonly queues: readonly Job[][]
  /** Jobs that only this worker can do: their clients sit there. */
  readonly bound: readonly Job[][]
  underWay: number
  exchanges: number
  closing: Promise<void> | undefined
}

export function threadPool(spec: FederationSpec, options: ThreadPoolOptions): ClientPool {
  const pool = startPool(spec, options)
  const stop = (): void => stopIfIdle(pool)
  pool.signal?.addEventListener('abort', stop, { once: true })
  return {
    spec,
    train: (turns) => underWay(pool, () => train(pool, turns)),
    alone: (searches) => underWay(pool, () => alone(pool, searches)),
    async sit(guests, { name: defence, policy }) {
      begin(pool)
      try {
        return await sit(pool, guests, { defence, policy })
      } catch (error) {
        finish(pool)
        throw error
      }
    },
    async close() {
      pool.signal?.removeEventListener('abort', stop)
      await close(pool)
    },
  }
}

function startPool(spec: FederationSpec, options: ThreadPoolOptions): Pool {
  const { population, signal, cacheBytes, workers, plugins = [] } = options
  const count = Math.max(1, Math.min(workers ?? availableParallelism(), population.count))
  const input: ClientWorkerInput = {
    spec,
    population: shared(population.spec),
    enrolment: enrolled(),
    ...(cacheBytes !== undefined && { options: { cacheBytes } }),
    ...(plugins.length > 0 && { plugins }),
  }
  const places = Array.from({ length: count }, (_, place) => place)
  const [queues, bound] = [places.map((): Job[] => []), places.map((): Job[] => [])]
  const ends = linesBetween(count)
  const threads = places.map((place) => {
    const own = count === 1 ? input : { ...input, ends: ends[place]! }
    return startThread({ place, input: own, take: () => nextJob({ queues, bound }, place) })
  })
  return { population, signal, threads, queues, bound, underWay: 0, exchanges: 0, closing: undefined }
}

/** The next job for an idle worker: its own, or one from whoever has most left. */
function nextJob({ queues, bound }: Pick<Pool, 'queues' | 'bound'>, worker: number): Job | undefined {
  const longest = queues.reduce((a, b) => (b.length > a.length ? b : a))
  return bound[worker]!.shift() ?? queues[worker]!.shift() ?? longest.pop()
}

function begin(pool: Pool): void {
  if (pool.closing !== undefined) throw new OverhearError('E_INPUT', 'the pool of worker threads is closed')
  pool.underWay++
}

function finish(pool: Pool): void {
  pool.underWay--
  if (pool.signal?.aborted === true) stopIfIdle(pool)
}

/** Work that any thread may take; where it fails, what waits of it is dropped. */
async function underWay<T>(pool: Pool, work: () => Promise<T>): Promise<T> {
  begin(pool)
  try {
    return await work()
  } catch (error) {
    for (const queue of pool.queues) queue.length = 0
    throw error
  } finally {
    finish(pool)
  }
}

function stopIfIdle(pool: Pool): void {
  if (pool.underWay === 0) void close(pool)
}

function close(pool: Pool): Promise<void> {
  pool.closing ??= Promise.all(pool.threads.map((thread) => thread.end())).then(() => {})
  return pool.closing
}

async function train(pool: Pool, turns: readonly Turn[]): Promise<Update[]> {
  const { threads, queues } = pool
  const chunks = deal(turns, threads.length)
  const done = chunks.map(({ worker, turns: own }) => {
    return new Promise<readonly Update[]>((resolve, reject) => {
      const request = { turns: own }
      const took = (reply: object): void => resolve((reply as { updates: readonly Update[] }).updates)
      queues[worker]!.push({ request, who: whoIn(pool, own), resolve: took, reject })
    })
  })
  for (const thread of threads) thread.wake()
  const updates = new Array<Update>(turns.length)
  for (const [c, own] of (await Promise.all(done)).entries()) {
    for (const [i, place] of chunks[c]!.places.entries()) updates[place] = own[i]!
  }
  return updates
}

function alone({ threads, queues, population }: Pool, searches: readonly Search[]): Promise<Float64Array[]> {
  const done = searches.map((search) => {
    return new Promise<Float64Array>((resolve, reject) => {
      const took = (reply: object): void => resolve((reply as { alone: Float64Array }).alone)
      const who = (): string => `client "${population.id(search.client)}" alone`
      queues[search.client % threads.length]!.push({ request: { search }, who, resolve: took, reject })
    })
  })
  for (const thread of threads) thread.wake()
  return Promise.all(done)
}

/** Seats that count as under way until their clients have left. */
async function sit(
  pool: Pool,
  guests: readonly Guest[],
  side: Pick<ThreadSeatsOptions, 'defence' | 'policy'>,
): Promise<Seats> {
  const { threads, bound } = pool
  const post: ThreadSeatsOptions['post'] = (worker, { guests: own, ...job }) =>
    new Promise((resolve, reject) => {
      bound[worker]!.push({
        ...job,
        who: whoIn(
          pool,
          own.flatMap(({ turn }) => turn ?? []),
        ),
        resolve,
        reject,
      })
      threads[worker]!.wake()
    })
  const seats = await seatsInThreads(guests, { exchange: pool.exchanges++, ...side, workers: threads.length, post })
  let leaving: ReturnType<Seats['leave']> | undefined
  const leave = (): ReturnType<Seats['leave']> => {
    leaving ??= seats.leave().finally(() => finish(pool))
    return leaving
  }
  return { ...seats, leave }
}

/** Whose turns these are, for errors. */
const whoIn =
  ({ population }: Pool, turns: readonly Turn[]) =>
  (): string => {
    const ids = turns.slice(0, 3).map(({ client }) => `"${population.id(client)}"`)
    const more = turns.length > 3 ? ` and ${turns.length - 3} more` : ''
    return turns.length === 0 ? 'nobody' : `client ${ids.join(', ')}${more} in round ${turns[0]!.round}`
  }

/** Turns in chunks, each client always meant for the same worker. */
function deal(turns: readonly Turn[], workers: number) {
  const size = Math.ceil(turns.length / (workers * chunksPerWorker))
  const chunks: { worker: number; turns: Turn[]; places: number[] }[] = []
  const open = new Map<number, (typeof chunks)[number]>()
  for (const [place, turn] of turns.entries()) {
    const worker = turn.client % workers
    let chunk = open.get(worker)
    if (chunk === undefined || chunk.turns.length >= size) {
      chunk = { worker, turns: [], places: [] }
      open.set(worker, chunk)
      chunks.push(chunk)
    }
    chunk.turns.push(turn)
    chunk.places.push(place)
  }
  return chunks
}

/** The same description with its numbers in memory that all threads read: sending it copies nothing. */
function shared(spec: PopulationSpec): PopulationSpec {
  const numbers = (values: Float64Array): Float64Array => {
    if (values.buffer instanceof SharedArrayBuffer) return values
    const copy = new Float64Array(new SharedArrayBuffer(values.byteLength))
    copy.set(values)
    return copy
  }
  const rows = (values: Int32Array): Int32Array => {
    const copy = new Int32Array(new SharedArrayBuffer(values.byteLength))
    copy.set(values)
    return copy
  }
  const records = ({
    features,
    labels,
  }: {
    features: { rows: number; cols: number; data: Float64Array }
    labels: Float64Array
  }) => ({
    features: { ...features, data: numbers(features.data) },
    labels: numbers(labels),
  })
  switch (spec.kind) {
    case 'held':
      return { ...spec, clients: spec.clients.map((client) => ({ ...client, records: records(client.records) })) }
    case 'sliced': {
      const clients = spec.clients.map((client) => ({ ...client, rows: rows(client.rows) }))
      return { ...spec, records: records(spec.records), clients }
    }
    case 'generated':
      return spec
  }
}
