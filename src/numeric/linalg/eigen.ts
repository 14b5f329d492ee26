/** Eigenvalues and eigenvectors of symmetric matrices. */
import { internal } from '../../errors.js'
import { powerOfTwo, requireSymmetric, scaleExponent, timesPowerInto } from './linalg-input.js'
import { type Matrix, matrix } from './matrix.js'
import { openWorkspace, padded, put, putMatrix, room, roomBytes, take } from './workspace.js'

export interface SymmetricEigen {
  readonly values: Float64Array // ascending
  readonly vectors: Matrix // [n, n], column j belongs to values[j]
}

/**
 * A = V diag(values) Vᵀ, each value good to a small multiple of 2^-52 times the largest. Triangles that differ by rounding
 * are averaged; a larger difference is refused.
 */
export function symmetricEigen(A: Matrix): SymmetricEigen {
  const n = A.rows
  const kernels = openWorkspace()
  const { size } = putMatrix(A)
  requireSymmetric(A)
  const exponent = scaleExponent(size, 0)
  const ld = padded(n)
  const rows = room(n * ld)
  kernels.loadColumns(rows, ld, put(averaged(A)), n, n, powerOfTwo(exponent))
  const d = room(n)
  const q = room(n * ld)
  if (kernels.symmetricEigen(d, q, rows, ld, n, roomBytes(kernels.eigenRoom(n))) < 0) {
    throw internal(`the eigenvalues of a ${n} x ${n} matrix did not converge`)
  }
  const out = room(n * n)
  kernels.storeColumns(out, q, ld, n, n)
  return { values: timesPowerInto(take(d, n), -exponent), vectors: matrix(n, n, take(out, n * n)) }
}

function averaged({ rows: n, data }: Matrix): Float64Array {
  const mean = data.slice()
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const a = data[i * n + j]!
      const b = data[j * n + i]!
      const x = a === b ? a : 0.5 * a + 0.5 * b // halves first: the sum of two large entries could overflow
      mean[i * n + j] = x
      mean[j * n + i] = x
    }
  }
  return mean
}
