/**
 * The factorisations in their plainest form: slow, obvious, and the yardstick for the kernels.
 * No scaling against overflow and no validation: callers bring entries of moderate size.
 */
import { identity, type Matrix, matrix, transpose } from './matrix.js'

const roundoff = Number.EPSILON

/** Householder QR with Q full [m, m]; with `pivot`, the remaining column of largest norm goes first (ties: the first). */
function householder(A: Matrix, pivot: boolean): { Q: Matrix; R: Matrix; permutation: Int32Array } {
  const { rows: m, cols: n } = A
  const R = matrix(m, n, A.data.slice())
  const Q = identity(m)
  const permutation = Int32Array.from({ length: n }, (_, j) => j)
  for (let k = 0; k < Math.min(m, n); k++) {
    if (pivot) {
      const sizes = Array.from({ length: n - k }, (_, j) => columnNorm(R, k + j, k))
      const best = k + sizes.indexOf(Math.max(...sizes))
      swapColumns(R, k, best)
      const moved = permutation[k]!
      permutation[k] = permutation[best]!
      permutation[best] = moved
    }
    const size = columnNorm(R, k, k)
    if (size === 0) continue
    // v = x ∓ ‖x‖ e1 with the sign that does not cancel; H = I − 2 v vᵀ / vᵀv
    const v = new Float64Array(m)
    for (let i = k; i < m; i++) v[i] = R.data[i * n + k]!
    v[k]! += v[k]! < 0 ? -size : size
    reflect(R, v)
    for (let i = k + 1; i < m; i++) R.data[i * n + k] = 0
    reflect(Q, v)
  }
  const full = transpose(Q) // Q gathered H_r … H_1 = Qᵀ
  for (let k = 0; k < Math.min(m, n); k++) {
    if (R.data[k * n + k]! >= 0) continue
    for (let j = 0; j < n; j++) R.data[k * n + j] = -R.data[k * n + j]!
    for (let i = 0; i < m; i++) full.data[i * m + k] = -full.data[i * m + k]!
  }
  return { Q: full, R, permutation }
}

/** A -= 2 v (vᵀA) / vᵀv */
function reflect(A: Matrix, v: Float64Array): void {
  let vv = 0
  for (const x of v) vv += x * x
  for (let j = 0; j < A.cols; j++) {
    let dot = 0
    for (let i = 0; i < A.rows; i++) dot += v[i]! * A.data[i * A.cols + j]!
    for (let i = 0; i < A.rows; i++) A.data[i * A.cols + j]! -= (2 * dot * v[i]!) / vv
  }
}

function columnNorm(A: Matrix, j: number, from = 0): number {
  let sum = 0
  for (let i = from; i < A.rows; i++) sum += A.data[i * A.cols + j]! * A.data[i * A.cols + j]!
  return Math.sqrt(sum)
}

function swapColumns(A: Matrix, a: number, b: number): void {
  for (let i = 0; i < A.rows; i++) {
    const x = A.data[i * A.cols + a]!
    A.data[i * A.cols + a] = A.data[i * A.cols + b]!
    A.data[i * A.cols + b] = x
  }
}

/** The top left corner. */
function corner(A: Matrix, shape: { rows: number; cols: number }): Matrix {
  const out = matrix(shape.rows, shape.cols)
  for (let i = 0; i < out.rows; i++) {
    for (let j = 0; j < out.cols; j++) out.data[i * out.cols + j] = A.data[i * A.cols + j]!
  }
  return out
}

export function referenceQr(A: Matrix): { Q: Matrix; R: Matrix } {
  const { Q, R } = householder(A, false)
  const r = Math.min(A.rows, A.cols)
  return { Q: corner(Q, { rows: A.rows, cols: r }), R: corner(R, { rows: r, cols: A.cols }) }
}

export function referenceQrPivoted(A: Matrix): { Q: Matrix; R: Matrix; permutation: Int32Array } {
  const { Q, R, permutation } = householder(A, true)
  const r = Math.min(A.rows, A.cols)
  return { Q: corner(Q, { rows: A.rows, cols: r }), R: corner(R, { rows: r, cols: A.cols }), permutation }
}

/** One-sided Jacobi: rotate pairs of columns until all are orthogonal; their norms are the singular values. */
export function referenceSvd(A: Matrix): { U: Matrix; s: Float64Array; V: Matrix } {
  if (A.rows < A.cols) {
    const { U, s, V } = referenceSvd(transpose(A))
    return { U: V, s, V: U }
  }
  const { rows: m, cols: n } = A
  const Y = matrix(m, n, A.data.slice())
  const W = identity(n)
  let turned = true
  for (let sweep = 0; turned; sweep++) {
    if (sweep === 60) throw new Error('reference: Jacobi did not converge')
    turned = false
    clearFaded(Y)
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        const [a, b] = [columnNorm(Y, p), columnNorm(Y, q)]
        let dot = 0
        for (let i = 0; i < m; i++) dot += Y.data[i * n + p]! * Y.data[i * n + q]!
        if (Math.abs(dot) <= 2 * Math.sqrt(m) * roundoff * a * b) continue
        turned = true
        const [c, s] = angle(a * a, dot, b * b)
        rotateColumns(Y, [p, q], [c, s])
        rotateColumns(W, [p, q], [c, s])
      }
    }
  }
  const sizes = Float64Array.from({ length: n }, (_, j) => columnNorm(Y, j))
  const order = [...sizes.keys()].sort((i, j) => sizes[j]! - sizes[i]!)
  const U = matrix(m, n)
  const V = matrix(n, n)
  for (const [to, j] of order.entries()) {
    for (let i = 0; i < n; i++) V.data[i * n + to] = W.data[i * n + j]!
    if (sizes[j]! > 0) for (let i = 0; i < m; i++) U.data[i * n + to] = Y.data[i * n + j]! / sizes[j]!
    else completeColumn(U, to)
  }
  return { U, s: Float64Array.from(order, (j) => sizes[j]!), V }
}

