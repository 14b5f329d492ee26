// Divide and conquer for symmetric tridiagonal matrices (eigenvectors) and upper bidiagonal ones (singular vectors). Vectors
// are rows: row r of q belongs to the value at d[r]. The two halves of a problem span columns first .. mid and mid .. end.
import { gemmInto } from './gemm'
import { exactZ, secularRoot } from './secular'

const ROUNDOFF: f64 = 1.1102230246251565e-16
const LEFT: i32 = 1
const RIGHT: i32 = 2

// @ts-ignore: decorator
@inline function get(a: usize, i: i32): f64 { return load<f64>(a + (i << 3)) }
// @ts-ignore: decorator
@inline function set(a: usize, i: i32, x: f64): void { store<f64>(a + (i << 3), x) }
// @ts-ignore: decorator
@inline function index(a: usize, i: i32): i32 { return load<i32>(a + (i << 2)) }
// @ts-ignore: decorator
@inline function setIndex(a: usize, i: i32, x: i32): void { store<i32>(a + (i << 2), x) }

/** Rows a and b of n: (a, b) -> (c a - s b, s a + c b). */
export function turnRows(a: usize, b: usize, n: i32, c: f64, s: f64): void {
  const cc = f64x2.splat(c), ss = f64x2.splat(s)
  let j = 0
  for (; j + 2 <= n; j += 2) {
    const x = v128.load(a), y = v128.load(b)
    v128.store(a, f64x2.sub(f64x2.mul(cc, x), f64x2.mul(ss, y)))
    v128.store(b, f64x2.add(f64x2.mul(ss, x), f64x2.mul(cc, y)))
    a += 16; b += 16
  }
  if (j < n) {
    const x = load<f64>(a), y = load<f64>(b)
    store<f64>(a, c * x - s * y)
    store<f64>(b, s * x + c * y)
  }
}

/** Doubles of `work` for a merge of N values whose vectors have up to `wide` entries. */
export function mergeRoom(N: i32, wide: i32): i32 { return 5 * N * wide + 12 * N + 16 }

/**
 * Merges two solved halves. N poles d[first ..], each with its weight z and the halves its vectors live in (`sides`: ints,
 * low two bits for q, next two for p). Without p: eigenvalues of diag(d) + rho z z^T. With p: singular values of the
 * matrix whose first row is z and whose diagonal is d, where the pole at `mid - 1` is the first (d = 0). `size` is the norm
 * that rounding is measured by. On return d ascends and the rows follow it. -1 when a root is not found.
 */
export function merge(d: usize, z: usize, sides: usize, q: usize, p: usize, ld: i32, first: i32, mid: i32, N: i32, extra: i32,
  rho: f64, size: f64, work: usize): i32 {
  const squared = p != 0
  const stride: usize = ld << 3
  const end = first + N
  const wide = N + extra
  const tolerance = 8 * ROUNDOFF * size
  const dk = work, zk = dk + (N << 3), wk = zk + (N << 3), roots = wk + (N << 3), scratch = roots + (N << 3)
  const sorted = scratch + (N << 3), kept = sorted + (N << 3), gone = kept + (N << 3), group = gone + (N << 3)
  const S = (group + (N << 3) + 15) & ~15
  sortPoles(sorted, d, first, mid, end, squared)

  // Deflation: a pole without weight stays as it is; of two poles too close to tell apart one can lose its weight.
  const zero = mid - 1
  let K = 0, out = 0, before = -1
  for (let i = 0; i < N; i++) {
    const r = index(sorted, i)
    const dr = get(d, r)
    if (squared && r == zero) {
      if (abs<f64>(get(z, r)) <= tolerance) set(z, r, copysign<f64>(tolerance, get(z, r)))
      setIndex(kept, K++, r)
      continue
    }
    if (abs<f64>(rho * get(z, r)) <= tolerance) {
      setIndex(gone, out++, r)
      continue
    }
    if (squared && dr <= tolerance) {
      // Both values are zero: only the right vectors turn.
      const length = sqrt<f64>(get(z, zero) * get(z, zero) + get(z, r) * get(z, r))
      turnRows(p + zero * stride + (first << 3), p + r * stride + (first << 3), wide, get(z, zero) / length, -get(z, r) / length)
      // (c z0 + s zr, -s z0 + c zr) = (length, 0), with s = zr / length
      const both = (index(sides, r) | index(sides, zero)) & 12
      setIndex(sides, r, (index(sides, r) & 3) | both)
      setIndex(sides, zero, (index(sides, zero) & 3) | both)
      set(z, zero, length)
      setIndex(gone, out++, r)
      continue
    }
    if (before >= 0) {
      const zb = get(z, before), zr = get(z, r)
      const length = sqrt<f64>(zb * zb + zr * zr)
      const c = zr / length, s = zb / length
      const apart = dr - get(d, before)
      if (abs<f64>(squared ? apart : apart * c * s) <= tolerance) {
        // (c zb - s zr, s zb + c zr) = (0, length)
        turnRows(q + before * stride + (first << 3), q + r * stride + (first << 3), N, c, s)
        if (p) turnRows(p + before * stride + (first << 3), p + r * stride + (first << 3), wide, c, s)
        else {
          set(d, r, dr - apart * s * s)
          set(d, before, get(d, before) + apart * s * s)
        }
        const both = index(sides, before) | index(sides, r)
        setIndex(sides, before, both)
        setIndex(sides, r, both)
        set(z, r, length)
        setIndex(gone, out++, before)
        before = r
        continue
      }
      setIndex(kept, K++, before)
    }
    before = r
  }
  if (before >= 0) setIndex(kept, K++, before)

  for (let j = 0; j < K; j++) {
    const r = index(kept, j)
    set(dk, j, get(d, r))
    set(zk, j, get(z, r))
    set(wk, j, get(z, r) * get(z, r))
  }
  for (let i = 0; i < K; i++) {
    const root = secularRoot(i, K, dk, wk, rho, squared, S + ((i * K) << 3))
    if (root != root) return -1
    set(roots, i, root)
  }
  exactZ(zk, dk, S, K, squared, scratch)
  const fresh = S + ((K * K) << 3)
  const room = fresh + ((N * wide) << 3)
  combine(q, stride, first, mid, end, squared, dk, zk, S, K, kept, sides, 0, fresh, group, room)
  place(q, stride, first, N, N, d, roots, K, gone, out, fresh, sorted, !squared, room)
  if (p) {
    combine(p, stride, first, mid, end + extra, false, dk, zk, S, K, kept, sides, 2, fresh, group, room)
    place(p, stride, first, N, wide, d, roots, K, gone, out, fresh, sorted, true, room)
  }
  return 0
}

