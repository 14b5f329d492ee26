/** Images as bytes, and how they become features: to 0..1, then each channel to mean 0 and deviation 1 if asked. */
import { OverhearError } from '../errors.js'
import { type Matrix, matrix } from '../numeric/linalg/matrix.js'

export interface Pixels {
  readonly bytes: Uint8Array // [rows, channels, height, width]
  readonly shape: readonly [channels: number, height: number, width: number]
  readonly scale: 'unit' | 'standardise'
}

export interface FittedPixels {
  readonly shape: readonly [channels: number, height: number, width: number]
  readonly mean: readonly number[] // a channel
  readonly std: readonly number[]
}

const sizeOf = ([channels, height, width]: Pixels['shape']): number => channels * height * width

/** The rows asked for: a list, or the first n. */
function rowList(rows: ArrayLike<number> | number, { bytes, shape }: Pixels): ArrayLike<number> {
  const list = typeof rows === 'number' ? Int32Array.from({ length: rows }, (_, i) => i) : rows
  const there = bytes.length / sizeOf(shape)
  for (let i = 0; i < list.length; i++) {
    if (!(list[i]! >= 0 && list[i]! < there)) {
      throw new OverhearError('E_VALUE', `image ${list[i]} was asked for`, `there are ${there}`)
    }
  }
  return list
}

export function fitPixels(pixels: Pixels, rows: ArrayLike<number> | number): FittedPixels {
  const { bytes, shape, scale } = pixels
  const [channels, height, width] = shape
  if (scale === 'unit') {
    return { shape, mean: new Array<number>(channels).fill(0), std: new Array<number>(channels).fill(1) }
  }
  const list = rowList(rows, pixels)
  const area = height * width
  const mean: number[] = []
  const std: number[] = []
  for (let c = 0; c < channels; c++) {
    // Sums of bytes and of their squares are whole numbers below 2^53: exact.
    let sum = 0
    let squares = 0
    for (let i = 0; i < list.length; i++) {
      const start = (list[i]! * channels + c) * area
      for (let p = start; p < start + area; p++) {
        sum += bytes[p]!
        squares += bytes[p]! * bytes[p]!
      }
    }
    const n = list.length * area
    const variance = (squares - (sum * sum) / n) / n
    mean.push(sum / n / 255)
    std.push(variance > 0 ? Math.sqrt(variance) / 255 : 1)
  }
  return { shape, mean, std }
}

export function encodePixels(pixels: Pixels, fitted: FittedPixels, rows: ArrayLike<number> | number): Matrix {
  const list = rowList(rows, pixels)
  const [channels, height, width] = pixels.shape
  const area = height * width
  const X = matrix(list.length, channels * area)
  // One table of 256 values a channel.
  const values = fitted.mean.map((mean, c) =>
    Float64Array.from({ length: 256 }, (_, b) => (b / 255 - mean) / fitted.std[c]!),
  )
  let at = 0
  for (let i = 0; i < list.length; i++) {
    const start = list[i]! * channels * area
    for (let c = 0; c < channels; c++) {
      const table = values[c]!
      for (let p = start + c * area; p < start + (c + 1) * area; p++) X.data[at++] = table[pixels.bytes[p]!]!
    }
  }
  return X
}
