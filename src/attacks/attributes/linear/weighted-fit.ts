/** One pass solved: shares within their boxes first, and from those how far the messages can be trusted; then probabilities. */
import { log } from '../../../numeric/special/elementary-functions.js'
import { meanOf, totalOf } from '../../../numeric/special/summaries.js'
import { posteriorOf } from '../value-posterior.js'
import { sharesOf } from './coordinate-descent.js'
import { type Ending, propagate } from './expectation-propagation.js'
import { variancesOf } from './gaussian-posterior.js'
import { allShares, type Problem } from './linear-problem.js'
import type { Descent } from './projected-gradient.js'
import { descend } from './projected-gradient.js'
import { unswapped } from './swapped-values.js'
import { distancesOf } from './value-evidence.js'
import { assemble, linearPart, type Pass } from './weighted-squares.js'

export interface SolveOptions {
  readonly start?: Float64Array | undefined
  /** Shares for the next pass alone. */
  readonly rough?: boolean
  /**
   * What the weights are in units of: nothing, the residuals of a pass before, or noise as it is when turns are played
   * over, so that messages can be taken at their word.
   */
  readonly units: 'none' | 'residuals' | 'noise'
  /** Over the unknowns: log odds of a value against value 0 that are known from elsewhere. */
  readonly evidence?: Float64Array | undefined
  readonly tick?: (() => void) | undefined
  /** Q of a pass before, where rounds, points, weights and metric are the same and the rate is known. */
  readonly Q?: Float64Array | undefined
  /** Where propagation ended in a pass before that believed much the same. */
  readonly from?: Ending | undefined
}

export interface Solved {
  /** Shares that fit the messages, to compute residuals with. */
  readonly fitted: Float64Array
  /** [values][records]: the probability of each value. */
  readonly shares: readonly Float64Array[]
  readonly settled: boolean
  readonly how: { readonly sums: 'gram' | 'matrix-free'; readonly shares: 'boxes' | 'propagation' }
  /** How many times larger the squared errors are than the weights say. */
  readonly overdispersion: number
  /** How many unknowns' worth the messages say beyond the prior; undefined when too many to tell. */
  readonly determined?: (() => number) | undefined
  /** The quadratic, where one was formed. */
  readonly Q?: Float64Array | undefined
  /** Where propagation ended, its dispersion in units of the weights. */
  readonly ending?: Ending | undefined
}

/** Share of the unknowns that must be determined for shares within boxes to speak for themselves. */
const mostlyKnown = 0.95
/** And for decided values to be held against each other. */
const partlyKnown = 0.75
/** Unknowns up to which a covariance is formed. */
const mostInverted = 2000

export function solvePass(problem: Problem, pass: Pass, options: SolveOptions): Solved {
  const { factors, gram } = problem
  return factors !== undefined && gram !== undefined
    ? byGram(problem, pass, { ...options, factors, gram })
    : byDescent(problem, pass, options)
}

type WithGram = SolveOptions & Required<Pick<Problem, 'factors' | 'gram'>>

function byGram(problem: Problem, pass: Pass, options: WithGram): Solved {
  const { start, rough = false, units, factors, gram, tick } = options
  const { records: n } = problem.gradients
  const single = units !== 'none' || rough
  const { Q, b } =
    options.Q === undefined
      ? assemble(problem, pass, { factors, gram, tick, single })
      : { Q: options.Q, b: linearPart(problem, pass, factors) }
  const N = b.length
  const maxSweeps = rough ? 200 : 2000
  const first = sharesOf({ Q, b, records: n }, { start, maxSweeps, tick })
  if (rough) {
    const how = { sums: 'gram', shares: 'boxes' } as const
    const shares = split(allShares(first.p, n), n)
    return { settled: first.settled, overdispersion: 1, how, fitted: first.p, shares }
  }
  const logPrior = logPriorOf(first.p, n, options.evidence)
  const { scaleSq, boxes } = byDistance(distancesOf(Q, first, n), logPrior)
  const common = { settled: first.settled, overdispersion: scaleSq }
  // Where the messages leave much open, shares sit in corners by chance: what their distances say means nothing there.
  const by = Math.max(1, scaleSq)
  const scaled = { Q: N <= mostInverted ? Q.map((x) => x / by) : Q, b: b.map((x) => x / by) }
  const determined =
    N <= mostInverted && units !== 'none' ? onceOf(() => determinedBy(scaled.Q, first.p, n)) : undefined
  if (determined !== undefined && (units === 'noise' || determined() < mostlyKnown * N)) {
    const from = options.from && { ...options.from, dispersion: options.from.dispersion / by }
    const given = { ...scaled, records: n, logPrior, from }
    const found = propagate(given)
    const closed = found.settled && determined() >= partlyKnown * N
    const { shares, settled, dispersion, ending } = closed ? unswapped(given, found) : found
    // Whole guesses that fit far worse than those by boxes mean that propagation went astray, unless so little is
    // determined that some corner always fits.
    const worse = (costOf(scaled, shares, logPrior) - costOf(scaled, boxes, logPrior)) / dispersion
    if (worse <= N / 2 || determined() < N / 4) {
      const how = { sums: 'gram', shares: 'propagation' } as const
      const overdispersion = by * dispersion
      const last = { ...ending, dispersion: overdispersion }
      return { overdispersion, how, fitted: first.p, shares, settled, determined, Q, ending: last }
    }
  }
  const how = { sums: 'gram', shares: 'boxes' } as const
  return { ...common, how, fitted: first.p, shares: boxes, determined, Q }
}

