/** From messages to beliefs about attributes of few values: sets the problem up, solves it, weighs every value. */

import type { Rng } from '../../../numeric/random/rng.js'
import { meanOf } from '../../../numeric/special/summaries.js'
import { type Detail, Inapplicable } from '../../attack.js'
import { type Belief, combinationsOf } from '../search-values.js'
import type { Unknown } from '../unknown-columns.js'
import { fewEquations } from './few-equations.js'
import { mostExcess } from './flip-guesses.js'
import { candidatesOf, type Problem, type ProblemInput, problemOf, releaseProblem } from './linear-problem.js'
import { type Exact, solveExactly } from './one-step-shares.js'
import { maybeAnotherProtocol } from './played/another-protocol.js'
import { unlikely } from './played/protocol-fit.js'
import { canRehearse, playsAlike } from './played/rehearsed-turns.js'
import { canMend, endsAlike, foreign, mended, type Replayed } from './played/replayed-guesses.js'
import type { Candidates } from './record-gradients.js'
import { type Inferred, infer } from './reweighted-fit.js'
import { drawsFrom } from './value-draws.js'
import { byEquations, byReplay, type Found, leastSure, unfitting, verifies } from './weighed-guesses.js'

export interface Settings {
  readonly passes: number
  readonly rehearsals: number
  readonly directions: number
  readonly rng: Rng
  readonly tick: (done: number, total: number) => void
  /** What log odds are divided by beyond 1, whatever the messages say: the protocol itself was guessed. */
  readonly doubt?: number | undefined
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
  const found = foundIn(problem, exact, { ...settings, evidence })
  const beliefs = attributes.map((_, a): Belief => marginal(found, combinations, a))
  return { ...found, beliefs, candidates }
}

/** By the first way that goes: exact equations, few of them known to many digits, turns that play alike, or all messages together. */
function foundIn(problem: Problem, exact: boolean, options: Parameters<typeof infer>[1]): Found {
  try {
    const solution = exact && problem.samples === problem.candidates.records ? solveExactly(problem) : undefined
    if (solution !== undefined && (solution.open > 0 || verifies(solution))) return byEquations(problem, solution)
    const few = options.rehearsals > 0 ? fewEquations(problem) : undefined
    if (few?.found !== undefined) return byReplay(problem, few.found)
    const replays = options.rehearsals > 0 && playsAlike(problem) && canRehearse(problem) && canMend(problem)
    return replays ? byReplays(problem, options, few?.astray === true) : byRounding(problem, solution, options)
  } finally {
    releaseProblem(problem)
  }
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

/** Surer than this is no guess under a protocol that does not fit. */
const leastSurest = 0.94
function byPasses(problem: Problem, solved: Inferred, tried: Exact | undefined): Found {
  const { shares, guesses, history, misfit, rates, settled, overdispersion, how } = solved
  const determined = solved.determined?.()
  const { fit } = solved
  const [n, K] = [problem.gradients.records, shares.length]
  const unknowns = n * (K - 1)
  const warnings: string[] = []
  if (determined !== undefined && determined < 0.75 * unknowns)
    warnings.push(`the messages determine about ${Math.round(determined)} of ${unknowns} unknowns`)
  if (tried !== undefined) {
    const doubtful = tried.confidence.filter((c) => c < leastSure).length
    warnings.push(
      tried.excess > mostExcess
        ? `one step on all records leaves ${tried.misfit.toExponential(1)} of a message unexplained: not exact`
        : `${doubtful} of ${n} guesses could be others within the rounding of the message: not exact`,
    )
  }
  const strained = fit !== undefined && fit.p < unlikely
  if (strained) warnings.push(unfitting(fit))
  const sparse = problem.view.protocol.compression?.kind === 'top-k'
  if (sparse) warnings.push('values that were not sent are stood for by plays of the guesses: no guess is called sure')
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
    surest: strained || sparse ? Math.min(leastSurest, n / (n + 1)) : n / (n + 1),
    details: {
      solver: `${how.sums}, ${how.shares}`,
      rounds: problem.rounds.length,
      unknowns,
      misfit,
      overdispersion,
      passes: history.map(({ kind, changed: by }) => `${kind}: ${by} changed`),
      ...(determined !== undefined && { determined }),
      ...(tried !== undefined && { verified: false }),
      ...(fit && { fit: { ...fit } }),
      ...(problem.rate !== 'known' && { rateFactor: meanOf(rates) }),
    },
  }
}

