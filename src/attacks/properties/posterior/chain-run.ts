/** A run of one chain in plain code, and what is kept of it. */
import type { Chain } from './gibbs-chain.js'

/** Of one chain: mean and variance of every client's probability over the kept sweeps, and means of what is common. */
export interface Run {
  readonly mean: Float64Array
  readonly variance: Float64Array
  readonly share: number
  readonly rho: number
  readonly extra: number
}

/** The trust in the sums that a run begins with. */
const coldest = 0.02

/** The first half of a run lets the chain forget where it was, and cools it down. */
export const forgotten = (sweeps: number): number => Math.floor(sweeps / 2)

/** Sweeps of a run, the first `forget` of which cool the chain down and are not kept. */
export function runChain(chain: Chain, N: number, sweeps: number, forget = forgotten(sweeps)): Run {
  const p = new Float64Array(N)
  const mean = new Float64Array(N)
  const squares = new Float64Array(N)
  let [share, rho, extra] = [0, 0, 0]
  for (let s = 0; s < sweeps; s++) {
    chain.sweep(p, s < forget ? Math.min(1, coldest + (1.2 * s) / forget) : 1)
    if (s < forget) continue
    const each = 1 / (s - forget + 1)
    for (let i = 0; i < N; i++) {
      const before = p[i]! - mean[i]!
      mean[i]! += before * each
      squares[i]! += before * (p[i]! - mean[i]!)
    }
    share += chain.state.guilty / N
    rho += chain.state.rho
    extra += chain.state.extra
  }
  const kept = sweeps - forget
  const variance = squares.map((sum) => sum / Math.max(1, kept - 1))
  return { mean, variance, share: share / kept, rho: rho / kept, extra: extra / kept }
}
