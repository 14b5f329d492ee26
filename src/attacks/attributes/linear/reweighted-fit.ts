/** The inference itself: least squares in rounds of ever better metric, then with turns played over. */

import { dot } from '../../../numeric/linalg/vector.js'
import type { Rng } from '../../../numeric/random/rng.js'
import type { Problem } from './linear-problem.js'
import { misfitOf, residualsOf, strangers, sumsOf } from './message-residuals.js'
import { featuresFit, type Rehearsed } from './played/played-features.js'
import { fitOf, type PlayedTurns, type ProtocolFit, playedTurns, strainOf } from './played/protocol-fit.js'
import { fitRates } from './played/rehearsed-rate.js'
import { canRehearse, playsAlike, rehearse } from './played/rehearsed-turns.js'
import { metricOf, plainMetric, weightsIn } from './residual-metric.js'
import { drawsFrom, meanBelief, tempered } from './value-draws.js'
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
  /** What log odds are divided by beyond 1 in any case. */
  readonly doubt?: number | undefined
  readonly rng: Rng
  readonly tick: (done: number, total: number) => void
  /** Whether these guesses, of a rehearsed pass, leave nothing for another one to find. */
  readonly enough?: (guesses: Int32Array) => boolean
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
  /** Whether the messages look as turns that were played over do; absent when none was. */
  readonly fit?: ProtocolFit | undefined
}

/** Rounds that the first passes look at, which only have to be roughly right; rounds that count at least when beliefs are tempered. */
const [fewRounds, fewest] = [20, 10]
/**
 * How many of the first passes are rehearsed, and after how many that changed next to no guess the next one keeps the last
 * one's points, weights and metric. Many unknowns are better served by one rough pass less and more that keep a metric.
 */
const courseFor = (unknowns: number) => (unknowns < manyUnknowns ? { rough: 2, steady: 2 } : { rough: 1, steady: 1 })
/** Share of guesses that is next to none. */
const steady = 0.05
/** Plays of all turns together that a metric is learned from, the fewest of one turn, and draws of values for them. */
const [allPlays, leastPlays, mostDraws] = [300, 4, 10]
/** Rehearsed passes whose beliefs are averaged: each stands on plays and draws of its own, which err as well. */
const mostBeliefs = 4
/** Rehearsed passes where unknowns are many, at most: each takes long, and guesses have settled by then or will not. */
const [manyUnknowns, fewPasses] = [500, 4]
/** Directions that a metric learned from plays may damp. */
const mostDirections = 60

type Kind = Inferred['history'][number]['kind']

/** What stays the same through all passes. */
interface Course {
  readonly given: Problem
  readonly options: InferOptions
  /** Passes of all kinds, at most. */
  readonly total: number
  /** As given, with the few rounds that the first passes look at, and how many passes these are. */
  readonly rough: Problem
  readonly early: number
}

/** What one pass leaves to the next. */
interface Standing {
  /** As given, but with rates that were fitted inside the messages, and each round's point where its turn was played. */
  problem: Problem
  /** By round: the sum of gradients that its message states. */
  messages: readonly Float64Array[]
  /** By round: what fitted rates have multiplied the message by. */
  factors: readonly number[]
  /** By round: what the rate is still off by. */
  rates: readonly number[]
  pass: Pass
  solved: Solved | undefined
  /** By round: the sum of gradients that the shares that were found give. */
  sums: readonly Float64Array[]
  guesses: Int32Array
  misfit: number
  /** The quadratic of the pass, where the next one may have the same. */
  Q: Float64Array | undefined
  /** How the turns of the last rehearsal were played. */
  played: PlayedTurns
  rehearsed: Omit<Rehearsed, 'problem'> | undefined
  /** The shares of every rehearsed pass. */
  readonly beliefs: (readonly Float64Array[])[]
  readonly history: { readonly kind: Kind; readonly changed: number }[]
}

export function infer(given: Problem, options: InferOptions): Inferred {
  const course = courseOf(given, options)
  const { passes, tick } = options
  const standing = startOf(course)
  for (let k = 0; k < course.total; k++) {
    tick(k, course.total)
    if (k === course.early) widen(course, standing)
    const kind = k === 0 ? 'plain' : k < passes ? 'residuals' : 'rehearsed'
    if (kind === 'residuals') standing.pass = passByResiduals(course, standing)
    else if (kind === 'rehearsed') standing.pass = passByRehearsal(course, standing, k)
    const changed = take(course, standing, { k, kind })
    if (k > passes && k >= course.early && changed === 0) break
    if (kind === 'rehearsed' && k < course.total - 1 && options.enough?.(standing.guesses)) break
  }
  return conclude(standing, options.doubt ?? 0)
}

