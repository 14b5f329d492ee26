/** From messages to beliefs about attributes of few values: sets the problem up, solves it, weighs every value. */

import { norm } from '../../../numeric/linalg/vector.js'
import type { Rng } from '../../../numeric/random/rng.js'
import { meanOf } from '../../../numeric/special/summaries.js'
import type { Detail } from '../../attack.js'
import { type Belief, combinationsOf } from '../search-values.js'
import type { Unknown } from '../unknown-columns.js'
import { posteriorOf } from '../value-posterior.js'
import { candidatesOf, type Problem, type ProblemInput, problemOf, releaseProblem } from './linear-problem.js'
import { type Exact, solveExactly } from './one-step-shares.js'
import type { Candidates } from './record-gradients.js'
import { type Inferred, infer } from './reweighted-fit.js'

export interface Settings {
  readonly passes: number
  readonly rehearsals: number
  readonly directions: number
  readonly rng: Rng
  readonly tick: (done: number, total: number) => void
}

export interface SharesInput extends Omit<ProblemInput, 'candidates' | 'places'> {
  readonly known: Parameters<typeof candidatesOf>[0]
  readonly attributes: readonly Unknown[]
  readonly exact: boolean
  /** Log odds of each combination against the first, from elsewhere: [combinations - 1, records]. */
  readonly evidence?: Float64Array | undefined
}

export interface Beliefs {
  readonly beliefs: readonly Belief[]
  readonly details: Readonly<Record<string, Detail>>
  readonly warnings: readonly string[]
  readonly candidates: Candidates
  /** Guessed combination of each record. */
  readonly guesses: Int32Array
}

export function attributeShares(input: SharesInput, settings: Settings): Beliefs {
  const { attributes, known, exact, evidence } = input
  const combinations = combinationsOf(attributes)
  const candidates = candidatesOf(known, attributes, combinations)
  const problem = problemOf({ ...input, candidates, places: attributes.flatMap(({ places }) => places) })
  const solution = exact && problem.samples === candidates.records ? solveExactly(problem) : undefined
  const found =
    solution === undefined
      ? byPasses(problem, infer(problem, { ...settings, evidence }))
      : byEquations(problem, solution)
  releaseProblem(problem)
  const beliefs = attributes.map((_, a): Belief => marginal(found, combinations, a))
  return { ...found, beliefs, candidates }
}

interface Found extends Pick<Beliefs, 'details' | 'warnings' | 'guesses'> {
  /** [records, combinations] */
  readonly shares: Float64Array
  /** No guess is surer: unless all are verified, one error among all records cannot be ruled out. */
  readonly surest: number
}

/** The guessed combination's value, with the share of all combinations that have it. */
function marginal({ shares, guesses, surest }: Found, combinations: readonly number[][], a: number): Belief {
  const K = combinations.length
  const values = Float64Array.from(guesses, (g) => combinations[g]![a]!)
  const confidence = values.map((value, i) => {
    let sum = 0
    for (let v = 0; v < K; v++) if (combinations[v]![a] === value) sum += shares[i * K + v]!
    return Math.min(surest, sum)
  })
  return { values, confidence }
}

function byPasses(problem: Problem, solved: Inferred): Found {
  const { shares, guesses, history, misfit, rates, settled, overdispersion, how } = solved
  const determined = solved.determined?.()
  const [n, K] = [problem.gradients.records, shares.length]
  const unknowns = n * (K - 1)
  const warnings: string[] = []
  if (determined !== undefined && determined < 0.75 * unknowns)
    warnings.push(`the messages determine about ${Math.round(determined)} of ${unknowns} unknowns`)
  if (!settled) warnings.push('the shares had not settled when the sweeps ran out')
  const changed = history.at(-1)!.changed
  if (history.length > 1 && changed > n / 50)
    warnings.push(`the last pass still changed ${changed} of ${n} guesses: the confidence may be too high`)
  const flat = new Float64Array(n * K)
  for (let v = 0; v < K; v++) for (let i = 0; i < n; i++) flat[i * K + v] = shares[v]![i]!
  return {
    shares: flat,
    guesses,
    warnings,
    surest: n / (n + 1),
    details: {
      solver: `${how.sums}, ${how.shares}`,
      rounds: problem.rounds.length,
      unknowns,
      misfit,
      overdispersion,
      passes: history.map(({ kind, changed: by }) => `${kind}: ${by} changed`),
      ...(determined !== undefined && { determined }),
      ...(problem.rate !== 'known' && { rateFactor: meanOf(rates) }),
    },
  }
}

/** Rounding of single precision, relative to what was sent. */
const single = 6e-8

function byEquations(
  problem: Problem,
  { p, guesses, misfit, condition, trustedDigits, equations, open, rate }: Exact,
): Found {
  const { records: n, values } = problem.gradients
  const { theta, mean, rate: eta } = problem.rounds[0]!
  const rounding = single * (norm(theta) / Math.max(norm(mean) * eta * problem.steps, 1e-300))
  const verified = misfit <= 30 * Math.max(1e-12, rounding)
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
  if (verified && open === 0) {
    shares.fill(0)
    for (let i = 0; i < n; i++) shares[i * values + guesses[i]!] = 1
  }
  const warnings = verified
    ? []
    : [`the guesses leave ${misfit.toExponential(1)} of the message unexplained: not exact`]
  if (open > 0) warnings.push(`${open} unknowns are left open: records that are alike leave only their sum to be known`)
  return {
    shares,
    guesses,
    warnings,
    surest: verified && open === 0 ? 1 : n / (n + 1),
    details: {
      solver: 'exact',
      unknowns: n * (values - 1),
      equations,
      condition,
      trustedDigits,
      misfit,
      verified,
      open,
      ...(problem.rate !== 'known' && { rateFactor: rate }),
    },
  }
}
