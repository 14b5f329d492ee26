/** An unknown learning rate by rehearsal: the rate at which played turns go as far as the heard ones. */

import { dot } from '../../../../numeric/linalg/vector.js'
import type { Rng } from '../../../../numeric/random/rng.js'
import { meanOf } from '../../../../numeric/special/summaries.js'
import type { Problem } from '../linear-problem.js'
import { rehearse } from './rehearsed-turns.js'

export interface RateOptions {
  readonly guesses: Int32Array
  /** By round: what the believed rate is to be divided by, to begin with. */
  readonly rates: readonly number[]
  readonly rng: Rng
}

/** Rounds that are played for one factor, plays of each, and how often. */
const [mostRounds, plays, repeats] = [12, 2, 4]
/** A factor changes by no more than this at once. */
const most = 2

/**
 * By round: what the believed rate is to be divided by. A fit of heard messages to sums of gradients cannot tell: it has the
 * noise of the messages in the regressor, which shrinks the factor. Here the regressor is the mean of plays, whose noise is
 * known and taken off.
 */
export function fitRates(problem: Problem, { guesses, rates, rng }: RateOptions): number[] {
  const { rounds, rate } = problem
  const step = Math.ceil(rounds.length / mostRounds)
  const chosen = { ...problem, rounds: rounds.filter((_, t) => t % step === 0) }
  const sorted = rates.filter((x) => x > 0).sort((a, b) => a - b)
  let factor = sorted[Math.floor(sorted.length / 2)] ?? 1
  const reaches = (within: Problem, name: string) => {
    const own = within.rounds.map(() => factor)
    const played = rehearse(within, { draws: [guesses], plays, rates: own, rng: rng.fork(name) })
    return within.rounds.map(({ mean }, t) => {
      const m = played.messages[t]!
      const noise = meanOf(played.scatter.slice(t * plays, (t + 1) * plays).map((r) => dot(r, r)))
      const heard = mean.map((x) => x * problem.samples)
      const w = 1 / Math.max(dot(heard, heard), 1e-300)
      return { along: (w * dot(heard, m)) / factor, square: (w * (dot(m, m) - noise / plays)) / (factor * factor) }
    })
  }
  for (let k = 0; k < repeats; k++) {
    const parts = reaches(chosen, `rate ${k}`)
    factor /= bounded(
      parts.reduce((sum, { along }) => sum + along, 0) / parts.reduce((sum, { square }) => sum + square, 0),
    )
  }
  if (rate !== 'each') return rounds.map(() => factor)
  return reaches(problem, 'each').map(({ along, square }) => factor / bounded(along / square))
}

/** How much further the client went than the plays; plays that ran away went too far. */
function bounded(further: number): number {
  return Number.isFinite(further) && further > 0 ? Math.min(most, Math.max(1 / most, further)) : 1 / most
}
