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
  const { kernels, q, ld, values } = decomposed(A, n)
  const out = room(n * n)
  kernels.storeColumns(out, q, ld, n, n)
  return { values: values(), vectors: matrix(n, n, take(out, n * n)) }
}

export interface LeadingEigen {
  readonly values: Float64Array // all of them, ascending
  readonly rows: Matrix // [count, n], the vectors of the last `count` values, in their order
}

/** The same with the vectors of the largest values alone. */
export function leadingEigen(A: Matrix, count: number): LeadingEigen {
  const n = A.rows
  const { q, ld, values } = decomposed(A, count)
  const apart = take(q + 8 * (n - count) * ld, count * ld)
  const rows = matrix(count, n)
  for (let j = 0; j < count; j++) rows.data.set(apart.subarray(j * ld, j * ld + n), j * n)
  return { values: values(), rows }
}

/** Leaves the vectors of the `count` largest values in the last rows at q, `ld` apart. */
function decomposed(A: Matrix, count: number) {
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
  if (kernels.symmetricEigen(d, q, rows, ld, n, roomBytes(kernels.eigenRoom(n)), n - count) < 0) {
    throw internal(`the eigenvalues of a ${n} x ${n} matrix did not converge`)
  }
  return { kernels, q, ld, values: () => timesPowerInto(take(d, n), -exponent) }
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
