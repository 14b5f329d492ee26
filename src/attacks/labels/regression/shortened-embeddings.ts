/** Wide last layers made short: the directions in which auxiliary embeddings lie, and no others. */
import { symmetricEigen } from '../../../numeric/linalg/eigen.js'
import { type Matrix, matrix, multiply, rowsOf, transpose } from '../../../numeric/linalg/matrix.js'
import { multiplyTransposedVector } from '../../../numeric/linalg/matrix-vector.js'
import type { SeenRound } from './record-scores.js'

const basisRows = 500 // records that decide on the directions

/**
 * The round in at most `width` orthogonal directions, those with the largest second moments. What a gradient has outside
 * of them no auxiliary record explains, and covariances of more numbers than records are not to be had.
 */
export function reduced(seen: SeenRound, width: number): SeenRound {
  if (seen.embeddings.cols <= width) return seen
  const Q = directionsOf(thinned(seen.embeddings), width)
  return {
    ...seen,
    embeddings: multiply(seen.embeddings, Q),
    w: multiplyTransposedVector(Q, seen.w),
    grad: multiplyTransposedVector(Q, seen.grad),
    biased: false,
  }
}

/** Evenly spaced rows. */
function thinned(E: Matrix): Matrix {
  if (E.rows <= basisRows) return E
  return rowsOf(
    E,
    Int32Array.from({ length: basisRows }, (_, i) => Math.floor((i * E.rows) / basisRows)),
  )
}

/** Right singular vectors of the largest singular values, from the smaller of the two Gram matrices: [m, width or less]. */
function directionsOf(E: Matrix, width: number): Matrix {
  const wide = E.cols > E.rows
  const { values, vectors } = symmetricEigen(wide ? multiply(E, transpose(E)) : multiply(transpose(E), E))
  const n = values.length
  const least = Math.max(values[n - 1]!, 0) * 1e-12
  const kept = Array.from({ length: Math.min(width, n) }, (_, p) => n - 1 - p).filter((p) => values[p]! > least)
  const chosen = matrix(n, kept.length)
  for (const [q, p] of kept.entries()) {
    const scale = wide ? 1 / Math.sqrt(values[p]!) : 1
    for (let i = 0; i < n; i++) chosen.data[i * kept.length + q] = vectors.data[i * n + p]! * scale
  }
  return wide ? multiply(transpose(E), chosen) : chosen
}
