/** The multiset of K labels that one who only knows their proportions does best to name. */
import { incompleteBeta } from '../numeric/beta.js'

export interface BestMultiset {
  /** How often each class is named for certain. */
  readonly sure: Float64Array
  /** Classes of which one more copy each would do equally well as the last to be named; empty when nothing is left. */
  readonly tied: readonly number[]
  /** Each tied class is named once more with this probability. */
  readonly share: number
}

/**
 * Maximises the expected overlap sum of E min(named, N_c) with N_c ~ Binomial(K, pi_c): the m-th copy of a class gains
 * P(N_c >= m), which falls with m, so the K largest gains are the answer. Equal gains are drawn lots for.
 */
export function bestMultiset(pi: Float64Array, K: number): BestMultiset {
  const gainOf = (c: number, m: number): number => (m > K ? 0 : incompleteBeta(pi[c]!, { a: m, b: K - m + 1 }))
  const sure = new Float64Array(pi.length)
  const gains = pi.map((_, c) => gainOf(c, 1))
  for (let left = K; left > 0; ) {
    const top = gains.reduce((most, gain) => Math.max(most, gain), 0)
    const tied = Array.from(gains, (_, c) => c).filter((c) => gains[c] === top)
    if (tied.length > left) return { sure, tied, share: left / tied.length }
    for (const c of tied) {
      sure[c]! += 1
      gains[c] = gainOf(c, sure[c]! + 1)
    }
    left -= tied.length
  }
  return { sure, tied: [], share: 0 }
}

/** What such a guess is expected to match: labels, each as often as it truly occurs, and classes, of those it names. */
export function expectedMatches(
  { sure, tied, share }: BestMultiset,
  k: Float64Array,
): { readonly labels: number; readonly classes: number; readonly named: number } {
  const drawn = new Set(tied)
  let [labels, classes, named] = [0, 0, 0]
  for (let c = 0; c < k.length; c++) {
    const certain = sure[c] ?? 0
    const maybe = drawn.has(c) ? share : 0
    const present = certain > 0 ? 1 : maybe
    labels += Math.min(certain, k[c]!) + (k[c]! > certain ? maybe : 0)
    named += present
    if (k[c]! > 0) classes += present
  }
  return { labels, classes, named }
}
