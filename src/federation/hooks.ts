/** Where others reach into a federation: an active adversary, and defences on a step, on a turn, on the server's sum. */
import type { Rng } from '../numeric/rng.js'
import type { ManifestInput } from '../transcript/manifest.js'
import type { Update } from '../transcript/messages.js'
import type { StepPrivacy } from './turn.js'
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
  /** Told what every participant returned, in the same order. */
  received?(turn: SentTurn & { readonly sent: Float64Array; readonly update: Update }): void
}

export interface SentTurn {
  readonly round: number
  readonly client: string
  readonly global: Float64Array
}

/**
 * A defence has any of the three hooks. `step` is plain data and travels to the workers; `turn` and `aggregate` run in
 * the thread of the federation, in the order of the participants. Several defences act in the order of their list.
 */
export interface Defence extends Stateful {
  readonly name: string
  /** Every record's gradient clipped, noise on their sum, in every local step. */
  readonly step?: StepPrivacy
  /** What a client sends instead of what it has trained; misbehaving clients pass here too. */
  turn?(update: Update, at: TurnContext): Update | Promise<Update>
  /** What the server learns of the sum. */
  aggregate?(sum: SumContext): Summed | Promise<Summed>
  /** What the manifest of a recording says of it. */
  readonly protocol?: Partial<
    Pick<ManifestInput['protocol'], 'secureAggregation' | 'differentialPrivacy' | 'aggregation'>
  >
}

export interface TurnContext extends TurnFrame {
  readonly round: number
  readonly client: string
  readonly samples: number
  /** This defence's own stream for this client and round. */
  readonly rng: Rng
}

export interface SumContext {
  readonly round: number
  readonly global: Float64Array
  readonly learningRate: number
  readonly updates: ReadonlyMap<string, Update>
  /** w_i by participant: 1, or its number of records. */
  readonly weights: ReadonlyMap<string, number>
  readonly dropped: readonly string[]
  /** sum over i of w_i (theta_i - theta), as the defences before this one left it. */
  dThetaSum(): Float64Array
  /** This defence's own stream for this round. */
  readonly rng: Rng
}

export interface Summed {
  readonly dThetaSum: Float64Array
  /** What the sum is divided by to give the server's step; the sum of the weights unless told. */
  readonly weightSum?: number
}
