/** What every factorisation asks of its input: finite entries, fitting shapes, and a scale at which squares are safe. */
import { OverhearError } from '../errors.js'
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
  const slack = 1e-10 * largest(data)
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

/** Largest magnitude, 0 for nothing. */
export function largest(values: Float64Array): number {
  let top = 0
  for (let i = 0; i < values.length; i++) top = Math.max(top, Math.abs(values[i]!))
  return top
}

const word = new Float64Array(1)
const halves = new Int32Array(word.buffer)

/** The power of two, from 2^-1000 to 2^1000, that brings `size` nearest to [1, 2); 1 for size 0. Multiplying by it is exact. */
export function unitScale(size: number): number {
  if (size === 0) return 1
  word[0] = size
  const exponent = ((halves[1]! >>> 20) & 0x7ff) - 1023
  halves[0] = 0
  halves[1] = (Math.min(Math.max(-exponent, -1000), 1000) + 1023) << 20
  return word[0]!
}

/** A copy of the values times `by`. */
export function times(values: Float64Array, by: number): Float64Array {
  const out = new Float64Array(values.length)
  for (let i = 0; i < values.length; i++) out[i] = values[i]! * by
  return out
}
