/** Convolutions and dense layers over pictures flattened channel by channel, in PyTorch's layout. */
import { type Node, sizeOf } from '../numeric/engine/graph.js'
import * as t from '../numeric/engine/trace.js'
import * as image from '../numeric/engine/trace-image.js'
import type { Layers, Parameter, Picture } from './model.js'
import type { DataSizes, Refusal } from './model-entry.js'

export interface Conv {
  readonly name: string
  readonly channels: number
  readonly filters: number
  readonly kernel: number
}
export interface Dense {
  readonly name: string
  readonly inputs: number
  readonly outputs: number
}

export const convParameters = ({ name, channels, filters, kernel }: Conv): Parameter[] => {
  const [fanIn, fanOut] = [channels * kernel * kernel, filters * kernel * kernel]
  return [
    { name: `${name}.weight`, shape: [filters, channels, kernel, kernel], fanIn, fanOut, role: 'weight' },
    { name: `${name}.bias`, shape: [filters], fanIn, fanOut, role: 'bias' },
  ]
}
export const denseParameters = ({ name, inputs: fanIn, outputs: fanOut }: Dense): Parameter[] => [
  { name: `${name}.weight`, shape: [fanOut, fanIn], fanIn, fanOut, role: 'weight' },
  { name: `${name}.bias`, shape: [fanOut], fanIn, fanOut, role: 'bias' },
]

/** Hands out consecutive pieces of theta. */
export function layersOf(theta: Node) {
  let offset = 0
  const take = (name: string, rows: number, cols: number): Node => {
    const part = t.named(name, t.slice(theta, offset, { rows, cols }))
    offset += sizeOf(part)
    return part
  }
  return {
    conv(x: Node, { name, channels, filters, kernel }: Conv, at: Omit<Place, 'channels'>): Node {
      const w = take(`${name}.weight`, filters, channels * kernel * kernel)
      const z = image.conv(x, w, { channels, filters, kernel, ...at })
      return t.named(name, image.addChannelBias(z, take(`${name}.bias`, 1, filters)))
    },
    dense(a: Node, { name, inputs, outputs }: Dense): Node {
      const z = t.matmul(a, take(`${name}.weight`, outputs, inputs), 'nt')
      return t.named(name, t.add(z, take(`${name}.bias`, 1, outputs)))
    },
  }
}

interface Place {
  readonly channels: number
  readonly height: number
  readonly width: number
  readonly stride: number
  readonly padding: number
}

/** What classifiers of pictures have in common; relu and sigmoid give nothing negative to the last layer. */
export const classifier = {
  outputActivation: 'softmax',
  defaultLoss: 'cross-entropy',
  penultimate: 'positive',
} as const

export const head = (penultimate: Node, logit: Node): Layers => ({
  penultimate,
  logit,
  output: t.named('prediction', t.softmax(logit)),
})

/** For classifiers of pictures of one size: an output for each class. */
export const fixedSizes =
  ([channels, height, width]: Picture) =>
  ({ inputs, classes }: DataSizes): { outputs: number } | Refusal => {
    const noClasses = inputs === channels * height * width && classes === undefined
    return noClasses ? withoutClasses : { outputs: classes ?? 1 }
  }

export const withoutClasses: Refusal = { refused: 'which has no classes', hint: 'take linear or mlp' }
