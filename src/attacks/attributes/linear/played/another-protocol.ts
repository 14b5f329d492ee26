/** Whether turns that do not end as the client's might under another protocol, or are those of other records: a cheap look. */
import { leastSquares } from '../../../../numeric/linalg/least-squares.js'
import { matrix } from '../../../../numeric/linalg/matrix.js'
import { dot } from '../../../../numeric/linalg/vector.js'
import type { Problem } from '../linear-problem.js'
import { playedOver } from './replayed-guesses.js'

/**
 * What may be left of messages, as a share, once each is a multiple of what was played and of the model itself: another rate,
 * momentum and clipping make the one, weight decay the other. Other people's records point elsewhere: in four small worlds they
 * left 0.58 and 0.71, the right ones under a rate stated three times too high 0.27 and 0.37.
 */
const mostLeft = 0.5
/** Mean size over root mean square from which coordinates change evenly, as under Adam and its kin. */
const even = 0.9

/** Rates that are tried, in units of the stated one. */
const rates = [1, 0.5, 0.25, 2, 4]

export function maybeAnotherProtocol(problem: Problem, guesses: Int32Array): boolean {
  const { rounds } = problem
  if (rounds.every(({ mean }) => evenness(mean) > even)) return true
  return rates.some((by) => leftAt(problem, guesses, by) < mostLeft)
}

/** The share of the messages that is left beside multiples of turns played at another rate and of the model. */
function leftAt(problem: Problem, guesses: Int32Array, by: number): number {
  const rounds = problem.rounds.map((one) => ({ ...one, rate: by * one.rate }))
  let [left, all] = [0, 0]
  for (const { heard, played, theta } of playedOver({ ...problem, rounds }, guesses)) {
    const two = matrix(heard.length, 2)
    for (let j = 0; j < heard.length; j++) two.data.set([played[j]!, theta[j]!], 2 * j)
    if (!two.data.every(Number.isFinite)) return 1
    const { X } = leastSquares(two, matrix(heard.length, 1, heard.slice()))
    const rest = heard.map((x, j) => x - X.data[0]! * played[j]! - X.data[1]! * theta[j]!)
    left += dot(rest, rest)
    all += dot(heard, heard)
  }
  return Math.sqrt(left / all)
}

function evenness(values: Float64Array): number {
  let sum = 0
  for (const x of values) sum += Math.abs(x)
  return sum / Math.sqrt(Math.max(dot(values, values) * values.length, 1e-300))
}
