/** A lower bound on epsilon from many trainings, with the record in question in half of them: by exact intervals of both rates. */
import { OverhearError } from '../errors.js'
import { binomialInterval } from '../numeric/special/binomial-interval.js'
import { log } from '../numeric/special/elementary-functions.js'

/** How often a guess fixed beforehand said "in", among worlds with the record and among worlds without it. */
export interface WorldCounts {
  readonly worldsWith: number
  readonly alarmsWith: number
  readonly worldsWithout: number
  readonly alarmsWithout: number
}

/**
 * epsilon >= log((TPR - delta) / FPR), and the same for silence, TPR and FPR at the ends of Clopper and Pearson's intervals that
 * are worst, half of what may fail for each. [nasr2023] Sec. 3; the threshold of the guess must not have seen these worlds.
 */
export function worldsLowerBound(
  counts: WorldCounts,
  options: { readonly delta: number; readonly confidence: number },
): number {
  const { worldsWith, alarmsWith, worldsWithout, alarmsWithout } = counts
  const { delta, confidence } = options
  if (!(delta >= 0 && delta < 1)) throw new OverhearError('E_VALUE', `delta is ${delta}`, 'it must lie in 0..1')
  const { low: tpr } = binomialInterval({ successes: alarmsWith, trials: worldsWith, confidence })
  const { high: fpr } = binomialInterval({ successes: alarmsWithout, trials: worldsWithout, confidence })
  const alarm = tpr > delta ? log((tpr - delta) / fpr) : 0
  const silence = 1 - fpr > delta ? log((1 - fpr - delta) / (1 - tpr)) : 0
  return Math.max(0, alarm, silence)
}
