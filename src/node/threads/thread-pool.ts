/** Clients in worker threads, each with kernels and memory of its own; only models, updates and messages cross. */
import { availableParallelism } from 'node:os'
import { OverhearError } from '../../errors.js'
import type { Seats } from '../../federation/exchange.js'
import type { ClientPool, PoolOptions } from '../../federation/pool.js'
import type { PopulationSpec } from '../../federation/population.js'
import type { FederationSpec } from '../../federation/spec.js'
import type { Turn } from '../../federation/turn.js'
import type { Update } from '../../transcript/round-messages.js'
import { type Job, startThread } from './client-thread.js'
import type { WorkerInput } from './client-worker.js'
import { seatsInThreads, type ThreadSeatsOptions } from './thread-seats.js'

export interface ThreadPoolOptions extends PoolOptions {
  /** Threads; as many as the machine offers, and no more than clients, unless told. */
  readonly workers?: number
  /** Closes the pool once the turns under way are done. */
  readonly signal?: AbortSignal
}

/** Turns that travel in one message: the fewer clients, the smaller, so that no thread waits long for another. */
const chunksPerWorker = 8

export function threadPool(spec: FederationSpec, options: ThreadPoolOptions): ClientPool {
  const { population, signal, cacheBytes } = options
  const count = Math.max(1, Math.min(options.workers ?? availableParallelism(), population.count))
  const input: WorkerInput = {
    spec,
    population: shared(population.spec),
    ...(cacheBytes !== undefined && { options: { cacheBytes } }),
  }
  /** Jobs that wait, by the worker that should take them: it may still hold the records. */
  const queues: Job[][] = Array.from({ length: count }, () => [])
  /** Jobs that only this worker can do: their clients sit there. */
  const bound: Job[][] = Array.from({ length: count }, () => [])
  const threads = queues.map((_, w) => startThread({ place: w, input, take: () => take(w) }))
  let underWay = 0
  let exchanges = 0
  let closing: Promise<void> | undefined

  /** The next job for an idle worker: its own, or one from whoever has most left. */
  const take = (w: number): Job | undefined => {
    const longest = queues.reduce((a, b) => (b.length > a.length ? b : a))
    return bound[w]!.shift() ?? queues[w]!.shift() ?? longest.pop()
  }
  const close = (): Promise<void> => {
    closing ??= Promise.all(threads.map((thread) => thread.end())).then(() => {})
    return closing
  }
  const begin = (): void => {
    if (closing !== undefined) throw new OverhearError('E_INPUT', 'the pool of worker threads is closed')
    underWay++
  }
  const finish = (): void => {
    underWay--
    if (signal?.aborted === true) stop()
  }
  const stop = (): void => {
    if (underWay === 0) void close()
  }
  signal?.addEventListener('abort', stop, { once: true })

  const who = (turns: readonly Turn[]) => (): string => {
    const ids = turns.slice(0, 3).map(({ client }) => `"${population.id(client)}"`)
    const more = turns.length > 3 ? ` and ${turns.length - 3} more` : ''
    return turns.length === 0 ? 'nobody' : `client ${ids.join(', ')}${more} in round ${turns[0]!.round}`
  }
  const post: ThreadSeatsOptions['post'] = (worker, { guests, ...job }) =>
    new Promise((resolve, reject) => {
      bound[worker]!.push({ ...job, who: who(guests.flatMap(({ turn }) => turn ?? [])), resolve, reject })
      threads[worker]!.wake()
    })

  return {
    spec,
    async train(turns) {
      begin()
      try {
        const chunks = deal(turns, count)
        const done = chunks.map(({ worker, turns: own }) => {
          return new Promise<readonly Update[]>((resolve, reject) => {
            const request = { turns: own }
            const took = (reply: object): void => resolve((reply as { updates: readonly Update[] }).updates)
            queues[worker]!.push({ request, who: who(own), resolve: took, reject })
          })
        })
        for (const thread of threads) thread.wake()
        const updates = new Array<Update>(turns.length)
        for (const [c, own] of (await Promise.all(done)).entries()) {
          for (const [i, place] of chunks[c]!.places.entries()) updates[place] = own[i]!
        }
        return updates
      } catch (error) {
        for (const queue of queues) queue.length = 0
        throw error
      } finally {
        finish()
      }
    },
    async sit(guests, { name: defence }) {
      begin()
      try {
        const seats = await seatsInThreads(guests, { exchange: exchanges++, defence, workers: count, post })
        let leaving: ReturnType<Seats['leave']> | undefined
        const leave = (): ReturnType<Seats['leave']> => {
          leaving ??= seats.leave().finally(finish)
          return leaving
        }
        return { ...seats, leave }
      } catch (error) {
        finish()
        throw error
      }
    },
    async close() {
      signal?.removeEventListener('abort', stop)
      await close()
    },
  }
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
