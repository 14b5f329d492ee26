/** Softmax regression: one affine map and a softmax over classes. */
import { biasParam, denseNetwork, type FlatOptions, flat } from './dense-network.js'
import type { Model } from './model.js'
import { defineModel } from './model-entry.js'

export function softmaxRegression(options: FlatOptions): Model {
  return denseNetwork('softmax', flat(options), { outputActivation: 'softmax', defaultLoss: 'cross-entropy' })
}

export const softmaxEntry = defineModel({
  id: 'softmax',
  title: 'one affine map and a softmax over classes',
  params: { bias: biasParam },
  takes: { inputs: 'count', outputs: 'count' },
  sizes: ({ inputs, classes }) => {
    if (classes === undefined) return { refused: 'which has no classes', hint: 'take linear or mlp' }
    return { inputs, outputs: classes }
  },
  create: softmaxRegression,
})
