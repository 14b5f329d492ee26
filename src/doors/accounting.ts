/** `overhear/accounting`: epsilon spent, between two bounds or by Rényi divergences; noise for a target; what canaries show. */

export { gaussianDelta, gaussianEpsilon, gaussianMuFor } from '../accounting/analytic-gaussian.js'
export { noiseFor, rateFor, stepsFor, type Target } from '../accounting/calibrate.js'
export { type Bounds, epsilonBounds, type LossOptions, largestAdvantage } from '../accounting/loss-bounds.js'
export type {
  FixedSizeGaussian,
  Laplace,
  Mechanism,
  Neighbours,
  SampledGaussian,
  TreeGaussian,
} from '../accounting/mechanism.js'
export {
  type Guessed,
  type OneRunOptions,
  oneRunAudit,
  oneRunGaussianBound,
  oneRunLowerBound,
  oneRunPValue,
  type ScoredCanaries,
  type ThresholdOptions,
} from '../accounting/one-run.js'
export {
  type Conversion,
  type RdpEpsilon,
  type RdpOptions,
  rdpEpsilon,
  usualOrders,
} from '../accounting/rdp-account.js'
export { type WorldCounts, worldsLowerBound } from '../accounting/repeated-worlds.js'
