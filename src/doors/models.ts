/** `overhear/models`: models over a flat theta, their compiled functions, and training on data in kernel memory. */

export { compressions } from '../models/compressions/index.js'
export { digestOf, type FingerprintOptions, fingerprintTraining } from '../models/fingerprint.js'
export {
  type Batch,
  type FunctionsOptions,
  functionsOf,
  type ModelFunctions,
  type Traced,
} from '../models/functions.js'
export { createModel, type ModelSpec, models, parametersOf, type RecordedSpec, recordedModel } from '../models/index.js'
export { initialise, initialisers } from '../models/initialise.js'
export { lenetCifar } from '../models/lenet-cifar.js'
export { type LenetDlgOptions, lenetDlg } from '../models/lenet-dlg.js'
export { type LenetMnistOptions, lenetMnist } from '../models/lenet-mnist.js'
export { linear } from '../models/linear.js'
export { logistic } from '../models/logistic.js'
export { type MlpOptions, mlp } from '../models/mlp.js'
export { type Layers, type Loss, type Model, type Parameter, type Picture, parameterCount } from '../models/model.js'
export { type DataSizes, defineModel, type ModelEntry, type Refusal, type Takes } from '../models/model-entry.js'
export { optimizers } from '../models/optimizers/index.js'
export { schedules } from '../models/schedules/index.js'
export { softmaxRegression } from '../models/softmax.js'
export { type Held, type Trainer, type TrainerOptions, trainer } from '../models/trainer.js'
