/** The model behind `property-posterior` as flat arrays: what each client adds to each sum, with and without the property. */
import { measuringVariance } from '../best-linear-prediction.js'
import type { FeatureSums } from '../detector/feature-sums.js'
import { type ByClient, byClient, rowSums } from '../participation-matrix.js'

/**
 * c_i ~ Bernoulli(phi); X_ri = mu_{r,c} + s_{r,c} (sqrt(rho) u_i + sqrt(1 - rho) eps); G_r = sum_i w_ri X_ri + e_r with
 * e_r ~ N(0, nu_r). rho ties the features of one client together over the rounds; nu_r = measured_r + extra * spread_r
 * holds what the detectors do not know of themselves: the error of their means, and how unlike the made-up clients the
 * real ones are.
 */
export interface GibbsModel extends ByClient {
  readonly G: Float64Array // n
  /** w mu_k and w s_k of every entry, k = 0 without the property, 1 with it. */
  readonly mean: readonly [Float64Array, Float64Array]
  readonly std: readonly [Float64Array, Float64Array]
  /** mu_0, mu_1, s_0 and s_1 of every round. */
  readonly levels: Float64Array // [n, 4]
  readonly measured: Float64Array // n
  readonly spread: Float64Array // n
}

/** What rho and extra may be, and how likely each is before anything is seen. */
export const rhos = [0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9] as const
export const extras = [
  { extra: 0, prior: 0.6 },
  { extra: 0.25, prior: 0.2 },
  { extra: 1, prior: 0.1 },
  { extra: 3, prior: 0.07 },
  { extra: 10, prior: 0.03 },
] as const

export function gibbsModel({ A, G, shapes }: FeatureSums): GibbsModel {
  const entries = byClient(A)
  const weights = rowSums(A)
  const size = entries.round.length
  const mean = [new Float64Array(size), new Float64Array(size)] as const
  const std = [new Float64Array(size), new Float64Array(size)] as const
  const spread = new Float64Array(A.rows)
  for (let p = 0; p < size; p++) {
    const w = entries.weight[p]!
    const { plusMean, plusStd, minusMean, minusStd } = shapes[entries.round[p]!]!
    mean[0][p] = w * minusMean
    mean[1][p] = w * plusMean
    std[0][p] = w * minusStd
    std[1][p] = w * plusStd
    spread[entries.round[p]!]! += std[0][p]! * std[0][p]!
  }
  const measured = Float64Array.from(shapes, (shape, r) => measuringVariance(weights[r]!, shape))
  const levels = new Float64Array(4 * A.rows)
  for (const [r, { minusMean, plusMean, minusStd, plusStd }] of shapes.entries()) {
    levels.set([minusMean, plusMean, minusStd, plusStd], 4 * r)
  }
  return { ...entries, G, mean, std, levels, measured, spread }
}
