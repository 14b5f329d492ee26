/** The public door: the only barrel, imported by outsiders only. */

export type { Attack, Claimed, Context, NotApplicable, Outcome } from './attacks/attack.js'
export type * from './attacks/claim.js'
export { attacks } from './attacks/index.js'
export { trainDetector } from './attacks/properties/detector/detector.js'
export { type FeatureSums, featureSums } from './attacks/properties/detector/feature-sums.js'
export { byDisaggregation } from './attacks/properties/disaggregation.js'
export { firstRounds } from './attacks/properties/expected-features.js'
export { byBlup, byOls, byPosterior, byProlin, byReg } from './attacks/properties/property-estimators.js'
export { type Sums, sumsOf } from './attacks/properties/usable-sums.js'
export {
  checkedSource,
  type Dataset,
  encodeSource,
  encodeSourceSparse,
  type FittedSource,
  fitSource,
  type Source,
  type SparseRecords,
} from './data/dataset.js'
export type { DatasetEntry, FileReader, FileSpec, LoadContext } from './data/dataset-entry.js'
export type { Sensitive } from './data/decode.js'
export { decode, inWords, sensitiveOf } from './data/decode.js'
export { type Encoder, encodeDense, encodeSparse, fitEncoder, outputNames, type Rule } from './data/encoder.js'
export { datasets, loadDataset } from './data/index.js'
export type { Records } from './data/records.js'
export { type Column, numberColumn, type Table, tableOf, wordColumn } from './data/table.js'
export { type ToyOptions, toyLeastSquares } from './data/toy-least-squares.js'
export { createDefence, type DefenceSpec, defences } from './defences/index.js'
export { everyPair, regularGraph } from './defences/secure-aggregation/mask-graph.js'
export { type Primitives, webCrypto } from './defences/secure-aggregation/primitives.js'
export { secureSeat } from './defences/secure-aggregation/secure-seat.js'
export { type SecureSum, type SecureSumOptions, secureSum } from './defences/secure-aggregation/secure-sum.js'
export { type SecureAggregationOptions, secureAggregation } from './defences/secure-aggregation.js'
export { type ErrorCode, OverhearError } from './errors.js'
export { batchRows } from './federation/batches.js'
export { type Checkpoint, decodeCheckpoint, encodeCheckpoint, type RunMark } from './federation/checkpoint.js'
export { type CheckpointStore, checkpointStore, type SavedCheckpoint } from './federation/checkpoint-store.js'
export { type Bytes, type ClientSide, type Guest, type Seat, type Seats, seatsHere } from './federation/exchange.js'
export { type FederateOptions, type FederationRound, federate, runToEnd } from './federation/federate.js'
export { type GeneratorSpec, generators } from './federation/generator.js'
export { type Heterogeneity, type HeterogeneityOptions, heterogeneity } from './federation/heterogeneity.js'
export type {
  Adversary,
  Defence,
  ExchangeContext,
  Plain,
  SentTurn,
  SumContext,
  SumExchange,
  Summed,
  TurnContext,
} from './federation/hooks.js'
export { type LiveChannel, type LiveChannelOptions, type LiveTurn, liveChannel } from './federation/live-channel.js'
export { localRules } from './federation/local-rules/index.js'
export type { LocalPlan, Share, Shuffle } from './federation/local-rules/local-rule.js'
export { type Listener, type ManifestOptions, type ManifestToWrite, manifestFor } from './federation/manifest-for.js'
export { misbehaviours } from './federation/misbehaviour/index.js'
export {
  type ClientPool,
  type ClientsSpec,
  inlinePool,
  type PoolOptions,
} from './federation/pool.js'
export { heldPopulation, type Population, type PopulationSpec, population } from './federation/population.js'
export { type RecordOptions, recordFederation } from './federation/record.js'
export { samplings } from './federation/sampling/index.js'
export {
  type FederationSpec,
  federationParams,
  type MisbehaviourSpec,
  type RuleSpec,
  type SamplingSpec,
  type Settled,
  settle,
} from './federation/spec.js'
export { type StepPrivacy, type Turn, turnStream } from './federation/turn.js'
export { changeOf, modelAfter, scaledUpdate, type TurnFrame, updateOf, weightedMean } from './federation/updates.js'
export { type Figures, pooledRecords, type Utility, utilityOf } from './federation/utility.js'
export type { Grading, Known, Metric } from './metrics/grading.js'
export { type Metrics, metrics, scoreClaim } from './metrics/index.js'
export type { Missing, Score } from './metrics/score.js'
export {
  type Bound,
  type NoisyMessages,
  type Regression,
  type RegressionBound,
  reconstructionErrorCeiling,
  reconstructionErrorFloor,
} from './metrics/theory/lmra.js'
export { attributeAccuracyFloor, type LinearAttribute } from './metrics/theory/prop1.js'
export { digestOf, type FingerprintOptions, fingerprintTraining } from './models/fingerprint.js'
export {
  type Batch,
  type FunctionsOptions,
  functionsOf,
  type ModelFunctions,
  type Traced,
} from './models/functions.js'
export { createModel, type ModelSpec, models, parametersOf } from './models/index.js'
export { initialise, initialisers } from './models/initialise.js'
export { type LenetDlgOptions, type LenetMnistOptions, lenetCifar, lenetDlg, lenetMnist } from './models/lenet.js'
export { linear, logistic, type MlpOptions, mlp, softmaxRegression } from './models/mlp.js'
export { type Loss, type Model, type Parameter, parameterCount } from './models/model.js'
export { type Held, type Trainer, type TrainerOptions, trainer } from './models/trainer.js'
export { gradient, pullback, pushforward } from './numeric/engine/derive.js'
export { type Clipped, clippedGradient } from './numeric/engine/ghost.js'
export type { Node, Shape } from './numeric/engine/graph.js'
export { kernelHash } from './numeric/engine/kernel-bytes.js'
export type { Precision } from './numeric/engine/kernels.js'
export { compile, type Program, type ProgramOptions } from './numeric/engine/program.js'
export * as trace from './numeric/engine/trace.js'
export * as traceImage from './numeric/engine/trace-image.js'
export { cholesky, choleskySolve, lowerInverse } from './numeric/linalg/cholesky.js'
export {
  type BatchShape,
  conditionNumber,
  conditionNumbers,
  estimateCondition,
  trustedDigits,
} from './numeric/linalg/condition.js'
export {
  type ConjugateGradientOptions,
  type ConjugateGradientResult,
  conjugateGradient,
} from './numeric/linalg/conjugate-gradient.js'
export { type SymmetricEigen, symmetricEigen } from './numeric/linalg/eigen.js'
export { type LeastSquaresResult, leastSquares } from './numeric/linalg/least-squares.js'
export { type LsqrOptions, type LsqrResult, lsqr } from './numeric/linalg/lsqr.js'
export { determinant, type Lu, lu, solve } from './numeric/linalg/lu.js'
export { identity, type Matrix, matrix, matrixOf, multiply, transpose } from './numeric/linalg/matrix.js'
export { type NonNegativeSolution, nnls } from './numeric/linalg/nnls.js'
export { type PseudoInverse, pseudoInverse } from './numeric/linalg/pseudo-inverse.js'
export { leastSquaresQr, type PivotedQr, qr, qrPivoted } from './numeric/linalg/qr.js'
export { type RidgeOptions, type RidgeResult, ridge } from './numeric/linalg/ridge.js'
export {
  type SimplexOptions,
  type SimplexSolution,
  simplexLeastSquares,
} from './numeric/linalg/simplex-least-squares.js'
export {
  type LinearOperator,
  operatorOf,
  type SparseMatrix,
  sparseFromDense,
  sparseFromTriplets,
  sparseMultiply,
  sparseMultiplyTransposed,
  type Triplet,
} from './numeric/linalg/sparse.js'
export { type Svd, singularValues, svd } from './numeric/linalg/svd.js'
export {
  type DiagonalProblem,
  diagonalise,
  type TikhonovPoint,
  tikhonovBetas,
  tikhonovCurve,
  tikhonovSolution,
  tikhonovSolutions,
} from './numeric/linalg/tikhonov.js'
export { cornerOfLCurve, leastCrossValidation, smallestBetaWithSlope } from './numeric/linalg/tikhonov-choice.js'
export { type TotalLeastSquares, totalLeastSquares } from './numeric/linalg/total-least-squares.js'
export { type TruncatedSvd, truncatedSvd } from './numeric/linalg/truncated-svd.js'
export { type DiagonalPlusLowRank, woodburySolve } from './numeric/linalg/woodbury.js'
export { type AdamOptions, adam } from './numeric/optimise/adam.js'
export { type AndersonOptions, anderson, type FixedPointMap, fixedPoint } from './numeric/optimise/anderson.js'
export { type Assignment, assignment } from './numeric/optimise/assignment.js'
export { type Clustering, type KMeansOptions, kMeans } from './numeric/optimise/k-means.js'
export { type LbfgsOptions, lbfgs } from './numeric/optimise/lbfgs.js'
export {
  type LevenbergMarquardtOptions,
  levenbergMarquardt,
  type SquaresProblem,
} from './numeric/optimise/levenberg-marquardt.js'
export { type MedianPrunerOptions, medianPruner, type Pruner } from './numeric/optimise/median-pruner.js'
export {
  type MtAdam,
  type MtAdamOptions,
  minimiseTerms,
  mtAdam,
  type TermsObjective,
} from './numeric/optimise/mtadam.js'
export {
  type FirstOrder,
  type Method,
  type Minimum,
  minimise,
  type Objective,
  projected,
  type Stop,
} from './numeric/optimise/optimiser.js'
export { randomSampler, type Sampler, type TpeOptions, tpeSampler } from './numeric/optimise/samplers.js'
export { choice, integerRange, logRange, range, type Setting, type Space } from './numeric/optimise/search-space.js'
export { type SgdOptions, sgd } from './numeric/optimise/sgd.js'
export { type Study, type StudyOptions, study, type Trial } from './numeric/optimise/study.js'
export type { FinishedTrial } from './numeric/optimise/trial.js'
export { type Rng, rng } from './numeric/random/rng.js'
export { type BetaShape, incompleteBeta, incompleteBetaQuantile } from './numeric/special/beta.js'
export { type BinomialTrials, binomialInterval } from './numeric/special/binomial-interval.js'
export { erf, erfc, logErfc } from './numeric/special/erf.js'
export { gammaSign, logBinomial, logGamma } from './numeric/special/gamma.js'
export { logAddExp, logSumExp } from './numeric/special/log-sum-exp.js'
export { type NormalShape, normalCdf, normalLogCdf, normalLogPdf, normalPdf } from './numeric/special/normal.js'
export { normalQuantile } from './numeric/special/normal-quantile.js'
export { type Overlap, overlapOfNormals, type TwoNormals } from './numeric/special/overlap-of-normals.js'
export * as scalar from './numeric/special/scalar.js'
export { type Paper, papers } from './papers.js'
export { type Param, type Params, readParams, type ValuesOf } from './params.js'
export { type HeldOut, holdOut } from './partition/hold-out.js'
export { dealRows, partitions } from './partition/index.js'
export type { Deal, PartitionEntry, PartitionInput } from './partition/partition-entry.js'
export { type Granted, grant, type Sources } from './threat/grant.js'
export type {
  Aggregate,
  Channel,
  EncodedRecords,
  Exchange,
  Grant,
  Knowledge,
  Participation,
  Series,
  View,
} from './threat/knowledge.js'
export { type Observer, type ObserverName, observers } from './threat/observers.js'
export type { RawTable, Table as EncodedTable, TableOptions, TableSpec } from './transcript/encoded-table.js'
export {
  type KnowledgeFile,
  knowledgeJsonSchema,
  openKnowledge,
  type Sensitive as SensitiveKnowledge,
} from './transcript/knowledge-file.js'
export {
  type Manifest,
  type ManifestInput,
  type ModelManifest,
  manifestJsonSchema,
  type ParameterShape,
  type ParametersOf,
  type Protocol,
  parseManifest,
  type RecordedFor,
} from './transcript/manifest.js'
export { type OpenOptions, openTranscript, type Transcript } from './transcript/read-transcript.js'
export type { Clients, RoundEntry } from './transcript/round-list.js'
export type { Round, RoundContents, RoundOptions, Update } from './transcript/round-messages.js'
export {
  decodeTensor,
  encode as encodeSafetensors,
  type FloatType,
  parseHeader as parseSafetensorsHeader,
  readHeader as readSafetensorsHeader,
  readTensor,
  type SafetensorsHeader,
  type TensorInfo,
  type TensorToWrite,
} from './transcript/safetensors.js'
export { type ByteSource, bytesSource, type FileStore, memoryStore } from './transcript/store.js'
export { openTruth, type Truth, truthJsonSchema } from './transcript/truth-file.js'
export {
  type KnowledgeToWrite,
  type KnowledgeWriteOptions,
  type SensitiveToWrite,
  writeKnowledge,
} from './transcript/write-knowledge.js'
export type { TableToWrite, TableWriteOptions } from './transcript/write-table.js'
export {
  openWriter,
  type RoundToWrite,
  type TranscriptWriter,
  type WritableStore,
  type WriterOptions,
} from './transcript/write-transcript.js'
export { type TruthToWrite, writeTruth } from './transcript/write-truth.js'
