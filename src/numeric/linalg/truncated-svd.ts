/** Least squares on the largest singular values alone. */
import { OverhearError } from '../../errors.js'
import type { Matrix } from './matrix.js'
import { combine, diagonalise } from './tikhonov.js'
import { dot } from './vector.js'

export interface TruncatedSvd {
  readonly x: Float64Array
  readonly misfitSq: number // ‖A x − b‖²
  readonly normSq: number // ‖x‖²
}

/** x = Σ over the `rank` largest σ of (uᵀb / σ) v: the shortest least-squares solution for A cut to that rank. */
export function truncatedSvd(A: Matrix, b: Float64Array, { rank }: { rank: number }): TruncatedSvd {
  const problem = diagonalise(A, b)
  const { s, c, outsideSq } = problem
  if (!Number.isInteger(rank) || rank < 0 || rank > s.length) {
    throw new OverhearError('E_VALUE', `truncation to rank ${rank}`, `the numerical rank here is ${s.length}`)
  }
  const kept = c.slice(0, rank).map((value, p) => value / s[p]!)
  const dropped = c.subarray(rank)
  return { x: combine(problem, kept), misfitSq: outsideSq + dot(dropped, dropped), normSq: dot(kept, kept) }
}
