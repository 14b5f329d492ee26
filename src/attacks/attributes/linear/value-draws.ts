/** Shares of values as beliefs: drawn from, averaged, made less sure. */
import type { Rng } from '../../../numeric/random/rng.js'
import { exp, log } from '../../../numeric/special/elementary-functions.js'
import { meanOf } from '../../../numeric/special/summaries.js'
import { likeliest } from './weighted-fit.js'

/** Values drawn by their shares; the first draw has the likeliest ones. */
export function drawsFrom(shares: readonly Float64Array[], count: number, rng: Rng): Int32Array[] {
  const K = shares.length
  return Array.from({ length: count }, (_, d) => {
    if (d === 0) return likeliest(shares)
    const coins = rng.fork('draw', d).uniforms(shares[0]!.length)
    return Int32Array.from(coins, (coin, i) => {
      let left = coin
      for (let v = 0; v < K - 1; v++) {
        left -= shares[v]![i]!
        if (left < 0) return v
      }
      return K - 1
    })
  })
}

/**
 * Log odds divided by a factor. Guesses that still change have wrong ones among them, and a drift played on wrong guesses
 * errs alike in every round: such errors add up T-fold where noise adds up as the root of T.
 */
export function tempered(shares: readonly Float64Array[], by: number): Float64Array[] {
  const raised = shares.map((one) => one.map((q) => exp(log(Math.max(q, 1e-300)) / by)))
  const total = raised[0]!.map((_, i) => raised.reduce((sum, one) => sum + one[i]!, 0))
  return raised.map((one) => one.map((q, i) => q / total[i]!))
}

export const meanBelief = (beliefs: readonly (readonly Float64Array[])[]): Float64Array[] =>
  beliefs[0]!.map((one, v) => one.map((_, i) => meanOf(beliefs.map((shares) => shares[v]![i]!))))
