/** Logistic regression: one affine map and a sigmoid, for a label that is 0 or 1. */
import { biasParam, denseNetwork, type FlatOptions, flat } from './dense-network.js'
import type { Model } from './model.js'
import { defineModel } from './model-entry.js'

export function logistic(options: Omit<FlatOptions, 'outputs'> & { readonly outputs?: number }): Model {
  const head = { outputActivation: 'sigmoid', defaultLoss: 'binary-cross-entropy' } as const
  return denseNetwork('logistic', flat({ outputs: 1, ...options }), head)
}

export const logisticEntry = defineModel({
  id: 'logistic',
  title: 'one affine map and a sigmoid, for a label of two classes',
  params: { bias: biasParam },
  takes: { inputs: 'count', outputs: 1 },
  sizes: ({ inputs, classes }) => {
    if (classes === 2) return { inputs, outputs: 1 }
    return { refused: `which has ${classes ?? 'no'} classes`, hint: 'it needs two; take linear, softmax or mlp' }
  },
  create: logistic,
})
