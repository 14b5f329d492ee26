/** Guesses of records of which an affine map's messages hold fewer numbers than there are unknowns, but each to many digits. */
import { mostExcess } from './flip-guesses.js'
import type { Problem } from './linear-problem.js'
import { momentFit } from './played/moment-fit.js'
import { playsAlike } from './played/rehearsed-turns.js'
import { goesByMoments } from './played/replay-stage.js'
import { type Replayed, replayed } from './played/replayed-guesses.js'
import { fewEnough, likelihoods, wholeValues } from './played/whole-values.js'

export interface FewEquations {
  /** Guesses that end as the client did, as sure as all others that were found beside them leave them. */
  readonly found?: Replayed
  /** Whether no values of these records, whole or not, explain the messages. */
  readonly astray: boolean
}

/** No guess is surer where a search ended before it had seen all others that may be as likely. */
const unsearched = 0.94

/** Undefined where messages are no such equations, or too many are unknown. */
export function fewEquations(problem: Problem): FewEquations | undefined {
  const { records: n, values } = problem.gradients
  const able = problem.rate === 'known' && playsAlike(problem) && goesByMoments(problem) && fewEnough(n * (values - 1))
  const fit = able ? momentFit(problem) : undefined
  if (fit === undefined) return undefined
  if (fit.excess > mostExcess) return { astray: fit.coarse }
  const whole = wholeValues({ ...fit, n })
  const [first] = whole.points
  if (first === undefined) return { astray: false }
  const found = replayed(problem, first.guesses)
  if (found.excess > mostExcess) return { astray: false }
  const beside = likelihoods(whole)
  const most = whole.complete ? 1 : unsearched
  const confidence = found.confidence.map((c, i) => Math.min(c, beside[i]!, most))
  return { astray: false, found: { ...found, confidence } }
}
