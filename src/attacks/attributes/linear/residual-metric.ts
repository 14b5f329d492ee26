/** The metric that residuals of several rounds suggest: directions in which they all err count little. */

import { engine } from '../../../numeric/engine/engine.js'
import { leadingEigen } from '../../../numeric/linalg/eigen.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { dot } from '../../../numeric/linalg/vector.js'
import { totalOf } from '../../../numeric/special/summaries.js'
import type { Problem } from './linear-problem.js'

/** M = I - U diag(damping) U^T, U's rows orthonormal. */
export interface Metric {
  readonly directions: readonly Float64Array[]
  readonly damping: readonly number[]
}

export const plainMetric: Metric = { directions: [], damping: [] }

/** M r. */
export const applyMetric = (metric: Metric, r: Float64Array): Float64Array => inMetric(metric, [r])[0]!

/** M r for each r. */
export function inMetric({ directions, damping }: Metric, rows: readonly Float64Array[]): Float64Array[] {
  const k = directions.length
  if (k === 0 || rows.length === 0) return rows.map((r) => r.slice())
  const [T, P] = [rows.length, rows[0]!.length]
  const R = stacked(rows)
  const C = product(R, stacked(directions), { rows: T, inner: P, cols: k, form: 'nt' })
  for (let at = 0; at < C.length; at++) C[at]! *= damping[at % k]!
  const taken = product(C, stacked(directions), { rows: T, inner: k, cols: P, form: 'nn' })
  return rows.map((r, t) => r.map((x, j) => x - taken[t * P + j]!))
}

/** r^T M r for each r. */
export function squaresIn({ directions, damping }: Metric, rows: readonly Float64Array[]): number[] {
  const k = directions.length
  const plain = rows.map((r) => dot(r, r))
  if (k === 0 || rows.length === 0) return plain
  const shape = { rows: rows.length, inner: rows[0]!.length, cols: k, form: 'nt' } as const
  const C = product(stacked(rows), stacked(directions), shape)
  return plain.map((square, t) => {
    let sum = square
    for (let a = 0; a < k; a++) sum -= damping[a]! * C[t * k + a]! * C[t * k + a]!
    // What is damped away nearly whole is known by what is left, not by a difference.
    return sum > 1e-6 * square ? sum : dot(rows[t]!, applyMetric({ directions, damping }, rows[t]!))
  })
}

/** By round: one over the mean square of what is left, which is no less than rounding leaves. */
export function weightsIn(
  { rounds, samples }: Pick<Problem, 'rounds' | 'samples'>,
  metric: Metric,
  left: readonly Float64Array[],
): number[] {
  return squaresIn(metric, left).map((square, t) => {
    const { rounding } = rounds[t]!
    return left[t]!.length / Math.max(square, (samples * samples * dot(rounding, rounding)) / 3, 1e-300)
  })
}

/**
 * With residuals scaled to length 1, the leading directions of their second moment get the weight rest / (ev + rest),
 * where ev is what a direction holds and rest what each of the others holds on the mean: generalised least squares with
 * a covariance of low rank plus a multiple of the identity. A residual of nothing tells of no direction: it counts for all
 * of them alike.
 */
export function metricOf(all: readonly Float64Array[], most: number): Metric {
  const P = all[0]!.length
  const residuals = all.filter((r) => r.some((x) => x !== 0))
  const T = residuals.length
  const k = Math.min(most, Math.floor(T / 3), P - 1)
  if (k < 1) return plainMetric
  const R = new Float64Array(T * P) // rows of length 1 / sqrt(their number), so that the eigenvalues of R R^T are shares of 1
  for (const [row, r] of residuals.entries()) {
    const by = 1 / Math.sqrt(dot(r, r) * all.length)
    for (let j = 0; j < P; j++) R[row * P + j] = by * r[j]!
  }
  const { values, directions } = T <= P ? fromRounds(R, { T, P, k }) : fromParameters(R, { T, P, k })
  const leading = values.findIndex((x) => !(x > 1e-12))
  const count = leading < 0 ? k : leading
  if (count === 0) return plainMetric
  const ev = values.slice(0, count)
  let total = 0
  for (const x of R) total += x * x
  const anywhere = (all.length - T) / (all.length * P)
  const rest = anywhere + Math.max((total - totalOf(ev)) / (P - count), 1e-15 * total)
  return { directions: directions.slice(0, count), damping: ev.map((x) => 1 - rest / (x + rest)) }
}

interface Sizes {
  readonly T: number
  readonly P: number
  readonly k: number
}

/** The k leading eigenvalues of R^T R, largest first, and their directions. */
interface Leading {
  readonly values: number[]
  readonly directions: readonly Float64Array[]
}

/** By R R^T, where rounds are fewer than parameters: U = V R / sqrt(values). */
function fromRounds(R: Float64Array, { T, P, k }: Sizes): Leading {
  const G = product(R, R, { rows: T, inner: P, cols: T, form: 'nt' })
  const { values, rows } = leadingEigen(matrix(T, T, G), k)
  const largest = Array.from({ length: k }, (_, a) => values[T - 1 - a]!)
  const combine = new Float64Array(k * T)
  for (const [row, value] of largest.entries()) {
    const by = value > 0 ? Math.sqrt(value) : 1
    for (let c = 0; c < T; c++) combine[row * T + c] = rows.data[(k - 1 - row) * T + c]! / by
  }
  const U = product(combine, R, { rows: k, inner: T, cols: P, form: 'nn' })
  return { values: largest, directions: largest.map((_, row) => U.slice(row * P, (row + 1) * P)) }
}

/** By R^T R, whose vectors are the directions. */
function fromParameters(R: Float64Array, { T, P, k }: Sizes): Leading {
  const G = product(R, R, { rows: P, inner: T, cols: P, form: 'tn' })
  const { values, rows } = leadingEigen(matrix(P, P, G), k)
  const places = Array.from({ length: k }, (_, a) => a)
  return {
    values: places.map((a) => values[P - 1 - a]!),
    directions: places.map((a) => rows.data.slice((k - 1 - a) * P, (k - a) * P)),
  }
}

function stacked(rows: readonly Float64Array[]): Float64Array {
  const P = rows[0]!.length
  const out = new Float64Array(rows.length * P)
  for (const [t, r] of rows.entries()) out.set(r, t * P)
  return out
}

interface ProductShape {
  readonly rows: number
  readonly inner: number
  readonly cols: number
  readonly form: 'nn' | 'nt' | 'tn'
}

function product(A: Float64Array, B: Float64Array, { rows, inner, cols, form }: ProductShape): Float64Array {
  const host = engine()
  const held = host.allocate(8 * (A.length + B.length + rows * cols))
  const [a, b] = [held.address, held.address + 8 * A.length]
  const c = b + 8 * B.length
  host.view('f64', a, A.length).set(A)
  host.view('f64', b, B.length).set(B)
  const [aRow, aCol] = form === 'tn' ? [1, rows] : [inner, 1]
  const [bRow, bCol] = form === 'nt' ? [1, inner] : [cols, 1]
  host.f64.gemm(c, a, b, rows, cols, inner, aRow, aCol, bRow, bCol, 0, 0, 0)
  const out = Float64Array.from(host.view('f64', c, rows * cols))
  host.release(held)
  return out
}