/** -log of the posterior of each record's likeliest value, up to a constant. */
function costOf(
  { Q, b }: { readonly Q: Float64Array; readonly b: Float64Array },
  shares: readonly Float64Array[],
  logPrior: readonly Float64Array[],
): number {
  const n = shares[0]!.length
  const N = b.length
  const guesses = likeliest(shares)
  const chosen: number[] = []
  let cost = 0
  for (const [i, v] of guesses.entries()) {
    cost -= logPrior[v]![i]!
    if (v > 0) chosen.push((v - 1) * n + i)
  }
  for (const c of chosen) {
    cost -= b[c]!
    for (const d of chosen) cost += Q[c * N + d]! / 2
  }
  return cost
}

/** Each record's likeliest value, ties to the first. */
export function likeliest(shares: readonly Float64Array[]): Int32Array {
  return Int32Array.from(shares[0]!, (_, i) =>
    shares.reduce((best, one, v) => (one[i]! > shares[best]![i]! ? v : best), 0),
  )
}

function byDescent(problem: Problem, pass: Pass, { start, evidence, tick }: SolveOptions): Solved {
  const { records: n } = problem.gradients
  const found = descend(problem, pass, { start, tick })
  const { scaleSq, boxes: shares } = byDistance(diagonalDistances(found, n), logPriorOf(found.p, n, evidence))
  const how = { sums: 'matrix-free', shares: 'boxes' } as const
  return { settled: found.settled, overdispersion: scaleSq, how, fitted: found.p, shares }
}

/** Probabilities from how far each record's shares are from its corners, the others staying where they are. */
function byDistance(distances: readonly Float64Array[], logPrior: readonly Float64Array[]) {
  const { shares, scaleSq } = posteriorOf(distances, { residuals: distances.length - 1, logWeights: logPrior })
  const K = distances.length
  return { scaleSq, boxes: distances.map((one, v) => one.map((_, i) => shares[i * K + v]!)) }
}

/** As `distancesOf`, from the diagonal alone. */
function diagonalDistances({ p, gradient, diagonal }: Descent, n: number): Float64Array[] {
  const m = p.length / n
  return Array.from({ length: m + 1 }, (_, v) =>
    Float64Array.from({ length: n }, (_, i) => {
      let sum = 0
      for (let u = 0; u < m; u++) {
        const at = u * n + i
        const d = Number(u === v - 1) - p[at]! + gradient[at]! / diagonal[at]!
        sum += diagonal[at]! * d * d
      }
      return sum
    }),
  )
}

/** Logarithms of how common each value seems to be, plus what is known of a record from elsewhere. */
function logPriorOf(p: Float64Array, n: number, evidence: Float64Array | undefined): Float64Array[] {
  const means = split(allShares(p, n), n).map((one) => meanOf(one))
  const safe = means.map((x) => Math.max(0.02, x))
  const total = totalOf(safe)
  return safe.map((share, v) =>
    Float64Array.from({ length: n }, (_, i) => log(share / total) + (v === 0 ? 0 : (evidence?.[(v - 1) * n + i] ?? 0))),
  )
}

/** The trace of I - prior Q^-1, the prior being as wide as draws among the values. */
function determinedBy(Q: Float64Array, p: Float64Array, n: number): number {
  const N = p.length
  const prior = Float64Array.from({ length: N }, (_, c) => {
    const from = Math.floor(c / n) * n
    const share = Math.min(0.98, Math.max(0.02, meanOf(p.subarray(from, from + n))))
    return 1 / (share * (1 - share))
  })
  const variance = variancesOf(Q, n, (c) => prior[c]!)
  if (variance === undefined) return 0
  return prior.reduce((sum, precision, c) => sum + 1 - Math.min(1, precision * variance[c]!), 0)
}

function onceOf(compute: () => number): () => number {
  let known: number | undefined
  return () => {
    known ??= compute()
    return known
  }
}

const split = (flat: Float64Array, n: number): Float64Array[] =>
  Array.from({ length: flat.length / n }, (_, v) => flat.slice(v * n, (v + 1) * n))
