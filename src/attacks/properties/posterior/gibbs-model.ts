/** The model behind `property-posterior` as flat arrays: what each client adds to each sum, with and without the property. */
import { medianOf } from '../../../numeric/special/summaries.js'
import { measuringVariance } from '../best-linear-prediction.js'
import { deviationOf, type FeatureShape } from '../detector/detector.js'
import type { FeatureSums } from '../detector/feature-sums.js'
import { type ByClient, byClient, rowSums } from '../participation-matrix.js'

/**
 * c_i ~ Bernoulli(phi); X_ri = mu_{r,c} + sqrt(rho) k_c t_r u_i + s_{r,c} sqrt(free) eps, free = 1 - rho below 1, else 1;
 * u_i is normal with a variance out of `ownScales`; G_r = sum_i w_ri X_ri + beta_r + e_r with e_r ~ N(0, nu_r).
 * rho ties the features of one client together over the rounds: up to 1 as if made-up clients differed as real ones do, beyond
 * it real ones are more unlike each other. A client whose records follow another law lies as far to one side as f+ and f- lie
 * apart in that round, so that its effect goes with t_r (detector/common-units.ts), k_c the median of s_{r,c} / t_r: no pattern
 * over the rounds tells such a client from one with the property, only how far it lies does. beta_r = sum_k alpha_k W_r s_r T_k(r) / (1 + k), alpha_k ~ N(0, tau^2), is what all
 * clients are unlike the made-up ones in, smooth over the rounds (T_k of Chebyshev): the auxiliary records are finite and
 * those of others. nu_r = measured_r + (extra + tail_r) * spread_r holds what else the detectors do not know of themselves:
 * the error of their means, deviations that are wrong in all rounds, and rounds that are out of the ordinary.
 */
export interface GibbsModel extends ByClient {
  readonly G: Float64Array // n
  /** w mu_k and w s_k of every entry, k = 0 without the property, 1 with it. */
  readonly mean: readonly [Float64Array, Float64Array]
  readonly std: readonly [Float64Array, Float64Array]
  /** w t of every entry, t of every round, and k_0, k_1: what a client's own effect is multiplied with. */
  readonly effect: Float64Array
  readonly units: Float64Array // n
  readonly ratio: readonly [number, number]
  /** mu_0, mu_1, s_0 and s_1 of every round. */
  readonly levels: Float64Array // [n, 4]
  readonly measured: Float64Array // n
  readonly spread: Float64Array // n
  /** W_r s_r T_k(r) / (1 + k). */
  readonly basis: Float64Array // [shiftTerms, n]
}

/** How likely a value is before anything is seen. */
export interface Believed {
  readonly value: number
  readonly prior: number
}

const even = (values: readonly number[], share: number): Believed[] =>
  values.map((value) => ({ value, prior: share / values.length }))

/** What rho, extra, tau, a round's tail and the variance of a client's u may be. */
export const rhos: readonly Believed[] = [
  ...even([0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9], 0.4),
  ...even([1.5, 3, 6, 12, 25, 50, 100, 200], 0.6),
]
export const extras: readonly Believed[] = [
  { value: 0, prior: 0.6 },
  { value: 0.25, prior: 0.2 },
  { value: 1, prior: 0.1 },
  { value: 3, prior: 0.07 },
  { value: 10, prior: 0.03 },
]
export const shifts: readonly Believed[] = even([0.1, 0.3, 1, 3, 10], 1)
export const tails: readonly Believed[] = [
  { value: 0, prior: 0.9 },
  { value: 3, prior: 0.08 },
  { value: 30, prior: 0.02 },
]
/** Of these a prior is as many clients as it would take to believe it as firmly. */
export const ownScales: readonly Believed[] = [
  { value: 1, prior: 10 },
  { value: 9, prior: 0.1 },
  { value: 100, prior: 0.01 },
]

/** Terms of the shift that all clients share. */
export const shiftTerms = 5

/** What is left of a feature's variance within a client. */
export const freeOf = (rho: number): number => (rho < 1 ? 1 - rho : 1)

export function gibbsModel({ A, G, shapes }: FeatureSums): GibbsModel {
  const entries = byClient(A)
  const weights = rowSums(A)
  const size = entries.round.length
  const mean = [new Float64Array(size), new Float64Array(size)] as const
  const std = [new Float64Array(size), new Float64Array(size)] as const
  const spread = new Float64Array(A.rows)
  const effect = new Float64Array(size)
  const units = Float64Array.from(shapes, deviationOf)
  for (let p = 0; p < size; p++) {
    const w = entries.weight[p]!
    const { plusMean, plusStd, minusMean, minusStd } = shapes[entries.round[p]!]!
    mean[0][p] = w * minusMean
    mean[1][p] = w * plusMean
    effect[p] = w * units[entries.round[p]!]!
    std[0][p] = w * minusStd
    std[1][p] = w * plusStd
    spread[entries.round[p]!]! += std[0][p]! * std[0][p]!
  }
  const measured = Float64Array.from(shapes, (shape, r) => measuringVariance(weights[r]!, shape))
  const levels = new Float64Array(4 * A.rows)
  for (const [r, { minusMean, plusMean, minusStd, plusStd }] of shapes.entries()) {
    levels.set([minusMean, plusMean, minusStd, plusStd], 4 * r)
  }
  const steps = Float64Array.from(shapes, ({ minusStd }, r) => weights[r]! * minusStd)
  const usual = (of: (shape: FeatureShape) => number): number =>
    medianOf(shapes.map((shape, r) => (units[r]! > 0 ? of(shape) / units[r]! : 1)))
  const ratio = [usual(({ minusStd }) => minusStd), usual(({ plusStd }) => plusStd)] as const
  return { ...entries, G, mean, std, effect, units, ratio, levels, measured, spread, basis: smoothBasis(steps) }
}

/** Chebyshev's polynomials over the rounds, each round in its own unit. */
function smoothBasis(units: Float64Array): Float64Array {
  const n = units.length
  const basis = new Float64Array(shiftTerms * n)
  for (let r = 0; r < n; r++) {
    const x = (2 * r + 1) / n - 1
    let [now, before] = [1, x]
    for (let k = 0; k < shiftTerms; k++) {
      basis[k * n + r] = (units[r]! * now) / (1 + k)
      ;[now, before] = [k === 0 ? x : 2 * x * now - before, now]
    }
  }
  return basis
}
