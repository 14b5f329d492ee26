/** A LeNet for 3 x 32 x 32 pictures: two convolutions and three dense layers. */
import * as t from '../numeric/engine/trace.js'
import * as image from '../numeric/engine/trace-image.js'
import { classifier, convParameters, denseParameters, fixedSizes, head, layersOf } from './image-layers.js'
import type { Model, Picture } from './model.js'
import { defineModel } from './model-entry.js'

const picture: Picture = [3, 32, 32]

/** conv 5x5 (6), relu, pool, conv 5x5 (16), relu, pool, dense 120, 84, 10; 3 x 32 x 32 images: 62,006 parameters. */
export function lenetCifar({ outputs = 10 }: { readonly outputs?: number } = {}): Model {
  const conv1 = { name: 'conv1', channels: 3, filters: 6, kernel: 5 }
  const conv2 = { name: 'conv2', channels: 6, filters: 16, kernel: 5 }
  const fc1 = { name: 'fc1', inputs: 400, outputs: 120 }
  const fc2 = { name: 'fc2', inputs: 120, outputs: 84 }
  const fc3 = { name: 'fc3', inputs: 84, outputs }
  const dense = [fc1, fc2, fc3].flatMap(denseParameters)
  return {
    kind: 'lenet-cifar',
    inputs: 3072,
    picture,
    outputs,
    ...classifier,
    parameters: [...convParameters(conv1), ...convParameters(conv2), ...dense],
    trace(theta, X) {
      const layer = layersOf(theta)
      const flat = { stride: 1, padding: 0 }
      const z1 = t.relu(layer.conv(X, conv1, { height: 32, width: 32, ...flat }))
      const a1 = image.maxPool(z1, { channels: 6, height: 28, width: 28, size: 2, stride: 2 })
      const z2 = t.relu(layer.conv(a1, conv2, { height: 14, width: 14, ...flat }))
      const a2 = image.maxPool(z2, { channels: 16, height: 10, width: 10, size: 2, stride: 2 })
      const a4 = t.relu(layer.dense(t.relu(layer.dense(a2, fc1)), fc2))
      return head(a4, layer.dense(a4, fc3))
    },
  }
}

export const lenetCifarEntry = defineModel({
  id: 'lenet-cifar',
  title: 'two convolutions and three dense layers for 3 x 32 x 32 images',
  params: {},
  takes: { inputs: 'known', outputs: 10 },
  sizes: fixedSizes(picture),
  create: lenetCifar,
})
