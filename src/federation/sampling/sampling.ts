/** What a sampling is: who is asked to take part in a round. */
import { OverhearError } from '../../errors.js'
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
export const clientsIn = (share: number, { count }: Pick<Population, 'count'>): number =>
  Math.max(1, Math.round(share * count))

/** Who is asked, rising; a client that is not there, or that is asked twice, is an error. */
export function chooser(
  { entry, values }: { readonly entry: Sampling; readonly values: Readonly<Record<string, unknown>> },
  population: Population,
): (draw: Parameters<Choose>[0]) => number[] {
  const choose = entry.prepare(values as never, population)
  const { count } = population
  return (draw) => {
    const rising = Array.from(choose(draw)).sort((a, b) => a - b)
    const bad = rising.findIndex((k, i) => !(Number.isInteger(k) && k >= 0 && k < count) || k === rising[i - 1])
    if (bad < 0) return rising
    const twice = rising[bad] === rising[bad - 1] ? ' twice' : ''
    const found = `sampling ${entry.id} asks client ${rising[bad]}${twice} in round ${draw.round}`
    throw new OverhearError('E_VALUE', found, `clients are numbered from 0 to ${count - 1}, each may be asked once`)
  }
}
