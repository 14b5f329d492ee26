/** `overhear/attacks`: the parts that attacks and studies are made of, and the metrics that grade claims. */

export type { Attack, Claimed, Context, NotApplicable, Outcome, ProtocolFit } from '../attacks/attack.js'
export type * from '../attacks/claim.js'
export { attacks } from '../attacks/index.js'
export { trainDetector } from '../attacks/properties/detector/detector.js'
export { type FeatureSums, featureSums } from '../attacks/properties/detector/feature-sums.js'
export { byDisaggregation } from '../attacks/properties/disaggregation.js'
export { firstRounds } from '../attacks/properties/expected-features.js'
export { forecastAtRandom, forecastOf } from '../attacks/properties/exposure-forecast.js'
export { byBlup, byOls, byPosterior, byProlin, byReg } from '../attacks/properties/property-estimators.js'
export { type Sums, sumsOf } from '../attacks/properties/usable-sums.js'
export {
  type HeardOptions,
  type HeardProtocol,
  type HeardView,
  heardProtocol,
} from '../attacks/shared/heard-protocol.js'
export { type Recipe, type Replay, type ReplayedTurn, replayer } from '../attacks/shared/replayed-turn.js'
export { contributionGradable, propertyGradable } from '../metrics/cells/client-cells.js'
export type { Gradable } from '../metrics/cells/gradable.js'
export { guessesFor } from '../metrics/cells/guesses.js'
export { gradable } from '../metrics/cells/index.js'
export type { Asked, Grading, Known, Metric } from '../metrics/grading.js'
export { metrics, scoreClaim } from '../metrics/index.js'
export { rightSettings } from '../metrics/protocol-score.js'
export type { Missing, Score } from '../metrics/score.js'
export {
  type Bound,
  type InverseRegression,
  inverseErrorCeiling,
  type NoisyMessages,
  type Regression,
  type RegressionBound,
  reconstructionErrorCeiling,
  reconstructionErrorFloor,
} from '../metrics/theory/lmra.js'
export { type Apart, type ApartOptions, optimaApart } from '../metrics/theory/optima-apart.js'
export { attributeAccuracyFloor, type LinearAttribute } from '../metrics/theory/prop1.js'
export {
  type ReconstructionNoise,
  type ReconstructionSpaces,
  type SpaceErrors,
  spaceErrors,
  weightNorm,
} from '../metrics/theory/reconstruction-spaces.js'
