/** `overhear/numeric`: linear algebra, special functions, optimisers, randomness with an address, and the engine of graphs. */

export { gradient, pullback, pushforward } from '../numeric/engine/derive.js'
export { type Clipped, clippedGradient } from '../numeric/engine/ghost-clipping.js'
export type { Node, Shape } from '../numeric/engine/graph.js'
export { kernelHash } from '../numeric/engine/kernel-bytes.js'
export type { Precision } from '../numeric/engine/kernels.js'
export { compile, type Program, type ProgramOptions } from '../numeric/engine/program.js'
export * as trace from '../numeric/engine/trace.js'
export * as traceImage from '../numeric/engine/trace-image.js'
export { cholesky, choleskySolve, lowerInverse } from '../numeric/linalg/cholesky.js'
export { type Choice, type ChoiceOptions, closestChoice } from '../numeric/linalg/closest-choice.js'
export {
  type BatchShape,
  conditionNumber,
  conditionNumbers,
  estimateCondition,
  trustedDigits,
} from '../numeric/linalg/condition.js'
export {
  type ConjugateGradientOptions,
  type ConjugateGradientResult,
  conjugateGradient,
} from '../numeric/linalg/conjugate-gradient.js'
export { type SymmetricEigen, symmetricEigen } from '../numeric/linalg/eigen.js'
export { type LeastSquaresResult, leastSquares } from '../numeric/linalg/least-squares.js'
export { type LsqrOptions, type LsqrResult, lsqr } from '../numeric/linalg/lsqr.js'
export { determinant, type Lu, lu, solve } from '../numeric/linalg/lu.js'
export { identity, type Matrix, matrix, matrixOf, multiply, transpose } from '../numeric/linalg/matrix.js'
export { type NonNegativeSolution, nnls } from '../numeric/linalg/nnls.js'
export { type PseudoInverse, pseudoInverse } from '../numeric/linalg/pseudo-inverse.js'
export { leastSquaresQr, type PivotedQr, qr, qrPivoted } from '../numeric/linalg/qr.js'
export { type RidgeOptions, type RidgeResult, ridge } from '../numeric/linalg/ridge.js'
export {
  type SimplexOptions,
  type SimplexSolution,
  simplexLeastSquares,
} from '../numeric/linalg/simplex-least-squares.js'
export {
  type LinearOperator,
  operatorOf,
  type SparseMatrix,
  sparseFromDense,
  sparseFromTriplets,
  sparseMultiply,
  sparseMultiplyTransposed,
  type Triplet,
} from '../numeric/linalg/sparse.js'
export { type Svd, singularValues, svd } from '../numeric/linalg/svd.js'
export {
  type DiagonalProblem,
  diagonalise,
  type TikhonovPoint,
  tikhonovBetas,
  tikhonovCurve,
  tikhonovSolution,
  tikhonovSolutions,
} from '../numeric/linalg/tikhonov.js'
export { cornerOfLCurve, leastCrossValidation, smallestBetaWithSlope } from '../numeric/linalg/tikhonov-choice.js'
export { type TotalLeastSquares, totalLeastSquares } from '../numeric/linalg/total-least-squares.js'
export { type AdamOptions, adam } from '../numeric/optimise/adam.js'
export { type AndersonOptions, anderson, type FixedPointMap, fixedPoint } from '../numeric/optimise/anderson.js'
export { type Assignment, assignment } from '../numeric/optimise/assignment.js'
export { type Clustering, type KMeansOptions, kMeans } from '../numeric/optimise/k-means.js'
export { type LbfgsOptions, lbfgs } from '../numeric/optimise/lbfgs.js'
export { type MedianPrunerOptions, medianPruner, type Pruner } from '../numeric/optimise/median-pruner.js'
export {
  type MtAdam,
  type MtAdamOptions,
  minimiseTerms,
  mtAdam,
  type TermsObjective,
} from '../numeric/optimise/mtadam.js'
export {
  type FirstOrder,
  type Method,
  type Minimum,
  minimise,
  type Objective,
  projected,
  type Stop,
} from '../numeric/optimise/optimiser.js'
export { randomSampler, type Sampler, type TpeOptions, tpeSampler } from '../numeric/optimise/samplers.js'
export { choice, integerRange, logRange, range, type Setting, type Space } from '../numeric/optimise/search-space.js'
export { type SgdOptions, sgd } from '../numeric/optimise/sgd.js'
export { type Study, type StudyOptions, study, type Trial } from '../numeric/optimise/tuning-study.js'
export type { FinishedTrial } from '../numeric/optimise/tuning-trial.js'
export { type Rng, rng } from '../numeric/random/rng.js'
export { type BetaShape, incompleteBeta, incompleteBetaQuantile } from '../numeric/special/beta.js'
export { type BinomialTrials, binomialInterval } from '../numeric/special/binomial-interval.js'
export * as scalar from '../numeric/special/elementary-functions.js'
export { erf, erfc, logErfc } from '../numeric/special/erf.js'
export { gammaSign, logBinomial, logGamma } from '../numeric/special/gamma.js'
export { logAddExp, logSumExp } from '../numeric/special/log-sum-exp.js'
export { type NormalShape, normalCdf, normalLogCdf, normalLogPdf, normalPdf } from '../numeric/special/normal.js'
export { normalQuantile } from '../numeric/special/normal-quantile.js'
export { type Overlap, overlapOfNormals, type TwoNormals } from '../numeric/special/overlap-of-normals.js'