/** Columns that have shrunk to 1e-60 of the largest are dependent on others: they become zero. */
function clearFaded(Y: Matrix): void {
  const sizes = Array.from({ length: Y.cols }, (_, j) => columnNorm(Y, j))
  const least = 1e-60 * Math.max(0, ...sizes)
  for (let j = 0; j < Y.cols; j++) {
    if (sizes[j]! < least) for (let i = 0; i < Y.rows; i++) Y.data[i * Y.cols + j] = 0
  }
}

/** (c, s) of the rotation that makes [[a, d], [d, b]] diagonal, the smaller of the two angles. */
function angle(a: number, d: number, b: number): [number, number] {
  const zeta = (b - a) / (2 * d)
  const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta))
  const c = 1 / Math.sqrt(1 + t * t)
  return [c, c * t]
}

/** (x_p, x_q) -> (c x_p − s x_q, s x_p + c x_q), written so that the change is rounded and not the column. */
function rotateColumns(A: Matrix, [p, q]: [number, number], [c, s]: [number, number]): void {
  const tau = s / (1 + c)
  for (let i = 0; i < A.rows; i++) {
    const x = A.data[i * A.cols + p]!
    const y = A.data[i * A.cols + q]!
    A.data[i * A.cols + p] = x - s * (y + tau * x)
    A.data[i * A.cols + q] = y + s * (x - tau * y)
  }
}

/** Column k becomes a unit vector orthogonal to columns 0 .. k-1: the axis that sticks out most, cleaned twice. */
function completeColumn(U: Matrix, k: number): void {
  const { rows: m, cols: n, data } = U
  let axis = 0
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < m; i++) {
    let inside = 0
    for (let j = 0; j < k; j++) inside += data[i * n + j]! * data[i * n + j]!
    if (inside < least) {
      least = inside
      axis = i
    }
  }
  for (let i = 0; i < m; i++) data[i * n + k] = i === axis ? 1 : 0
  for (let pass = 0; pass < 2; pass++) {
    for (let j = 0; j < k; j++) {
      let dot = 0
      for (let i = 0; i < m; i++) dot += data[i * n + j]! * data[i * n + k]!
      for (let i = 0; i < m; i++) data[i * n + k]! -= dot * data[i * n + j]!
    }
    const size = columnNorm(U, k)
    for (let i = 0; i < m; i++) data[i * n + k]! /= size
  }
}

/** Cyclic two-sided Jacobi. */
export function referenceSymmetricEigen(A: Matrix): { values: Float64Array; vectors: Matrix } {
  const n = A.rows
  const D = matrix(n, n, A.data.slice())
  const V = identity(n)
  let size = 0
  for (const x of A.data) size += x * x
  const tiny = roundoff * Math.sqrt(size)
  let turned = true
  for (let sweep = 0; turned; sweep++) {
    if (sweep === 60) throw new Error('reference: Jacobi did not converge')
    turned = false
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        const d = D.data[p * n + q]!
        if (Math.abs(d) <= tiny) continue
        turned = true
        const turn = angle(D.data[p * n + p]!, d, D.data[q * n + q]!)
        rotateColumns(D, [p, q], turn)
        const T = transpose(D)
        rotateColumns(T, [p, q], turn)
        D.data.set(transpose(T).data)
        rotateColumns(V, [p, q], turn)
      }
    }
  }
  const order = Array.from({ length: n }, (_, j) => j).sort((i, j) => D.data[i * n + i]! - D.data[j * n + j]!)
  const vectors = matrix(n, n)
  for (const [to, j] of order.entries()) for (let i = 0; i < n; i++) vectors.data[i * n + to] = V.data[i * n + j]!
  return { values: Float64Array.from(order, (j) => D.data[j * n + j]!), vectors }
}

/** L with L Lᵀ = A; undefined when a pivot is not positive. */
export function referenceCholesky(A: Matrix): Matrix | undefined {
  const n = A.rows
  const L = matrix(n, n)
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      let sum = A.data[i * n + j]!
      for (let p = 0; p < j; p++) sum -= L.data[i * n + p]! * L.data[j * n + p]!
      if (i === j && !(sum > 0)) return undefined
      L.data[i * n + j] = i === j ? Math.sqrt(sum) : sum / L.data[j * n + j]!
    }
  }
  return L
}

/** Gaussian elimination with partial pivoting on [A | B]; undefined when a pivot is zero. */
export function referenceSolve(A: Matrix, B: Matrix): Matrix | undefined {
  const n = A.rows
  const rows = Array.from({ length: n }, (_, i) => [
    ...A.data.subarray(i * n, (i + 1) * n),
    ...B.data.subarray(i * B.cols, (i + 1) * B.cols),
  ])
  for (let k = 0; k < n; k++) {
    let best = k
    for (let i = k + 1; i < n; i++) if (Math.abs(rows[i]![k]!) > Math.abs(rows[best]![k]!)) best = i
    const pivot = rows[best]!
    rows[best] = rows[k]!
    rows[k] = pivot
    if (pivot[k] === 0) return undefined
    for (let i = 0; i < n; i++) {
      if (i === k) continue
      const factor = rows[i]![k]! / pivot[k]!
      for (let j = k; j < pivot.length; j++) rows[i]![j]! -= factor * pivot[j]!
    }
  }
  return matrix(n, B.cols, Float64Array.from(rows.flatMap((row, i) => row.slice(n).map((x) => x / row[i]!))))
}
