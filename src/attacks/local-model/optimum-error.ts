/** How far a reconstructed optimum can be trusted: a first-order estimate of its error, from the messages alone. */

import { norm } from '../../numeric/linalg/vector.js'
import { log } from '../../numeric/special/elementary-functions.js'
import type { AffineFit } from './affine-fit.js'

export interface Trust {
  /**
   * Estimated |error| / |optimum|, the share of rounding alone, and of noise. null where nothing tells the noise, or where
   * the messages leave a direction open.
   */
  readonly relativeError: number | null
  readonly fromRounding: number
  readonly fromNoise: number | null
  /** Decimal digits that this leaves, from 0 to 15; null where nothing tells. */
  readonly trustedDigits: number | null
}

export interface TrustOptions {
  /** What rounding may have done to an entry of a descent. */
  readonly rounding: number
  /** The deviation of an entry of a descent; null: nothing tells. The misfits of the fitted messages count unless told. */
  readonly noise?: number | null
  /** How far the optimum lies from that of the direct form: noise in the regressors biases the others. */
  readonly apart?: number
  /** How much of the noise of one message the next one has: what is alike averages out more slowly. */
  readonly alike?: number
}

/**
 * sum lambda_i Delta_i = 0 defines the optimum; with errors e_i on the descents it moves by -W^-1 sum lambda_i e_i, which
 * has size |lambda| |W^-1 e| when the e_i are independent, and sqrt((1 + r) / (1 - r)) times that when each is r times the
 * one before it and something of its own.
 */
export function trustOf(fit: AffineFit, { rounding, noise, apart = 0, alike = 0 }: TrustOptions): Trust {
  const size = norm(fit.optimum) || 1
  const inverse = norm(fit.inverse.data)
  const fromRounding = (fit.amplification * inverse * rounding) / size
  const each = noise === undefined ? noiseIn(fit) : noise === null ? null : noise * inverse
  const r = Math.min(Math.max(alike, 0), 0.99)
  const spread = each === null ? null : fit.amplification * each * Math.sqrt((1 + r) / (1 - r))
  const fromNoise = spread === null ? null : Math.sqrt(spread * spread + apart * apart) / size
  const d = fit.optimum.length
  if (fit.rank < d || fit.rankOfMap < d) return { relativeError: null, fromRounding, fromNoise, trustedDigits: 0 }
  if (fromNoise === null) return { relativeError: null, fromRounding, fromNoise, trustedDigits: null }
  const relativeError = Math.sqrt(fromRounding * fromRounding + fromNoise * fromNoise)
  return { relativeError, fromRounding, fromNoise, trustedDigits: digitsOf(relativeError) }
}

/** |W^-1 e| by the misfits, with the degrees of freedom that the fit leaves; null when it leaves none. */
function noiseIn({ misses, rank }: Pick<AffineFit, 'misses' | 'rank'>): number | null {
  const n = misses.rows
  const free = n - rank - 1
  return free > 0 ? norm(misses.data) * Math.sqrt(n / free) : null
}

export function digitsOf(relativeError: number): number {
  if (!(relativeError < 1)) return 0
  if (relativeError === 0) return 15
  return Math.min(Math.max(Math.floor(-log(relativeError) / Math.LN10), 0), 15)
}

/** A number for people: three digits, or a power of ten where it is very large or small. */
export function short(x: number): string {
  const size = Math.abs(x)
  return x === 0 || (size >= 1e-3 && size < 1e6) ? String(Number(x.toPrecision(3))) : x.toExponential(1)
}
