// Reflections H = I - tau v v^T that make a matrix of columns triangular, and their application. A norm below 1e-65 counts
// as zero: callers bring the largest entry to about 2^240, so that this is 1e-137 of it.
import { dotColumns, swapColumns, swapDoubles } from './columns'
import { gemmInto } from './gemm'
import { across, madd, zeros } from './lanes'

export const TINY_SQ: f64 = 1e-130

/** The part of a first vector that lies below row `from`, squared. */
// @ts-ignore: decorator
@inline function below(first: v128, odd: bool): v128 {
  const x = odd ? zeros() : f64x2.replace_lane(first, 0, 0)
  return f64x2.mul(x, x)
}

/** Applies H to `count` columns from row `from` on (v is zero above); the sums of squares below that row go to `norms`. */
export function reflect(c: usize, ld: i32, count: i32, v: usize, tau: f64, from: i32, norms: usize): void {
  const stride: usize = ld << 3
  const start: usize = (from & ~1) << 3
  const bytes: usize = stride - start
  const odd = (from & 1) != 0
  v += start
  c += start
  let j = 0
  for (; j + 4 <= count; j += 4) {
    const c0 = c, c1 = c0 + stride, c2 = c1 + stride, c3 = c2 + stride
    c = c3 + stride
    let s0 = zeros(), s1 = zeros(), s2 = zeros(), s3 = zeros()
    for (let at: usize = 0; at < bytes; at += 16) {
      const x = v128.load(v + at)
      s0 = madd<f64>(s0, x, v128.load(c0 + at))
      s1 = madd<f64>(s1, x, v128.load(c1 + at))
      s2 = madd<f64>(s2, x, v128.load(c2 + at))
      s3 = madd<f64>(s3, x, v128.load(c3 + at))
    }
    const t0 = f64x2.splat(-tau * across<f64>(s0))
    const t1 = f64x2.splat(-tau * across<f64>(s1))
    const t2 = f64x2.splat(-tau * across<f64>(s2))
    const t3 = f64x2.splat(-tau * across<f64>(s3))
    let x = v128.load(v)
    let y0 = madd<f64>(v128.load(c0), t0, x)
    let y1 = madd<f64>(v128.load(c1), t1, x)
    let y2 = madd<f64>(v128.load(c2), t2, x)
    let y3 = madd<f64>(v128.load(c3), t3, x)
    v128.store(c0, y0)
    v128.store(c1, y1)
    v128.store(c2, y2)
    v128.store(c3, y3)
    s0 = below(y0, odd)
    s1 = below(y1, odd)
    s2 = below(y2, odd)
    s3 = below(y3, odd)
    for (let at: usize = 16; at < bytes; at += 16) {
      x = v128.load(v + at)
      y0 = madd<f64>(v128.load(c0 + at), t0, x)
      y1 = madd<f64>(v128.load(c1 + at), t1, x)
      y2 = madd<f64>(v128.load(c2 + at), t2, x)
      y3 = madd<f64>(v128.load(c3 + at), t3, x)
      v128.store(c0 + at, y0)
      v128.store(c1 + at, y1)
      v128.store(c2 + at, y2)
      v128.store(c3 + at, y3)
      s0 = madd<f64>(s0, y0, y0)
      s1 = madd<f64>(s1, y1, y1)
      s2 = madd<f64>(s2, y2, y2)
      s3 = madd<f64>(s3, y3, y3)
    }
    if (norms) {
      const to = norms + (j << 3)
      store<f64>(to, across<f64>(s0))
      store<f64>(to, across<f64>(s1), 8)
      store<f64>(to, across<f64>(s2), 16)
      store<f64>(to, across<f64>(s3), 24)
    }
  }
  for (; j < count; j++) {
    let s0 = f64x2.mul(v128.load(v), v128.load(c)), s1 = zeros()
    let at: usize = 16
    for (; at + 16 < bytes; at += 32) {
      s0 = madd<f64>(s0, v128.load(v + at), v128.load(c + at))
      s1 = madd<f64>(s1, v128.load(v + at, 16), v128.load(c + at, 16))
    }
    if (at < bytes) s0 = madd<f64>(s0, v128.load(v + at), v128.load(c + at))
    const t = f64x2.splat(-tau * across<f64>(f64x2.add(s0, s1)))
    let y = madd<f64>(v128.load(c), t, v128.load(v))
    v128.store(c, y)
    s0 = below(y, odd)
    for (at = 16; at < bytes; at += 16) {
      y = madd<f64>(v128.load(c + at), t, v128.load(v + at))
      v128.store(c + at, y)
      s0 = madd<f64>(s0, y, y)
    }
    if (norms) store<f64>(norms + (j << 3), across<f64>(s0))
    c += stride
  }
}

