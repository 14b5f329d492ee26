// Singular value decomposition of larger square matrices: reduction to an upper bidiagonal matrix with one pass over the
// columns a step, one-sided Jacobi for small parts and divide and conquer above them.
import { addColumn, dotColumns, padded, scaleColumn } from './columns'
import { merge, mergeRoom, turnRows } from './divide'
import { applyQ, reflector } from './householder'
import { complete, sortedColumns } from './jacobi-svd'
import { across, madd, zeros } from './lanes'

const LEAF: i32 = 20
const NOTHING: f64 = 1e-100 // what counts as zero beside a largest entry of about 1

// @ts-ignore: decorator
@inline function get(a: usize, i: i32): f64 { return load<f64>(a + (i << 3)) }
// @ts-ignore: decorator
@inline function set(a: usize, i: i32, x: f64): void { store<f64>(a + (i << 3), x) }

/**
 * a: n columns of n rows, destroyed. d gets the diagonal, e what is right of it; lv, lTau and rv, rTau the reflectors from the
 * left (pivot k) and the right (pivot k + 1). `work`: 5 ld doubles.
 */
export function reduceBidiagonal(a: usize, ld: i32, n: i32, d: usize, e: usize, lv: usize, lTau: usize, rv: usize, rTau: usize,
  work: usize): void {
  const stride: usize = ld << 3
  // What the step before still owes the matrix: a -= u y^T + x v^T.
  const y = work, x = y + stride, row = x + stride, sum = row + stride, none = sum + stride
  memory.fill(work, 0, 5 * stride)
  let u = none, v = none
  for (let k = 0; k < n; k++) {
    const ak = a + k * stride
    addColumn(ak, u, ld, -get(y, k))
    addColumn(ak, x, ld, -get(v, k))
    const left = lv + k * stride
    const t = reflector(left, ak, ld, k)
    set(lTau, k, t)
    set(d, k, get(ak, k))
    if (k == n - 1) break
    // Every column: settle the debt; y_j = tau (a_j . left); row_j = a_kj - y_j; sum += row_j a_j
    memory.fill(sum, 0, stride)
    for (let j = k + 1; j < n; j += 4) passFour(a + j * stride, stride, min(3, n - 1 - j), u, y, x, v, left, t, row, sum, k, j)
    const right = rv + k * stride
    memory.fill(row, 0, (k + 1) << 3)
    memory.fill(row + (n << 3), 0, (ld - n) << 3)
    const alpha = get(row, k + 1)
    const s = reflector(right, row, ld, k + 1)
    set(rTau, k, s)
    const beta = get(row, k + 1)
    set(e, k, beta)
    memory.fill(y, 0, (k + 1) << 3)
    memory.fill(y + (n << 3), 0, (ld - n) << 3)
    // x = s (a right - (y . right) left), where a right = (sum - beta a_(k+1)) / (alpha - beta)
    if (s == 0) memory.fill(x, 0, stride)
    else {
      memory.copy(x, sum, stride)
      addColumn(x, a + (k + 1) * stride, ld, -beta)
      scaleColumn(x, ld, s / (alpha - beta))
      addColumn(x, left, ld, -s * dotColumns(y, right, ld))
    }
    u = left
    v = right
  }
}

// @ts-ignore: decorator
@inline function passFour(c0: usize, stride: usize, last: i32, u: usize, y: usize, x: usize, v: usize, left: usize, t: f64, row: usize,
  sum: usize, k: i32, j: i32): void {
  // Columns past the end repeat the last one: both copies read before either writes, and they add nothing to the sum.
  const c1 = c0 + min(1, last) * stride, c2 = c0 + min(2, last) * stride, c3 = c0 + last * stride
  const j1 = j + min(1, last), j2 = j + min(2, last), j3 = j + last
  const y0 = f64x2.splat(-get(y, j)), y1 = f64x2.splat(-get(y, j1)), y2 = f64x2.splat(-get(y, j2)), y3 = f64x2.splat(-get(y, j3))
  const v0 = f64x2.splat(-get(v, j)), v1 = f64x2.splat(-get(v, j1)), v2 = f64x2.splat(-get(v, j2)), v3 = f64x2.splat(-get(v, j3))
  let s0 = zeros(), s1 = zeros(), s2 = zeros(), s3 = zeros()
  const start: usize = (k & ~1) << 3
  for (let at = start; at < stride; at += 16) {
    const ui = v128.load(u + at), xi = v128.load(x + at), li = v128.load(left + at)
    const a0 = madd<f64>(madd<f64>(v128.load(c0 + at), y0, ui), v0, xi)
    const a1 = madd<f64>(madd<f64>(v128.load(c1 + at), y1, ui), v1, xi)
    const a2 = madd<f64>(madd<f64>(v128.load(c2 + at), y2, ui), v2, xi)
    const a3 = madd<f64>(madd<f64>(v128.load(c3 + at), y3, ui), v3, xi)
    v128.store(c0 + at, a0)
    v128.store(c1 + at, a1)
    v128.store(c2 + at, a2)
    v128.store(c3 + at, a3)
    s0 = madd<f64>(s0, a0, li)
    s1 = madd<f64>(s1, a1, li)
    s2 = madd<f64>(s2, a2, li)
    s3 = madd<f64>(s3, a3, li)
  }
  const r0 = finishRow(row, y, j, t * across<f64>(s0), get(c0, k))
  const r1 = last > 0 ? finishRow(row, y, j1, t * across<f64>(s1), get(c1, k)) : zeros()
  const r2 = last > 1 ? finishRow(row, y, j2, t * across<f64>(s2), get(c2, k)) : zeros()
  const r3 = last > 2 ? finishRow(row, y, j3, t * across<f64>(s3), get(c3, k)) : zeros()
  for (let at = start; at < stride; at += 16) {
    const low = madd<f64>(madd<f64>(v128.load(sum + at), r0, v128.load(c0 + at)), r1, v128.load(c1 + at))
    v128.store(sum + at, madd<f64>(madd<f64>(low, r2, v128.load(c2 + at)), r3, v128.load(c3 + at)))
  }
}

