// What a chain of the sampler in gibbs.ts holds in memory.
import { Stream } from './philox'

/** Where a chain stands. Its layout is known to src/attacks/properties/posterior/kernel-chain.ts. */
// @ts-ignore: decorator
@unmanaged
export class Walk {
  clients: i32
  rounds: i32
  /** Entries of client i: start[i] .. start[i + 1]; for each its round and its weight there. */
  start: usize
  round: usize
  weight: usize
  /** By round: e, V, nu, t, mu_0, mu_1, s_0, s_1, which fill a cache line; and G, measured, spread, plain (or 1 / D), beta, tail, own. */
  state: usize
  fixed: usize
  /** By client: whether it has the property (bytes), its own effect, P(c = 1 | others), mean and squares of that over a run. */
  c: usize
  u: usize
  p: usize
  pMean: usize
  pSquares: usize
  /** Which of the scales its own effect has (bytes). */
  kind: usize
  /** Rounds met in a swap; the stamp of each round; lists of clients. */
  touched: usize
  stamp: usize
  guilty: usize
  innocent: usize
  /** The grids, and of rho, extra and tau the logarithms of the priors; filled up to an even length. */
  rhos: usize
  rhoPriors: usize
  extras: usize
  extraPriors: usize
  shifts: usize
  shiftPriors: usize
  tails: usize
  tailPriors: usize
  scales: usize
  scalePriors: usize
  /** Room for the longest grid and after it for two numbers of each of its values; and for all ways of a block. */
  logs: usize
  rhoCount: i32
  extraCount: i32
  shiftCount: i32
  tailCount: i32
  scaleCount: i32
  /** Terms of the shift, their basis [terms, rounds] and their coefficients. */
  terms: i32
  basis: usize
  alpha: usize
  /** By the number of others who have the property: the logarithm of the odds before. */
  odds: usize
  /** How many clients have each scale, and how many have the property. */
  counts: usize
  has: i32
  stamps: i32
  /** Not 0 once something was no number. */
  failed: i32
  /** Clients that are drawn several at a time besides, and how many they are. */
  doubtful: usize
  doubts: i32
  /** Of every value of rho below 1 the sums of the residual; values below 1; sweeps that are done. */
  sums: usize
  lesser: i32
  swept: i32
  /** What is believed of rho while what clients add is held fast, by its logarithm. */
  held: usize
  stream: Stream
  rho: f64
  extra: f64
  tau: f64
  /** Sums over the kept sweeps of a run. */
  shareSum: f64
  rhoSum: f64
  extraSum: f64
  /** What a client's own effect is multiplied with where it has not the property, and where it has it. */
  lacking: f64
  having: f64
}
