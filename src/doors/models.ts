/** `overhear/models`: models over a flat theta, their compiled functions, and training on data in kernel memory. */

export { digestOf, type FingerprintOptions, fingerprintTraining } from '../models/fingerprint.js'
export {
  type Batch,
  type FunctionsOptions,
  functionsOf,
  type ModelFunctions,
  type Traced,
} from '../models/functions.js'
export { createModel, type ModelSpec, models, parametersOf } from '../models/index.js'
export { initialise, initialisers } from '../models/initialise.js'
export { type LenetDlgOptions, type LenetMnistOptions, lenetCifar, lenetDlg, lenetMnist } from '../models/lenet.js'
export { linear, logistic, type MlpOptions, mlp, softmaxRegression } from '../models/mlp.js'
export { type Loss, type Model, type Parameter, parameterCount } from '../models/model.js'
export { type Held, type Trainer, type TrainerOptions, trainer } from '../models/trainer.js'
