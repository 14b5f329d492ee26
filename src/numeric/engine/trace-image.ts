/** Operations on images: a batch is [n, channels * height * width], channel by channel, row by row, as PyTorch flattens. */
import { OverhearError } from '../../errors.js'
import { type Convolution, type Node, node, type Pooling, sameShape, shapeText } from './graph.js'
import { add, fill, gatherCols, scale, sumRows } from './trace.js'

/** Height and width of a convolution's or a pool's output. */
export function outputSize(g: Convolution): { readonly height: number; readonly width: number } {
  const side = (n: number): number => Math.floor((n + 2 * g.padding - g.kernel) / g.stride) + 1
  return { height: side(g.height), width: side(g.width) }
}

export function poolSize({ height, width, size, stride }: Pooling): {
  readonly height: number
  readonly width: number
} {
  return { height: Math.floor((height - size) / stride) + 1, width: Math.floor((width - size) / stride) + 1 }
}

const imageCols = (g: Convolution): number => g.channels * g.height * g.width
const weightCols = (g: Convolution): number => g.channels * g.kernel * g.kernel
const outputCols = (g: Convolution): number => g.filters * outputSize(g).height * outputSize(g).width
const isZero = (n: Node): boolean => n.op === 'fill' && n.attrs.value === 0

function check(op: string, g: Convolution, found: readonly (readonly [name: string, n: Node, cols: number])[]): void {
  const { height, width } = outputSize(g)
  if (height < 1 || width < 1 || g.stride < 1 || g.padding < 0) {
    throw new OverhearError(
      'E_SHAPE',
      `${op}: ${JSON.stringify(g)} has no output`,
      'the kernel must fit the padded image',
    )
  }
  for (const [name, n, cols] of found) {
    if (n.cols !== cols)
      throw new OverhearError('E_SHAPE', `${op}: ${name} is ${shapeText(n)}`, `it needs ${cols} columns`)
  }
}

/** The cross-correlation of images x [n, C H W] with filters w [F, C K K], as PyTorch's conv2d: [n, F OH OW]. */
export function conv(x: Node, w: Node, g: Convolution): Node {
  check('conv', g, [['image', x, imageCols(g)], ['filter', w, weightCols(g)]]) // biome-ignore format: one line
  const shape = { rows: x.rows, cols: outputCols(g) }
  return isZero(x) || isZero(w) ? fill(0, shape) : node('conv', g, [x, w], shape)
}

/** Its transpose in the images: from c [n, F OH OW] and w back to [n, C H W]. */
export function convInput(c: Node, w: Node, g: Convolution): Node {
  check('convInput', g, [['cotangent', c, outputCols(g)], ['filter', w, weightCols(g)]]) // biome-ignore format: one line
  const shape = { rows: c.rows, cols: imageCols(g) }
  return isZero(c) || isZero(w) ? fill(0, shape) : node('convInput', g, [c, w], shape)
}

/** Its transpose in the filters: from x and c back to [F, C K K], summed over the batch. */
export function convWeight(x: Node, c: Node, g: Convolution): Node {
  check('convWeight', g, [['image', x, imageCols(g)], ['cotangent', c, outputCols(g)]]) // biome-ignore format: one line
  const shape = { rows: g.filters, cols: weightCols(g) }
  return isZero(x) || isZero(c) ? fill(0, shape) : node('convWeight', g, [x, c], shape)
}

/** Adds one bias a filter to a convolution's output. */
export function addChannelBias(z: Node, bias: Node): Node {
  return add(z, repeatCols(bias, z.cols / bias.cols))
}

/** The largest value of each window; its derivative flows to the first largest. */
export function maxPool(x: Node, pooling: Pooling): Node {
  const { height, width } = poolSize(pooling)
  if (x.cols !== pooling.channels * pooling.height * pooling.width || height < 1 || width < 1) {
    throw new OverhearError(
      'E_SHAPE',
      `maxPool: ${JSON.stringify(pooling)} of ${shapeText(x)}`,
      'windows must fit the image',
    )
  }
  const shape = { rows: x.rows, cols: pooling.channels * height * width }
  return pick(x, node('poolIndex', pooling, [x], shape))
}

/** The mean of each window: a gather and a sum of neighbours. */
export function averagePool(x: Node, pooling: Pooling): Node {
  const { channels, height: H, width: W, size, stride } = pooling
  const { height, width } = poolSize(pooling)
  const index: number[] = []
  for (let c = 0; c < channels; c++) {
    for (let i = 0; i < height; i++) {
      for (let j = 0; j < width; j++) {
        for (let k = 0; k < size * size; k++) {
          index.push((c * H + i * stride + Math.floor(k / size)) * W + j * stride + (k % size))
        }
      }
    }
  }
  return scale(sumGroups(gatherCols(x, index), size * size), 1 / (size * size))
}

/** out[i, j] = a[i, index[i, j]]; the index is a node of whole numbers. */
export function pick(a: Node, index: Node): Node {
  if (a.rows !== index.rows) throw new OverhearError('E_SHAPE', `pick: ${shapeText(a)} by ${shapeText(index)}`)
  return a.op === 'fill' ? fill(a.attrs.value, index) : node('pick', {}, [a, index], index)
}

/** A matrix of `cols` columns, zero but for out[i, index[i, j]], to which a[i, j] is added. */
export function place(a: Node, index: Node, cols: number): Node {
  if (!sameShape(a, index)) throw new OverhearError('E_SHAPE', `place: ${shapeText(a)} by ${shapeText(index)}`)
  const shape = { rows: a.rows, cols }
  return isZero(a) ? fill(0, shape) : node('place', {}, [a, index], shape)
}

export function repeatCols(a: Node, times: number): Node {
  const shape = { rows: a.rows, cols: a.cols * times }
  if (times === 1) return a
  return a.op === 'fill' ? fill(a.attrs.value, shape) : node('repeatCols', { times }, [a], shape)
}

export function sumGroups(a: Node, size: number): Node {
  if (!Number.isInteger(a.cols / size)) throw new OverhearError('E_SHAPE', `sumGroups of ${size} over ${shapeText(a)}`)
  const shape = { rows: a.rows, cols: a.cols / size }
  if (size === 1) return a
  // A pool's windows stay within their channel: the sum over a channel is the sum of what was placed there.
  const placed = a.op === 'sumRows' ? a.inputs[0]! : a
  const index = placed.op === 'place' ? placed.inputs[1]! : undefined
  if (index?.op === 'poolIndex' && size === index.attrs.height * index.attrs.width) {
    const c = placed.inputs[0]!
    return sumGroups(a.op === 'sumRows' ? sumRows(c) : c, c.cols / index.attrs.channels)
  }
  return a.op === 'fill' ? fill(a.attrs.value * size, shape) : node('sumGroups', { size }, [a], shape)
}
