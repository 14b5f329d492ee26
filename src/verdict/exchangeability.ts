/** Whether the halves of a recorded run differ by themselves: the guess, which heard nothing, compared on both. */
import { type DrawOptions, drawSums } from './randomisation.js'
import { checkRow, type Row, studentised } from './tables.js'

/** Below this the split was not made at random, and what is learned cannot be told from what was there. */
export const splitLevel = 0.001

/** How often a random split would give a difference of the guess as large as this, either way. */
export function splitP(guess: Row, options: DrawOptions): number {
  checkRow(guess)
  const { z, tolerance, constant } = studentised(guess)
  if (constant) return 1
  const sums = drawSums([z], options)[0]!
  const least = Math.abs(sums[0]!) - tolerance
  let atLeast = 0
  for (let b = 0; b < sums.length; b++) if (Math.abs(sums[b]!) >= least) atLeast++
  return atLeast / sums.length
}
