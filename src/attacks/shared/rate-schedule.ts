/** Which schedule learning rates follow that were heard round by round. */

import { schedules } from '../../models/schedules/index.js'
import { exp, log } from '../../numeric/special/elementary-functions.js'
import { meanOf } from '../../numeric/special/summaries.js'

export interface Paced {
  readonly round: number
  readonly rate: number
}

export interface HeardSchedule {
  /** As a recording has it; null: no other than one rate for all rounds. */
  readonly schedule: { readonly kind: string; readonly [param: string]: unknown } | null
  readonly learningRate: number
  /** What the rate is multiplied with in a round. */
  factor(round: number): number
  /** Root mean square of the logarithms of rates over those that the schedule gives. */
  readonly off: number
}

type Factor = (round: number) => number

/** What a schedule, as a recording has it, multiplies the rate with in a round. */
export function factorOf(schedule: HeardSchedule['schedule'], round: number): number {
  if (schedule === null) return 1
  const { kind, ...params } = schedule
  return schedules[kind as keyof typeof schedules]?.factor?.(round, params as never) ?? 1
}

/** The schedule of a few kinds that comes nearest, the plainest of those that come near. */
export function scheduleHeard(paced: readonly Paced[]): HeardSchedule {
  const constant = fitted(paced, null, () => 1)
  const others = [exponentialOf(paced), ...stepsOf(paced), ...fallsOf(paced)]
  let best = constant
  for (const one of others) if (one.off < 0.7 * best.off && best.off > 0.05) best = one
  return best
}

function fitted(paced: readonly Paced[], schedule: HeardSchedule['schedule'], factor: Factor): HeardSchedule {
  const logs = paced.map(({ round, rate }) => log(rate) - log(factor(round)))
  const mean = meanOf(logs)
  return { schedule, learningRate: exp(mean), factor, off: Math.sqrt(meanOf(logs.map((x) => (x - mean) * (x - mean)))) }
}

/** log rate = a + b round, by least squares. */
function exponentialOf(paced: readonly Paced[]): HeardSchedule {
  const [mr, ml] = [meanOf(paced.map(({ round }) => round)), meanOf(paced.map(({ rate }) => log(rate)))]
  let [over, under] = [0, 0]
  for (const { round, rate } of paced) {
    over += (round - mr) * (log(rate) - ml)
    under += (round - mr) * (round - mr)
  }
  const factor = under > 0 ? Math.min(1, exp(over / under)) : 1
  const at: Factor = (round) => schedules.exponential.factor!(round, { factor })
  return fitted(paced, { kind: 'exponential', factor }, at)
}

function stepsOf(paced: readonly Paced[]): HeardSchedule[] {
  return [2, 3, 5, 10, 15, 20, 25, 50, 100].flatMap((every) =>
    [0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9].map((factor) =>
      fitted(paced, { kind: 'step', every, factor }, (round) => schedules.step.factor!(round, { every, factor })),
    ),
  )
}

/** Along a line or half a cosine, over the rounds that were heard or some more. */
function fallsOf(paced: readonly Paced[]): HeardSchedule[] {
  const last = paced.at(-1)?.round ?? 0
  return (['linear', 'cosine'] as const).flatMap((kind) =>
    [1, 1.02, 1.1, 1.25, 1.5, 2].flatMap((beyond) =>
      [0.01, 0.1, 0.25, 0.5].map((least) => {
        const over = Math.max(1, Math.round((last + 1) * beyond))
        return fitted(paced, { kind, over, least }, (round) => schedules[kind].factor!(round, { over, least }))
      }),
    ),
  )
}
