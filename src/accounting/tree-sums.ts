/**
 * Running sums released through a binary tree: after round t, the sum of the rounds up to t is the sum of the nodes of
 * t's binary digits, each with noise of its own. One node is new in every round: that of its lowest digit.
 */

/** Rounds that the node which ends in this round (1, 2, ...) sums: the lowest digit of t. */
export const nodeLength = (round: number): number => 2 ** lowestDigit(round)

function lowestDigit(round: number): number {
  let digit = 0
  for (let rest = round; rest % 2 === 0; rest /= 2) digit++
  return digit
}

/**
 * How far a client that takes part in these rounds (1, 2, ... in ascending order), each time by 1 at most, moves all
 * nodes of so many rounds together: the root of the sum over nodes of its turns in them, squared.
 */
export function treeSensitivity(turns: readonly number[], rounds: number): number {
  const before = new Float64Array(rounds + 1) // turns up to each round
  for (const t of turns) before[t]! += 1
  for (let t = 1; t <= rounds; t++) before[t]! += before[t - 1]!
  let squares = 0
  for (let t = 1; t <= rounds; t++) {
    const own = before[t]! - before[t - nodeLength(t)]!
    squares += own * own
  }
  return Math.sqrt(squares)
}
