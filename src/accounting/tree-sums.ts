/**
 * Running sums released through a binary tree: after round t, the sum of the rounds up to t is the sum of the nodes of
 * t's binary digits, each with noise of its own. One node is new in every round: that of its lowest digit.
 */

/** Rounds that the node which ends in this round (1, 2, ...) sums: the lowest binary digit of t. */
export function nodeLength(round: number): number {
  let length = 1
  while (round % (2 * length) === 0) length *= 2
  return length
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
