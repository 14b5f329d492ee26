/** Who plays the clients: here in this thread; node/ has worker threads behind the same interface. */
import type { Update } from '../transcript/round-messages.js'
import { type ClientsOptions, createClients, type Search } from './clients.js'
import { type Bytes, type ClientSide, type Guest, type Seats, seatsHere } from './exchange.js'
import type { Plain } from './hooks.js'
import type { Population, PopulationSpec } from './population.js'
import type { FederationSpec } from './spec.js'
import type { Turn } from './turn.js'

/** Everything a worker needs to play any client, as plain data. */
export interface ClientsSpec {
  readonly spec: FederationSpec
  readonly population: PopulationSpec
}

export interface ClientPool {
  /** What it was made for: a federation checks that it is its own. */
  readonly spec: FederationSpec
  /** The updates in the order of the turns; the bits depend on neither who plays them nor when. */
  train(turns: readonly Turn[]): Promise<Update[]>
  /** The models that clients would train alone, in the order of the searches. */
  alone(searches: readonly Search[]): Promise<Float64Array[]>
  /** The clients of an exchange, who keep what they train. */
  sit(guests: readonly Guest[], side: ExchangeSide): Promise<Seats>
  close(): Promise<void>
}

export interface ExchangeSide {
  /** The defence that the exchange belongs to. */
  readonly name: string
  readonly client: ClientSide
  /** What the clients hold to, for those of them who are not handed `client`. */
  readonly policy?: Plain
}

export interface PoolOptions extends ClientsOptions {
  readonly population: Population
}

export function inlinePool(spec: FederationSpec, options: PoolOptions): ClientPool {
  const { population, ...bounds } = options
  const clients = createClients(spec, population, bounds)
  const enrolment = enrolled()
  return {
    spec,
    async train(turns) {
      await breath()
      return turns.map(clients.play)
    },
    async alone(searches) {
      await breath()
      return searches.map(clients.alone)
    },
    async sit(guests, { client }) {
      await breath()
      return seatsHere(
        guests.map(({ turn, ...own }) => ({
          ...own,
          enrolment,
          change: () => clients.change(turn),
          rounding: () => clients.rounding(turn),
        })),
        client,
      )
    },
    close: async () => clients.release(),
  }
}

/** What clients are given when they are enrolled; secret, so that it is never the seed's. */
export const enrolled = (): Bytes => crypto.getRandomValues(new Uint8Array(32))

/** Lets the thread see to signals and events before it goes on: a run of promises alone would keep them waiting. */
function breath(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
}