/**
 * v with v[k] = 1 from rows k.. of column x, so that H x = beta e_k; x is overwritten with beta and zeros. Returns tau,
 * 0 when there is nothing to do. Plain loops: calls that fill or copy cost more than short columns do.
 */
export function reflector(v: usize, x: usize, ld: i32, k: i32): f64 {
  const stride: usize = ld << 3
  const at: usize = k << 3
  const start: usize = (k & ~1) << 3
  for (let p: usize = 0; p < start; p += 16) v128.store(v + p, zeros())
  const alpha = load<f64>(x + at)
  // Without the entries up to k, the first vector holds x[k + 1] or nothing.
  let first = v128.load(x + start)
  first = (k & 1) ? zeros() : f64x2.replace_lane(first, 0, 0)
  let s0 = f64x2.mul(first, first), s1 = zeros()
  let p = start + 16
  for (; p + 16 < stride; p += 32) {
    const a = v128.load(x + p), b = v128.load(x + p, 16)
    s0 = madd<f64>(s0, a, a)
    s1 = madd<f64>(s1, b, b)
  }
  if (p < stride) s0 = madd<f64>(s0, v128.load(x + p), v128.load(x + p))
  const rest = across<f64>(f64x2.add(s0, s1))
  const all = rest + alpha * alpha
  const idle = rest == 0 || all < TINY_SQ
  const beta = idle ? (all < TINY_SQ ? 0 : alpha) : -copysign<f64>(sqrt<f64>(all), alpha)
  const by = f64x2.splat(idle ? 0 : 1 / (alpha - beta))
  v128.store(v + start, f64x2.mul(first, by))
  store<f64>(v + at, 1)
  for (p = start + 16; p < stride; p += 16) {
    v128.store(v + p, f64x2.mul(v128.load(x + p), by))
    v128.store(x + p, zeros())
  }
  if (!(k & 1)) store<f64>(x + at, 0, 8)
  store<f64>(x + at, beta)
  return idle ? 0 : (beta - alpha) / beta
}

/**
 * a: n columns of m rows become R; v: the reflectors, one column each; tau: their factors. With `order` (n ints) the
 * remaining column of largest norm goes first, ties to the first. `work`: n + 32 (32 + n) doubles.
 */
export function factorQr(a: usize, ld: i32, m: i32, n: i32, v: usize, tau: usize, order: usize, work: usize): void {
  if (order) factorPivoted(a, ld, m, n, v, tau, order, work)
  else {
    const stride: usize = ld << 3
    const r = min(m, n)
    const panel = n >= WIDE ? BLOCK : r
    for (let k = 0; k < r; k += panel) {
      const end = min(k + panel, r)
      for (let j = k; j < end; j++) {
        const t = reflector(v + j * stride, a + j * stride, ld, j)
        store<f64>(tau + (j << 3), t)
        // The last panel of a wide matrix takes the columns beyond it along.
        reflect(a + (j + 1) * stride, ld, (end == r ? n : end) - j - 1, v + j * stride, t, j, 0)
      }
      if (end < r) applyBlock(a + end * stride, n - end, ld, v + k * stride, tau + (k << 3), end - k, k, true, work)
    }
  }
}

