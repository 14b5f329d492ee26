/** Whether the messages look as the stated protocol would have them: what a claim leaves of them, beside what rehearsals leave. */
import { dot } from '../../../../numeric/linalg/vector.js'
import { normalCdf } from '../../../../numeric/special/normal.js'
import { meanOf, totalOf } from '../../../../numeric/special/summaries.js'
import { inMetric, type Metric, squaresIn } from '../residual-metric.js'
import type { Rehearsal } from './rehearsed-turns.js'

/** What turns that were played over show, by round. */
export interface PlayedTurns {
  /** |departure of a play from the mean of all|^2 at its full size, for each play. */
  readonly scatter: readonly (readonly number[])[]
  /** In the metric that damps what plays scatter most in: the heard message along their mean, and each play beyond it. */
  readonly along: readonly number[]
  readonly reached: readonly (readonly number[])[]
  /** The square of the mean of the plays in that metric, without their noise. */
  readonly square: readonly number[]
}

export function playedTurns(
  { messages, scatter }: Pick<Rehearsal, 'messages' | 'scatter'>,
  {
    heard,
    plays,
    metric,
  }: { readonly heard: readonly Float64Array[]; readonly plays: number; readonly metric: Metric },
): PlayedTurns {
  const of = <T>(all: readonly T[], t: number): readonly T[] => all.slice(t * plays, (t + 1) * plays)
  const ways = inMetric(metric, messages)
  const noise = squaresIn(metric, scatter)
  return {
    scatter: messages.map((_, t) => of(scatter, t).map((one) => dot(one, one))),
    along: ways.map((way, t) => dot(way, heard[t]!)),
    reached: ways.map((way, t) => of(scatter, t).map((one) => dot(way, one))),
    square: ways.map((way, t) => dot(way, messages[t]!) - meanOf(of(noise, t)) / plays),
  }
}

export interface FitInput {
  /** By round: |message|^2, and |what the claim leaves of it|^2. */
  readonly messages: readonly number[]
  readonly left: readonly number[]
  readonly played: PlayedTurns
}

/** As far as rehearsals on the claimed values under the stated protocol tell. */
export interface ProtocolFit {
  /** |what is left| / |message|, the root of the mean square over rounds. */
  readonly misfit: number
  /** The same of turns that were played over. */
  readonly expected: number
  /** How far the client went, in units of how far the plays went: 1, or the rate is not what was stated. */
  readonly reach: number
  /** The probability of such a misfit, such a reach or such looks, if the protocol is what was stated. */
  readonly p: number
  /** What is least likely, where looks are: see `played-features.ts`. */
  readonly by?: string
}

/** Errors that nothing is made of, as beliefs, points and offsets are estimates: of `expected`^2, of 1, and of the reach. */
const [relative, absolute, reaching] = [0.15, 0.0025, 0.06]
/** Below the first no guess is sure and other protocols are tried; below the second log odds are divided by so much more. */
export const unlikely = 0.002
const [doubtful, mild] = [0.05, 0.5]

export function fitOf({ messages, left, played }: FitInput): ProtocolFit {
  const T = messages.length
  const over = (squares: readonly number[]): number[] => squares.map((x, t) => x / Math.max(messages[t]!, 1e-300))
  const means = over(played.scatter.map((one) => meanOf(one) * (1 + 1 / one.length)))
  const spread = over(played.scatter.map((one) => Math.sqrt(varianceOf(one))))
  const [found, expected] = [totalOf(over(left)), totalOf(means)]
  const deviation = norm([norm(spread), relative * expected, absolute * T])
  const square = Math.max(totalOf(over(played.square)), 1e-300)
  const reach = totalOf(over(played.along)) / square
  const wander = norm(over(played.reached.map((one) => Math.sqrt(varianceOf(one) * (1 + 1 / one.length))))) / square
  const further = Math.abs(reach - 1) / norm([wander, reaching])
  const p = Math.min(1, 2 * normalCdf((expected - found) / deviation), 4 * normalCdf(-further))
  return { misfit: Math.sqrt(found / T), expected: Math.sqrt(expected / T), reach, p }
}

/** What log odds are to be divided by beyond 1: nothing while the messages fit, else how many times too much is left. */
export function strainOf({ misfit, expected, reach, p }: ProtocolFit): number {
  if (p >= unlikely) return p < doubtful ? mild : 0
  const strayed = (reach - 1) / reaching
  return Math.max((misfit * misfit) / Math.max(expected * expected, absolute), strayed * strayed, 1)
}

const norm = (numbers: readonly number[]): number => Math.sqrt(totalOf(numbers.map((x) => x * x)))

function varianceOf(numbers: readonly number[]): number {
  const mean = meanOf(numbers)
  return totalOf(numbers.map((x) => (x - mean) * (x - mean))) / Math.max(1, numbers.length - 1)
}
