/** Made-up numbers for benchmarks, the same to the bit as those of bench/answer.py, so that both sides do the same work. */
import { type Matrix, matrix } from '../../numeric/linalg/matrix.js'

/** Doubles in (-1, 1): a 32-bit hash of the place. */
export function madeUp(count: number, salt: number): Float64Array {
  const first = Math.imul(salt, 0x9e3779b1)
  return Float64Array.from({ length: count }, (_, i) => {
    let h = (i + first) | 0
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
    h ^= h >>> 16
    return ((h >>> 0) + 0.5) / 2147483648 - 1
  })
}

export interface Shape {
  readonly rows: number
  readonly cols: number
}

export const madeUpMatrix = ({ rows, cols }: Shape, salt: number): Matrix =>
  matrix(rows, cols, madeUp(rows * cols, salt))

/** Rows like one-hot encoded records: `filled` columns of each are not zero. */
export function sparseRows({ rows, cols }: Shape, filled: number): Matrix {
  const X = matrix(rows, cols)
  const values = madeUp(rows * filled, 2)
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < filled; j++) X.data[i * cols + ((7 * j + i) % cols)] = values[i * filled + j]!
  }
  return X
}
