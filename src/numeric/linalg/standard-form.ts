/** Tikhonov regularisation with any matrix L: |A x - b|^2 + beta |L x|^2 brought to the form with |y|^2, and solutions back. */
import { OverhearError } from '../../errors.js'
import { identity, type Matrix, matrix, multiply } from './matrix.js'
import { multiplyVector, requireVector } from './matrix-vector.js'
import { pseudoInverse } from './pseudo-inverse.js'

export interface StandardForm {
  /** |A x - b|^2 + beta |L x|^2 is |B y - c|^2 + beta |y|^2, whatever beta is. */
  readonly B: Matrix
  readonly c: Float64Array
  /** The x that belongs to a y. */
  back(y: Float64Array): Float64Array
}

/** What L takes to rounding of nothing counts as nothing, as a share. */
const nothing = 1e-11

/**
 * By the inverse of L that A weighs: x = x0 + L_A y with x0 = (A P)^+ b, P = I - L^+ L and L_A = (I - (A P)^+ A) L^+. What L
 * does not see is fitted without a penalty.
 */
export function standardForm(A: Matrix, b: Float64Array, L: Matrix): StandardForm {
  requireVector(b, { length: A.rows })
  if (L.cols !== A.cols)
    throw new OverhearError('E_SHAPE', `L has ${L.cols} columns and A has ${A.cols}`, 'one for each unknown is needed')
  const { inverse, rank } = pseudoInverse(L)
  if (rank === L.cols) {
    const B = multiply(A, inverse)
    return { B, c: b.slice(), back: (y) => multiplyVector(inverse, y) }
  }
  const unseen = minus(identity(L.cols), multiply(inverse, L))
  const free = pseudoInverse(multiply(A, unseen), { tolerance: nothing }).inverse
  const weighed = minus(inverse, multiply(free, multiply(A, inverse)))
  const first = multiplyVector(free, b)
  const fitted = multiplyVector(A, first)
  return {
    B: multiply(A, weighed),
    c: b.map((value, i) => value - fitted[i]!),
    back: (y) => multiplyVector(weighed, y).map((value, j) => value + first[j]!),
  }
}

const minus = (X: Matrix, Y: Matrix): Matrix =>
  matrix(
    X.rows,
    X.cols,
    X.data.map((value, at) => value - Y.data[at]!),
  )
