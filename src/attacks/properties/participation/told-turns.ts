/** Who took part, and with what weight: as a recording says, or, where it does not, as the sums suggest. */
import type { Grant, View } from '../../../threat/granted-keys.js'
import { type Context, Inapplicable } from '../../attack.js'
import type { SumsView } from '../usable-sums.js'
import { doubtsOf, type ReconstructedTurns, reconstructedTurns, strangersFit } from './reconstructed-turns.js'
import { toldWeights } from './told-weights.js'

export type Untold = View<'aggregates'> & Partial<View<'participation' | 'turnCounts'>>

/** A view in which somebody says who took part, whether or not. */
export type Telling<V> = Omit<V, 'participation'> & Partial<View<'participation' | 'turnCounts'>>

export interface ToldTurns<V> {
  readonly view: V
  /** What to say of it; nothing where it was told. */
  readonly warnings: readonly string[]
  readonly reconstructed: ReconstructedTurns | null
}

const usual = { starts: 30, steps: 300 } as const

/** `keys`: what an attack may have of the view. */
export async function toldSums<V extends SumsView>(
  given: Untold,
  keys: readonly Grant[],
  context: Pick<Context, 'rng' | 'tick'>,
): Promise<ToldTurns<V>> {
  const told = await toldTurns<V>(given, keys, context)
  const { view, warnings } = await toldWeights(told.view)
  return { ...told, view, warnings: [...told.warnings, ...warnings] }
}

/** Who took part; nothing is said of weights. */
async function toldTurns<V extends View<'participation'>>(
  given: Untold,
  keys: readonly Grant[],
  { rng, tick }: Pick<Context, 'rng' | 'tick'>,
): Promise<ToldTurns<V>> {
  if (given.participation !== undefined) return { view: given as unknown as V, warnings: [], reconstructed: null }
  const { turnCounts, aggregates } = given
  if (turnCounts === undefined) {
    throw new Inapplicable(['participation'], 'nobody says who took part, nor how often (turnCounts)')
  }
  const found = await reconstructedTurns({ turnCounts, aggregates }, { ...usual, rng: rng.fork('turns'), tick })
  if (strangersFit(found)) {
    const why = 'nobody says who took part, and the sums do not show it: clients that do not exist fit as well'
    throw new Inapplicable(['participation'], why)
  }
  const { ids, rounds, took } = found
  const participation = rounds.map((round, r) => ({
    round,
    participants: ids.filter((_, i) => took[i]![r] === 1),
    dropped: [],
  }))
  const all = given as Readonly<Record<string, unknown>>
  const had = Object.fromEntries(keys.filter((key) => key in given).map((key) => [key, all[key]]))
  return {
    view: { ...had, participation } as unknown as V,
    warnings: ['who took part is reconstructed from the sums, and not told', ...doubtsOf(found)],
    reconstructed: found,
  }
}

/** For controls, which are made from who took part. */
export function requireTold<V extends { readonly participation?: unknown }>(view: V): void {
  if (view.participation === undefined) throw new Inapplicable(['participation'], 'nobody says who took part')
}
