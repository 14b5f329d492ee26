/** Fully connected networks with any number of hidden layers. */
import { choice, number, numbers } from '../params.js'
import { biasParam, type DenseOptions, denseNetwork } from './dense-network.js'
import type { Model, OutputActivation } from './model.js'
import { defineModel, denseSizes } from './model-entry.js'

export interface MlpOptions extends DenseOptions {
  readonly outputActivation?: Exclude<OutputActivation, 'softmax'>
}

export function mlp({ outputActivation = 'identity', ...options }: MlpOptions): Model {
  return denseNetwork('mlp', options, { outputActivation, defaultLoss: 'mse' })
}

export const mlpEntry = defineModel({
  id: 'mlp',
  title: 'a fully connected network; hidden gives its layers',
  params: {
    hidden: numbers({ default: [], whole: true, min: 1, doc: 'sizes of the hidden layers' }),
    activation: choice({ default: 'relu', choices: ['relu', 'sigmoid', 'tanh'], doc: 'after each hidden layer' }),
    outputActivation: choice({
      default: 'identity',
      choices: ['identity', 'sigmoid', 'relu', 'tanh', 'softplus'],
      doc: 'at the end; all but identity are for regression',
    }),
    bias: biasParam,
    dropout: number({
      default: 0,
      min: 0,
      below: 1,
      doc: 'share of the units of the last hidden layer dropped in training',
    }),
  },
  takes: { inputs: 'count', outputs: 'count' },
  inTraining: ['dropout'],
  sizes: denseSizes,
  create: mlp,
  shortName: ({ hidden }) => ['mlp', ...hidden].join('-'),
})
