/** What every factorisation asks of its input: finite entries, fitting shapes, and a scale at which squares are safe. */
import { OverhearError } from '../../errors.js'
import { largestMagnitude } from '../special/summaries.js'
import type { Matrix } from './matrix.js'

/** Refuses NaN and infinity, naming the place. */
export function requireFinite(A: Matrix, name = 'A'): void {
  const { data, cols } = A
  for (let i = 0; i < data.length; i++) {
    const x = data[i]!
    if (x - x !== 0) {
      throw new OverhearError(
        'E_NON_FINITE',
        `${name}[${Math.floor(i / cols)}, ${i % cols}] is ${x}`,
        'every entry must be finite',
      )
    }
  }
}

export function requireSquare(A: Matrix, name = 'A'): void {
  if (A.rows !== A.cols) {
    throw new OverhearError('E_SHAPE', `${name} is ${A.rows} x ${A.cols}`, 'it must be square')
  }
}

/** Right-hand sides have a row for each row of A. */
export function requireRows(B: Matrix, rows: number): void {
  if (B.rows !== rows) {
    throw new OverhearError('E_SHAPE', `B has ${B.rows} rows`, `it needs ${rows}, as many as A`)
  }
}

/** Square, and the two triangles agree to 1e-10 of the largest entry. */
export function requireSymmetric(A: Matrix): void {
  requireSquare(A)
  const { data, rows: n } = A
  const slack = 1e-10 * largestMagnitude(data)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      if (Math.abs(data[i * n + j]! - data[j * n + i]!) > slack) {
        throw new OverhearError(
          'E_VALUE',
          `A[${i}, ${j}] is ${data[i * n + j]!} but A[${j}, ${i}] is ${data[j * n + i]!}`,
          'A must be symmetric; (A + transpose(A)) / 2 makes it so',
        )
      }
    }
  }
}

const word = new Float64Array(1)
const halves = new Int32Array(word.buffer)

/** 2^e, -1022 <= e <= 1023. */
export function powerOfTwo(e: number): number {
  halves[0] = 0
  halves[1] = (e + 1023) << 20
  return word[0]!
}

/**
 * The e, from -1000 to 1000, for which 2^e brings `size` nearest to 2^target; multiplying by it is exact. At 2^240 fourth
 * powers are safe from overflow, and from underflow down to 1e-137 of `size`.
 */
export function scaleExponent(size: number, target = 240): number {
  if (size === 0) return 0
  word[0] = size
  return Math.min(Math.max(target + 1023 - ((halves[1]! >>> 20) & 0x7ff), -1000), 1000)
}

/** values *= 2^e for any |e| <= 2000, in two steps so that neither factor overflows. */
export function timesPowerInto(values: Float64Array, e: number): Float64Array {
  const half = Math.trunc(e / 2)
  const first = powerOfTwo(half)
  const second = powerOfTwo(e - half)
  for (let i = 0; i < values.length; i++) values[i] = values[i]! * first * second
  return values
}
