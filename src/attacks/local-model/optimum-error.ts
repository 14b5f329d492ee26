/** How far a reconstructed optimum can be trusted: a first-order estimate of its error, from the messages alone. */

import { norm } from '../../numeric/linalg/vector.js'
import { log } from '../../numeric/special/elementary-functions.js'
import type { AffineFit } from './affine-fit.js'

export interface Trust {
  /** Estimated |error| / |optimum|; the share of rounding alone, and of noise (0 when no message is left to tell). */
  readonly relativeError: number
  readonly fromRounding: number
  readonly fromNoise: number
  /** Decimal digits that this leaves, from 0 to 15. */
  readonly trustedDigits: number
}

export interface TrustOptions {
  /** What rounding may have done to an entry of a descent. */
  readonly rounding: number
  /** |W^-1 noise| of one message, as seen in messages that were not fitted; else the misfits of the fitted ones count. */
  readonly noise?: number
  /** How far the optimum lies from that of the direct form: noise in the regressors biases the others. */
  readonly apart?: number
}

/**
 * sum lambda_i Delta_i = 0 defines the optimum; with errors e_i on the descents it moves by -W^-1 sum lambda_i e_i, which
 * has size |lambda| |W^-1 e| when the e_i are independent.
 */
export function trustOf(fit: AffineFit, { rounding, noise = noiseIn(fit), apart = 0 }: TrustOptions): Trust {
  const size = norm(fit.optimum) || 1
  const fromRounding = (fit.amplification * norm(fit.inverse.data) * rounding) / size
  const spread = fit.amplification * noise
  const fromNoise = Math.sqrt(spread * spread + apart * apart) / size
  const relativeError = Math.sqrt(fromRounding * fromRounding + fromNoise * fromNoise)
  return { relativeError, fromRounding, fromNoise, trustedDigits: digitsOf(relativeError) }
}

/** The misfits' deviation with the degrees of freedom that the fit leaves; 0 when it leaves none. */
function noiseIn({ misses, rank }: Pick<AffineFit, 'misses' | 'rank'>): number {
  const n = misses.rows
  const free = n - rank - 1
  return free > 0 ? norm(misses.data) * Math.sqrt(n / free) : 0
}

function digitsOf(relativeError: number): number {
  if (!(relativeError < 1)) return 0
  if (relativeError === 0) return 15
  return Math.min(Math.max(Math.floor(-log(relativeError) / Math.LN10), 0), 15)
}

/** A number for people: three digits, or a power of ten where it is very large or small. */
export function short(x: number): string {
  const size = Math.abs(x)
  return x === 0 || (size >= 1e-3 && size < 1e6) ? String(Number(x.toPrecision(3))) : x.toExponential(1)
}
