/** Clients in worker threads, each with kernels and memory of its own; only models and updates cross. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type ErrorCode, internal, OverhearError } from '../errors.js'
import type { ClientPool, PoolOptions } from '../federation/pool.js'
import type { PopulationSpec } from '../federation/population.js'
import type { FederationSpec } from '../federation/spec.js'
import type { Turn } from '../federation/turn.js'
import type { Update } from '../transcript/messages.js'
import type { Reply, Request, WorkerInput } from './worker.js'

export interface ThreadPoolOptions extends PoolOptions {
  /** Threads; as many as the machine offers, and no more than clients, unless told. */
  readonly workers?: number
  /** Closes the pool once the turns under way are done. */
  readonly signal?: AbortSignal
}

/** Turns that travel in one message: the fewer clients, the smaller, so that no thread waits long for another. */
const chunksPerWorker = 8

interface Chunk {
  readonly turns: readonly Turn[]
  /** Where its updates belong in the answer. */
  readonly places: readonly number[]
  resolve(updates: readonly Update[]): void
  reject(error: Error): void
}

export function threadPool(spec: FederationSpec, options: ThreadPoolOptions): ClientPool {
  const { population, signal, cacheBytes } = options
  const count = Math.max(1, Math.min(options.workers ?? availableParallelism(), population.count))
  const input: WorkerInput = {
    spec,
    population: shared(population.spec),
    ...(cacheBytes !== undefined && { options: { cacheBytes } }),
  }
  /** Chunks that wait, by the worker that should take them: it may still hold the records. */
  const queues: Chunk[][] = Array.from({ length: count }, () => [])
  const threads = queues.map((_, w) => startThread(w, input, { take: () => take(w), names: population.id }))
  let underWay = 0
  let closing: Promise<void> | undefined

  /** The next chunk for an idle worker: its own, or one from whoever has most left. */
  const take = (w: number): Chunk | undefined => {
    const longest = queues.reduce((a, b) => (b.length > a.length ? b : a))
    return queues[w]!.shift() ?? longest.pop()
  }
  const close = (): Promise<void> => {
    closing ??= Promise.all(threads.map((thread) => thread.end())).then(() => {})
    return closing
  }
  const stop = (): void => {
    if (underWay === 0) void close()
  }
  signal?.addEventListener('abort', stop, { once: true })

  return {
    spec,
    async train(turns) {
      if (closing !== undefined) throw new OverhearError('E_INPUT', 'the pool of worker threads is closed')
      underWay++
      try {
        const chunks = deal(turns, count)
        const done = chunks.map(({ worker, ...chunk }) => {
          return new Promise<readonly Update[]>((resolve, reject) => {
            queues[worker]!.push({ ...chunk, resolve, reject })
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
        underWay--
        if (signal?.aborted === true) stop()
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

interface ThreadOptions {
  take(): Chunk | undefined
  names(client: number): string
}

function startThread(w: number, input: WorkerInput, { take, names }: ThreadOptions) {
  // Flags of the process are not for its threads: some of them, such as --input-type, would stop one.
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: input, execArgv: [] })
  let current: Chunk | undefined
  let dead: Error | undefined
  worker.unref() // an idle pool keeps no process alive

  const next = (): void => {
    if (dead !== undefined) return // unref now, and the process may end before the thread has
    current = take()
    if (current === undefined) {
      worker.unref()
      return
    }
    worker.ref()
    worker.postMessage({ turns: current.turns } satisfies Request)
  }
  const fail = (error: Error): void => {
    dead ??= error
    current?.reject(dead)
    current = undefined
    for (let chunk = take(); chunk !== undefined; chunk = take()) chunk.reject(dead) // the run is lost anyway
  }
  const who = (): string => {
    const turns = current?.turns ?? []
    if (turns.length === 0) return 'while idle'
    const ids = turns.slice(0, 3).map(({ client }) => `"${names(client)}"`)
    const more = turns.length > 3 ? ` and ${turns.length - 3} more` : ''
    return `while it played client ${ids.join(', ')}${more} in round ${turns[0]!.round}`
  }
  worker.on('message', (reply: Reply) => {
    const done = current
    current = undefined
    if ('updates' in reply) done?.resolve(reply.updates)
    else done?.reject(new OverhearError(reply.error.code as ErrorCode, reply.error.message))
    next()
  })
  worker.on('error', (error) => fail(internal(`worker thread ${w} failed ${who()}: ${error.message}`)))
  worker.on('exit', (code) => fail(internal(`worker thread ${w} ended with code ${code} ${who()}`)))
  return {
    wake() {
      if (dead !== undefined) fail(dead)
      else if (current === undefined) next()
    },
    async end() {
      dead ??= new OverhearError('E_INTERRUPTED', 'the pool of worker threads was closed')
      await worker.terminate()
    },
  }
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
