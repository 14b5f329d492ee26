/** `overhear/accounting`: epsilon spent, between two bounds or by Rényi divergences, and noise for a target. */

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
  type Conversion,
  type RdpEpsilon,
  type RdpOptions,
  rdpEpsilon,
  usualOrders,
} from '../accounting/rdp-account.js'
