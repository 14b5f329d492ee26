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
  /** By round: e, V, nu, own, mu_0, mu_1, s_0, s_1, which fill a cache line; and G, measured, spread, plain. */
  state: usize
  fixed: usize
  /** By client: whether it has the property (bytes), its own effect, P(c = 1 | others), mean and squares of that over a run. */
  c: usize
  u: usize
  p: usize
  pMean: usize
  pSquares: usize
  /** Rounds met in a swap; the stamp of each round; lists of clients. */
  touched: usize
  stamp: usize
  guilty: usize
  innocent: usize
  /** The grids: rho; extra and the logarithms of its priors. Both are filled up to an even length. */
  rhos: usize
  extras: usize
  priors: usize
  /** Room for the longer grid. */
  logs: usize
  rhoCount: i32
  extraCount: i32
  stamps: i32
  /** Not 0 once something was no number. */
  failed: i32
  stream: Stream
  unused: i32
  phi: f64
  rho: f64
  extra: f64
  /** Beta(a, b): what is believed of phi before. */
  a: f64
  b: f64
  /** Sums over the kept sweeps of a run. */
  shareSum: f64
  rhoSum: f64
  extraSum: f64
}
