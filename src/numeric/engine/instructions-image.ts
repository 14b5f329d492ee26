/** Kernel calls of the operations on images, and their fusions: a bias added where it is computed, a pool's winners alone. */
import { type Convolution, type Node, type Op, sizeOf } from './graph.js'
import type { Instruction, Link } from './instruction.js'
import { outputSize, poolSize } from './trace-image.js'

type ImageOp = 'conv' | 'convInput' | 'convWeight' | 'poolIndex' | 'pick' | 'place' | 'repeatCols' | 'sumGroups'

function call(n: Node, bind: (link: Link) => () => void, more: Partial<Instruction> = {}): Instruction {
  return { title: n.op, out: n, reads: n.inputs, inPlace: [], ...more, bind }
}

const paddedImage = (g: Convolution): number =>
  g.padding === 0 ? 0 : g.channels * (g.height + 2 * g.padding) * (g.width + 2 * g.padding)

/** The patches of one image and, if it is padded, the image. */
const patchElements = (g: Convolution): number =>
  g.channels * g.kernel * g.kernel * outputSize(g).height * outputSize(g).width + paddedImage(g)

/** A convolution's sizes in the order the kernels take them. */
function geometry(rows: number, g: Convolution): readonly number[] {
  const { height: OH, width: OW } = outputSize(g)
  return [rows, g.channels, g.height, g.width, g.filters, g.kernel, g.stride, g.padding, OH, OW]
}

/** What `conv` needs: a block's filters and taps, a bias, padded images; or the patches of one image (wasm/convolve.ts). */
function convScratch(rows: number, g: Convolution): number {
  return Math.max(patchElements(g), 18 * g.channels * g.kernel * g.kernel + g.filters + rows * paddedImage(g))
}

function convolution(n: Node<'conv'>, out: Node, bias?: Node): Instruction {
  const [x, w] = n.inputs as readonly [Node, Node]
  const relu = out.op === 'relu' ? 1 : 0
  return {
    title: `conv${bias === undefined ? '' : '+bias'}${relu ? '+relu' : ''}`,
    out,
    reads: bias === undefined ? [x, w] : [x, w, bias],
    inPlace: [],
    scratch: convScratch(x.rows, n.attrs),
    bind: ({ kernels, at, scratch }) => {
      const [to, image, filters, b] = [at(out), at(x), at(w), bias === undefined ? 0 : at(bias)]
      const sizes = [...geometry(x.rows, n.attrs), scratch]
      return () => kernels.conv(to, image, filters, b, relu, ...sizes)
    },
  }
}

/** The same seen from the other side: the cotangent is the image, and the turned filters stand before the rest. */
function turnedScratch(rows: number, g: Convolution): number {
  const { height, width } = outputSize(g)
  const { channels: filters, filters: channels, kernel } = g
  const padding = Math.max(0, kernel - 1 - g.padding)
  const turned = channels * filters * kernel * kernel + 4
  return turned + convScratch(rows, { channels, filters, height, width, kernel, stride: 1, padding }) + patchElements(g)
}

function transposed(name: 'convInput' | 'convWeight') {
  return (n: Node<'convInput' | 'convWeight'>): Instruction => {
    const bind = ({ kernels, at, scratch }: Link): (() => void) => {
      const [to, a, b] = [at(n), at(n.inputs[0]!), at(n.inputs[1]!)]
      const sizes = [...geometry(n.inputs[0]!.rows, n.attrs), scratch]
      const kernel = kernels[name]
      return () => kernel(to, a, b, ...sizes)
    }
    return call(n, bind, {
      scratch: name === 'convInput' ? turnedScratch(n.inputs[0]!.rows, n.attrs) : patchElements(n.attrs),
    })
  }
}

