/** What a schedule is: what the learning rate is multiplied by in a round. */
import type { Params, ValuesOf } from '../../params.js'
import type { Entry } from '../../registry.js'

export interface Schedule<P extends Params = Params> extends Entry<P> {
  /** Absent: 1 in every round. */
  factor?(round: number, values: ValuesOf<P>): number
}

export const defineSchedule = <const I extends string, const P extends Params>(
  schedule: Schedule<P> & { readonly id: I },
): Schedule<P> & { readonly id: I } => schedule
