// C = A B with every element summed over p = 0 .. k-1 in that order, one accumulator an element: blocking never
// changes a bit, and the plain triple loop is the definition. Operands are strided, so nn, tn and nt are one kernel.
import { tail } from './edge'
import { ADD, finish, finishOne, GATE, RESUME, STORE } from './finish'
import { madd, transposeSquare, width, zeros } from './lanes'

const BLOCK: i32 = 512 // summands per pass: a packed panel of 512 x 32 bytes stays in the first-level cache
const panel: usize = memory.data(16384, 16)

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

/** One row by four vectors, straight from B: the shape of a gradient with a single output. */
// @ts-ignore: decorator
@inline function block1x4<T>(c: usize, a: usize, aCol: usize, b: usize, bRow: usize, k: i32, extra: usize, alpha: v128,
  mode: i32, resume: bool): void {
  let s0 = zeros(), s1 = zeros(), s2 = zeros(), s3 = zeros()
  if (resume) { s0 = v128.load(c); s1 = v128.load(c, 16); s2 = v128.load(c, 32); s3 = v128.load(c, 48) }
  for (let p = 0; p < k; p++) {
    const x = v128.load_splat<T>(a)
    s0 = madd<T>(s0, x, v128.load(b)); s1 = madd<T>(s1, x, v128.load(b, 16))
    s2 = madd<T>(s2, x, v128.load(b, 32)); s3 = madd<T>(s3, x, v128.load(b, 48))
    a += aCol; b += bRow
  }
  v128.store(c, finish<T>(s0, c, extra, alpha, mode)); v128.store(c, finish<T>(s1, c + 16, extra + 16, alpha, mode), 16)
  v128.store(c, finish<T>(s2, c + 32, extra + 32, alpha, mode), 32); v128.store(c, finish<T>(s3, c + 48, extra + 48, alpha, mode), 48)
}

/** One summand: rows of B scaled, a vector at a time. */
// @ts-ignore: decorator
@inline function outer<T>(c: usize, cRow: usize, a: usize, aRow: usize, b: usize, m: i32, n: i32, extra: usize, extraRow: usize, alpha: T, mode: i32): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  const alphas = v128.splat<T>(alpha)
  for (let i = 0; i < m; i++) {
    const x = load<T>(a)
    const xs = v128.splat<T>(x)
    let j = 0
    for (; j + V <= n; j += V) {
      v128.store(c + j * s, finish<T>(madd<T>(zeros(), xs, v128.load(b + j * s)), c + j * s, extra + j * s, alphas, mode))
    }
    for (; j < n; j++) finishOne<T>(<T>(<T>0 + <T>(x * load<T>(b + j * s))), c + j * s, extra + j * s, alpha, mode)
    c += cRow
    a += aRow
    extra += extraRow
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
  if (k == 1 && bCol == 1 && !goesOn) {
    if (mode == GATE) outer<T>(c, cRow, a, aR, b, m, n, extra, extraRow, alpha, GATE)
    else outer<T>(c, cRow, a, aR, b, m, n, extra, extraRow, alpha, mode)
    return
  }
  let p0 = 0
  do {
    const kb = min(BLOCK, k - p0)
    const resume = goesOn || p0 > 0
    const now = p0 + kb < k ? STORE : mode
    const ap = a + p0 * aC
    const bp = b + p0 * bR
    let j = 0
    if (m < 4 && bCol == 1) {
      for (; j + 4 * V <= n; j += 4 * V) {
        for (let i = 0; i < m; i++) {
          block1x4<T>(c + i * cRow + j * s, ap + i * aR, aC, bp + j * s, bR, kb, extra + i * extraRow + j * s, alphas, now, resume)
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
      tail<T>(panel, c + j * s, cRow, ap, aR, aC, m, n - j, kb, extra + j * s, extraRow, alpha, now, resume)
    }
    p0 += kb
  } while (p0 < k)
}
