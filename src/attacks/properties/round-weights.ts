/** How much each round counts in the regression that gives every client its expected feature. */
import { rangeOf, totalOf } from '../../numeric/special/summaries.js'
import { measuringVariance } from './best-linear-prediction.js'
import type { FeatureSums } from './detector/feature-sums.js'
import { expectedFeatures } from './expected-features.js'
import { rowSums } from './participation-matrix.js'
import { shrunkShares } from './shrunk-shares.js'

/** paper: v_r = 1 - OVL, shrunk by lambda; variance: 1 / Var(G_r), shrunk as far as the sums themselves suggest. */
export type RoundWeights = 'variance' | 'paper'

/** Rounds up to which the evidence is found: it takes the eigenvalues of a matrix of that size. */
const mostRounds = 1500

/**
 * [prolin] Eq. (9). departs: with `variance` a round weighs 1 / Var(G_r) for given features of its clients. v_r is about the
 * feature of one client; what a sum is off by is the error of the measured mean, once for every participant, and the spread
 * of all of them.
 */
export function regressed(
  one: FeatureSums,
  { lambda, weights = 'paper' }: { readonly lambda: number; readonly weights?: RoundWeights },
): Float64Array {
  const paper = Float64Array.from(one.shapes, ({ v }) => v)
  if (weights === 'paper') return expectedFeatures(one, { lambda, weights: paper })
  const noise = noiseOf(one)
  if (one.A.rows <= mostRounds) return shrunkShares(one.A, one.G, noise).x
  // Of the same total as the paper's, so that lambda means what it does there.
  const sure = noise.map((std) => 1 / (std * std))
  const by = totalOf(paper) / totalOf(sure)
  return expectedFeatures(one, { lambda, weights: sure.map((v) => by * v) })
}

/** The deviation of each sum, and at least a millionth of the largest: none counts for all others. */
function noiseOf({ A, shapes }: FeatureSums): Float64Array {
  const weights = rowSums(A)
  const noise = Float64Array.from(shapes, (shape, r) => {
    let squares = 0
    for (let p = A.rowStart[r]!; p < A.rowStart[r + 1]!; p++) squares += A.value[p]! * A.value[p]!
    const { minusStd: s } = shape
    return Math.sqrt(squares * s * s + measuringVariance(weights[r]!, shape))
  })
  const { max } = rangeOf(noise)
  return noise.map((std) => (max > 0 ? Math.max(std, 1e-6 * max) : 1))
}
