/** What a sampling is: who is asked to take part in a round. */
import type { Rng } from '../../numeric/random/rng.js'
import { number, type Params, type ValuesOf } from '../../params.js'
import type { Entry } from '../../registry.js'
import type { Population } from '../population.js'

/** The clients of one round, by number, each once. `rng` is the round's own stream. */
export type Choose = (draw: { readonly round: number; readonly rng: Rng }) => ArrayLike<number>

export interface Sampling<P extends Params = Params> extends Entry<P> {
  /** Called once a run; wrong parameters are errors here. */
  prepare(values: ValuesOf<P>, population: Population): Choose
}

export const defineSampling = <const I extends string, const P extends Params>(
  sampling: Sampling<P> & { readonly id: I },
): Sampling<P> & { readonly id: I } => sampling

export const fraction = number({ default: 0.1, min: 0, max: 1, doc: 'share of the clients in a round, at least one' })

/** [mcmahan2017] Alg. 1: m = max(C K, 1). */
export const clientsIn = (share: number, { count }: Population): number => Math.max(1, Math.round(share * count))
