/** What the operations on images mean, in plain loops; see reference.ts. */
import { type Convolution, type Node, type Op, sizeOf } from './graph.js'
import { outputSize, poolSize } from './trace-image.js'

type Round = (x: number) => number
type Meaning<K extends Op> = (n: Node<K>, operands: readonly Float64Array[], round: Round) => Float64Array
type ImageOp = 'conv' | 'convInput' | 'convWeight' | 'poolIndex' | 'pick' | 'place' | 'repeatCols' | 'sumGroups'

/** Visits every product of a convolution: indices into one image, the filters and one output. */
function taps(g: Convolution, visit: (x: number, w: number, o: number) => void): void {
  const { channels: C, height: H, width: W, filters: F, kernel: K, stride, padding } = g
  const { height: OH, width: OW } = outputSize(g)
  for (let f = 0; f < F; f++) {
    for (let i = 0; i < OH; i++) {
      for (let j = 0; j < OW; j++) {
        for (let c = 0; c < C; c++) {
          for (let a = 0; a < K; a++) {
            for (let b = 0; b < K; b++) {
              const [y, x] = [i * stride + a - padding, j * stride + b - padding]
              if (y < 0 || y >= H || x < 0 || x >= W) continue
              visit((c * H + y) * W + x, ((f * C + c) * K + a) * K + b, (f * OH + i) * OW + j)
            }
          }
        }
      }
    }
  }
}

export const imageMeanings: { readonly [K in ImageOp]: Meaning<K> } = {
  conv: (n, [x, w], round) => {
    const out = new Float64Array(sizeOf(n))
    for (let r = 0; r < n.rows; r++) {
      const [from, to] = [r * n.inputs[0]!.cols, r * n.cols]
      taps(n.attrs, (i, j, o) => {
        out[to + o] = round(out[to + o]! + round(x![from + i]! * w![j]!))
      })
    }
    return out
  },
  convInput: (n, [c, w], round) => {
    const out = new Float64Array(sizeOf(n))
    for (let r = 0; r < n.rows; r++) {
      const [from, to] = [r * n.inputs[0]!.cols, r * n.cols]
      taps(n.attrs, (i, j, o) => {
        out[to + i] = round(out[to + i]! + round(c![from + o]! * w![j]!))
      })
    }
    return out
  },
  convWeight: (n, [x, c], round) => {
    const out = new Float64Array(sizeOf(n))
    const [images, outputs] = n.inputs
    for (let r = 0; r < images!.rows; r++) {
      taps(n.attrs, (i, j, o) => {
        out[j] = round(out[j]! + round(x![r * images!.cols + i]! * c![r * outputs!.cols + o]!))
      })
    }
    return out
  },
  poolIndex: (n, [x]) => {
    const { channels, height: H, width: W, size, stride } = n.attrs
    const { height, width } = poolSize(n.attrs)
    const out: number[] = []
    for (let r = 0; r < n.rows; r++) {
      for (let c = 0; c < channels; c++) {
        for (let i = 0; i < height; i++) {
          for (let j = 0; j < width; j++) {
            let best = (c * H + i * stride) * W + j * stride
            for (let k = 1; k < size * size; k++) {
              const at = (c * H + i * stride + Math.floor(k / size)) * W + j * stride + (k % size)
              const [now, other] = [x![r * channels * H * W + best]!, x![r * channels * H * W + at]!]
              if (other > now || (Number.isNaN(other) && !Number.isNaN(now))) best = at
            }
            out.push(best)
          }
        }
      }
    }
    return Float64Array.from(out)
  },
  pick: (n, [a, index]) => index!.map((at, i) => a![Math.floor(i / n.cols) * n.inputs[0]!.cols + at]!),
  place: (n, [a, index], round) => {
    const out = new Float64Array(sizeOf(n))
    const from = n.inputs[0]!.cols
    for (const [i, at] of index!.entries()) {
      const to = Math.floor(i / from) * n.cols + at
      out[to] = round(out[to]! + a![i]!)
    }
    return out
  },
  repeatCols: (n, [a]) => Float64Array.from({ length: sizeOf(n) }, (_, i) => a![Math.floor(i / n.attrs.times)]!),
  sumGroups: (n, [a], round) => {
    const out = new Float64Array(sizeOf(n))
    for (const [i, x] of a!.entries()) {
      const to = Math.floor(i / n.attrs.size)
      out[to] = round(out[to]! + x)
    }
    return out
  },
}
