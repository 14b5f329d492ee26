/** Some rows kept back for validation, as every client of the papers does with a tenth of its own. */
import { OverhearError } from '../errors.js'
import type { Rng } from '../numeric/random/rng.js'
import { shuffled } from './partition-entry.js'

export interface HeldOut {
  readonly train: Int32Array
  readonly held: Int32Array
}

/** round(share n) rows are held out, but never all; both parts come in random order. */
export function holdOut(
  rows: ArrayLike<number>,
  { share, rng }: { readonly share: number; readonly rng: Rng },
): HeldOut {
  if (!(share >= 0 && share < 1)) {
    throw new OverhearError('E_VALUE', `a share of ${share} is to be held out`, 'a number from 0 to below 1 is needed')
  }
  const n = rows.length
  const order = shuffled(Int32Array.from(rows), rng)
  const held = Math.min(Math.round(share * n), Math.max(n - 1, 0))
  return { train: order.slice(held), held: order.slice(0, held) }
}
