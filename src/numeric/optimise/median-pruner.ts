/** Giving up on a trial whose best report so far is worse than the median of the others at the same step. */
import { requireCount } from './optimiser.js'
import { type Direction, type FinishedTrial, loss, type Report } from './tuning-trial.js'

export interface PruneRequest {
  readonly reports: readonly Report[] // of the trial in question, steps increasing
  readonly finished: readonly FinishedTrial[]
  readonly direction: Direction
}

/** Pure: whether to give up a trial now. */
export type Pruner = (request: PruneRequest) => boolean

export interface MedianPrunerOptions {
  /** Complete trials that must be there before any is given up. */
  readonly startupTrials?: number
  /** Steps below this one are never judged. */
  readonly warmupSteps?: number
}

/**
 * Only complete trials with a report at that very step are compared with; without one nothing is given up. A latest report that
 * is not finite is reason enough at any time.
 */
export function medianPruner(options: MedianPrunerOptions = {}): Pruner {
  const { startupTrials = 5, warmupSteps = 0 } = options
  requireCount('startupTrials', startupTrials, 0)
  requireCount('warmupSteps', warmupSteps, 0)
  return function medianPruner({ reports, finished, direction }) {
    const latest = reports.at(-1)
    if (latest === undefined) return false
    if (latest.value === null) return true
    const complete = finished.filter(({ state }) => state === 'complete')
    if (complete.length < startupTrials || latest.step < warmupSteps) return false
    const others = complete.flatMap((trial) => trial.reports.filter(({ step }) => step === latest.step))
    if (others.length === 0) return false
    const best = Math.min(...reports.map(({ value }) => loss(value, direction)))
    return best > median(others.map(({ value }) => loss(value, direction)))
  }
}

/** Middle value, or the mean of the two in the middle. */
function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort()
  const middle = sorted.length >> 1
  if (sorted.length % 2 === 1) return sorted[middle]!
  return 0.5 * sorted[middle - 1]! + 0.5 * sorted[middle]!
}
