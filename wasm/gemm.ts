// C = A B with every element summed over p = 0 .. k-1 in that order, one accumulator an element: blocking never
// changes a bit, and the plain triple loop is the definition. Operands are strided, so nn, tn and nt are one kernel.
import { madd, transposeSquare, width, zeros } from './lanes'

// What happens to a finished sum. The numbers are repeated in src/numeric/kernels.ts.
const STORE: i32 = 0
const ADD: i32 = 1 // C += alpha * sum
const GATE: i32 = 2 // C = extra <= 0 ? 0 : sum         (extra shaped like C)
const BIAS: i32 = 3 // C = sum + extra                  (extra a row)
const BIAS_RELU: i32 = 4 // C = max(sum + extra, 0)
const RESUME: i32 = 8 // added to a mode: the sum goes on from what C holds

const BLOCK: i32 = 512 // summands per pass: a packed panel of 512 x 32 bytes stays in the first-level cache
const panel: usize = memory.data(16384, 16)
const tile: usize = memory.data(256, 16)

// @ts-ignore: decorator
@inline function finish<T>(sum: v128, at: usize, extra: usize, alpha: v128, mode: i32): v128 {
  if (mode == STORE) return sum
  if (mode == ADD) return madd<T>(v128.load(at), alpha, sum)
  if (mode == GATE) return v128.andnot(sum, v128.le<T>(v128.load(extra), zeros()))
  sum = v128.add<T>(sum, v128.load(extra))
  return mode == BIAS_RELU ? v128.max<T>(sum, zeros()) : sum
}

// @ts-ignore: decorator
@inline function finishOne<T>(sum: T, at: usize, extra: usize, alpha: T, mode: i32): void {
  if (mode == ADD) sum = <T>(load<T>(at) + <T>(alpha * sum))
  else if (mode == GATE) sum = load<T>(extra) <= <T>0 ? <T>0 : sum
  else if (mode >= BIAS) {
    sum = <T>(sum + load<T>(extra))
    if (mode == BIAS_RELU) sum = max<T>(sum, <T>0)
  }
  store<T>(at, sum)
}

/** Copies columns j .. j+w of B (k rows from p0) into the panel, two vectors wide, zeros on the right. */
function pack<T>(b: usize, bRow: usize, bCol: usize, w: i32, k: i32): void {
  const V = width<T>()
  const s = sizeof<T>()
  let p = 0
  if (w == 2 * V && bCol == s) {
    for (; p < k; p++) {
      v128.store(panel + 32 * p, v128.load(b))
      v128.store(panel + 32 * p, v128.load(b, 16), 16)
      b += bRow
    }
    return
  }
  if (w == 2 * V && bRow == s) {
    // B is stored by columns: transpose squares of V x V in registers.
    for (; p + V <= k; p += V) {
      transposeSquare<T>(b + p * s, bCol, panel + 32 * p, 32)
      transposeSquare<T>(b + V * bCol + p * s, bCol, panel + 32 * p + 16, 32)
    }
  }
  for (; p < k; p++) {
    const from = b + p * bRow
    const to = panel + 32 * p
    if (w < 2 * V) {
      v128.store(to, zeros())
      v128.store(to, zeros(), 16)
    }
    for (let j = 0; j < w; j++) store<T>(to + j * s, load<T>(from + j * bCol))
  }
}

/** Four rows by two vectors: eight accumulators hide the latency of one addition (unrolling further spills registers). */
// @ts-ignore: decorator
@inline function block4x2<T>(c: usize, cRow: usize, a: usize, aRow: usize, aCol: usize, b: usize, bRow: usize, k: i32,
  extra: usize, extraRow: usize, alpha: v128, mode: i32, resume: bool): void {
  const c1 = c + cRow
  const c2 = c1 + cRow
  const c3 = c2 + cRow
  let s00 = zeros(), s01 = zeros(), s10 = zeros(), s11 = zeros(), s20 = zeros(), s21 = zeros(), s30 = zeros(), s31 = zeros()
  if (resume) {
    s00 = v128.load(c); s01 = v128.load(c, 16)
    s10 = v128.load(c1); s11 = v128.load(c1, 16)
    s20 = v128.load(c2); s21 = v128.load(c2, 16)
    s30 = v128.load(c3); s31 = v128.load(c3, 16)
  }
  let a1 = a + aRow
  let a2 = a1 + aRow
  let a3 = a2 + aRow
  for (let p = 0; p < k; p++) {
    const b0 = v128.load(b)
    const b1 = v128.load(b, 16)
    let x = v128.load_splat<T>(a)
    s00 = madd<T>(s00, x, b0); s01 = madd<T>(s01, x, b1)
    x = v128.load_splat<T>(a1)
    s10 = madd<T>(s10, x, b0); s11 = madd<T>(s11, x, b1)
    x = v128.load_splat<T>(a2)
    s20 = madd<T>(s20, x, b0); s21 = madd<T>(s21, x, b1)
    x = v128.load_splat<T>(a3)
    s30 = madd<T>(s30, x, b0); s31 = madd<T>(s31, x, b1)
    a += aCol; a1 += aCol; a2 += aCol; a3 += aCol; b += bRow
  }
  v128.store(c, finish<T>(s00, c, extra, alpha, mode)); v128.store(c, finish<T>(s01, c + 16, extra + 16, alpha, mode), 16)
  extra += extraRow
  v128.store(c1, finish<T>(s10, c1, extra, alpha, mode)); v128.store(c1, finish<T>(s11, c1 + 16, extra + 16, alpha, mode), 16)
  extra += extraRow
  v128.store(c2, finish<T>(s20, c2, extra, alpha, mode)); v128.store(c2, finish<T>(s21, c2 + 16, extra + 16, alpha, mode), 16)
  extra += extraRow
  v128.store(c3, finish<T>(s30, c3, extra, alpha, mode)); v128.store(c3, finish<T>(s31, c3 + 16, extra + 16, alpha, mode), 16)
}