/** Merges the two ascending runs of d; with `zeroFirst` the pole at mid - 1 leads. */
function sortPoles(sorted: usize, d: usize, first: i32, mid: i32, end: i32, zeroFirst: bool): void {
  let i = first, j = mid, to = 0
  const stop = zeroFirst ? mid - 1 : mid
  if (zeroFirst) setIndex(sorted, to++, mid - 1)
  while (i < stop || j < end) {
    const left = j >= end || (i < stop && get(d, i) <= get(d, j))
    setIndex(sorted, to++, left ? i++ : j++)
  }
}

/**
 * New vectors of the kept poles into `fresh` (K rows of end - first): S holds the distances, row by row. A component is
 * z_j / delta_j; with `left` (left singular vectors) d_j z_j / delta_j, and -1 for the pole zero.
 */
function combine(q: usize, stride: usize, first: i32, mid: i32, end: i32, left: bool, d: usize, z: usize, S: usize, K: i32, kept: usize,
  sides: usize, shift: i32, fresh: usize, group: usize, room: usize): void {
  const wide = end - first
  const scale = room // one factor a root
  for (let i = 0; i < K; i++) {
    let sum: f64 = 0
    for (let j = 0; j < K; j++) {
      const x = component(d, z, S, K, i, j, left)
      sum += x * x
    }
    set(scale, i, 1 / sqrt<f64>(sum))
  }
  for (let side = LEFT; side <= RIGHT; side++) {
    const from = side == LEFT ? first : mid
    const count = (side == LEFT ? mid : end) - from
    let members = 0
    for (let j = 0; j < K; j++) if ((index(sides, index(kept, j)) >> shift) & side) setIndex(group, members++, j)
    const factors = scale + (K << 3) // [K, members]
    const rows = factors + ((K * members) << 3) // [members, count]
    for (let g = 0; g < members; g++) {
      memory.copy(rows + ((g * count) << 3), q + index(kept, index(group, g)) * stride + (from << 3), count << 3)
    }
    for (let i = 0; i < K; i++) {
      const by = get(scale, i)
      for (let g = 0; g < members; g++) set(factors, i * members + g, by * component(d, z, S, K, i, index(group, g), left))
    }
    const to = fresh + ((from - first) << 3)
    if (members > 0) gemmInto<f64>(to, wide, factors, rows, K, count, members, members, 1, count, 1, 0, 0, 0)
    else for (let i = 0; i < K; i++) memory.fill(to + ((i * wide) << 3), 0, count << 3)
  }
}

// @ts-ignore: decorator
@inline function component(d: usize, z: usize, S: usize, K: i32, i: i32, j: i32, left: bool): f64 {
  if (left && j == 0) return -1
  const x = get(z, j) / get(S, i * K + j)
  return left ? get(d, j) * x : x
}

/** Puts the K new and the `out` deflated vectors in ascending order of their values; `values` says whether d is to follow. */
function place(q: usize, stride: usize, first: i32, N: i32, wide: i32, d: usize, roots: usize, K: i32, gone: usize, out: i32, fresh: usize,
  old: usize, values: bool, room: usize): void {
  // Deflated values come ascending but for exchanges among close ones.
  for (let i = 1; i < out; i++) {
    const r = index(gone, i)
    let j = i
    for (; j > 0 && get(d, index(gone, j - 1)) > get(d, r); j--) setIndex(gone, j, index(gone, j - 1))
    setIndex(gone, j, r)
  }
  const line = wide << 3
  const sortedD = room
  const kept = sortedD + (N << 3)
  for (let g = 0; g < out; g++) memory.copy(kept + g * line, q + index(gone, g) * stride + (first << 3), line)
  let i = 0, g = 0
  for (let to = 0; to < N; to++) {
    const isNew = g >= out || (i < K && get(roots, i) <= get(d, index(gone, g)))
    set(sortedD, to, isNew ? get(roots, i) : get(d, index(gone, g)))
    memory.copy(q + (first + to) * stride + (first << 3), isNew ? fresh + i * line : kept + g * line, line)
    if (isNew) i++
    else g++
  }
  if (values) memory.copy(d + (first << 3), sortedD, N << 3)
}
