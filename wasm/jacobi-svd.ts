// Singular value decomposition of small matrices: pivoted QR, then one-sided Jacobi on the rows of R.
import { addColumn, dotColumns, padded, scaleColumn, swapColumns, swapDoubles } from './columns'
import { applyQ, factorQr, TINY_SQ } from './householder'
import { orthogonalise } from './jacobi'

const SWEEPS: i32 = 60

/** Bytes of `work` for `smallSvd` on m rows and n columns, n <= m. */
export function smallRoom(m: i32, n: i32): i32 {
  const wide = padded(n)
  // reflectors, their factors, the order of columns, the rows of R over the rotations, and room for the parts
  return (n * padded(m) + wide + wide + 2 * n * wide + max(5 * (wide + 4), wide + 32 * (32 + 2 * wide))) << 3
}

/**
 * a: n columns of m >= n rows, overwritten. s: n values, descending. With u, its n columns (as wide as a's) and those of v
 * (padded(n) wide) get the singular vectors. Returns -1 when the sweeps do not converge.
 */
export function smallSvd(u: usize, s: usize, v: usize, a: usize, ld: i32, m: i32, n: i32, work: usize): i32 {
  const wide = padded(n)
  const reflectors = work
  const tau = reflectors + ((n * ld) << 3)
  const order = tau + (wide << 3)
  const y = order + (wide << 3)
  const rest = y + ((2 * n * wide) << 3)
  factorQr(a, ld, m, n, reflectors, tau, order, rest)
  // y_i = row i of R; under it, when vectors are wanted, row i of the identity, which gathers the rotations W.
  const both = u ? 2 * wide : wide
  const stride: usize = both << 3
  memory.fill(y, 0, n * stride)
  for (let i = 0; i < n; i++) {
    const to = y + i * stride
    for (let j = i; j < n; j++) store<f64>(to + (j << 3), load<f64>(a + ((j * ld + i) << 3)))
    if (u) store<f64>(to + ((wide + i) << 3), 1)
  }
  if (sortedColumns(s, y, both, n, n, rest) < 0) return -1
  if (!u) return 0
  // R^T W = Y = V S, so A = Q R = (Q W) S V^T.
  for (let j = 0; j < n; j++) {
    const from = y + j * stride
    const to = v + ((j * wide) << 3)
    for (let i = 0; i < n; i++) store<f64>(to + (load<i32>(order + (i << 2)) << 3), load<f64>(from + (i << 3)))
    for (let i = n; i < wide; i++) store<f64>(to + (i << 3), 0)
    memory.copy(u + ((j * ld) << 3), from + (wide << 3), wide << 3)
    memory.fill(u + ((j * ld + wide) << 3), 0, (ld - wide) << 3)
  }
  applyQ(u, n, ld, reflectors, tau, n, false, false, rest)
  return 0
}

/**
 * Makes the first `rows` entries of n columns orthogonal, sorts the columns by falling norm, writes the norms to s and
 * turns those entries into unit vectors, also where the norm is zero. Returns -1 when the sweeps do not converge.
 */
export function sortedColumns(s: usize, y: usize, ld: i32, rows: i32, n: i32, work: usize): i32 {
  const stride: usize = ld << 3
  const length = padded(rows)
  const tolerance = 2.220446049250313e-16 * sqrt<f64>(<f64>max(rows, 1))
  if (orthogonalise(y, ld, length, n, tolerance, SWEEPS, work) < 0) return -1
  for (let j = 0; j < n; j++) {
    const sq = dotColumns(y + j * stride, y + j * stride, length)
    store<f64>(s + (j << 3), sq < TINY_SQ ? 0 : sqrt<f64>(sq))
  }
  for (let j = 0; j < n; j++) {
    let best = j
    for (let i = j + 1; i < n; i++) if (load<f64>(s + (i << 3)) > load<f64>(s + (best << 3))) best = i
    if (best != j) {
      swapDoubles(s + (j << 3), s + (best << 3))
      swapColumns(y + j * stride, y + best * stride, ld)
    }
  }
  for (let j = 0; j < n; j++) {
    const size = load<f64>(s + (j << 3))
    if (size > 0) scaleColumn(y + j * stride, length, 1 / size)
    else complete(y, ld, rows, j)
  }
  return 0
}

/** Column k becomes a unit vector orthogonal to columns 0 .. k-1 (all units): the axis that sticks out most, cleaned twice. */
export function complete(y: usize, ld: i32, rows: i32, k: i32): void {
  const stride: usize = ld << 3
  const length = padded(rows)
  const to = y + k * stride
  let axis = 0
  let least: f64 = Infinity
  for (let i = 0; i < rows; i++) {
    let inside: f64 = 0
    for (let j = 0; j < k; j++) {
      const x = load<f64>(y + j * stride + (i << 3))
      inside += x * x
    }
    if (inside < least) {
      least = inside
      axis = i
    }
  }
  memory.fill(to, 0, length << 3)
  store<f64>(to + (axis << 3), 1)
  for (let pass = 0; pass < 2; pass++) {
    for (let j = 0; j < k; j++) addColumn(to, y + j * stride, length, -dotColumns(y + j * stride, to, length))
    scaleColumn(to, length, 1 / sqrt<f64>(dotColumns(to, to, length)))
  }
}
