/** What runs in a worker thread: some clients of a federation, with kernels and memory of their own. */
import { parentPort, workerData } from 'node:worker_threads'
import { type ClientsSpec, createClients, type Turn } from '../federation/pool.js'

export interface Request {
  readonly id: number
  readonly turn: Turn
}
export type Reply =
  | { readonly id: number; readonly theta: Float64Array }
  | { readonly id: number; readonly error: { readonly code: string; readonly message: string } }

const play = createClients(workerData as ClientsSpec)

parentPort?.on('message', ({ id, turn }: Request) => {
  let reply: Reply
  try {
    reply = { id, theta: play(turn) }
  } catch (error) {
    const { code = 'E_INTERNAL', message } = error as { code?: string; message: string }
    reply = { id, error: { code, message } }
  }
  parentPort?.postMessage(reply)
})
