// Reflections H = I - tau v v^T that make a matrix of columns triangular, and their application. A norm below 1e-140 counts
// as zero: callers bring the largest entry to about 2^400, so that this is 1e-260 of it.
import { dotColumns, swapColumns, swapDoubles } from './columns'
import { gemmInto } from './gemm'
import { across, madd, zeros } from './lanes'

export const TINY_SQ: f64 = 1e-280

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
  for (let j = 0; j < count; j += 4) {
    // Columns past the end repeat the last one: both copies read before either writes.
    const last = min(3, count - j - 1)
    const c0 = c + j * stride
    const c1 = c0 + min(1, last) * stride
    const c2 = c0 + min(2, last) * stride
    const c3 = c0 + last * stride
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
      if (last > 0) store<f64>(to, across<f64>(s1), 8)
      if (last > 1) store<f64>(to, across<f64>(s2), 16)
      if (last > 2) store<f64>(to, across<f64>(s3), 24)
    }
  }
}

/**
 * v with v[k] = 1 from rows k.. of column x, so that H x = beta e_k; x is overwritten with beta and zeros. Returns tau,
 * 0 when there is nothing to do.
 */
export function reflector(v: usize, x: usize, ld: i32, k: i32): f64 {
  const bytes = (ld - k) << 3
  memory.fill(v, 0, k << 3)
  memory.copy(v + (k << 3), x + (k << 3), bytes)
  const at = x + (k << 3)
  const alpha = load<f64>(at)
  store<f64>(v + (k << 3), 0)
  const start = k & ~3
  const rest = dotColumns(v + (start << 3), v + (start << 3), ld - start)
  memory.fill(at, 0, bytes)
  if (rest + alpha * alpha < TINY_SQ) {
    store<f64>(v + (k << 3), 1)
    return 0
  }
  if (rest == 0) {
    store<f64>(at, alpha)
    store<f64>(v + (k << 3), 1)
    return 0
  }
  const beta = -copysign<f64>(sqrt<f64>(alpha * alpha + rest), alpha)
  const by = f64x2.splat(1 / (alpha - beta))
  for (let p = v + ((k & ~1) << 3), end = v + (ld << 3); p < end; p += 16) v128.store(p, f64x2.mul(v128.load(p), by))
  store<f64>(v + (k << 3), 1)
  store<f64>(at, beta)
  return (beta - alpha) / beta
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

const BLOCK: i32 = 32
const WIDE: i32 = 96 // from here on products of blocks beat single reflections
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

/** Q C = H_0 .. H_(r-1) C for `count` columns, or with `forward` Q^T C. `work`: 32 (32 + 2 count) doubles. */
export function applyQ(c: usize, count: i32, ld: i32, v: usize, tau: usize, r: i32, forward: bool, work: usize): void {
  const stride: usize = ld << 3
  if (count < 16 || r < 16) {
    for (let i = 0; i < r; i++) {
      const k = forward ? i : r - 1 - i
      reflect(c, ld, count, v + k * stride, load<f64>(tau + (k << 3)), k, 0)
    }
    return
  }
  const blocks = (r + BLOCK - 1) / BLOCK
  for (let b = 0; b < blocks; b++) {
    const k = (forward ? b : blocks - 1 - b) * BLOCK
    applyBlock(c, count, ld, v + k * stride, tau + (k << 3), min(BLOCK, r - k), k, forward, work)
  }
}
