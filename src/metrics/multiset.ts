/** The multiset of K labels that one who only knows their proportions does best to name. */
import { incompleteBeta } from '../numeric/special/beta.js'
import { rangeOf, totalOf } from '../numeric/special/summaries.js'

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
    const top = Math.max(0, rangeOf(gains).max)
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

/** So many different classes, the likeliest; equals are drawn lots for. */
export function likeliestClasses(pi: Float64Array, count: number): BestMultiset {
  const ranked = Array.from(pi).sort((a, b) => b - a)
  const last = ranked[Math.min(count, pi.length) - 1] ?? Number.POSITIVE_INFINITY
  const sure = pi.map((p) => (p > last ? 1 : 0))
  const tied = Array.from(pi.keys()).filter((c) => pi[c] === last)
  const left = count - totalOf(sure)
  return { sure, tied, share: tied.length === 0 ? 0 : Math.min(1, left / tied.length) }
}

/** What such a guess is expected to match: labels, each as often as it truly occurs, and classes that occur. */
export function expectedMatches(
  { sure, tied, share }: BestMultiset,
  k: Float64Array,
): { readonly labels: number; readonly classes: number } {
  const drawn = new Set(tied)
  let [labels, classes] = [0, 0]
  for (let c = 0; c < k.length; c++) {
    const certain = sure[c] ?? 0
    const maybe = drawn.has(c) ? share : 0
    labels += Math.min(certain, k[c]!) + (k[c]! > certain ? maybe : 0)
    if (k[c]! > 0) classes += certain > 0 ? 1 : maybe
  }
  return { labels, classes }
}
