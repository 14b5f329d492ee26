/** Clients in worker threads: each thread plays its share of them, and only parameter vectors cross. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type ErrorCode, internal, OverhearError } from '../errors.js'
import type { ClientPool, ClientsSpec } from '../federation/pool.js'
import type { Reply, Request } from './worker.js'

interface Waiting {
  resolve(theta: Float64Array): void
  reject(error: Error): void
}

export function threadPool(spec: ClientsSpec, options: { readonly workers?: number } = {}): ClientPool {
  const clients = Object.keys(spec.records).map(Number)
  const count = Math.max(1, Math.min(options.workers ?? availableParallelism(), clients.length))
  const waiting = new Map<number, Waiting>()
  let nextId = 0
  let closed = false

  const fail = (error: Error): void => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  const workers = Array.from({ length: count }, (_, w) => {
    const own = Object.fromEntries(clients.filter((k) => k % count === w).map((k) => [k, spec.records[k]!]))
    const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: { ...spec, records: own } })
    worker.on('message', (reply: Reply) => {
      const who = waiting.get(reply.id)
      waiting.delete(reply.id)
      if ('theta' in reply) who?.resolve(reply.theta)
      else who?.reject(new OverhearError(reply.error.code as ErrorCode, reply.error.message))
    })
    worker.on('error', fail)
    worker.on('exit', (code) => {
      if (!closed) fail(internal(`worker thread ${w} ended with code ${code}`))
    })
    return worker
  })

  return {
    train(turns) {
      const replies = turns.map(
        (turn) =>
          new Promise<Float64Array>((resolve, reject) => {
            const request: Request = { id: nextId++, turn }
            waiting.set(request.id, { resolve, reject })
            workers[turn.client % count]!.postMessage(request)
          }),
      )
      return Promise.all(replies)
    },
    async close() {
      closed = true
      await Promise.all(workers.map((w) => w.terminate()))
    },
  }
}
