/** The steps of a checked sum, and a message of one of them on its way. */
import type { Bytes } from '../secure-aggregation/primitives.js'

export type Step = 'keys' | 'shares' | 'held' | 'masked' | 'signed' | 'reveal'
export const steps: readonly Step[] = ['keys', 'shares', 'held', 'masked', 'signed', 'reveal']

export interface CheckedTapped {
  readonly to: 'server' | 'client'
  readonly phase: Step
  readonly place: number
  readonly bytes: Bytes
}
