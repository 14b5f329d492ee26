/** Ranks with ties shared, and the rank correlation. */

/** From 1; equal values share the mean of the ranks they take together. */
export function midRanks(values: ArrayLike<number>): Float64Array {
  const n = values.length
  const order = Int32Array.from({ length: n }, (_, i) => i).sort((a, b) => values[a]! - values[b]!)
  const ranks = new Float64Array(n)
  for (let from = 0; from < n; ) {
    let to = from + 1
    while (to < n && values[order[to]!] === values[order[from]!]) to++
    for (let i = from; i < to; i++) ranks[order[i]!] = (from + 1 + to) / 2
    from = to
  }
  return ranks
}

/** Spearman's: the correlation of mid-ranks. Undefined when either side is constant or there are fewer than two. */
export function rankCorrelation(a: ArrayLike<number>, b: ArrayLike<number>): number | undefined {
  const [p, q] = [midRanks(a), midRanks(b)]
  const middle = (a.length + 1) / 2
  let [both, pp, qq] = [0, 0, 0]
  for (let i = 0; i < p.length; i++) {
    const [x, y] = [p[i]! - middle, q[i]! - middle]
    both += x * y
    pp += x * x
    qq += y * y
  }
  if (pp === 0 || qq === 0) return undefined
  return Math.max(-1, Math.min(1, both / Math.sqrt(pp * qq)))
}
