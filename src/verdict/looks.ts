/** When a stratum is looked at and at which level: fixed by the numbers of candidates and trainings, before any score. */
import { reaches } from './randomisation.js'

/** A look: after so many trainings, at this level. */
export interface Look {
  readonly trainings: number
  readonly level: number
}

export interface StratumPlan {
  /** The stratum's share of alpha, over all looks; for one that is not tested the share that it would have needed to reach. */
  readonly level: number
  /** None: no outcome could reach the level, the rows are not tested. */
  readonly looks: readonly Look[]
}

export interface LookOptions {
  readonly alpha: number
  /** All trainings that are planned. */
  readonly trainings: number
  /** 2: also at half of the trainings, each at half the level. */
  readonly looks: 1 | 2
}

/** One stratum as the plan sees it: the least p that so many trainings could reach. */
export type LeastP = (trainings: number) => number

/**
 * Bonferroni over the strata that could reject at all. While the stratum with the largest least p cannot reach an equal
 * share of alpha it is dropped and the others share: no score is read, so nothing is chosen in hindsight.
 */
export function planLooks(strata: ReadonlyMap<string, LeastP>, options: LookOptions): Map<string, StratumPlan> {
  const { alpha, trainings } = options
  const least = [...strata].map(([name, leastP]) => ({ name, leastP, p: leastP(trainings) })).sort((a, b) => a.p - b.p)
  while (least.length > 0 && !reaches(least.at(-1)!.p, alpha / least.length)) least.pop()
  const kept = new Set(least.map(({ name }) => name))
  return new Map(
    [...strata].map(([name, leastP]) => {
      if (!kept.has(name)) return [name, { level: alpha / (kept.size + 1), looks: [] }]
      const level = alpha / kept.size
      return [name, { level, looks: looksOf(leastP, level, options) }]
    }),
  )
}

/** At S/2 and S at half the level each; only at S, at all of it, where half of the trainings could never reach theirs. */
function looksOf(leastP: LeastP, level: number, { trainings, looks }: LookOptions): Look[] {
  const half = Math.floor(trainings / 2)
  if (looks === 1 || half === 0 || !reaches(leastP(half), level / 2)) return [{ trainings, level }]
  return [
    { trainings: half, level: level / 2 },
    { trainings, level: level / 2 },
  ]
}
