/** Whom to accuse, given how likely each is guilty: nobody where nobody is likely enough. */

/** The share of those accused that may be expected to be innocent. */
const mostInnocent = 0.05

/**
 * The largest set whose mean probability of innocence is at most a twentieth: the likeliest ones, or nobody. Equal ones stand
 * in the order given.
 */
export function fewInnocent(probabilities: Float64Array): boolean[] {
  const order = Array.from(probabilities.keys()).sort((i, j) => probabilities[j]! - probabilities[i]!)
  let [innocent, most] = [0, 0]
  for (const [at, i] of order.entries()) {
    innocent += 1 - probabilities[i]!
    if (innocent <= mostInnocent * (at + 1)) most = at + 1
  }
  const chosen = new Set(order.slice(0, most))
  return Array.from(probabilities, (_, i) => chosen.has(i))
}