function courseOf(given: Problem, options: InferOptions): Course {
  const step = Math.ceil(given.rounds.length / fewRounds)
  const rough = { ...given, rounds: given.rounds.filter((_, t) => t % step === 0) }
  const most = unknownsOf(given) < manyUnknowns ? options.rehearsals : Math.min(options.rehearsals, fewPasses)
  const total = options.passes + (canRehearse(given) ? most : 0)
  const early = step === 1 ? 0 : Math.min(options.passes + courseFor(unknownsOf(given)).rough, total - 1)
  return { given, options, total, rough, early }
}

const unknownsOf = ({ gradients: { records, values } }: Problem): number => records * (values - 1)

function startOf({ given: whole, rough, early }: Course): Standing {
  const given = early > 0 ? rough : whole
  given.factors?.keep(given.rounds.map(({ at }) => at))
  const messages = messagesOf(given)
  const pass: Pass = {
    rounds: placesOf(given),
    weights: messages.map((m) => 1 / Math.max(dot(m, m), 1e-300)),
    metric: plainMetric,
    offsets: strangers(given, undefined),
  }
  const ones = given.rounds.map(() => 1)
  return {
    problem: given,
    messages,
    factors: ones,
    rates: ones,
    pass,
    solved: undefined,
    sums: [],
    guesses: new Int32Array(given.gradients.records).fill(-1),
    misfit: 0,
    Q: undefined,
    played: { scatter: [], along: [], reached: [], square: [] },
    rehearsed: undefined,
    beliefs: [],
    history: [],
  }
}

/** From here on all rounds count; a rate that was fitted is taken for that of all. */
function widen({ given, options }: Course, standing: Standing): void {
  if (standing.solved === undefined) return
  const { factors, rates } = standing
  const by = middleOf(factors)
  const rounds = given.rounds.map((round) => ({ ...round, rate: round.rate / by, mean: round.mean.map((x) => by * x) }))
  const problem = { ...given, rounds, rate: standing.problem.rate }
  problem.factors?.keep(rounds.map(({ at }) => at))
  standing.problem = problem
  standing.messages = messagesOf(problem)
  standing.factors = rounds.map(() => by)
  standing.rates = rounds.map(() => middleOf(rates))
  standing.sums = canRehearse(given) && options.rehearsals > 0 ? [] : sumsOf(problem, standing.solved.fitted)
  standing.beliefs.length = 0
  standing.Q = undefined
}

const middleOf = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!
const placesOf = ({ rounds }: Pick<Problem, 'rounds'>): number[] => rounds.map((_, t) => t)

const messagesOf = ({ rounds, samples }: Problem): Float64Array[] =>
  rounds.map(({ mean }) => mean.map((x) => samples * x))

/** Rounds weighted, and their metric chosen, by what the pass before has left. */
function passByResiduals({ options }: Course, standing: Standing): Pass {
  const { problem, rates, sums } = standing
  const offsets = strangers(problem, standing.solved!.fitted)
  const left = residualsOf(problem, { sums, offsets, rates })
  const metric = metricOf(left, options.directions)
  return { rounds: placesOf(problem), offsets, metric, weights: weightsIn(problem, metric, left) }
}

/** The same with turns played over: how they scatter goes into the metric, how they stray into the offsets. */
function passByRehearsal({ given, options, total }: Course, standing: Standing, k: number): Pass {
  const T = standing.problem.rounds.length
  const enough = Math.max(leastPlays, Math.ceil(allPlays / T))
  const plays = playsAlike(given) ? Math.min(enough, mostDraws) : enough
  const own = options.rng.fork('rehearsal', k)
  if (given.rate !== 'known') settleRates(standing, given.rate, own.fork('rates'))
  const { rates } = standing
  const { shares, fitted } = standing.solved!
  const settled = standing.Q !== undefined && changedFew(standing, courseFor(unknownsOf(standing.problem)).steady)
  if (!settled) standing.Q = undefined
  const draws = drawsFrom(shares, Math.min(plays, mostDraws), own)
  const played = rehearse(standing.problem, {
    draws,
    plays,
    rates,
    rng: own,
    settled,
    tick: () => options.tick(k, total),
  })
  const { offsets } = played
  const fitting = { heard: standing.messages, plays }
  standing.rehearsed = { ...fitting, rehearsal: played, rng: own }
  if (settled) {
    standing.played = playedTurns(played, { ...fitting, metric: standing.pass.metric })
    return { ...standing.pass, offsets }
  }
  const rounds = standing.problem.rounds.map((round, t) => ({ ...round, at: played.paths[t]! }))
  standing.problem = { ...standing.problem, rounds }
  const left = residualsOf(standing.problem, { sums: sumsOf(standing.problem, fitted), offsets, rates })
  const most = Math.max(options.directions, Math.min(mostDirections, plays * T))
  const metric = metricOf([...played.scatter, ...left], most)
  standing.played = playedTurns(played, { ...fitting, metric })
  return { rounds: placesOf(standing.problem), offsets, metric, weights: weightsIn(standing.problem, metric, left) }
}