export const imageInstructions: { readonly [K in ImageOp]: (n: Node<K>) => Instruction } = {
  conv: (n) => convolution(n, n),
  convInput: transposed('convInput'),
  convWeight: transposed('convWeight'),
  poolIndex: (n) =>
    call(n, ({ kernels, at }) => {
      const { channels, height, width, size, stride } = n.attrs
      const { height: OH, width: OW } = poolSize(n.attrs)
      const [to, x, rows] = [at(n), at(n.inputs[0]!), n.rows]
      return () => kernels.poolIndex(to, x, rows, channels, height, width, size, stride, OH, OW)
    }),
  pick: (n) =>
    call(n, ({ kernels, at }) => {
      const [to, from, index] = [at(n), at(n.inputs[0]!), at(n.inputs[1]!)]
      const { rows, cols } = n
      const fromCols = n.inputs[0]!.cols
      return () => kernels.pick(to, from, index, rows, cols, fromCols)
    }),
  place: (n) =>
    call(n, ({ kernels, at }) => {
      const [to, from, index] = [at(n), at(n.inputs[0]!), at(n.inputs[1]!)]
      const { rows, cols } = n.inputs[0]!
      return () => kernels.place(to, from, index, rows, cols, n.cols)
    }),
  repeatCols: (n) =>
    call(n, ({ kernels, at }) => {
      const [to, from, count, times] = [at(n), at(n.inputs[0]!), sizeOf(n.inputs[0]!), n.attrs.times]
      return () => kernels.repeatEach(to, from, count, times)
    }),
  sumGroups: (n) =>
    call(n, ({ kernels, at }) => {
      const [to, from, groups, size] = [at(n), at(n.inputs[0]!), sizeOf(n), n.attrs.size]
      return () => kernels.sumCols(to, from, groups, size)
    }),
}

interface Fused {
  readonly instruction: Instruction
  readonly absorbs: readonly Node[]
}

/** conv + channel bias (+ relu); the transposes of a convolution applied to a pool's winners. */
export function fuseImage(n: Node<Op>, alone: (n: Node) => boolean): Fused | undefined {
  if (n.op === 'add' || n.op === 'relu') {
    const sum = n.op === 'relu' ? n.inputs[0]! : n
    if (sum.op !== 'add' || (n !== sum && !alone(sum))) return undefined
    const [z, b] = sum.inputs as readonly [Node, Node]
    const repeated = b.op === 'broadcast' ? b.inputs[0]! : b
    if (z.op !== 'conv' || !alone(z) || repeated.op !== 'repeatCols' || repeated.rows !== 1) return undefined
    const bias = repeated.inputs[0]!
    if (bias.cols !== z.attrs.filters) return undefined
    return { instruction: convolution(z, n, bias), absorbs: n === sum ? [z] : [z, sum] }
  }
  if (n.op !== 'convWeight' && n.op !== 'convInput') return undefined
  const cotangent = n.op === 'convWeight' ? n.inputs[1]! : n.inputs[0]!
  const plain = n.attrs.stride === 1 && n.attrs.padding === 0
  // The kernels count on a pool's order: the winners of a filter side by side, as many for each.
  const pooled = cotangent.op === 'place' && cotangent.inputs[1]!.op === 'poolIndex'
  return pooled && plain ? { instruction: atWinners(n, cotangent), absorbs: [] } : undefined
}

function atWinners(n: Node<'convWeight' | 'convInput'>, placed: Node): Instruction {
  const [c, index] = placed.inputs as readonly [Node, Node]
  const other = n.op === 'convWeight' ? n.inputs[0]! : n.inputs[1]!
  const { channels, height, width, filters, kernel } = n.attrs
  const { height: OH, width: OW } = outputSize(n.attrs)
  const sizes = [c.rows, c.cols, channels, height, width, filters, kernel, OH, OW]
  return {
    title: `${n.op}+winners`,
    out: n,
    reads: [c, index, other],
    inPlace: [],
    scratch: winnersScratch(n, c.cols),
    bind: ({ kernels, at, scratch }) => {
      const [to, values, where, o] = [at(n), at(c), at(index), at(other)]
      if (n.op === 'convWeight') return () => kernels.convWeightAt(to, o, values, where, ...sizes, scratch)
      return () => kernels.convInputAt(to, values, where, o, ...sizes, scratch)
    },
  }
}

/** Elements that the kernels of wasm/winners.ts ask for, each with room to be rounded up. */
function winnersScratch({ op, attrs: g }: Node<'convWeight' | 'convInput'>, winners: number): number {
  const { height, width } = outputSize(g)
  const room = height * width + (4 * winners) / g.filters + 64 // positions, the list of winners, what alignment takes
  const pixels = g.height * g.width
  const taps = g.kernel * g.kernel
  if (op === 'convInput') return room + (g.channels + 3) * (pixels + (g.filters + 1) * taps)
  const sums = g.kernel * (g.kernel * g.channels + 16) + 32 // rows in whole pieces, in whole blocks
  return room + g.channels * pixels + (g.filters + 1) * sums
}
