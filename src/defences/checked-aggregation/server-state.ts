/** What the server knows of a sum under way, and who has lost its place in it. */
import type { Bytes, Primitives } from '../secure-aggregation/primitives.js'
import type { Share } from '../secure-aggregation/shamir.js'
import type { Entry } from '../secure-aggregation/wire-messages.js'
import type { Advert } from './signed-texts.js'
import { type Step, steps } from './steps.js'
import type { Terms } from './terms.js'

export interface CheckedServerSetup {
  readonly terms: Terms
  readonly session: Bytes
  /** Of the terms as they were sent. */
  readonly digest: Bytes
  /** What weighs shares once they are dealt; its hash is in the terms. */
  readonly challenge: Bytes
  readonly primitives: Primitives
}

/** Who lost its place, where, and why. */
export interface Exclusion {
  readonly place: number
  readonly phase: Step
  readonly reason: string
}

/** What a client has dealt. */
export interface Dealt {
  readonly commitment: Bytes
  /** Sealed shares by holder. */
  readonly sealed: ReadonlyMap<number, Bytes>
}

export interface ServerState extends CheckedServerSetup {
  phase: number
  readonly excluded: Exclusion[]
  /** Of the present phase, by sender; none twice. */
  readonly mail: Map<number, Bytes>
  readonly adverts: Map<number, Advert>
  readonly rosterEntries: Entry[]
  readonly dealt: Map<number, Dealt>
  /** By client: holders whose shares of it are of no use, as they did not open or lie off those of others. */
  readonly lost: Map<number, Set<number>>
  /** Those whose secrets enough others hold, who take part; and those of them whose updates are in the sum. */
  sharers: ReadonlySet<number>
  readonly survivors: Set<number>
  list: Bytes
  readonly answered: Set<number>
  /** By owner of the secret: shares of survivors' seeds, of the others' keys. */
  readonly seedShares: Map<number, Share[]>
  readonly keyShares: Map<number, Share[]>
  /** The sum of masked updates, then of the updates. */
  readonly total: Uint32Array
}

export function exclude(state: ServerState, place: number, reason: string): void {
  state.excluded.push({ place, phase: steps[Math.min(state.phase, steps.length - 1)]!, reason })
}
