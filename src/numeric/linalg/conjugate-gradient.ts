/** Symmetric positive definite systems by matrix-vector products alone (Hestenes and Stiefel 1952). */
import { OverhearError } from '../../errors.js'
import type { Matrix } from './matrix.js'
import { requireVector } from './matrix-vector.js'
import { type LinearOperator, operatorOf, type SparseMatrix } from './sparse.js'
import { addScaledInto, dot, norm } from './vector.js'

export interface ConjugateGradientOptions {
  readonly tolerance?: number // of ‖b − A x‖ / ‖b‖, 1e-12 unless told
  readonly maxIterations?: number // 10 n unless told
  /** An approximation of A⁻¹, symmetric positive definite too. */
  readonly precondition?: (r: Float64Array) => Float64Array
}

export interface ConjugateGradientResult {
  readonly x: Float64Array
  readonly iterations: number
  readonly residualNorm: number // ‖b − A x‖, computed afresh
  readonly converged: boolean
}

/** x with A x = b. Symmetry is taken on trust; a direction of no or negative curvature is an error. */
export function conjugateGradient(
  A: Matrix | SparseMatrix | LinearOperator,
  b: Float64Array,
  { tolerance = 1e-12, maxIterations = 10 * A.cols, precondition = (r) => r.slice() }: ConjugateGradientOptions = {},
): ConjugateGradientResult {
  if (A.rows !== A.cols) throw new OverhearError('E_SHAPE', `A is ${A.rows} x ${A.cols}`, 'it must be square')
  requireVector(b, { length: A.rows })
  const operator = operatorOf(A)
  const x = new Float64Array(A.cols)
  const target = tolerance * norm(b)
  const r = b.slice()
  let z = precondition(r)
  const p = z.slice()
  let rz = dot(r, z)
  let iterations = 0
  while (iterations < maxIterations && norm(r) > target) {
    const Ap = operator.apply(p)
    const curvature = dot(p, Ap)
    if (!(curvature > 0)) {
      throw new OverhearError(
        'E_VALUE',
        `A is not positive definite: a direction in step ${iterations} has curvature ${curvature}`,
        'use lsqr, or add to the diagonal',
      )
    }
    const alpha = rz / curvature
    addScaledInto(x, p, alpha)
    addScaledInto(r, Ap, -alpha)
    z = precondition(r)
    const rzNext = dot(r, z)
    for (let j = 0; j < p.length; j++) p[j] = z[j]! + (rzNext / rz) * p[j]!
    rz = rzNext
    iterations++
  }
  const misses = operator.apply(x)
  for (let i = 0; i < misses.length; i++) misses[i] = b[i]! - misses[i]!
  const residualNorm = norm(misses)
  // The recurrence drifts from the true residual by rounding; ten times the tolerance still counts as there.
  return { x, iterations, residualNorm, converged: residualNorm <= 10 * target }
}