// @ts-ignore: decorator
@inline function block1x2<T>(c: usize, a: usize, aCol: usize, b: usize, bRow: usize, k: i32, extra: usize, alpha: v128,
  mode: i32, resume: bool): void {
  let s0 = zeros(), s1 = zeros()
  if (resume) { s0 = v128.load(c); s1 = v128.load(c, 16) }
  for (let p = 0; p < k; p++) {
    const x = v128.load_splat<T>(a)
    s0 = madd<T>(s0, x, v128.load(b)); s1 = madd<T>(s1, x, v128.load(b, 16))
    a += aCol; b += bRow
  }
  v128.store(c, finish<T>(s0, c, extra, alpha, mode)); v128.store(c, finish<T>(s1, c + 16, extra + 16, alpha, mode), 16)
}

/** One row by eight vectors, straight from B: the shape of a gradient with a single output. */
// @ts-ignore: decorator
@inline function block1x8<T>(c: usize, a: usize, aCol: usize, b: usize, bRow: usize, k: i32, extra: usize, alpha: v128,
  mode: i32, resume: bool): void {
  let s0 = zeros(), s1 = zeros(), s2 = zeros(), s3 = zeros(), s4 = zeros(), s5 = zeros(), s6 = zeros(), s7 = zeros()
  if (resume) {
    s0 = v128.load(c); s1 = v128.load(c, 16); s2 = v128.load(c, 32); s3 = v128.load(c, 48)
    s4 = v128.load(c, 64); s5 = v128.load(c, 80); s6 = v128.load(c, 96); s7 = v128.load(c, 112)
  }
  for (let p = 0; p < k; p++) {
    const x = v128.load_splat<T>(a)
    s0 = madd<T>(s0, x, v128.load(b)); s1 = madd<T>(s1, x, v128.load(b, 16))
    s2 = madd<T>(s2, x, v128.load(b, 32)); s3 = madd<T>(s3, x, v128.load(b, 48))
    s4 = madd<T>(s4, x, v128.load(b, 64)); s5 = madd<T>(s5, x, v128.load(b, 80))
    s6 = madd<T>(s6, x, v128.load(b, 96)); s7 = madd<T>(s7, x, v128.load(b, 112))
    a += aCol; b += bRow
  }
  v128.store(c, finish<T>(s0, c, extra, alpha, mode)); v128.store(c, finish<T>(s1, c + 16, extra + 16, alpha, mode), 16)
  v128.store(c, finish<T>(s2, c + 32, extra + 32, alpha, mode), 32); v128.store(c, finish<T>(s3, c + 48, extra + 48, alpha, mode), 48)
  v128.store(c, finish<T>(s4, c + 64, extra + 64, alpha, mode), 64); v128.store(c, finish<T>(s5, c + 80, extra + 80, alpha, mode), 80)
  v128.store(c, finish<T>(s6, c + 96, extra + 96, alpha, mode), 96); v128.store(c, finish<T>(s7, c + 112, extra + 112, alpha, mode), 112)
}

