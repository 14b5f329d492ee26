/** The server's day: one secure sum from invitation to unmasking, with clients who vanish on the way. */
import type { Seats } from '../../federation/exchange.js'
import type { Neighbours } from './mask-graph.js'
import type { Bytes, Primitives } from './primitives.js'
import { checkRange, dequantiseSum, type Quantisation } from './quantise.js'
import { secureServer } from './sum-server.js'
import { encodeInvitation, sessionBytes } from './wire-messages.js'

/** Where a client vanishes: before it sends the message of this phase. */
export const phases = ['keys', 'shares', 'masked', 'reveal'] as const
export type Phase = (typeof phases)[number]

export interface SecureSumOptions {
  /** The clients, at the places 1 to n. */
  readonly seats: Seats
  /** Values of an update. */
  readonly length: number
  readonly neighbours: Neighbours
  readonly threshold: number
  readonly quantisation: Quantisation
  /** The largest weight of any client, which updates are divided by; 1 unless told. */
  readonly largest?: number
  readonly primitives: Primitives
  /** By place. */
  readonly vanish?: ReadonlyMap<number, Phase>
  /** Sees every message; may return another in its place. */
  tap?(message: Tapped): Bytes | undefined
}

export interface Tapped {
  readonly to: 'server' | 'client'
  readonly phase: Phase
  readonly place: number
  readonly bytes: Bytes
}

export interface SecureSum {
  /** The sum of the survivors' weighted updates over the largest weight, each off by at most half a level. */
  readonly sum: Float64Array
  /** Places whose updates are in it. */
  readonly survivors: readonly number[]
  readonly bytesToServer: number
  readonly bytesToClients: number
}

export async function secureSum(options: SecureSumOptions): Promise<SecureSum> {
  const { seats, length, neighbours, threshold, quantisation, primitives, vanish, largest = 1, tap } = options
  checkRange(quantisation, neighbours.length)
  const session = primitives.random(sessionBytes)
  const server = secureServer({ session, threshold, length, neighbours, primitives })
  const tapped = (message: Tapped): Bytes => tap?.(message) ?? message.bytes
  let [up, down] = [0, 0]
  const terms = { threshold, quantisation, largest }
  let sent: ReadonlyMap<number, Bytes> = new Map(
    neighbours.map((_, i) => [i + 1, encodeInvitation({ session, place: i + 1, terms })]),
  )
  for (const phase of phases) {
    const here = [...sent].filter(([place]) => vanish?.get(place) !== phase)
    const asked = here.map(([place, bytes]): [number, Bytes] => [place, tapped({ to: 'client', phase, place, bytes })])
    down += asked.reduce((total, [, { length: bytes }]) => total + bytes, 0)
    await seats.ask(new Map(asked), (place, answer) => {
      const bytes = tapped({ to: 'server', phase, place, bytes: answer })
      up += bytes.length
      server.receive(place, bytes)
    })
    sent = server.next()
  }
  const { sum, survivors } = await server.sum()
  return {
    sum: dequantiseSum(sum, quantisation, survivors.length),
    survivors,
    bytesToServer: up,
    bytesToClients: down,
  }
}
