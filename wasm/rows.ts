// Many long rows of f32, in doubles: their moments, their inner products and their weighted sums, some columns at a time.
// Rows are `stride` values apart; the columns of a call are a multiple of four, and more than none.
// Standardised rows are packed by fours: for each column the four values of a group stand side by side, as doubles.
// Every sum runs over its summands in their order, so that how rows and columns are cut never changes a bit.
import { madd, zeros } from './lanes'

// @ts-ignore: decorator
@inline function low(x: v128): v128 { return f64x2.promote_low_f32x4(x) }

// @ts-ignore: decorator
@inline function high(x: v128): v128 { return f64x2.promote_low_f32x4(v128.shuffle<f64>(x, x, 1, 1)) }

/** Mean of each of w columns of n rows, and the sum of the squares of what is left. */
export function rowMoments(mean: usize, squares: usize, x: usize, stride: i32, n: i32, w: i32): void {
  const row: usize = stride << 2
  memory.fill(mean, 0, w << 3)
  memory.fill(squares, 0, w << 3)
  for (let i = 0; i < n; i++) {
    let at = x + i * row
    for (let m = mean, end = mean + (w << 3); m < end; m += 32) {
      const v = v128.load(at)
      v128.store(m, f64x2.add(v128.load(m), low(v)))
      v128.store(m, f64x2.add(v128.load(m, 16), high(v)), 16)
      at += 16
    }
  }
  const count = f64x2.splat(<f64>n)
  for (let m = mean, end = mean + (w << 3); m < end; m += 16) v128.store(m, f64x2.div(v128.load(m), count))
  for (let i = 0; i < n; i++) {
    let at = x + i * row, to = squares
    for (let m = mean, end = mean + (w << 3); m < end; m += 32) {
      const v = v128.load(at)
      const a = f64x2.sub(low(v), v128.load(m)), b = f64x2.sub(high(v), v128.load(m, 16))
      v128.store(to, madd<f64>(v128.load(to), a, a))
      v128.store(to, madd<f64>(v128.load(to, 16), b, b), 16)
      at += 16; to += 32
    }
  }
}

/** (x - mean) / scale of four columns of a row, rounded to f32. */
// @ts-ignore: decorator
@inline function standard(x: usize, mean: usize, scale: usize): v128 {
  const v = v128.load(x)
  const a = f64x2.div(f64x2.sub(low(v), v128.load(mean)), v128.load(scale))
  const b = f64x2.div(f64x2.sub(high(v), v128.load(mean, 16)), v128.load(scale, 16))
  return v128.shuffle<f64>(f32x4.demote_f64x2_zero(a), f32x4.demote_f64x2_zero(b), 0, 2)
}

/** w columns of n rows, standardised, in groups of four; rows that are missing in the last group are zeros. */
export function packRows(to: usize, x: usize, stride: i32, n: i32, w: i32, mean: usize, scale: usize): void {
  const row: usize = stride << 2
  for (let i = 0; i < n; i += 4) {
    const x1 = i + 1 < n ? x + row : x, x2 = i + 2 < n ? x + 2 * row : x, x3 = i + 3 < n ? x + 3 * row : x
    const k1 = i64x2.splat(i + 1 < n ? -1 : 0), k2 = i64x2.splat(i + 2 < n ? -1 : 0), k3 = i64x2.splat(i + 3 < n ? -1 : 0)
    for (let j = 0; j < w; j += 4) {
      const m = mean + (j << 3), s = scale + (j << 3), at = j << 2
      const r0 = standard(x + at, m, s), r1 = v128.and(standard(x1 + at, m, s), k1)
      const r2 = v128.and(standard(x2 + at, m, s), k2), r3 = v128.and(standard(x3 + at, m, s), k3)
      const a = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5), b = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5)
      const c = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7), d = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7)
      v128.store(to, low(a)); v128.store(to, low(b), 16)
      v128.store(to, high(a), 32); v128.store(to, high(b), 48)
      v128.store(to, low(c), 64); v128.store(to, low(d), 80)
      v128.store(to, high(c), 96); v128.store(to, high(d), 112)
      to += 128
    }
    x += row << 2
  }
}

/** A square of 4 x 4 sums goes on over w columns of two groups. */
// @ts-ignore: decorator
@inline function square(c: usize, a: usize, b: usize, w: i32): void {
  let s00 = v128.load(c), s01 = v128.load(c, 16), s10 = v128.load(c, 32), s11 = v128.load(c, 48)
  let s20 = v128.load(c, 64), s21 = v128.load(c, 80), s30 = v128.load(c, 96), s31 = v128.load(c, 112)
  for (const end = a + (w << 5); a < end; a += 32) {
    const b0 = v128.load(b), b1 = v128.load(b, 16)
    let x = v128.load_splat<f64>(a)
    s00 = madd<f64>(s00, x, b0); s01 = madd<f64>(s01, x, b1)
    x = v128.load_splat<f64>(a, 8)
    s10 = madd<f64>(s10, x, b0); s11 = madd<f64>(s11, x, b1)
    x = v128.load_splat<f64>(a, 16)
    s20 = madd<f64>(s20, x, b0); s21 = madd<f64>(s21, x, b1)
    x = v128.load_splat<f64>(a, 24)
    s30 = madd<f64>(s30, x, b0); s31 = madd<f64>(s31, x, b1)
    b += 32
  }
  v128.store(c, s00); v128.store(c, s01, 16); v128.store(c, s10, 32); v128.store(c, s11, 48)
  v128.store(c, s20, 64); v128.store(c, s21, 80); v128.store(c, s30, 96); v128.store(c, s31, 112)
}

const AHEAD: i32 = 8 // groups of a that meet a group of b while it is in the first-level cache

/**
 * c += A Bᵀ for packed groups over w columns, in squares of 4 x 4: square (i, j) is number i n + j, or with `lower`, where
 * only j <= i are computed, i (i + 1) / 2 + j.
 */
export function rowProducts(c: usize, a: usize, m: i32, b: usize, n: i32, w: i32, lower: bool): void {
  const size: usize = w << 5
  for (let top = 0; top < m; top += AHEAD) {
    const end = min(top + AHEAD, m)
    const columns = lower ? end : n
    for (let j = 0; j < columns; j++) {
      for (let i = lower ? max(top, j) : top; i < end; i++) {
        const at = lower ? ((i * (i + 1)) >> 1) + j : i * n + j
        square(c + (at << 7), a + i * size, b + j * size, w)
      }
    }
  }
}

/** to[q] += sum over the n rows of weights[q, i] (row i - mean), for q below m and w columns; `to` has rows of `stride`. */
export function weightRows(to: usize, weights: usize, m: i32, x: usize, stride: i32, n: i32, w: i32, mean: usize): void {
  for (let i = 0; i < n; i++) {
    for (let q = 0; q < m; q++) {
      const by = v128.load_splat<f64>(weights + ((q * n + i) << 3))
      let at = x + ((i * stride) << 2), sum = to + ((q * stride) << 3)
      for (let m = mean, end = mean + (w << 3); m < end; m += 32) {
        const v = v128.load(at)
        v128.store(sum, madd<f64>(v128.load(sum), by, f64x2.sub(low(v), v128.load(m))))
        v128.store(sum, madd<f64>(v128.load(sum, 16), by, f64x2.sub(high(v), v128.load(m, 16))), 16)
        at += 16; sum += 32
      }
    }
  }
}
