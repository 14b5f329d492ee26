/** What attacks make of a part of a view before they decide anything: made once, and kept for all who ask for the same. */
import type { Rng } from '../numeric/random/rng.js'
import type { Grant, View } from '../threat/granted-keys.js'

/** Data that says all of itself as JSON. */
export type Plain = number | string | boolean | null | readonly Plain[] | { readonly [key: string]: Plain | undefined }

/** One thing to make, of the global models of some rounds, the first of which is its own, or of numbers that are handed along. */
export interface Item {
  readonly rounds: readonly number[]
  readonly given?: readonly Float64Array[]
}

/**
 * A pure function of a part of a view, settings, a stream and a few global models: it is handed nothing else, so that what
 * was made for one view tells another one only what it could have made itself. It is a constant of its module and keeps
 * nothing outside of what `open` gives.
 */
export interface Derivation<G extends Grant, S extends Plain> {
  /** The name of its stream, and part of what its results are known by. */
  readonly id: string
  /** Of these keys it sees those that the view has; never the series, whose rounds are handed one by one. */
  of(settings: S): readonly G[]
  open(part: Partial<View<G>>, settings: S, rng: Rng): Maker
}

/** Whoever makes some items, one after another, in any order: each is the same whatever was made before. */
export interface Maker {
  make(item: Item, models: readonly Float64Array[]): Doubles
  release(): void
}

/** What is made: lists of doubles, which can be kept anywhere. Whoever gets them may do with them what it likes. */
export type Doubles = readonly Float64Array[]

export interface DeriveRequest<G extends Grant, S extends Plain> {
  readonly view: Partial<View<G>> & View<'globals'>
  readonly settings: S
  readonly items: readonly Item[]
  /** Told of every item once, in any order. */
  onItem(index: number, found: Doubles): void | Promise<void>
  tick?(done: number, total: number): void
}

export type Derive = <G extends Grant, S extends Plain>(
  derivation: Derivation<G, S>,
  request: DeriveRequest<G, S>,
) => Promise<void>

/** Makes everything here and keeps nothing. */
export const deriveHere =
  (rng: Rng): Derive =>
  async (derivation, { view, settings, items, onItem, tick }) => {
    const maker = derivation.open(partOf(view, derivation.of(settings)), settings, rng)
    try {
      for (const [index, item] of items.entries()) {
        tick?.(index, items.length)
        await onItem(index, maker.make(item, await modelsOf(view, item)))
      }
    } finally {
      maker.release()
    }
    tick?.(items.length, items.length)
  }

/** Some keys of a view, and no others. */
export function partOf<G extends Grant>(view: Partial<View<G>>, keys: readonly G[]): Partial<View<G>> {
  const part: Partial<Record<G, unknown>> = {}
  for (const key of keys) if (view[key] !== undefined) part[key] = view[key]
  return Object.freeze(part) as Partial<View<G>>
}

export async function modelsOf({ globals }: View<'globals'>, { rounds }: Item): Promise<Float64Array[]> {
  const models: Float64Array[] = []
  for (const round of rounds) models.push(await globals.read(round))
  return models
}