/** The last columns, fewer than two vectors: rows in eights by one packed vector at a time, stored one by one. */
function tail<T>(c: usize, cRow: usize, a: usize, aRow: usize, aCol: usize, m: i32, w: i32, k: i32, extra: usize,
  extraRow: usize, alpha: T, mode: i32, resume: bool): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  for (let j = 0; j < w; j += V) {
    const wide = min(V, w - j)
    const b = panel + j * s
    for (let i = 0; i < m; i += 8) {
      const high = min(8, m - i)
      const ai = a + i * aRow
      // Rows past the end repeat the last one: their sums are computed and never stored.
      let r1 = ai + min(1, high - 1) * aRow, r2 = ai + min(2, high - 1) * aRow, r3 = ai + min(3, high - 1) * aRow
      let r0 = ai, r4 = ai + min(4, high - 1) * aRow, r5 = ai + min(5, high - 1) * aRow
      let r6 = ai + min(6, high - 1) * aRow, r7 = ai + min(7, high - 1) * aRow
      const ci = c + i * cRow + j * s
      let s0 = zeros(), s1 = zeros(), s2 = zeros(), s3 = zeros(), s4 = zeros(), s5 = zeros(), s6 = zeros(), s7 = zeros()
      if (resume) {
        for (let r = 0; r < high; r++) {
          for (let l = 0; l < wide; l++) store<T>(tile + 16 * r + l * s, load<T>(ci + r * cRow + l * s))
        }
        s0 = v128.load(tile); s1 = v128.load(tile, 16); s2 = v128.load(tile, 32); s3 = v128.load(tile, 48)
        s4 = v128.load(tile, 64); s5 = v128.load(tile, 80); s6 = v128.load(tile, 96); s7 = v128.load(tile, 112)
      }
      for (let p = 0; p < k; p++) {
        const x = v128.load(b + 32 * p)
        s0 = madd<T>(s0, v128.load_splat<T>(r0), x); s1 = madd<T>(s1, v128.load_splat<T>(r1), x)
        s2 = madd<T>(s2, v128.load_splat<T>(r2), x); s3 = madd<T>(s3, v128.load_splat<T>(r3), x)
        s4 = madd<T>(s4, v128.load_splat<T>(r4), x); s5 = madd<T>(s5, v128.load_splat<T>(r5), x)
        s6 = madd<T>(s6, v128.load_splat<T>(r6), x); s7 = madd<T>(s7, v128.load_splat<T>(r7), x)
        r0 += aCol; r1 += aCol; r2 += aCol; r3 += aCol; r4 += aCol; r5 += aCol; r6 += aCol; r7 += aCol
      }
      v128.store(tile, s0); v128.store(tile, s1, 16); v128.store(tile, s2, 32); v128.store(tile, s3, 48)
      v128.store(tile, s4, 64); v128.store(tile, s5, 80); v128.store(tile, s6, 96); v128.store(tile, s7, 112)
      const ei = extra + i * extraRow + j * s
      for (let r = 0; r < high; r++) {
        for (let l = 0; l < wide; l++) {
          finishOne<T>(load<T>(tile + 16 * r + l * s), ci + r * cRow + l * s, ei + r * extraRow + l * s, alpha, mode)
        }
      }
    }
  }
}

/** Strides in elements. `alphaAt` points to a scalar (mode ADD). Modes other than ADD take any k; ADD takes k <= 512. */
export function gemm<T>(c: usize, a: usize, b: usize, m: i32, n: i32, k: i32, aRow: i32, aCol: i32, bRow: i32, bCol: i32,
  extra: usize, alphaAt: usize, finishing: i32): void {
  gemmInto<T>(c, n, a, b, m, n, k, aRow, aCol, bRow, bCol, extra, alphaAt, finishing)
}

/** The same into a part of a wider matrix, whose rows are `cWide` apart. */
export function gemmInto<T>(c: usize, cWide: i32, a: usize, b: usize, m: i32, n: i32, k: i32, aRow: i32, aCol: i32, bRow: i32,
  bCol: i32, extra: usize, alphaAt: usize, finishing: i32): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  const goesOn = finishing >= RESUME
  const mode = goesOn ? finishing - RESUME : finishing
  const cRow: usize = cWide * s
  const aR: usize = aRow * s, aC: usize = aCol * s, bR: usize = bRow * s, bC: usize = bCol * s
  const extraRow: usize = mode == GATE ? cRow : 0
  const alpha: T = mode == ADD ? load<T>(alphaAt) : <T>0
  const alphas = v128.splat<T>(alpha)
  let p0 = 0
  do {
    const kb = min(BLOCK, k - p0)
    const resume = goesOn || p0 > 0
    const now = p0 + kb < k ? STORE : mode
    const ap = a + p0 * aC
    const bp = b + p0 * bR
    let j = 0
    if (m < 4 && bCol == 1) {
      for (; j + 8 * V <= n; j += 8 * V) {
        for (let i = 0; i < m; i++) {
          block1x8<T>(c + i * cRow + j * s, ap + i * aR, aC, bp + j * s, bR, kb, extra + i * extraRow + j * s, alphas, now, resume)
        }
      }
    }
    // Packing pays when the panel is read often, or when B is stored by columns.
    const packs = bCol != 1 || (n > 256 && m >= 16)
    for (; j + 2 * V <= n; j += 2 * V) {
      let from = bp + j * bC
      let step = bR
      if (packs) {
        pack<T>(from, bR, bC, 2 * V, kb)
        from = panel
        step = 32
      }
      let i = 0
      for (; i + 4 <= m; i += 4) {
        block4x2<T>(c + i * cRow + j * s, cRow, ap + i * aR, aR, aC, from, step, kb, extra + i * extraRow + j * s, extraRow, alphas, now, resume)
      }
      for (; i < m; i++) {
        block1x2<T>(c + i * cRow + j * s, ap + i * aR, aC, from, step, kb, extra + i * extraRow + j * s, alphas, now, resume)
      }
    }
    if (j < n) {
      pack<T>(bp + j * bC, bR, bC, n - j, kb)
      tail<T>(c + j * s, cRow, ap, aR, aC, m, n - j, kb, extra + j * s, extraRow, alpha, now, resume)
    }
    p0 += kb
  } while (p0 < k)
}
