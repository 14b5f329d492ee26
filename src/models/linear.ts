/** The linear model: one affine map, squared error. */
import { biasParam, denseNetwork, type FlatOptions, flat } from './dense-network.js'
import type { Model } from './model.js'
import { defineModel, denseSizes } from './model-entry.js'

export function linear(options: FlatOptions): Model {
  return denseNetwork('linear', flat(options), { outputActivation: 'identity', defaultLoss: 'mse' })
}

export const linearEntry = defineModel({
  id: 'linear',
  title: 'one affine map, squared error',
  params: { bias: biasParam },
  takes: { inputs: 'count', outputs: 'count' },
  sizes: denseSizes,
  create: linear,
})
