/** The public door: the only barrel, imported by outsiders only. */

export type { Attack, Claimed, Context, NotApplicable, Outcome } from './attacks/attack.js'
export type * from './attacks/claim.js'
export { byDisaggregation } from './attacks/disaggregation.js'
export { attacks } from './attacks/index.js'
export { trainDetector } from './attacks/properties/detector.js'
export { byBlup, byOls, byPosterior, byProlin, byReg } from './attacks/properties/estimators.js'
export { firstRounds } from './attacks/properties/expected-features.js'
export { type FeatureSums, featureSums } from './attacks/properties/features.js'
export { type Sums, sumsOf } from './attacks/properties/sums.js'
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
export type { Sensitive } from './data/decode.js'
export { decode, inWords, sensitiveOf } from './data/decode.js'
export type { DatasetEntry, FileReader, FileSpec, LoadContext } from './data/definition.js'
export { type Encoder, encodeDense, encodeSparse, fitEncoder, outputNames, type Rule } from './data/encoder.js'
export { datasets, loadDataset } from './data/index.js'
export type { Records } from './data/records.js'
export { type Column, numberColumn, type Table, tableOf, wordColumn } from './data/table.js'
export { type ToyOptions, toyLeastSquares } from './data/toy-least-squares.js'
export { createDefence, type DefenceSpec, defences } from './defences/index.js'
export { everyPair, regularGraph } from './defences/secure-aggregation/graph.js'
export { type Primitives, webCrypto } from './defences/secure-aggregation/primitives.js'
export { type SecureSum, type SecureSumOptions, secureSum } from './defences/secure-aggregation/run.js'
export { secureSeat } from './defences/secure-aggregation/seat.js'
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
export type { LocalPlan, Share, Shuffle } from './federation/local-rule.js'
export { localRules } from './federation/local-rules.js'
export { type Listener, type ManifestOptions, type ManifestToWrite, manifestFor } from './federation/manifest-for.js'
export { misbehaviours } from './federation/misbehaviours.js'
export {
  type ClientPool,
  type ClientsSpec,
  inlinePool,
  type PoolOptions,
} from './federation/pool.js'
export { heldPopulation, type Population, type PopulationSpec, population } from './federation/population.js'
export { type RecordOptions, recordFederation } from './federation/record.js'
export { samplings } from './federation/samplings.js'
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
export { type AdamOptions, adam } from './numeric/adam.js'
export { type AndersonOptions, anderson, type FixedPointMap, fixedPoint } from './numeric/anderson.js'
export { type Assignment, assignment } from './numeric/assignment.js'
export { type BetaShape, incompleteBeta, incompleteBetaQuantile } from './numeric/beta.js'
export { type BinomialTrials, binomialInterval } from './numeric/binomial-interval.js'
export { cholesky, choleskySolve, lowerInverse } from './numeric/cholesky.js'
export {
  type BatchShape,
  conditionNumber,
  conditionNumbers,
  estimateCondition,
  trustedDigits,
} from './numeric/condition.js'
export {
  type ConjugateGradientOptions,
  type ConjugateGradientResult,
  conjugateGradient,
} from './numeric/conjugate-gradient.js'
export { gradient, pullback, pushforward } from './numeric/derive.js'
export { type SymmetricEigen, symmetricEigen } from './numeric/eigen.js'
export { erf, erfc, logErfc } from './numeric/erf.js'
export { gammaSign, logBinomial, logGamma } from './numeric/gamma.js'
export { type Clipped, clippedGradient } from './numeric/ghost.js'
export type { Node, Shape } from './numeric/graph.js'
export { type Clustering, type KMeansOptions, kMeans } from './numeric/k-means.js'
export { kernelHash } from './numeric/kernel-bytes.js'
export type { Precision } from './numeric/kernels.js'
export { type LbfgsOptions, lbfgs } from './numeric/lbfgs.js'
export { type LeastSquaresResult, leastSquares } from './numeric/least-squares.js'
export {
  type LevenbergMarquardtOptions,
  levenbergMarquardt,
  type SquaresProblem,
} from './numeric/levenberg-marquardt.js'
export { logAddExp, logSumExp } from './numeric/log-sum-exp.js'
export { type LsqrOptions, type LsqrResult, lsqr } from './numeric/lsqr.js'
export { determinant, type Lu, lu, solve } from './numeric/lu.js'
export { identity, type Matrix, matrix, matrixOf, multiply, transpose } from './numeric/matrix.js'
export { type MedianPrunerOptions, medianPruner, type Pruner } from './numeric/median-pruner.js'
export { type MtAdam, type MtAdamOptions, minimiseTerms, mtAdam, type TermsObjective } from './numeric/mtadam.js'
export { type NonNegativeSolution, nnls } from './numeric/nnls.js'
export { type NormalShape, normalCdf, normalLogCdf, normalLogPdf, normalPdf } from './numeric/normal.js'
export { normalQuantile } from './numeric/normal-quantile.js'
export {
  type FirstOrder,
  type Method,
  type Minimum,
  minimise,
  type Objective,
  projected,
  type Stop,
} from './numeric/optimiser.js'
export { type Overlap, overlapOfNormals, type TwoNormals } from './numeric/overlap-of-normals.js'
export { compile, type Program, type ProgramOptions } from './numeric/program.js'
export { type PseudoInverse, pseudoInverse } from './numeric/pseudo-inverse.js'
export { leastSquaresQr, type PivotedQr, qr, qrPivoted } from './numeric/qr.js'
export { type RidgeOptions, type RidgeResult, ridge } from './numeric/ridge.js'
export { type Rng, rng } from './numeric/rng.js'
export { randomSampler, type Sampler, type TpeOptions, tpeSampler } from './numeric/samplers.js'
export * as scalar from './numeric/scalar.js'
export { choice, integerRange, logRange, range, type Setting, type Space } from './numeric/search-space.js'
export { type SgdOptions, sgd } from './numeric/sgd.js'
export {
  type SimplexOptions,
  type SimplexSolution,
  simplexLeastSquares,
} from './numeric/simplex-least-squares.js'
export {
  type LinearOperator,
  operatorOf,
  type SparseMatrix,
  sparseFromDense,
  sparseFromTriplets,
  sparseMultiply,
  sparseMultiplyTransposed,
  type Triplet,
} from './numeric/sparse.js'
export { type Study, type StudyOptions, study, type Trial } from './numeric/study.js'
export { type Svd, singularValues, svd } from './numeric/svd.js'
export {
  type DiagonalProblem,
  diagonalise,
  type TikhonovPoint,
  tikhonovBetas,
  tikhonovCurve,
  tikhonovSolution,
  tikhonovSolutions,
} from './numeric/tikhonov.js'
export { cornerOfLCurve, leastCrossValidation, smallestBetaWithSlope } from './numeric/tikhonov-choice.js'
export { type TotalLeastSquares, totalLeastSquares } from './numeric/total-least-squares.js'
export * as trace from './numeric/trace.js'
export * as traceImage from './numeric/trace-image.js'
export type { FinishedTrial } from './numeric/trial.js'
export { type TruncatedSvd, truncatedSvd } from './numeric/truncated-svd.js'
export { type DiagonalPlusLowRank, woodburySolve } from './numeric/woodbury.js'
export { type Paper, papers } from './papers.js'
export { type Param, type Params, readParams, type ValuesOf } from './params.js'
export type { Deal, PartitionEntry, PartitionInput } from './partition/definition.js'
export { type HeldOut, holdOut } from './partition/hold-out.js'
export { dealRows, partitions } from './partition/index.js'
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
export {
  type KnowledgeFile,
  knowledgeJsonSchema,
  openKnowledge,
  type Sensitive as SensitiveKnowledge,
} from './transcript/knowledge.js'
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
export type { Round, RoundContents, RoundOptions, Update } from './transcript/messages.js'
export { type OpenOptions, openTranscript, type Transcript } from './transcript/reader.js'
export type { Clients, RoundEntry } from './transcript/rounds.js'
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
export type { RawTable, Table as EncodedTable, TableOptions, TableSpec } from './transcript/table.js'
export { openTruth, type Truth, truthJsonSchema } from './transcript/truth.js'
export {
  type KnowledgeToWrite,
  type KnowledgeWriteOptions,
  type SensitiveToWrite,
  writeKnowledge,
} from './transcript/write-knowledge.js'
export type { TableToWrite, TableWriteOptions } from './transcript/write-table.js'
export { type TruthToWrite, writeTruth } from './transcript/write-truth.js'
export {
  openWriter,
  type RoundToWrite,
  type TranscriptWriter,
  type WritableStore,
  type WriterOptions,
} from './transcript/writer.js'
