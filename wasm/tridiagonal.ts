// Symmetric eigenproblems: reduction to a tridiagonal matrix in one pass over the upper triangle a step (the update of one
// step and the product of the next share it), then implicit QL for small parts and divide and conquer above them.
import { dotColumns } from './columns'
import { merge, mergeRoom, turnRows } from './divide'
import { applyQ, reflector } from './householder'
import { across, madd, zeros } from './lanes'

const ROUNDOFF: f64 = 1.1102230246251565e-16
const NOTHING: f64 = 1e-140
const LEAF: i32 = 24

// @ts-ignore: decorator
@inline function get(a: usize, i: i32): f64 { return load<f64>(a + (i << 3)) }
// @ts-ignore: decorator
@inline function set(a: usize, i: i32, x: f64): void { store<f64>(a + (i << 3), x) }
// @ts-ignore: decorator
@inline function add(a: usize, i: i32, x: f64): void { store<f64>(a + (i << 3), load<f64>(a + (i << 3)) + x) }

/**
 * a: rows of a symmetric matrix, of which entries j >= i are used and destroyed. d gets the diagonal, e what is beside it, v and
 * tau the reflectors (v_k is zero up to k, one at k + 1). `work`: 3 ld doubles.
 */
export function reduceSymmetric(a: usize, ld: i32, n: i32, d: usize, e: usize, v: usize, tau: usize, work: usize): void {
  const stride: usize = ld << 3
  const w = work, p = w + stride, row = p + stride
  let u = row // the reflector before; with w = 0 its first update changes nothing
  memory.fill(work, 0, 3 * stride)
  for (let k = 0; k < n; k++) {
    const ak = a + k * stride
    updateRow(ak, u, w, k, n)
    set(d, k, get(ak, k))
    if (k == n - 1) break
    const x = v + k * stride
    memory.copy(p, ak, stride)
    for (let j = n; j < ld; j++) set(p, j, 0)
    const t = reflector(x, p, ld, k + 1)
    set(tau, k, t)
    set(e, k, get(p, k + 1))
    // a -= u w^T + w u^T below row k, and p = a x of the result
    memory.fill(p, 0, stride)
    let i = k + 1
    if (i & 1) {
      updateRow(a + i * stride, u, w, i, n)
      multiplyRow(a + i * stride, x, p, i, n)
      i++
    }
    for (; i + 1 < n; i += 2) passTwo(a + i * stride, stride, u, w, x, p, i, ld)
    if (i < n) {
      updateRow(a + i * stride, u, w, i, n)
      multiplyRow(a + i * stride, x, p, i, n)
    }
    // w = tau p - (tau / 2) (tau p . x) x
    const half = -0.5 * t * t * dotColumns(p, x, ld)
    for (let at: usize = 0; at < stride; at += 16) {
      const y = f64x2.mul(v128.load(p + at), f64x2.splat(t))
      v128.store(w + at, madd<f64>(y, f64x2.splat(half), v128.load(x + at)))
    }
    u = x
  }
}

function updateRow(a: usize, u: usize, w: usize, i: i32, n: i32): void {
  const ui = get(u, i), wi = get(w, i)
  for (let j = i; j < n; j++) set(a, j, get(a, j) - (ui * get(w, j) + wi * get(u, j)))
}

function multiplyRow(a: usize, x: usize, p: usize, i: i32, n: i32): void {
  const xi = get(x, i)
  let sum = get(a, i) * xi
  for (let j = i + 1; j < n; j++) {
    sum += get(a, j) * get(x, j)
    add(p, j, get(a, j) * xi)
  }
  add(p, i, sum)
}

/** Rows i and i + 1 (i even): both kinds of work, two rows for each load of the vectors. */
function passTwo(a: usize, stride: usize, u: usize, w: usize, x: usize, p: usize, i: i32, ld: i32): void {
  const b = a + stride
  const u0 = get(u, i), u1 = get(u, i + 1), w0 = get(w, i), w1 = get(w, i + 1), x0 = get(x, i), x1 = get(x, i + 1)
  const a00 = get(a, i) - (u0 * w0 + w0 * u0)
  const a01 = get(a, i + 1) - (u0 * w1 + w0 * u1)
  const a11 = get(b, i + 1) - (u1 * w1 + w1 * u1)
  set(a, i, a00); set(a, i + 1, a01); set(b, i + 1, a11)
  const U0 = f64x2.splat(u0), U1 = f64x2.splat(u1), W0 = f64x2.splat(w0), W1 = f64x2.splat(w1), X0 = f64x2.splat(x0), X1 = f64x2.splat(x1)
  let s0 = zeros(), s1 = zeros()
  for (let at: usize = (i + 2) << 3, end: usize = ld << 3; at < end; at += 16) {
    const uj = v128.load(u + at), wj = v128.load(w + at), xj = v128.load(x + at)
    const y0 = f64x2.sub(v128.load(a + at), madd<f64>(f64x2.mul(U0, wj), W0, uj))
    const y1 = f64x2.sub(v128.load(b + at), madd<f64>(f64x2.mul(U1, wj), W1, uj))
    v128.store(a + at, y0)
    v128.store(b + at, y1)
    s0 = madd<f64>(s0, y0, xj)
    s1 = madd<f64>(s1, y1, xj)
    v128.store(p + at, madd<f64>(madd<f64>(v128.load(p + at), y0, X0), y1, X1))
  }
  add(p, i, a00 * x0 + a01 * x1 + across<f64>(s0))
  add(p, i + 1, a01 * x0 + a11 * x1 + across<f64>(s1))
}

