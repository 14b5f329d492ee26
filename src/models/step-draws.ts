/** What a step draws: the stream it draws from, and the units that dropout leaves. */
import { OverhearError } from '../errors.js'
import type { Rng } from '../numeric/random/rng.js'
import type { Model } from './model.js'

/** The stream that dropout and noise are drawn from. */
export function drawn(rng: (() => Rng) | undefined): Rng {
  if (rng === undefined)
    throw new OverhearError('E_INPUT', 'dropout or noise was asked for without randomness', 'give step an rng')
  return rng()
}

/** 0 with probability `rate`, else 1 / (1 - rate). */
export function dropoutMask(rows: number, { rate, units }: NonNullable<Model['dropout']>, rng: Rng): Float64Array {
  return rng.uniforms(rows * units).map((u) => (u < rate ? 0 : 1 / (1 - rate)))
}
