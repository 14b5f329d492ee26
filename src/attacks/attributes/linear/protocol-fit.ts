/** Whether the messages look as the stated protocol would have them: what a claim leaves of them, beside what rehearsals leave. */
import { dot } from '../../../numeric/linalg/vector.js'
import { normalCdf } from '../../../numeric/special/normal.js'
import { meanOf, totalOf } from '../../../numeric/special/summaries.js'
import type { Rehearsal } from './rehearsed-turns.js'

/** What turns that were played over show, by round. */
export interface PlayedTurns {
  /** |departure of a play from the mean of all|^2 at its full size, for each play. */
  readonly scatter: readonly (readonly number[])[]
  /** The heard message along the mean of the plays, and each play along it, beyond that mean. */
  readonly along: readonly number[]
  readonly reached: readonly (readonly number[])[]
  /** The square of the mean of the plays, without their noise. */
  readonly square: readonly number[]
}

export function playedTurns(
  { messages, scatter }: Pick<Rehearsal, 'messages' | 'scatter'>,
  { heard, plays }: { readonly heard: readonly Float64Array[]; readonly plays: number },
): PlayedTurns {
  const of = (t: number): readonly Float64Array[] => scatter.slice(t * plays, (t + 1) * plays)
  const squares = messages.map((_, t) => of(t).map((one) => dot(one, one)))
  return {
    scatter: squares,
    along: messages.map((m, t) => dot(m, heard[t]!)),
    reached: messages.map((m, t) => of(t).map((one) => dot(m, one))),
    square: messages.map((m, t) => dot(m, m) - meanOf(squares[t]!) / plays),
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
  /** The probability of such a misfit, or such a reach, if the protocol is what was stated. */
  readonly p: number
}

/** Errors that nothing is made of, as beliefs, points and offsets are estimates: of `expected`^2, of 1, and of the reach. */
const [relative, absolute, reaching] = [0.15, 0.0025, 0.06]
/** Below this the protocol is not what was stated. */
export const unlikely = 1e-4

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
  if (p >= unlikely) return 0
  const strayed = (reach - 1) / reaching
  return Math.max((misfit * misfit) / Math.max(expected * expected, absolute), strayed * strayed, 1)
}

const norm = (numbers: readonly number[]): number => Math.sqrt(totalOf(numbers.map((x) => x * x)))

function varianceOf(numbers: readonly number[]): number {
  const mean = meanOf(numbers)
  return totalOf(numbers.map((x) => (x - mean) * (x - mean))) / Math.max(1, numbers.length - 1)
}
