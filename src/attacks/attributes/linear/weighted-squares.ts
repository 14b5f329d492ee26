/** One weighted sum of squares over rounds as a quadratic in the shares: Q and b, the learning rate eliminated. */
import { dot } from '../../../numeric/linalg/vector.js'
import { rangeOf } from '../../../numeric/special/summaries.js'
import type { Gram } from './difference-gram.js'
import type { Problem } from './linear-problem.js'
import type { Factors } from './record-columns.js'
import { applyMetric, inMetric, type Metric } from './residual-metric.js'

/** What a pass believes: which rounds count how much, in which metric, and what else stands in each sum. */
export interface Pass {
  /** Places of the rounds that are used. */
  readonly rounds: readonly number[]
  /** By place. */
  readonly weights: readonly number[]
  readonly metric: Metric
  /** By place: what is in the sum of gradients besides the known records' at the round's point. */
  readonly offsets: readonly Float64Array[]
}

export interface Assembled {
  readonly Q: Float64Array
  readonly b: Float64Array
}

export interface AssembleOptions {
  readonly factors: Factors
  readonly gram: Gram
  /** Whether sums may be single where Q stays below what that resolves; not otherwise. */
  readonly single?: boolean | undefined
  readonly tick?: (() => void) | undefined
}

/** Largest entry of Q up to which what single sums lose, a ten-millionth of it a round at most, is small beside a prior. */
const mostSingle = 3e6

export function assemble(problem: Problem, pass: Pass, options: AssembleOptions): Assembled {
  const { factors, gram, tick } = options
  const { rounds, gradients, rate } = problem
  const { records: n, values } = gradients
  const N = n * (values - 1)
  const { metric } = pass
  const b = new Float64Array(N)
  const across = new Float64Array(N) // sum of w D^T M tau
  let [lengthSq, along] = [0, 0] // sums of w tau^T M tau and of w tau^T M y
  const K = metric.directions.length
  const directions = factors.directions(K + (rate === 'known' ? 1 : 2), metric.directions)
  const turned = targetsIn(problem, pass, factors)
  const single = options.single === true && largestIn(problem, pass, factors) < mostSingle
  for (const [place, t] of pass.rounds.entries()) {
    tick?.()
    const w = pass.weights[t]!
    const columns = factors.at(rounds[t]!.at)
    const { tau, My, Mtau } = turned[place]!
    directions.set(K, My)
    const taken = [...metric.damping, 0]
    let [kappa, beta] = [0, 0]
    if (Mtau !== undefined) {
      directions.set(K + 1, Mtau)
      ;[kappa, beta] = [dot(tau, Mtau), dot(tau, My)]
      taken.push(rate === 'each' ? 1 / kappa : 0)
    }
    const { count } = directions
    const products = factors.along(columns, directions)
    for (let i = 0; i < N; i++) b[i]! += w * products[i * count + K]!
    if (rate === 'each') {
      for (let i = 0; i < N; i++) b[i]! -= (w * products[i * count + K + 1]! * beta) / kappa
    } else if (rate === 'one') {
      for (let i = 0; i < N; i++) across[i]! += w * products[i * count + K + 1]!
      lengthSq += w * kappa
      along += w * beta
    }
    gram.add(columns, w, { directions, taken, single })
  }
  const Q = gram.take()
  if (rate === 'one') {
    for (let i = 0; i < N; i++) {
      b[i]! -= (across[i]! * along) / lengthSq
      for (let j = 0; j < N; j++) Q[i * N + j]! -= (across[i]! * across[j]!) / lengthSq
    }
  }
  return { Q, b }
}

/** b alone, for a rate that is known: what is left to be computed when Q is known. */
export function linearPart(problem: Problem, pass: Pass, factors: Factors): Float64Array {
  const { records: n, values } = problem.gradients
  const b = new Float64Array(n * (values - 1))
  const direction = factors.directions(1)
  const turned = targetsIn(problem, pass, factors)
  for (const [place, t] of pass.rounds.entries()) {
    direction.set(0, turned[place]!.My)
    const products = factors.along(factors.at(problem.rounds[t]!.at), direction)
    for (let i = 0; i < b.length; i++) b[i]! += pass.weights[t]! * products[i]!
  }
  return b
}

/** About the largest entry of Q if the metric damped nothing, by one round in the middle. */
function largestIn({ rounds }: Problem, pass: Pass, factors: Factors): number {
  const t = pass.rounds[pass.rounds.length >> 1]!
  const total = pass.rounds.reduce((sum, one) => sum + pass.weights[one]!, 0)
  return total * rangeOf(factors.squares(factors.at(rounds[t]!.at))).max
}

interface Target {
  readonly tau: Float64Array
  readonly My: Float64Array
  /** Undefined when the rate is known. */
  readonly Mtau: Float64Array | undefined
}

/** For each round that is used: residual = rho tau + y - D p, with rho tau inside y when the rate is known. */
function targetsIn({ rounds, samples, rate }: Problem, pass: Pass, factors: Factors): Target[] {
  const taus = pass.rounds.map((t) => rounds[t]!.mean.map((x) => samples * x))
  const ys = pass.rounds.map((t, place) => {
    const [{ base }, offset, tau] = [factors.at(rounds[t]!.at), pass.offsets[t]!, taus[place]!]
    return base.map((x, j) => (rate === 'known' ? tau[j]! : 0) - x - offset[j]!)
  })
  const My = inMetric(pass.metric, ys)
  const Mtau = rate === 'known' ? [] : inMetric(pass.metric, taus)
  return taus.map((tau, place) => ({ tau, My: My[place]!, Mtau: Mtau[place] }))
}

/** By place: the factor that makes the message fit the gradients' sums best. 1 for a known rate. */
export function ratesOf({ rounds, rate, samples }: Problem, sums: readonly Float64Array[], pass: Pass): number[] {
  if (rate === 'known') return rounds.map(() => 1)
  const parts = rounds.map(({ mean }, t) => {
    const tau = mean.map((x) => samples * x)
    const Mtau = applyMetric(pass.metric, tau)
    return { fit: dot(Mtau, sums[t]!) + dot(Mtau, pass.offsets[t]!), square: dot(Mtau, tau), w: pass.weights[t]! }
  })
  if (rate === 'each') return parts.map(({ fit, square }) => fit / square)
  const total =
    parts.reduce((sum, { fit, w }) => sum + w * fit, 0) / parts.reduce((s, { square, w }) => s + w * square, 0)
  return rounds.map(() => total)
}
