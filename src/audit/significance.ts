/** Whether a score says more than chance: one rule for verdicts, controls and reports. */
import type { Score } from '../metrics/score.js'

/** A lift from here on is a leak, when chance is outside the interval too. */
export const leakLift = 0.1
/** A single number has no interval: luck may lift it, so it takes more to be a leak. */
export const leakLiftAlone = 0.5

/** Chance lies outside the interval, on the worse side; without an interval the lift alone decides. */
export function aboveChance({ chance, interval, better, lift }: Score): boolean {
  if (chance === null || lift === null) return false
  if (interval === null) return lift >= leakLift
  return better === 'higher' ? interval[0] > chance : interval[1] < chance
}

export const leaks = (score: Score): boolean =>
  aboveChance(score) && score.lift !== null && score.lift >= (score.interval === null ? leakLiftAlone : leakLift)
