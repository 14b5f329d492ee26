/** A LeNet for 28 x 28 pictures: two convolutions and two dense layers. */
import { OverhearError } from '../errors.js'
import * as t from '../numeric/engine/trace.js'
import * as image from '../numeric/engine/trace-image.js'
import { number } from '../params.js'
import { classifier, convParameters, denseParameters, fixedSizes, head, layersOf } from './image-layers.js'
import type { Model, Picture, TraceOptions } from './model.js'
import { defineModel } from './model-entry.js'

const picture: Picture = [1, 28, 28]

export interface LenetMnistOptions {
  readonly outputs?: number
  /** Share of the 50 hidden units dropped in training. */
  readonly dropout?: number
}

/** conv 5x5 (10), pool, relu, conv 5x5 (20), pool, relu, dense 50, relu, dense 10; 28 x 28 images: 21,840 parameters. */
export function lenetMnist({ outputs = 10, dropout = 0 }: LenetMnistOptions = {}): Model {
  if (!(dropout >= 0 && dropout < 1))
    throw new OverhearError('E_VALUE', `dropout is ${dropout}`, 'a share from 0 up to 1 is needed')
  const conv1 = { name: 'conv1', channels: 1, filters: 10, kernel: 5 }
  const conv2 = { name: 'conv2', channels: 10, filters: 20, kernel: 5 }
  const fc1 = { name: 'fc1', inputs: 320, outputs: 50 }
  const fc2 = { name: 'fc2', inputs: 50, outputs }
  return {
    kind: 'lenet-mnist',
    inputs: 784,
    picture,
    outputs,
    ...classifier,
    ...(dropout > 0 ? { dropout: { rate: dropout, units: 50 } } : {}),
    parameters: [...convParameters(conv1), ...convParameters(conv2), ...denseParameters(fc1), ...denseParameters(fc2)],
    trace(theta, X, { mask }: TraceOptions = {}) {
      const layer = layersOf(theta)
      const flat = { stride: 1, padding: 0 }
      const z1 = layer.conv(X, conv1, { height: 28, width: 28, ...flat })
      const a1 = t.relu(image.maxPool(z1, { channels: 10, height: 24, width: 24, size: 2, stride: 2 }))
      const z2 = layer.conv(a1, conv2, { height: 12, width: 12, ...flat })
      const a2 = t.relu(image.maxPool(z2, { channels: 20, height: 8, width: 8, size: 2, stride: 2 }))
      const hidden = t.relu(layer.dense(a2, fc1))
      const a3 = mask === undefined ? hidden : t.mul(hidden, mask)
      return head(a3, layer.dense(a3, fc2))
    },
  }
}

export const lenetMnistEntry = defineModel({
  id: 'lenet-mnist',
  title: 'two convolutions and two dense layers for 28 x 28 images',
  params: {
    dropout: number({ default: 0, min: 0, below: 1, doc: 'share of the hidden units dropped in training' }),
  },
  takes: { inputs: 'known', outputs: 10 },
  inTraining: ['dropout'],
  sizes: fixedSizes(picture),
  create: lenetMnist,
})
