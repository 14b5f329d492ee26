/** The inference itself: least squares in rounds of ever better metric, then with turns played over. */

import { dot } from '../../../numeric/linalg/vector.js'
import type { Rng } from '../../../numeric/random/rng.js'
import { exp, log } from '../../../numeric/special/scalar.js'
import { allShares, type Problem } from './linear-problem.js'
import { fitRates } from './rehearsed-rate.js'
import { canRehearse, rehearse, squareIn } from './rehearsed-turns.js'
import { metricOf, plainMetric } from './residual-metric.js'
import { likeliest, type Solved, solvePass } from './weighted-fit.js'
import { type Pass, ratesOf } from './weighted-squares.js'

export interface InferOptions {
  /** Least-squares passes: the first in the plain metric, the others in that of the residuals before. */
  readonly passes: number
  /** Further passes with turns played over, at most; they end when no guess changes. */
  readonly rehearsals: number
  /** Directions that the metric may damp. */
  readonly directions: number
  /** Over the unknowns: log odds of a value against value 0 that are known from elsewhere. */
  readonly evidence?: Float64Array | undefined
  readonly rng: Rng
  readonly tick: (done: number, total: number) => void
}

export interface Inferred extends Solved {
  /** Guessed value of each record. */
  readonly guesses: Int32Array
  /** By round: what the stated rate seems to be off by. */
  readonly rates: readonly number[]
  /** |residual| / |message|, the mean over rounds. */
  readonly misfit: number
  /** For each pass: its kind and how many guesses it changed. */
  readonly history: readonly { readonly kind: 'plain' | 'residuals' | 'rehearsed'; readonly changed: number }[]
}

/** Rounds that the first passes look at: they only have to be roughly right. */
const fewRounds = 34
/** Plays of all turns together that a metric is learned from, and the fewest of one turn. */
const [allPlays, leastPlays] = [300, 4]
/** Draws of the records' values that turns are played with. */
const mostDraws = 10
/** Rehearsed passes whose beliefs are averaged: each stands on plays and draws of its own, which err as well. */
const mostBeliefs = 2
/** Rounds that count at least when beliefs are tempered. */
const fewest = 10
/** Directions that a metric learned from plays may damp. */
const mostDirections = 60

export function infer(given: Problem, options: InferOptions): Inferred {
  const { gradients, samples } = given
  let problem = given
  let { rounds } = problem
  const { records: n, size: P } = gradients
  const T = rounds.length
  const { passes, directions, tick } = options
  const rehearsals = canRehearse(problem) ? options.rehearsals : 0
  const all = rounds.map((_, t) => t)
  const some = all.filter((t) => t % Math.ceil(T / fewRounds) === 0)
  const history: { kind: Inferred['history'][number]['kind']; changed: number }[] = []
  const total = passes + rehearsals
  const messagesOf = (all: Problem['rounds']) => all.map(({ mean }) => mean.map((x) => samples * x))
  let messages = messagesOf(rounds)
  let factors = rounds.map(() => 1)
  let pass: Pass = {
    rounds: passes + rehearsals === 1 ? all : some,
    weights: messages.map((m) => 1 / Math.max(dot(m, m), 1e-300)),
    metric: plainMetric,
    offsets: strangers(problem, undefined),
  }
  let solved: Solved | undefined
  let guesses: Int32Array = new Int32Array(n).fill(-1)
  let rates = rounds.map(() => 1)
  let misfit = 0
  const beliefs: (readonly Float64Array[])[] = []
  for (let k = 0; k < total; k++) {
    tick(k, total)
    const kind = k === 0 ? 'plain' : k < passes ? 'residuals' : 'rehearsed'
    if (kind === 'rehearsed') {
      const plays = Math.max(leastPlays, Math.ceil(allPlays / T))
      const own = options.rng.fork('rehearsal', k)
      if (given.rate !== 'known') {
        const fitted = fitRates({ ...problem, rate: given.rate }, { guesses, rates, rng: own.fork('rates') })
        rounds = rounds.map((round, t) => {
          const by = fitted[t]!
          return { ...round, rate: round.rate / by, mean: round.mean.map((x) => by * x) }
        })
        problem = { ...problem, rounds, rate: 'known' }
        messages = messagesOf(rounds)
        factors = factors.map((before, t) => before * fitted[t]!)
        rates = rounds.map(() => 1)
      }
      const draws = drawsFrom(solved!.shares, Math.min(plays, mostDraws), own)
      const played = rehearse(problem, { draws, plays, rates, rng: own, tick: () => tick(k, total) })
      const { offsets } = played
      rounds = rounds.map((round, t) => ({ ...round, at: played.paths[t]! }))
      problem = { ...problem, rounds }
      const left = residualsOf(problem, { p: solved!.fitted, offsets, rates })
      const metric = metricOf([...played.scatter, ...left], Math.max(directions, Math.min(mostDirections, plays * T)))
      pass = { rounds: all, offsets, metric, weights: left.map((r) => P / Math.max(squareIn(metric, r), 1e-300)) }
    } else if (kind === 'residuals') {
      const offsets = strangers(problem, solved!.fitted)
      const left = residualsOf(problem, { p: solved!.fitted, offsets, rates })
      const metric = metricOf(left, directions)
      const last = k === total - 1
      const weights = left.map((r) => P / Math.max(squareIn(metric, r), 1e-300))
      pass = { rounds: last ? all : some, offsets, metric, weights }
    }
    solved = solvePass(problem, pass, {
      ...options,
      start: solved?.fitted,
      rough: k < total - 1 && kind !== 'rehearsed',
      units: units[kind],
      tick: () => tick(k, total),
    })
    if (kind === 'rehearsed') beliefs.push(solved.shares)
    const next = likeliest(solved.shares)
    const changed = next.reduce((sum, v, i) => sum + Number(v !== guesses[i]), 0)
    guesses = next
    history.push({ kind, changed })
    const shares = allShares(solved.fitted, n)
    const sums = rounds.map(({ at }) => gradients.weighted(at, shares))
    rates = ratesOf(problem, sums, pass)
    misfit = misfitOf(messages, { sums, rates, pass })
    if (k > passes && changed === 0) break
  }
  rates = rates.map((one, t) => one * factors[t]!)
  if (beliefs.length === 0) return { ...solved!, guesses, rates, misfit, history }
  const shares = tempered(meanOf(beliefs.slice(-mostBeliefs)), 1 + (Math.max(T, fewest) * history.at(-1)!.changed) / n)
  return { ...solved!, shares, guesses: likeliest(shares), rates, misfit, history }
}

