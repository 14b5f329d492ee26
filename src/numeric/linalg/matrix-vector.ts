/** A matrix times a vector, and vectors as one-column matrices. */
import { OverhearError } from '../../errors.js'
import { largestMagnitude } from '../special/summaries.js'
import { powerOfTwo, scaleExponent, timesPowerInto } from './linalg-input.js'
import { type Matrix, matrix } from './matrix.js'
import { firstNonFinite } from './vector.js'

/** Refuses a vector of another length, and NaN and infinity. */
export function requireVector(b: Float64Array, { length, name = 'b' }: { length: number; name?: string }): void {
  if (b.length !== length) {
    throw new OverhearError('E_SHAPE', `${name} has ${b.length} values`, `it needs ${length}`)
  }
  const at = firstNonFinite(b)
  if (at >= 0) throw new OverhearError('E_NON_FINITE', `${name}[${at}] is ${b[at]}`, 'every entry must be finite')
}

/** A x. */
export function multiplyVector(A: Matrix, x: Float64Array): Float64Array {
  const { rows: m, cols: n, data } = A
  const y = new Float64Array(m)
  for (let i = 0; i < m; i++) {
    let sum = 0
    for (let j = 0; j < n; j++) sum += data[i * n + j]! * x[j]!
    y[i] = sum
  }
  return y
}

/** Aᵀ y. */
export function multiplyTransposedVector(A: Matrix, y: Float64Array): Float64Array {
  const { rows: m, cols: n, data } = A
  const x = new Float64Array(n)
  for (let i = 0; i < m; i++) {
    const factor = y[i]!
    for (let j = 0; j < n; j++) x[j]! += factor * data[i * n + j]!
  }
  return x
}

/** b − A x. */
export function residual(A: Matrix, x: Float64Array, b: Float64Array): Float64Array {
  const r = multiplyVector(A, x)
  for (let i = 0; i < r.length; i++) r[i] = b[i]! - r[i]!
  return r
}

/** The vector as an [n, 1] matrix; the values are shared. */
export function columnOf(b: Float64Array): Matrix {
  return matrix(b.length, 1, b)
}

/** Euclidean norm of each column. Squares cannot overflow, nor vanish down to 1e-260 of the largest entry. */
export function columnNorms(A: Matrix): Float64Array {
  const exponent = scaleExponent(largestMagnitude(A.data))
  const scale = powerOfTwo(exponent)
  const norms = new Float64Array(A.cols)
  for (let i = 0; i < A.data.length; i++) norms[i % A.cols]! += A.data[i]! * scale * (A.data[i]! * scale)
  for (let j = 0; j < A.cols; j++) norms[j] = Math.sqrt(norms[j]!)
  return timesPowerInto(norms, -exponent)
}