function factorPivoted(a: usize, ld: i32, m: i32, n: i32, v: usize, tau: usize, order: usize, norms: usize): void {
  const stride: usize = ld << 3
  for (let j = 0; j < n; j++) {
    store<i32>(order + (j << 2), j)
    store<f64>(norms + (j << 3), dotColumns(a + j * stride, a + j * stride, ld))
  }
  for (let k = 0, r = min(m, n); k < r; k++) {
    const x = a + k * stride
    let best = k
    for (let j = k + 1; j < n; j++) if (load<f64>(norms + (j << 3)) > load<f64>(norms + (best << 3))) best = j
    if (best != k) {
      swapColumns(x, a + best * stride, ld)
      swapDoubles(norms + (k << 3), norms + (best << 3))
      const moved = load<i32>(order + (k << 2))
      store<i32>(order + (k << 2), load<i32>(order + (best << 2)))
      store<i32>(order + (best << 2), moved)
    }
    const t = reflector(v + k * stride, x, ld, k)
    store<f64>(tau + (k << 3), t)
    reflect(x + stride, ld, n - k - 1, v + k * stride, t, k, norms + ((k + 1) << 3))
  }
}

const BLOCK: i32 = 16
const WIDE: i32 = 64 // from here on products of blocks beat single reflections
const minusOne: usize = memory.data<f64>([-1])

/**
 * H_0 .. H_(nb-1) = I - V T V^T on `count` columns from row `from` on, or with `forward` H_(nb-1) .. H_0. In columns
 * that is C -= (C V) T V^T (T transposed when not forward). `work`: nb (nb + 2 count) doubles.
 */
function applyBlock(c: usize, count: i32, ld: i32, v: usize, tau: usize, nb: i32, from: i32, forward: bool, work: usize): void {
  const stride: usize = ld << 3
  const T = work // row-major, upper triangular
  const W = T + ((nb * nb) << 3)
  const Z = W + ((count * nb) << 3)
  memory.fill(T, 0, (nb * nb) << 3)
  const start = from & ~3
  const top: usize = start << 3
  for (let j = 0; j < nb; j++) {
    // T[0..j, j] = -tau_j T[0..j, 0..j] V^T v_j
    const t = load<f64>(tau + (j << 3))
    store<f64>(T + ((j * nb + j) << 3), t)
    for (let i = 0; i < j; i++) {
      store<f64>(Z + (i << 3), dotColumns(v + i * stride + top, v + j * stride + top, ld - start))
    }
    for (let i = 0; i < j; i++) {
      let sum: f64 = 0
      for (let p = i; p < j; p++) sum += load<f64>(T + ((i * nb + p) << 3)) * load<f64>(Z + (p << 3))
      store<f64>(T + ((i * nb + j) << 3), -t * sum)
    }
  }
  const rows = ld - start
  gemmInto<f64>(W, nb, c + top, v + top, count, nb, rows, ld, 1, 1, ld, 0, 0, 0)
  gemmInto<f64>(Z, nb, W, T, count, nb, nb, nb, 1, forward ? nb : 1, forward ? 1 : nb, 0, 0, 0)
  gemmInto<f64>(c + top, ld, Z, v + top, count, rows, nb, nb, 1, ld, 1, 0, minusOne, 1)
}

/**
 * Q C = H_0 .. H_(r-1) C for `count` columns, or with `forward` Q^T C. With `unit` C holds the first unit vectors: column j
 * meets no reflection before H_j. `work`: 32 (32 + 2 count) doubles.
 */
export function applyQ(c: usize, count: i32, ld: i32, v: usize, tau: usize, r: i32, forward: bool, unit: bool, work: usize): void {
  const stride: usize = ld << 3
  const block = count < 16 || r < 16 ? 1 : BLOCK
  const blocks = (r + block - 1) / block
  for (let b = 0; b < blocks; b++) {
    const k = (forward ? b : blocks - 1 - b) * block
    const skip = unit ? k : 0
    if (block == 1) reflect(c + skip * stride, ld, count - skip, v + k * stride, load<f64>(tau + (k << 3)), k, 0)
    else applyBlock(c + skip * stride, count - skip, ld, v + k * stride, tau + (k << 3), min(block, r - k), k, forward, work)
  }
}