// @ts-ignore: decorator
@inline function finishRow(row: usize, y: usize, j: i32, yj: f64, akj: f64): v128 {
  set(y, j, yj)
  set(row, j, akj - yj)
  return f64x2.splat(akj - yj)
}

/** n rows of the bidiagonal from `first`, with n + extra columns: rows of q and p become its left and right vectors. */
function divide(d: usize, e: usize, first: i32, n: i32, extra: i32, q: usize, p: usize, ld: i32, work: usize): i32 {
  if (n <= LEAF) return solveLeaf(d, e, first, n, extra, q, p, ld, work)
  const half = n >> 1
  const row = first + half // the row between the halves
  const mid = row + 1
  const alpha = get(d, row), beta = get(e, row)
  const rest = n - half - 1
  if (divide(d, e, first, half, 1, q, p, ld, work) < 0 || divide(d, e, mid, rest, extra, q, p, ld, work) < 0) return -1
  const z = work
  const sides = z + ((first + n) << 3)
  const stride: usize = ld << 3
  let size = max(NOTHING, max(abs<f64>(alpha), abs<f64>(beta)))
  for (let r = first; r < first + n; r++) {
    const at = p + r * stride
    set(z, r, r < row ? alpha * get(at, row) : beta * get(at, mid))
    store<i32>(sides + (r << 2), r < mid ? 5 : 10)
    if (r != row) size = max(size, get(d, r))
  }
  // The null vectors of the halves, at rows `row` and first + n of p: one combination meets the middle row, the other none.
  const z1 = alpha * get(p + row * stride, row)
  if (extra) {
    const z2 = beta * get(p + (first + n) * stride, mid)
    const length = sqrt<f64>(z1 * z1 + z2 * z2)
    const c = length > 0 ? z1 / length : 1, s = length > 0 ? z2 / length : 0
    turnRows(p + row * stride + (first << 3), p + (first + n) * stride + (first << 3), n + 1, c, -s)
    set(z, row, length)
    store<i32>(sides + (row << 2), 13)
  } else set(z, row, z1)
  set(d, row, 0)
  memory.fill(q + row * stride + (first << 3), 0, n << 3)
  set(q + row * stride, row, 1)
  return merge(d, z, sides, q, p, ld, first, mid, n, extra, 1, size, (sides + ((first + n) << 3) + 15) & ~15)
}

function solveLeaf(d: usize, e: usize, first: i32, n: i32, extra: i32, q: usize, p: usize, ld: i32, work: usize): i32 {
  const cols = n + extra
  const tall = padded(cols), both = tall + padded(n)
  const s = work, y = s + (padded(n) << 3), rest = y + (((n + 1) * both) << 3)
  memory.fill(y, 0, ((n + 1) * both) << 3)
  for (let i = 0; i < n; i++) {
    set(y, i * both + i, get(d, first + i))
    if (i + 1 < cols) set(y, i * both + i + 1, get(e, first + i))
    set(y, i * both + tall + i, 1)
  }
  if (sortedColumns(s, y, both, cols, n, rest) < 0) return -1
  if (extra) complete(y, both, cols, n)
  for (let i = 0; i < n; i++) {
    // Ascending here, descending there.
    const from = y + (((n - 1 - i) * both) << 3)
    set(d, first + i, get(s, n - 1 - i))
    memory.copy(p + (((first + i) * ld + first) << 3), from, cols << 3)
    memory.copy(q + (((first + i) * ld + first) << 3), from + (tall << 3), n << 3)
  }
  if (extra) memory.copy(p + (((first + n) * ld + first) << 3), y + ((n * both) << 3), cols << 3)
  return 0
}

/** Bytes of `work` for `squareSvd`. */
export function squareRoom(n: i32): i32 {
  const ld = padded(n)
  return (2 * n * ld + 8 * ld + max(3 * ld + mergeRoom(n, n), max(32 * (32 + 2 * n), 8192))) << 3
}

/** a: n columns of n rows, destroyed; d: singular values, ascending; q and p: left and right vectors, one per row. -1: no convergence. */
export function squareSvd(d: usize, q: usize, p: usize, a: usize, ld: i32, n: i32, vectors: bool, work: usize): i32 {
  const lv = work, rv = lv + ((n * ld) << 3)
  const lTau = rv + ((n * ld) << 3), rTau = lTau + (ld << 3), e = rTau + (ld << 3), rest = e + (ld << 3)
  reduceBidiagonal(a, ld, n, d, e, lv, lTau, rv, rTau, rest)
  memory.fill(q, 0, (n * ld) << 3)
  memory.fill(p, 0, (n * ld) << 3)
  if (divide(d, e, 0, n, 0, q, p, ld, rest) < 0) return -1
  for (let i = 0; i < n; i++) if (get(d, i) < NOTHING) set(d, i, 0)
  if (vectors) {
    applyQ(q, n, ld, lv, lTau, n, false, false, rest)
    applyQ(p, n, ld, rv, rTau, n - 1, false, false, rest)
  }
  return 0
}
