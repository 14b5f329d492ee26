/** The stream that a step's dropout and noise are drawn from. */
import { OverhearError } from '../errors.js'
import type { Rng } from '../numeric/random/rng.js'

export function drawn(rng: (() => Rng) | undefined): Rng {
  if (rng === undefined)
    throw new OverhearError('E_INPUT', 'dropout or noise was asked for without randomness', 'give step an rng')
  return rng()
}
