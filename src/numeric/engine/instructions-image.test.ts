import { describe, expect, test } from 'vitest'
import type { Convolution, Node } from './graph.js'
import { lower } from './lower-graph.js'
import * as t from './trace.js'
import * as image from './trace-image.js'

const g: Convolution = { channels: 2, height: 6, width: 5, filters: 3, kernel: 3, stride: 1, padding: 0 }
const sizes = (c: Convolution, rows = 4) => {
  const { height, width } = image.outputSize(c)
  return {
    x: t.input('x', { rows, cols: c.channels * c.height * c.width }),
    w: t.input('w', { rows: c.filters, cols: c.channels * c.kernel ** 2 }),
    c: t.input('c', { rows, cols: c.filters * height * width }),
    bias: t.input('bias', { rows: 1, cols: c.filters }),
  }
}
const calls = (...outputs: Node[]) => lower(outputs).instructions.map(({ title }) => title)
const scratchOf = (n: Node) => lower([n]).instructions.at(-1)!.scratch

describe('what is fused with a convolution', () => {
  const { x, w, bias } = sizes(g)
  const z = image.conv(x, w, g)
  const sum = image.addChannelBias(z, bias)

  test('a bias for each channel, and a relu after it', () => {
    expect(calls(z)).toEqual(['conv'])
    expect(calls(sum)).toEqual(['conv+bias'])
    expect(calls(t.relu(sum))).toEqual(['conv+bias+relu'])
    const [one] = lower([t.relu(sum)]).instructions
    expect(one!.reads.map(({ label }) => label)).toEqual(['x', 'w', 'bias'])
    expect(lower([z]).instructions[0]!.reads.map(({ label }) => label)).toEqual(['x', 'w'])
  })

  test('not where the convolution or the sum is read besides', () => {
    expect(calls(sum, z)).toEqual(['conv', 'repeatCols', 'add'])
    expect(calls(t.relu(sum), sum)).toEqual(['conv+bias', 'relu'])
    expect(calls(t.relu(sum), z)).toEqual(['conv', 'repeatCols', 'add', 'relu'])
  })

  test('not with anything else that is added, or a bias of another width', () => {
    expect(calls(t.add(z, t.input('other', z)))).toEqual(['conv', 'add'])
    const each = image.repeatCols(t.input('each', { rows: 4, cols: 3 }), 12)
    expect(calls(t.add(z, each))).toEqual(['conv', 'repeatCols', 'add'])
    expect(calls(t.add(z, image.repeatCols(t.input('six', { rows: 1, cols: 6 }), 6)))).toEqual(['conv', 'repeatCols', 'add']) // biome-ignore format: a list
    expect(calls(t.add(t.input('plain', z), image.repeatCols(bias, 12)))).toEqual(['repeatCols', 'add'])
    expect(calls(t.relu(z))).toEqual(['conv', 'relu'])
  })
})

