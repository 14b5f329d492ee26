/** Small convolutional networks over images flattened channel by channel: those of the papers, in PyTorch's layout. */
import { OverhearError } from '../errors.js'
import { type Node, sizeOf } from '../numeric/engine/graph.js'
import * as t from '../numeric/engine/trace.js'
import * as image from '../numeric/engine/trace-image.js'
import type { Layers, Model, Parameter, TraceOptions } from './model.js'

interface Conv {
  readonly name: string
  readonly channels: number
  readonly filters: number
  readonly kernel: number
}
interface Dense {
  readonly name: string
  readonly inputs: number
  readonly outputs: number
}

const convParameters = ({ name, channels, filters, kernel }: Conv): Parameter[] => {
  const [fanIn, fanOut] = [channels * kernel * kernel, filters * kernel * kernel]
  return [
    { name: `${name}.weight`, shape: [filters, channels, kernel, kernel], fanIn, fanOut, role: 'weight' },
    { name: `${name}.bias`, shape: [filters], fanIn, fanOut, role: 'bias' },
  ]
}
const denseParameters = ({ name, inputs: fanIn, outputs: fanOut }: Dense): Parameter[] => [
  { name: `${name}.weight`, shape: [fanOut, fanIn], fanIn, fanOut, role: 'weight' },
  { name: `${name}.bias`, shape: [fanOut], fanIn, fanOut, role: 'bias' },
]

/** Hands out consecutive pieces of theta. */
function reader(theta: Node) {
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

const classifier = { outputActivation: 'softmax', defaultLoss: 'cross-entropy' } as const
const head = (penultimate: Node, logit: Node): Layers => ({
  penultimate,
  logit,
  output: t.named('prediction', t.softmax(logit)),
})

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
    outputs,
    ...classifier,
    ...(dropout > 0 ? { dropout: { rate: dropout, units: 50 } } : {}),
    parameters: [...convParameters(conv1), ...convParameters(conv2), ...denseParameters(fc1), ...denseParameters(fc2)],
    trace(theta, X, { mask }: TraceOptions = {}) {
      const layer = reader(theta)
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
    outputs,
    ...classifier,
    parameters: [...convParameters(conv1), ...convParameters(conv2), ...dense],
    trace(theta, X) {
      const layer = reader(theta)
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

export interface LenetDlgOptions {
  /** Channels, height, width. */
  readonly inputs: readonly [number, number, number]
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
    outputs,
    ...classifier,
    parameters: [...convs.flatMap(convParameters), ...denseParameters(fc)],
    trace(theta, X) {
      const layer = reader(theta)
      let a = X
      for (const [l, stride] of strides.entries()) {
        a = t.sigmoid(layer.conv(a, convs[l]!, { ...sizes[l]!, stride, padding: 2 }))
      }
      return head(a, layer.dense(a, fc))
    },
  }
}
