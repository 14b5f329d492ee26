/** Whom to accuse, given how likely each is guilty: the choice of the best expected F1. */

/**
 * Takes the k likeliest, with the k that maximises 2 sum_top-k p / (k + sum p); nobody when all are 0. Equal ones stand
 * in the order given.
 */
export function bestForF1(probabilities: Float64Array): boolean[] {
  const order = Array.from(probabilities.keys()).sort((i, j) => probabilities[j]! - probabilities[i]!)
  let total = 0
  for (const p of probabilities) total += p
  let [best, most, top] = [0, 0, 0]
  for (const [at, i] of order.entries()) {
    top += probabilities[i]!
    const value = (2 * top) / (at + 1 + total)
    if (value > best) [best, most] = [value, at + 1]
  }
  const chosen = new Set(order.slice(0, most))
  return Array.from(probabilities, (_, i) => chosen.has(i))
}