/** Implicit QL on d[first .. first + n] and e; rows of q turn along (n columns from `first`). d ends ascending. */
function implicitQl(d: usize, e: usize, first: i32, n: i32, q: usize, ld: i32): i32 {
  const stride: usize = ld << 3
  const rows = q + (first << 3)
  const end = first + n
  for (let l = first; l < end; l++) {
    for (let tries = 0; ; tries++) {
      let m = l
      for (; m < end - 1; m++) {
        if (abs<f64>(get(e, m)) <= ROUNDOFF * (abs<f64>(get(d, m)) + abs<f64>(get(d, m + 1))) + NOTHING) break
      }
      if (m == l) break
      if (tries == 60) return -1
      // Wilkinson's shift from the leading pair, then the bulge is chased upwards.
      const half = (get(d, l + 1) - get(d, l)) / (2 * get(e, l))
      let g = get(d, m) - get(d, l) + get(e, l) / (half + copysign<f64>(sqrt<f64>(1 + half * half), half))
      let s: f64 = 1, c: f64 = 1, shift: f64 = 0
      let i = m - 1
      for (; i >= l; i--) {
        const f = s * get(e, i), b = c * get(e, i)
        const r = sqrt<f64>(f * f + g * g)
        if (i + 1 < end - 1) set(e, i + 1, r)
        if (r == 0) {
          add(d, i + 1, -shift)
          break
        }
        s = f / r
        c = g / r
        g = get(d, i + 1) - shift
        const t = (get(d, i) - g) * s + 2 * c * b
        shift = s * t
        set(d, i + 1, g + shift)
        g = c * t - b
        turnRows(rows + i * stride, rows + (i + 1) * stride, n, c, s)
      }
      if (i < l) {
        add(d, l, -shift)
        set(e, l, g)
      }
      if (m < end - 1) set(e, m, 0)
    }
  }
  for (let i = first; i < end; i++) {
    let best = i
    for (let j = i + 1; j < end; j++) if (get(d, j) < get(d, best)) best = j
    if (best == i) continue
    const x = get(d, i)
    set(d, i, get(d, best))
    set(d, best, x)
    // A quarter turn exchanges the rows (one changes sign).
    turnRows(rows + i * stride, rows + best * stride, n, 0, 1)
  }
  return 0
}

/** Rows first .. first + n of q become the eigenvectors of that part of the tridiagonal matrix, d the eigenvalues. */
function divide(d: usize, e: usize, first: i32, n: i32, q: usize, ld: i32, work: usize): i32 {
  if (n <= LEAF) return implicitQl(d, e, first, n, q, ld)
  const half = n >> 1
  const mid = first + half
  const beside = get(e, mid - 1)
  const rho = abs<f64>(beside)
  add(d, mid - 1, -rho)
  add(d, mid, -rho)
  if (divide(d, e, first, half, q, ld, work) < 0 || divide(d, e, mid, n - half, q, ld, work) < 0) return -1
  const z = work
  const sides = z + ((first + n) << 3)
  let size: f64 = 0
  // z z^T rho = 2 rho (z / sqrt 2)(z / sqrt 2)^T: z is the last row of one half beside the first of the other.
  const by = 0.7071067811865476
  for (let r = first; r < first + n; r++) {
    const row = q + ((r * ld) << 3)
    set(z, r, r < mid ? by * get(row, mid - 1) : copysign<f64>(by, beside) * get(row, mid))
    store<i32>(sides + (r << 2), r < mid ? 1 : 2)
    size = max(size, abs<f64>(get(d, r)))
  }
  size = max(size, rho)
  return merge(d, z, sides, q, 0, ld, first, mid, n, 0, 2 * rho, size, (sides + ((first + n) << 3) + 15) & ~15)
}

/** Bytes of `work` for `symmetricEigen`. */
export function eigenRoom(n: i32): i32 {
  const ld = (n + 3) & ~3
  return ((n * ld + 6 * ld) + max(2 * ld + mergeRoom(n, n), 32 * (32 + 2 * n))) << 3
}

/**
 * a: rows of a symmetric matrix, destroyed; d: eigenvalues, ascending; q: their vectors, one per row; rows before `from` are not
 * brought back from the tridiagonal matrix. -1: no convergence.
 */
export function symmetricEigen(d: usize, q: usize, a: usize, ld: i32, n: i32, work: usize, from: i32): i32 {
  const v = work
  const tau = v + ((n * ld) << 3), e = tau + (ld << 3), rest = e + (ld << 3)
  reduceSymmetric(a, ld, n, d, e, v, tau, rest)
  memory.fill(q, 0, (n * ld) << 3)
  for (let i = 0; i < n; i++) set(q, i * ld + i, 1)
  if (divide(d, e, 0, n, q, ld, rest) < 0) return -1
  applyQ(q + ((from * ld) << 3), n - from, ld, v, tau, max(n - 1, 0), false, false, rest)
  return 0
}
