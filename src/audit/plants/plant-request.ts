/** A training with a planted leak as a request to another thread, and what comes back. */
import type { PoolRows } from '../../scenario/pools.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import type { SimulateEvent } from '../../scenario/simulate.js'
import type { Trained } from '../ladder/trainings.js'

/** Which leak, in which of the scenario's models. */
export interface Planted {
  readonly plant: number
  readonly model: number
}

/** Plain data. */
export interface PlantRequest {
  readonly scenario: Scenario
  readonly pools: PoolRows
  /** The run's folder. */
  readonly run: string
  readonly planted: Planted
  readonly repair: boolean
}

/** What became of it: it is made, it diverged, or it is too large for one thread, which leaves it. */
export type PlantReply =
  | { readonly kind: 'made'; readonly trained: Trained; readonly events: readonly SimulateEvent[] }
  | { readonly kind: 'diverged' }
  | { readonly kind: 'large' }
