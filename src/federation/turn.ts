/** One client's turn as plain data, and the stream that its draws come from. */
import type { Privacy } from '../models/private-step.js'
import { type Rng, rng } from '../numeric/random/rng.js'

/** Clipping and noise in every local step. */
export type StepPrivacy = Privacy

/** Records are mixed in pairs, with shares drawn from Beta(alpha, alpha). */
export interface Mixing {
  readonly alpha: number
}

/** "Client k, take this model in round t and send back your update." */
export interface Turn {
  readonly round: number
  readonly client: number
  readonly theta: Float64Array
  /** The model of its turn before, for a misbehaviour that remembers. */
  readonly memory?: Float64Array
  readonly privacy?: StepPrivacy
  readonly mixing?: Mixing
}

/** Addressed by round and client, so that no other turn moves it. */
export function turnStream(
  { seed }: { readonly seed: number | string },
  { round, client }: { readonly round: number; readonly client: number },
): Rng {
  return rng(seed).fork('round', round, 'client', client)
}
