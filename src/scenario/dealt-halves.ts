/** Which of a client's rows are trained on and which are held back, by chance alone. */
import { rng } from '../numeric/random/rng.js'
import { holdOut } from '../partition/hold-out.js'
import type { Scenario } from './scenario-schema.js'

/** A client's rows, and which repeat deals them. */
export interface Pool {
  readonly id: string
  readonly rows: Int32Array
  readonly repeat: number
}

/** round(share n) rows are held back, but never all: a client with one row trains on it. Both keep the pool's order. */
export function dealPool(
  { heldBack: share, seed }: Pick<Scenario, 'heldBack' | 'seed'>,
  { id, rows, repeat }: Pool,
): { readonly rows: Int32Array; readonly heldBack: Int32Array } {
  if (share === 0) return { rows, heldBack: new Int32Array(0) }
  const { train, held } = holdOut(
    rows.map((_, place) => place),
    { share, rng: rng(seed).fork('scenario', 'held back', repeat, id) },
  )
  const ofPool = (places: Int32Array): Int32Array => places.sort().map((place) => rows[place]!)
  return { rows: ofPool(train), heldBack: ofPool(held) }
}
