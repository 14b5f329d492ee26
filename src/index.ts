/** The public door: the only barrel, imported by outsiders only. */
export type { Records } from './data/records.js'
export { type ToyOptions, toyLeastSquares } from './data/toy-least-squares.js'
export { type ErrorCode, OverhearError } from './errors.js'
export { type FedAvgOptions, fedAvg } from './federation/fedavg.js'
export { type LocalTraining, localSgd } from './federation/local-sgd.js'
export { type ClientPool, type ClientsSpec, inlinePool, type Turn } from './federation/pool.js'
export { weightedMean } from './federation/weighted-mean.js'
export { digestOf, type FingerprintOptions, fingerprintTraining } from './models/fingerprint.js'
export {
  type Batch,
  type FunctionsOptions,
  functionsOf,
  type ModelFunctions,
  type Traced,
} from './models/functions.js'
export { createModel, type ModelSpec, models } from './models/index.js'
export { initialise, initialisers } from './models/initialise.js'
export { linear, logistic, type MlpOptions, mlp, softmaxRegression } from './models/mlp.js'
export { type Loss, type Model, type Parameter, parameterCount } from './models/model.js'
export { type Trainer, type TrainerOptions, trainer } from './models/trainer.js'
export { gradient, pullback, pushforward } from './numeric/derive.js'
export type { Node, Shape } from './numeric/graph.js'
export { kernelHash } from './numeric/kernel-bytes.js'
export type { Precision } from './numeric/kernels.js'
export { identity, type Matrix, matrix, matrixOf, multiply, transpose } from './numeric/matrix.js'
export { compile, type Program, type ProgramOptions } from './numeric/program.js'
export { type Rng, rng } from './numeric/rng.js'
export * as scalar from './numeric/scalar.js'
export * as trace from './numeric/trace.js'
export { type Paper, papers } from './papers.js'
