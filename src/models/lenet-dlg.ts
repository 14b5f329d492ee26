/** The sigmoid network of gradient-matching papers, for pictures of any size. [zhu2019] */
import * as t from '../numeric/engine/trace.js'
import * as image from '../numeric/engine/trace-image.js'
import { classifier, convParameters, denseParameters, head, layersOf, withoutClasses } from './image-layers.js'
import type { Model, Picture } from './model.js'
import { defineModel } from './model-entry.js'

export interface LenetDlgOptions {
  readonly inputs: Picture
  readonly outputs: number
}

/** [zhu2019] Three 5x5 convolutions of 12 channels, padding 2, strides 2, 2, 1, sigmoid, then one dense layer. */
export function lenetDlg({ inputs: [channels, height, width], outputs }: LenetDlgOptions): Model {
  const strides = [2, 2, 1] as const
  const convs = strides.map((_, l) => ({
    name: `conv${l + 1}`,
    channels: l === 0 ? channels : 12,
    filters: 12,
    kernel: 5,
  }))
  const sizes = [{ height, width }]
  for (const [l, stride] of strides.entries()) {
    sizes.push(image.outputSize({ ...convs[l]!, ...sizes[l]!, stride, padding: 2 }))
  }
  const end = sizes[3]!
  const fc = { name: 'fc', inputs: 12 * end.height * end.width, outputs }
  return {
    kind: 'lenet-dlg',
    inputs: channels * height * width,
    picture: [channels, height, width],
    outputs,
    ...classifier,
    parameters: [...convs.flatMap(convParameters), ...denseParameters(fc)],
    trace(theta, X) {
      const layer = layersOf(theta)
      let a = X
      for (const [l, stride] of strides.entries()) {
        a = t.sigmoid(layer.conv(a, convs[l]!, { ...sizes[l]!, stride, padding: 2 }))
      }
      return head(a, layer.dense(a, fc))
    },
  }
}

export const lenetDlgEntry = defineModel({
  id: 'lenet-dlg',
  title: 'the sigmoid network of gradient-matching papers',
  paper: 'zhu2019',
  params: {},
  takes: { inputs: 'picture', outputs: 'count' },
  sizes: ({ picture, classes }) => {
    if (picture === undefined) return { refused: 'which holds no pictures', hint: 'take linear, softmax or mlp' }
    return classes === undefined ? withoutClasses : { inputs: picture, outputs: classes }
  },
  create: lenetDlg,
})
