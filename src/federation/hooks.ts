/** Where others reach into a federation: an active adversary, and defences on a step, a turn, an exchange, the sum. */
import type { Records } from '../data/records.js'
import type { Model } from '../models/model.js'
import type { Rng } from '../numeric/random/rng.js'
import type { ManifestInput } from '../transcript/manifest.js'
import type { Update } from '../transcript/round-messages.js'
import type { ClientSide, Notes, Seats } from './exchange.js'
import type { Mixing, StepPrivacy } from './turn.js'
import type { TurnFrame } from './updates.js'

/** What can be written to a checkpoint and read back bit for bit; numbers are finite. */
export type Plain =
  | null
  | boolean
  | number
  | string
  | Float64Array
  | readonly Plain[]
  | { readonly [key: string]: Plain }

/** Something whose memory outlives a round: what `state` gives, `restore` takes. */
export interface Stateful {
  state?(): Plain
  restore?(state: Plain): void
}

export interface Adversary extends Stateful {
  /** What this client is sent in place of the global model; undefined: the global model. Asked in participants' order. */
  sendTo(turn: SentTurn): Float64Array | undefined
  /** Told what every participant returned, in the same order; not where updates stay with the clients. */
  received?(turn: SentTurn & { readonly sent: Float64Array; readonly update: Update }): void
}

export interface SentTurn {
  readonly round: number
  readonly client: string
  readonly global: Float64Array
}

/**
 * A defence has any of the five hooks. `step` and `mixing` are plain data and travel to the workers, and so does the client's
 * side of `exchange`, by name; `turn` and `aggregate` run in the thread of the federation, in the order of the participants.
 * Several defences act in the order of their list; an exchange comes before all sums, and where there is one no update
 * reaches the thread of the federation.
 */
export interface Defence extends Stateful {
  readonly name: string
  /** Every record's gradient clipped, noise on their sum, in every local step. */
  readonly step?: StepPrivacy
  /** Clients train on mixtures of their records; plain data that travels to the workers, too. */
  readonly mixing?: Mixing
  /** What a client sends instead of what it has trained; misbehaving clients pass here too. */
  turn?(update: Update, at: TurnContext): Update | Promise<Update>
  /** Clients and server exchange bytes that end in a sum. */
  readonly exchange?: SumExchange
  /** What the server learns of the sum. */
  aggregate?(sum: SumContext): Summed | Promise<Summed>
  /** What the manifest of a recording says of it. */
  readonly protocol?: Partial<
    Pick<
      ManifestInput['protocol'],
      'secureAggregation' | 'differentialPrivacy' | 'aggregation' | 'compression' | 'mixup'
    >
  >
}

/** What a setting does that acts on a federation: the hooks of a defence. */
export type Hooks = Omit<Defence, 'name'>

/** Clients and server exchange messages, and the updates stay with the clients. */
export interface SumExchange {
  /** The client's side. A pool of workers finds its own by the name of the defence. */
  readonly client: ClientSide
  /** What the clients hold to, whatever the server says; handed to those in workers. */
  readonly policy?: Plain
  /** The server's side: from messages to the sum, or why there is none. */
  serve(round: ExchangeContext): Promise<Summed | ({ readonly aborted: string } & Pick<Summed, 'excluded'>)>
  /** The same sums to the bit, without secrecy and what that costs: for trainings of which nobody hears more than sums. */
  openly?(): SumExchange
}

/** A client that lost its place in an exchange, in which phase, and why. */
export interface Excluded {
  readonly client: string
  readonly phase: string
  readonly reason: string
}

export interface ExchangeContext extends Pick<SumContext, 'round' | 'rng'> {
  /** Values of an update. */
  readonly length: number
  /** Who sits at the places 1, 2, ... and with which weight w_i. */
  readonly invited: readonly { readonly id: string; readonly weight: number }[]
  /** So many of them, the first ones, will send an update; the others vanish before. */
  readonly staying: number
  readonly seats: Seats
}

export interface TurnContext extends TurnFrame {
  readonly round: number
  readonly client: string
  readonly samples: number
  /** This defence's own stream for this client and round. */
  readonly rng: Rng
  readonly model: Model
  /** What the client trains on. */
  records(): Records
}

export interface SumContext {
  readonly round: number
  readonly global: Float64Array
  readonly learningRate: number
  /** None after an exchange. */
  readonly updates: ReadonlyMap<string, Update>
  /** w_i by participant: 1, or its number of records. */
  readonly weights: ReadonlyMap<string, number>
  readonly dropped: readonly string[]
  /** What the sum is divided by, as the defences before this one left it. */
  readonly weightSum: number
  /** sum over i of w_i (theta_i - theta), as the defences before this one left it. */
  dThetaSum(): Float64Array
  /** This defence's own stream for this round. */
  readonly rng: Rng
}

export interface Summed {
  readonly dThetaSum: Float64Array
  /** What the sum is divided by to give the server's step; the sum of the weights unless told. */
  readonly weightSum?: number
  /** Counts of what the clients noticed, for whoever simulates them. */
  readonly notes?: Notes
  /** Whose updates are in the sum, where that is not everybody who was to stay. */
  readonly inSum?: ReadonlySet<string>
  readonly excluded?: readonly Excluded[]
}