/**
 * One step on all records whose equations leave guesses open: all messages together, by the whole values that come nearest to
 * them. Whoever does not end as the client did is wrong somewhere, and sure of nothing.
 */
function byRounding(problem: Problem, solution: Exact | undefined, options: Parameters<typeof infer>[1]): Found {
  const alike = solution !== undefined && playsAlike(problem) && problem.rate === 'known' && options.rehearsals > 0
  const near = alike && solution.misfit < foreign && canMend(problem)
  const first = near ? mended(problem, [solution.guesses]) : undefined
  if (first !== undefined && settles(first)) return withinRounding(problem, first)
  const inferred = infer(problem, options)
  const found = byPasses(problem, inferred, solution)
  if (!alike) return found
  const second = near ? mended(problem, [inferred.guesses]) : undefined
  if (second !== undefined && settles(second)) return withinRounding(problem, second)
  if (endsAlike(problem, found.guesses)) return found
  const why = 'one step with the likeliest values does not end where the client did: no guess is called sure'
  return { ...found, surest: Math.min(unverified, found.surest), warnings: [...found.warnings, why] }
}

/** Where more of the guesses are open than this, many changes together may explain the messages as well: odds of one or two say little. */
const mostOpen = 0.02
const settles = ({ excess, confidence }: Replayed): boolean =>
  excess <= mostExcess && 1 - meanOf(confidence) <= mostOpen

function withinRounding(problem: Problem, nearest: Replayed): Found {
  const { details, ...found } = byReplay(problem, nearest)
  const doubtful = nearest.confidence.filter((c) => c < leastSure).length
  const why = `${doubtful} of ${nearest.guesses.length} guesses could be others within the rounding of the messages`
  return { ...found, warnings: doubtful > 0 ? [why] : [], details: { ...details, verified: false } }
}

/** Starts that are drawn from what the first passes believe, beside the likeliest values. */
const mostStarts = 3
/** No guess is surer where turns that play alike were not found to end as the client's did. */
const unverified = 0.9

/**
 * Turns that play alike: guesses that end as the client did need no rehearsal. Where none was found, what rehearsals say
 * stands, but none of it is sure: whatever the truth is, it is not this. Where no values explain the messages (`astray`), none are sought.
 */
function byReplays(problem: Problem, options: Parameters<typeof infer>[1], astray: boolean): Found {
  const near = infer(problem, { ...options, rehearsals: 0 })
  const [likeliest, ...others] = drawsFrom(near.shares, 1 + mostStarts, options.rng.fork('starts'))
  const direct = mended(problem, [likeliest!])
  if (direct.excess <= mostExcess) return byReplay(problem, direct)
  if (!(direct.misfit < foreign)) {
    const found = `turns played over with these records leave ${direct.misfit.toFixed(2)} of the messages, whatever their values`
    // Where it may be the protocol, another is heard before anybody is refused.
    const another = maybeAnotherProtocol(problem, likeliest!)
    const missing = another ? ['records', 'protocol'] : ['records']
    throw new Inapplicable(missing, `${found}: they are not those trained on, or the protocol is not as stated`)
  }
  // What every pass believes is another start, where a message has few numbers: others take longer to mend than to rehearse.
  const { records, values, size } = problem.gradients
  let last = direct
  const enough = (guesses: Int32Array): boolean => {
    last = mended(problem, [guesses])
    return last.excess <= mostExcess
  }
  const rehearsed = infer(problem, { ...options, ...(!astray && records * (values - 1) > size && { enough }) })
  if (last.excess <= mostExcess) return byReplay(problem, last)
  const second = astray ? last : mended(problem, [rehearsed.guesses, ...others])
  if (second.excess <= mostExcess) return byReplay(problem, second)
  const found = byPasses(problem, rehearsed, undefined)
  const left = Math.min(direct.misfit, last.misfit, second.misfit)
  const why = `turns played with the likeliest values leave ${left.toExponential(1)} of the messages, more than rounding explains: no guess is called sure`
  return { ...found, surest: Math.min(unverified, found.surest), warnings: [...found.warnings, why] }
}