/** Whether the last pass, or the last few, were rehearsed and changed next to no guess. */
const changedFew = ({ history, problem }: Standing, passes = 1): boolean =>
  history.length >= passes &&
  history
    .slice(-passes)
    .every(({ kind, changed }) => kind === 'rehearsed' && changed <= steady * problem.gradients.records)

/** Fits the rates to turns played with the guesses, and puts them into the messages: from here on they are known. */
function settleRates(standing: Standing, rate: 'one' | 'each', rng: Rng): void {
  const { problem, guesses, rates, factors } = standing
  const fitted = fitRates({ ...problem, rate }, { guesses, rates, rng })
  const rounds = problem.rounds.map((round, t) => {
    const by = fitted[t]!
    return { ...round, rate: round.rate / by, mean: round.mean.map((x) => by * x) }
  })
  standing.problem = { ...problem, rounds, rate: 'known' }
  standing.messages = messagesOf(standing.problem)
  standing.factors = factors.map((before, t) => before * fitted[t]!)
  standing.rates = rounds.map(() => 1)
}

const units = { plain: 'none', residuals: 'residuals', rehearsed: 'noise' } as const

/** Solves the pass that stands next; gives how many guesses it changed. */
function take({ options, total }: Course, standing: Standing, { k, kind }: { k: number; kind: Kind }): number {
  const { problem, pass } = standing
  const solved = solvePass(problem, pass, {
    ...options,
    start: standing.solved?.fitted,
    Q: standing.Q,
    from: changedFew(standing) ? standing.solved?.ending : undefined,
    rough: k < total - 1 && kind !== 'rehearsed',
    units: units[kind],
    tick: () => options.tick(k, total),
  })
  if (kind === 'rehearsed') standing.beliefs.push(solved.shares)
  standing.Q = kind === 'rehearsed' ? solved.Q : undefined
  const guesses = likeliest(solved.shares)
  const changed = guesses.reduce((sum, v, i) => sum + Number(v !== standing.guesses[i]), 0)
  standing.history.push({ kind, changed })
  const sums = sumsOf(problem, solved.fitted)
  standing.sums = sums
  standing.solved = solved
  standing.guesses = guesses
  standing.rates = ratesOf(problem, sums, pass)
  standing.misfit = misfitOf(standing.messages, { sums, rates: standing.rates, pass })
  return changed
}

/** What the last pass believes, or the mean of the rehearsed ones. */
function conclude(standing: Standing, least: number): Inferred {
  const { problem, factors, beliefs, history, misfit, ...last } = standing
  const solved = last.solved!
  const rates = last.rates.map((one, t) => one * factors[t]!)
  if (beliefs.length === 0) return { ...solved, guesses: last.guesses, rates, misfit, history }
  const T = Math.max(problem.rounds.length, fewest)
  const beyond = Math.max(1, solved.overdispersion / 2) // errors larger than plays have: something is not understood
  const doubt = (beyond * T * history.at(-1)!.changed) / problem.gradients.records
  const fit = fitIn(standing)
  const strain = fit === undefined ? 0 : strainOf(fit)
  const shares = tempered(meanBelief(beliefs.slice(-mostBeliefs)), 1 + least + doubt + strain)
  return { ...solved, shares, guesses: likeliest(shares), rates, misfit, history, fit }
}

/** What the last pass leaves of the messages, beside what its plays leave of theirs; unknown where records are. */
function fitIn({ problem, messages, sums, rates, pass, played, rehearsed }: Standing): ProtocolFit | undefined {
  if (problem.samples !== problem.gradients.records) return undefined
  const left = residualsOf(problem, { sums, rates, offsets: pass.offsets }).map((r) => dot(r, r))
  const own = fitOf({ left, played, messages: messages.map((m, t) => rates[t]! * rates[t]! * dot(m, m)) })
  const looks = rehearsed && featuresFit({ ...rehearsed, problem })
  return looks !== undefined && looks.p < own.p ? { ...own, ...looks } : own
}
