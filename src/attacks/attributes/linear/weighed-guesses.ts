/** What guesses are worth: those of an exact system, those that end as the client did, and those that a protocol does not fit. */
import { type Detail, Inapplicable } from '../../attack.js'
import { posteriorOf } from '../value-posterior.js'
import { mostExcess } from './flip-guesses.js'
import type { Problem } from './linear-problem.js'
import type { Exact } from './one-step-shares.js'
import type { ProtocolFit } from './played/protocol-fit.js'
import type { Replayed } from './played/replayed-guesses.js'

/** A problem as far as guesses are weighed by it. */
type Weighed = Pick<Problem, 'rounds' | 'rate'> & {
  readonly gradients: Pick<Problem['gradients'], 'records' | 'values'>
}

export interface Found {
  /** Guessed combination of each record. */
  readonly guesses: Int32Array
  readonly details: Readonly<Record<string, Detail>>
  readonly warnings: readonly string[]
  /** [records, combinations] */
  readonly shares: Float64Array
  /** No guess is surer: unless all are verified, one error among all records cannot be ruled out. */
  readonly surest: number
}

/** How sure every guess must be for all to be certain. */
export const leastSure = 1 - 1e-6

/** Whether the message is explained to its rounding, and by no other guesses nearby. */
export const verifies = ({ excess, confidence, open }: Pick<Exact, 'excess' | 'confidence' | 'open'>): boolean =>
  open === 0 && excess <= mostExcess && confidence.every((c) => c >= leastSure)

/** Times more than expected that is left where no guess is worth anything, and the least of it. */
const [hopeless, mostLeft] = [50, 0.8]

/** Says how the messages differ from what was stated; refuses where they are not sums of the records' gradients at all. */
export function unfitting({ misfit, expected, reach, p }: ProtocolFit): string {
  const found = `${misfit.toFixed(2)} of the messages is left unexplained where ${expected.toFixed(2)} is expected, and they went ${reach.toFixed(2)} times as far (p = ${p.toExponential(0)})`
  const astray = Math.max(reach, 1 / Math.max(reach, 1e-9)) > 1.5
  if (astray && misfit > mostLeft && misfit * misfit > hopeless * expected * expected)
    throw new Inapplicable(['protocol'], `the messages are not what the stated protocol gives: ${found}`)
  return `the stated protocol and the guesses do not go together: ${found}; no guess is called sure`
}

export function byReplay(problem: Weighed, { guesses, confidence, misfit, excess }: Replayed): Found {
  const { records: n, values } = problem.gradients
  const shares = new Float64Array(n * values)
  for (let i = 0; i < n; i++) {
    const other = (1 - confidence[i]!) / (values - 1)
    for (let v = 0; v < values; v++) shares[i * values + v] = v === guesses[i] ? confidence[i]! : other
  }
  return {
    shares,
    guesses,
    warnings: [],
    surest: n / (n + 1),
    details: { solver: 'replayed', rounds: problem.rounds.length, unknowns: n * (values - 1), misfit, excess },
  }
}

export function byEquations(problem: Weighed, solution: Exact): Found {
  const { p, guesses, misfit, condition, trustedDigits, equations, open, rate, excess, confidence } = solution
  const { records: n, values } = problem.gradients
  const verified = verifies(solution)
  const distances = Array.from({ length: values }, (_, v) =>
    Float64Array.from({ length: n }, (_, i) => {
      let sum = 0
      for (let u = 1; u < values; u++) {
        const d = p[(u - 1) * n + i]! - Number(u === v)
        sum += d * d
      }
      return sum
    }),
  )
  const { shares } = posteriorOf(distances, { residuals: values - 1 })
  for (let i = 0; i < n; i++) {
    const own = shares.subarray(i * values, (i + 1) * values)
    const sure = verified ? 1 : Math.min(confidence[i]!, own[guesses[i]!]!)
    const rest = 1 - own[guesses[i]!]!
    for (let v = 0; v < values; v++)
      own[v] = v === guesses[i] ? sure : rest > 0 ? ((1 - sure) * own[v]!) / rest : (1 - sure) / (values - 1)
  }
  const warnings =
    excess <= mostExcess ? [] : [`the guesses leave ${misfit.toExponential(1)} of the message unexplained: not exact`]
  if (open > 0) warnings.push(`${open} unknowns are left open: records that are alike leave only their sum to be known`)
  return {
    shares,
    guesses,
    warnings,
    surest: verified ? 1 : n / (n + 1),
    details: {
      solver: 'exact',
      unknowns: n * (values - 1),
      equations,
      condition,
      trustedDigits,
      misfit,
      excess,
      // Explained to rounding is less than verified: guesses that are left open may be others that explain it as well.
      ...{ verified, explained: excess <= mostExcess },
      open,
      ...(problem.rate !== 'known' && { rateFactor: rate }),
    },
  }
}
