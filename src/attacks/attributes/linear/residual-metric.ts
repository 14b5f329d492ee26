/** The metric that residuals of several rounds suggest: directions in which they all err count little. */

import { compile } from '../../../numeric/engine/program.js'
import * as t from '../../../numeric/engine/trace.js'
import { symmetricEigen } from '../../../numeric/linalg/eigen.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { dot } from '../../../numeric/linalg/vector.js'
import { totalOf } from '../../../numeric/special/summaries.js'

/** M = I - U diag(damping) U^T, U's rows orthonormal. */
export interface Metric {
  readonly directions: readonly Float64Array[]
  readonly damping: readonly number[]
}

export const plainMetric: Metric = { directions: [], damping: [] }

/** M r. */
export function applyMetric({ directions, damping }: Metric, r: Float64Array): Float64Array {
  const out = r.slice()
  for (const [k, u] of directions.entries()) {
    const by = damping[k]! * dot(u, r)
    for (let j = 0; j < out.length; j++) out[j]! -= by * u[j]!
  }
  return out
}

/**
 * With residuals scaled to length 1, the leading directions of their second moment get the weight rest / (ev + rest),
 * where ev is what a direction holds and rest what each of the others holds on the mean: generalised least squares with
 * a covariance of low rank plus a multiple of the identity.
 */
export function metricOf(residuals: readonly Float64Array[], most: number): Metric {
  const T = residuals.length
  const P = residuals[0]!.length
  const k = Math.min(most, Math.floor(T / 3), P - 1)
  if (k < 1) return plainMetric
  const R = new Float64Array(T * P) // rows of length 1 / sqrt(T), so that the eigenvalues of R R^T are shares of 1
  for (const [row, r] of residuals.entries()) {
    const by = 1 / (Math.sqrt(dot(r, r) * T) || 1)
    for (let j = 0; j < P; j++) R[row * P + j] = by * r[j]!
  }
  const { values, vectors } = symmetricEigen(matrix(T, T, product(R, R, { rows: T, inner: P, cols: T, form: 'nt' })))
  const leading = Array.from({ length: k }, (_, a) => T - 1 - a).filter((a) => values[a]! > 1e-12)
  if (leading.length === 0) return plainMetric
  const ev = leading.map((a) => values[a]!)
  const total = totalOf(values.map((x) => Math.max(0, x)))
  const rest = Math.max((total - totalOf(ev)) / (P - leading.length), 1e-15 * total)
  const combine = new Float64Array(leading.length * T)
  for (const [row, a] of leading.entries())
    for (let c = 0; c < T; c++) combine[row * T + c] = vectors.data[c * T + a]! / Math.sqrt(values[a]!)
  const U = product(combine, R, { rows: leading.length, inner: T, cols: P, form: 'nn' })
  const directions = leading.map((_, row) => U.slice(row * P, (row + 1) * P))
  return { directions, damping: ev.map((x) => 1 - rest / (x + rest)) }
}

interface ProductShape {
  readonly rows: number
  readonly inner: number
  readonly cols: number
  readonly form: 'nn' | 'nt'
}

function product(A: Float64Array, B: Float64Array, { rows, inner, cols, form }: ProductShape): Float64Array {
  const a = t.input('A', { rows, cols: inner })
  const b = t.input('B', form === 'nn' ? { rows: inner, cols } : { rows: cols, cols: inner })
  const program = compile({ outputs: [t.matmul(a, b, form)], precision: 'f64' })
  program.set('A', A)
  program.set('B', B)
  program.run()
  return program.read(0)
}
