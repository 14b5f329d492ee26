/** What runs in a worker thread: any client of a federation, with kernels and memory of its own. */
import { parentPort, workerData } from 'node:worker_threads'
import { type ClientsOptions, createClients } from '../federation/clients.js'
import type { ClientsSpec } from '../federation/pool.js'
import { population } from '../federation/population.js'
import type { Turn } from '../federation/turn.js'
import { valuesOf } from '../federation/updates.js'
import type { Update } from '../transcript/messages.js'

export interface WorkerInput extends ClientsSpec {
  readonly options?: ClientsOptions
}
export interface Request {
  readonly turns: readonly Turn[]
}
export type Reply =
  | { readonly updates: readonly Update[] }
  | { readonly error: { readonly code: string; readonly message: string } }

const input = workerData as WorkerInput
const clients = createClients(input.spec, population(input.population), input.options)

parentPort?.on('message', ({ turns }: Request) => {
  let reply: Reply
  try {
    reply = { updates: turns.map(clients.play) }
  } catch (error) {
    const { code = 'E_INTERNAL', message } = error as { code?: string; message: string }
    parentPort?.postMessage({ error: { code, message } } satisfies Reply)
    return
  }
  const moved = new Set(reply.updates.map((update) => valuesOf(update).buffer as ArrayBuffer))
  parentPort?.postMessage(reply, [...moved])
})
