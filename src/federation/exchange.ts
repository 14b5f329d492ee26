/** Rounds in which updates stay with their clients: bytes go to them and come back, and that is all the server hears. */
import { internal } from '../errors.js'
import type { Rng } from '../numeric/random/rng.js'
import type { Turn } from './turn.js'

export type Bytes = Uint8Array<ArrayBuffer>

/** What a client brings along. */
export interface Own {
  readonly id: string
  /** w_i */
  readonly weight: number
  /** theta_i minus the model it received: trains. */
  change(): Float64Array
  /** Its draws for rounding what it trained. */
  rounding(): Rng
  /** A secret of the clients from before the first round, which the server does not know: their own keys follow from it. */
  readonly enrolment: Bytes
}

/** Seats a client who can train when it comes to that. */
export type ClientSide = (own: Own) => Seat

export interface Seat {
  answer(message: Bytes): Promise<Bytes>
  /** What the client alone knows of its part, for whoever simulates it. */
  notes?(): Notes
}

/** Counts by name. */
export type Notes = Readonly<Record<string, number>>

/** The clients of one round, wherever they sit. */
export interface Seats {
  /** Hands each its message, by place; `take` gets the answers as they come. */
  ask(sent: ReadonlyMap<number, Bytes>, take: (place: number, answer: Bytes) => void): Promise<void>
  /** Ends the round and tells the notes of all clients, in no order. */
  leave(): Promise<readonly Notes[]>
}

/** Who is asked to sit down: places count from 1, and one without a turn will never be asked for its update. */
export interface Guest {
  readonly place: number
  readonly id: string
  readonly weight: number
  readonly turn?: Turn
}

/** Clients that sit in this thread. */
export function seatsHere(guests: readonly (Own & { readonly place: number })[], client: ClientSide): Seats {
  const seats = new Map(guests.map((own) => [own.place, client(own)]))
  return {
    async ask(sent, take) {
      for (const [place, message] of sent) {
        const seat = seats.get(place)
        if (seat === undefined) throw internal(`nobody sits at place ${place}`)
        take(place, await seat.answer(message))
      }
    },
    async leave() {
      const notes = [...seats.values()].map((seat) => seat.notes?.() ?? {})
      seats.clear()
      return notes
    },
  }
}