describe('what is fused with the winners of a pool', () => {
  const back = (c: Convolution, by: (placed: Node, index: Node) => Node = (placed) => placed) => {
    const { x, w, c: z } = sizes(c)
    const { height, width } = image.outputSize(c)
    const index = image.maxPool(z, { channels: c.filters, height, width, size: 2, stride: 2 }).inputs[1]!
    const v = t.input('v', index)
    const cotangent = by(image.place(v, index, z.cols), v)
    return [image.convWeight(x, cotangent, c), image.convInput(cotangent, w, c)]
  }
  test('the transposes of a plain convolution', () => {
    expect(calls(...back(g))).toEqual(['poolIndex', 'convWeight+winners', 'convInput+winners'])
    const [weight, input] = back(g).map((n) => lower([n]).instructions.at(-1)!)
    expect(weight!.reads.map(({ op }) => op)).toEqual(['input', 'poolIndex', 'input'])
    expect(weight!.reads[2]!.label).toBe('x')
    expect(input!.reads[2]!.label).toBe('w')
  })
  test('not with strides or padding, nor of what no pool has chosen', () => {
    expect(calls(...back({ ...g, padding: 1 }))).toEqual(['poolIndex', 'place', 'convWeight', 'convInput'])
    expect(calls(...back({ ...g, height: 9, width: 9, stride: 2 }))).toEqual(['poolIndex', 'place', 'convWeight', 'convInput']) // biome-ignore format: a list
    const { x, w, c } = sizes(g)
    expect(calls(image.convWeight(x, c, g), image.convInput(c, w, g))).toEqual(['convWeight', 'convInput'])
    const places = t.input('places', { rows: 4, cols: 12 })
    const placed = image.place(t.input('v', places), places, c.cols)
    expect(calls(image.convWeight(x, placed, g))).toEqual(['place', 'convWeight'])
  })
  test('working memory: positions, winners, alignment, and what either adds up', () => {
    // Outputs of 4 x 3, pooled to 2 x 1 for each of 3 filters: 12 positions, 4 * 6 / 3 for winners, 64.
    const room = 12 + 8 + 64
    const [weight, input] = back(g)
    // 60 pixels in 2 channels, and for each filter and one more 3 * (3 * 2 + 16) + 32 sums.
    expect(scratchOf(weight!)).toBe(room + 2 * 30 + 4 * (3 * 22 + 32))
    // For each channel and three more, 30 pixels, and 9 taps for each filter and one more.
    expect(scratchOf(input!)).toBe(room + 5 * (30 + 4 * 9))
  })
})

describe('working memory of convolutions', () => {
  const scratch = (c: Convolution, rows = 4) => {
    const { x, w, c: z } = sizes(c, rows)
    return [image.conv(x, w, c), image.convInput(z, w, c), image.convWeight(x, z, c)].map(scratchOf)
  }
  test('without padding: filters and taps of a block, or the patches of one image, whichever is more', () => {
    // Patches: 2 * 9 taps at 4 * 3 places. A block: 18 * 2 * 9 taps and 3 filters.
    // Turned: 3 * 2 * 9 + 4, then a convolution of 3 channels of 4 x 3, padded by 2 to 8 x 7, with 2 filters to 6 x 5.
    const turned = 2 * 3 * 9 + 4 + Math.max(27 * 30 + 3 * 56, 18 * 27 + 2 + 4 * 3 * 56) + 216
    expect(scratch(g)).toEqual([18 * 18 + 3, turned, 216])
    // More places than a block has taps.
    const wide = { ...g, channels: 1, height: 3, width: 40, kernel: 1, filters: 2 }
    expect(scratch(wide)[0]).toBe(120)
    expect(scratch(wide)[2]).toBe(120)
  })
  test('with padding: the padded image beside its patches, or all padded images', () => {
    const padded = { ...g, padding: 1 }
    // Padded to 8 x 7 in 2 channels; patches at 6 * 5 places.
    const patches = 18 * 30 + 2 * 56
    expect(scratch(padded, 1)[0]).toBe(Math.max(patches, 18 * 18 + 3 + 112))
    expect(scratch(padded, 4)[0]).toBe(Math.max(patches, 18 * 18 + 3 + 4 * 112))
    expect(scratch(padded, 4)[2]).toBe(patches)
    // Seen from the other side: 3 channels of 6 x 5, padded by 1 to 8 x 7.
    const other = Math.max(27 * 30 + 3 * 56, 18 * 27 + 2 + 4 * 3 * 56)
    expect(scratch(padded, 4)[1]).toBe(2 * 3 * 9 + 4 + other + patches)
  })
  test('strides and much padding: the other side has none left', () => {
    const far = { ...g, kernel: 1, padding: 2, stride: 2 }
    // Padded to 10 x 9; outputs of 5 x 5, whose transpose has a kernel of 1 and no padding.
    const patches = 2 * 25 + 2 * 90
    expect(scratch(far, 1)).toEqual([patches, 6 + 4 + Math.max(3 * 25, 18 * 3 + 2) + patches, patches])
  })
})
