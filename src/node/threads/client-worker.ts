/** What a worker thread does for a federation: it plays any of its clients, with kernels and memory of its own. */
import { type MessagePort, parentPort } from 'node:worker_threads'
import { allDefences } from '../../defences/index.js'
import type { Primitives } from '../../defences/secure-aggregation/primitives.js'
import { OverhearError } from '../../errors.js'
import { type ClientsOptions, createClients, type Search } from '../../federation/clients.js'
import {
  type Bytes,
  type ClientSide,
  type Guest,
  type Notes,
  type Seats,
  seatsHere,
} from '../../federation/exchange.js'
import type { Plain } from '../../federation/hooks.js'
import type { ClientsSpec } from '../../federation/pool.js'
import { population } from '../../federation/population.js'
import type { Turn } from '../../federation/turn.js'
import { valuesOf } from '../../federation/updates.js'
import { find } from '../../registry.js'
import type { Update } from '../../transcript/round-messages.js'
import { enterLoaded } from '../files/plugin-file.js'
import { keyLine } from './key-line.js'
import { nativePrimitives } from './native-primitives.js'

/** What a thread is told of the federation. */
export interface ClientWorkerInput extends ClientsSpec {
  /** The clients' own secret, the same in all threads. */
  readonly enrolment: Bytes
  readonly options?: ClientsOptions
  /** Lines to the other threads of the federation. */
  readonly ends?: readonly MessagePort[]
  /** Files of plug-ins. */
  readonly plugins?: readonly string[]
}

/** One at a time. Of clients who sit in an exchange, the answers and notes are all that leaves the thread. */
export type Request =
  | { readonly turns: readonly Turn[] }
  | { readonly search: Search }
  | { readonly exchange: number; readonly defence: string; readonly policy?: Plain; readonly guests: readonly Guest[] }
  | { readonly exchange: number; readonly sent: ReadonlyMap<number, Bytes> }
  | { readonly exchange: number; readonly leave: true }

/** Large answers come before the reply that ends a request, small ones with it. */
export type Reply =
  | { readonly updates: readonly Update[] }
  | { readonly alone: Float64Array }
  | { readonly done: true; readonly answers: readonly Answer[] }
  | { readonly notes: readonly Notes[] }
  | { readonly error: { readonly code: string; readonly message: string } }
export interface Answer {
  readonly place: number
  readonly answer: Bytes
}

/** So many bytes are sent at once, that others may work on them: a message costs as much as copying them. */
const largeAnswer = 16384

/** Plays the clients of one federation. */
export async function serveClients(input: ClientWorkerInput): Promise<(request: Request) => Promise<void>> {
  await enterLoaded({ plugins: input.plugins ?? [] })
  const hosted: Hosted = {
    clients: createClients(input.spec, population(input.population), input.options),
    primitives: { ...nativePrimitives(), ...(input.ends !== undefined && { line: keyLine(input.ends) }) },
    exchanges: new Map(),
    enrolment: input.enrolment,
    sides: new Map(),
  }
  return async (request) => {
    let reply: Reply
    try {
      reply = await replyTo(request, hosted)
    } catch (error) {
      const { code = 'E_INTERNAL', message } = error as { code?: string; message: string }
      reply = { error: { code, message } }
    }
    const updates = 'updates' in reply ? reply.updates.map((update) => valuesOf(update).buffer as ArrayBuffer) : []
    const moved = 'answers' in reply ? reply.answers.map(({ answer }) => answer.buffer) : updates
    parentPort?.postMessage(reply, [...new Set(moved)])
  }
}

interface Hosted {
  readonly clients: ReturnType<typeof createClients>
  readonly primitives: Primitives
  readonly exchanges: Map<number, Seats>
  readonly enrolment: Bytes
  /** By defence and policy: clients remember earlier rounds. */
  readonly sides: Map<string, ClientSide>
}

function clientSide(name: string, policy: Plain, { primitives, sides }: Hosted): ClientSide {
  const key = JSON.stringify([name, policy])
  const known = sides.get(key)
  if (known !== undefined) return known
  const { clientSide: side } = find(allDefences, name)
  if (side === undefined) {
    throw new OverhearError('E_INPUT', `defence ${name} exchanges messages and has no clientSide`, 'threads need it')
  }
  const made = side(primitives, policy)
  sides.set(key, made)
  return made
}

async function replyTo(request: Request, hosted: Hosted): Promise<Reply> {
  const { clients, exchanges } = hosted
  if ('turns' in request) return { updates: request.turns.map(clients.play) }
  if ('search' in request) return { alone: clients.alone(request.search) }
  const { exchange } = request
  if ('guests' in request) {
    const side = clientSide(request.defence, request.policy ?? null, hosted)
    const { enrolment } = hosted
    const guests = request.guests.map(({ turn, ...own }) => {
      return { ...own, enrolment, change: () => clients.change(turn), rounding: () => clients.rounding(turn) }
    })
    exchanges.set(exchange, seatsHere(guests, side))
    return { done: true, answers: [] }
  }
  const seats = exchanges.get(exchange)!
  if ('sent' in request) {
    const answers: Answer[] = []
    await seats.ask(request.sent, (place, answer) => {
      if (answer.length < largeAnswer) answers.push({ place, answer })
      else parentPort?.postMessage({ place, answer } satisfies Answer, [answer.buffer])
    })
    return { done: true, answers }
  }
  exchanges.delete(exchange)
  return { notes: await seats.leave() }
}
