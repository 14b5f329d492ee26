/** One secure sum from beginning to end: clients and server exchange bytes, and some clients vanish on the way. */
import type { SecureClient } from './client.js'
import { secureClient } from './client.js'
import type { Neighbours } from './graph.js'
import { eachOf } from './masks.js'
import { sessionBytes } from './messages.js'
import type { Bytes, Primitives } from './primitives.js'
import { checkRange, dequantiseSum, type Quantisation, quantise } from './quantise.js'
import { secureServer } from './server.js'

/** Where a client vanishes: before it sends the message of this phase. */
export const phases = ['keys', 'shares', 'masked', 'reveal'] as const
export type Phase = (typeof phases)[number]

export interface SecureSumOptions {
  /** One a place; null for a client that will vanish before it has to send one. */
  readonly updates: readonly (Float64Array | null)[]
  readonly length: number
  readonly neighbours: Neighbours
  readonly threshold: number
  readonly quantisation: Quantisation
  /** What every update is multiplied by, so that it fits between the clips. */
  readonly scales?: readonly number[]
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
  /** The sum of the survivors' scaled updates, each off by at most half a level. */
  readonly sum: Float64Array
  /** Places whose updates are in it. */
  readonly survivors: readonly number[]
  /** Values that were cut off at the clip, over all survivors: known to clients only. */
  readonly clipped: number
  readonly bytesToServer: number
  readonly bytesToClients: number
}

const clientsAtOnce = 4

export async function secureSum(options: SecureSumOptions): Promise<SecureSum> {
  const { updates, length, neighbours, threshold, quantisation, primitives, vanish, scales } = options
  const n = updates.length
  checkRange(quantisation, n)
  const session = primitives.random(sessionBytes)
  const server = secureServer({ session, threshold, length, neighbours, primitives })
  const clients = Array.from({ length: n }, (_, i) => secureClient({ session, place: i + 1, threshold, primitives }))
  let [clipped, up, down] = [0, 0, 0]
  const tapped = (message: Tapped): Bytes => options.tap?.(message) ?? message.bytes

  /** Everybody who is still there answers what it was sent. */
  const play = async (
    phase: Phase,
    sent: ReadonlyMap<number, Bytes>,
    answer: (client: SecureClient, bytes: Bytes, place: number) => Promise<Bytes>,
  ): Promise<ReadonlyMap<number, Bytes>> => {
    const here = [...sent.keys()].filter((place) => vanish?.get(place) !== phase)
    const answers = new Map<number, Bytes>()
    await eachOf(here, clientsAtOnce, async (place) => {
      const bytes = tapped({ to: 'client', phase, place, bytes: sent.get(place)! })
      down += bytes.length
      const reply = await answer(clients[place - 1]!, bytes, place)
      answers.set(place, tapped({ to: 'server', phase, place, bytes: reply }))
      if (phase === 'masked') flush(place)
    })
    for (const place of here) flush(place)
    return server.next()

    /** Masked updates are handed over as they come, so that they need not wait together in memory. */
    function flush(place: number): void {
      const bytes = answers.get(place)
      if (bytes === undefined) return
      answers.delete(place)
      up += bytes.length
      server.receive(place, bytes)
    }
  }

  const invited = new Map(clients.map((_, i): [number, Bytes] => [i + 1, new Uint8Array(0)]))
  const rosters = await play('keys', invited, (client) => client.advertise())
  const inboxes = await play('shares', rosters, (client, roster) => client.share(roster))
  const survivors = await play('masked', inboxes, (client, inbox, place) => {
    const quantised = quantise(updates[place - 1] ?? new Float64Array(length), quantisation, scales?.[place - 1])
    clipped += quantised.clipped
    return client.mask(inbox, quantised.values)
  })
  await play('reveal', survivors, (client, bytes) => client.reveal(bytes))
  const { sum, survivors: inSum } = await server.sum()
  return {
    sum: dequantiseSum(sum, quantisation, inSum.length),
    ...{ survivors: inSum, clipped, bytesToServer: up, bytesToClients: down },
  }
}
