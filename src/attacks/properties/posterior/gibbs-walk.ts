/** Where a chain of the sampler stands. */
import type { Rng } from '../../../numeric/random/rng.js'
import { log } from '../../../numeric/special/elementary-functions.js'
import type { GibbsModel } from './gibbs-model.js'

/** What is believed of who has the property before: nobody, or shares of phi ~ Beta(a, b). */
export interface ShareBelief {
  readonly a: number
  readonly b: number
  /** That nobody has it. */
  readonly nobody: number
}

/** A share that is believed as firmly as ten clients would make one, or nobody. */
export const usualBelief = (share: number): ShareBelief => ({ a: 10 * share, b: 10 * (1 - share), nobody: 0.3 })

/**
 * The logarithm of the odds that one more has the property, where k = 0 .. N - 1 others have it; phi is integrated out:
 * with rising factorials, k given clients have it with probability [k = 0] nobody + (1 - nobody) a^(k) b^(N-k) / (a + b)^(N).
 */
export function oddsOf({ a, b, nobody }: ShareBelief, N: number): Float64Array {
  let none = 1 // b^(N) / (a + b)^(N)
  for (let j = 0; j < N; j++) none *= (b + j) / (a + b + j)
  const first = ((1 - nobody) * none * a) / (b + N - 1)
  return Float64Array.from({ length: N }, (_, k) => {
    return k === 0 ? log(first / (nobody + (1 - nobody) * none)) : log((a + k) / (b + N - 1 - k))
  })
}

/** Products are kept between them, and their logarithm is taken only when they leave: logarithms cost most here. */
export const [tiny, huge] = [1e-120, 1e120] as const

/** Where a chain stands. Letters as in `flip`. */
export interface Walk {
  readonly model: GibbsModel
  readonly belief: ShareBelief
  readonly rng: Rng
  /** Who has the property, and each client's own effect. */
  readonly c: Uint8Array
  readonly u: Float64Array
  /** By round: G_r less what is believed of the participants, the sum of w^2 s^2, and the variance of the rest. */
  readonly e: Float64Array
  readonly V: Float64Array
  readonly nu: Float64Array
  /** By the number of others who have the property; how many have it. */
  readonly odds: Float64Array
  guilty: number
  rho: number
  extra: number
  /** Which of `ownScales` each client's u has. */
  readonly kind: Uint8Array
  /** How many have each. */
  readonly counts: Float64Array
  /** By term of the shift that all share; by round: beta_r, and how far the round is out of the ordinary. */
  readonly alpha: Float64Array
  readonly beta: Float64Array
  readonly tail: Float64Array
  tau: number
  /** Rounds met in a swap, each once: those whose stamp is the present one. */
  readonly touched: Int32Array
  readonly stamp: Int32Array
  stamps: number
  /** Sweeps that are done. */
  swept: number
  /** By round: the sum of w k t u while ties are drawn, 1 / D while shifts are. */
  readonly own: Float64Array
  /** Clients that are drawn several at a time, in an order that changes. */
  readonly doubtful: Int32Array
}