const units = { plain: 'none', residuals: 'residuals', rehearsed: 'noise' } as const

/** Records that nobody knows add to the sum as many means of the known ones. */
function strangers({ rounds, gradients, samples }: Problem, p: Float64Array | undefined): Float64Array[] {
  const { records: n, values, size } = gradients
  if (samples === n) return rounds.map(() => new Float64Array(size))
  const even = new Float64Array(n * (values - 1)).fill(1 / values)
  const shares = allShares(p ?? even, n)
  return rounds.map(({ at }) =>
    gradients.weighted(
      at,
      shares.map((c) => (c * (samples - n)) / n),
    ),
  )
}

/** Values drawn by their shares; the first draw has the likeliest ones. */
function drawsFrom(shares: readonly Float64Array[], count: number, rng: Rng): Int32Array[] {
  const K = shares.length
  return Array.from({ length: count }, (_, d) => {
    if (d === 0) return likeliest(shares)
    const coins = rng.fork('draw', d).uniforms(shares[0]!.length)
    return Int32Array.from(coins, (coin, i) => {
      let left = coin
      for (let v = 0; v < K - 1; v++) {
        left -= shares[v]![i]!
        if (left < 0) return v
      }
      return K - 1
    })
  })
}

/**
 * Log odds divided by a factor. Guesses that still change have wrong ones among them, and a drift played on wrong guesses
 * errs alike in every round: such errors add up T-fold where noise adds up as the root of T.
 */
function tempered(shares: readonly Float64Array[], by: number): Float64Array[] {
  const raised = shares.map((one) => one.map((q) => exp(log(Math.max(q, 1e-300)) / by)))
  const total = raised[0]!.map((_, i) => raised.reduce((sum, one) => sum + one[i]!, 0))
  return raised.map((one) => one.map((q, i) => q / total[i]!))
}

const meanOf = (beliefs: readonly (readonly Float64Array[])[]): Float64Array[] =>
  beliefs[0]!.map((one, v) =>
    one.map((_, i) => beliefs.reduce((sum, shares) => sum + shares[v]![i]!, 0) / beliefs.length),
  )

interface State {
  readonly p: Float64Array
  readonly offsets: readonly Float64Array[]
  readonly rates: readonly number[]
}

function residualsOf({ rounds, gradients, samples }: Problem, { p, offsets, rates }: State): Float64Array[] {
  const shares = allShares(p, gradients.records)
  return rounds.map(({ at, mean }, t) => {
    const sum = gradients.weighted(at, shares)
    return mean.map((x, j) => rates[t]! * samples * x - offsets[t]![j]! - sum[j]!)
  })
}

function misfitOf(
  messages: readonly Float64Array[],
  {
    sums,
    rates,
    pass,
  }: { readonly sums: readonly Float64Array[]; readonly rates: readonly number[]; readonly pass: Pass },
): number {
  const shares = messages.map((m, t) => {
    const r = m.map((x, j) => rates[t]! * x - pass.offsets[t]![j]! - sums[t]![j]!)
    return Math.sqrt(dot(r, r) / Math.max(dot(m, m) * rates[t]! * rates[t]!, 1e-300))
  })
  return shares.reduce((sum, x) => sum + x, 0) / messages.length
}
