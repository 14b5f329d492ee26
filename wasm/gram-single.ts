// A Gram matrix of per-record gradients in single precision, for messages that are noisier than that: sums of products in
// f32, rounds added up in f64. The plain loops in src/attacks/attributes/linear/difference-gram.test.ts define it.
import { madd, zeros } from './lanes'

// Q and what records show lie in tiles of 8 by 8, one row of tiles after the other: a tile is one piece of memory, where rows
// of a large matrix are thousands of numbers apart.

const PANEL: i32 = 8 // columns of D that lie together, one summand after the other
const GROUP: i32 = 6 // panels that one panel meets while it is in the nearest cache

// @ts-ignore: decorator
@inline function panelsOf(n: i32): i32 { return (n + PANEL - 1) / PANEL }

/** Room that `gramAddSingle` works in, in doubles. */
export function gramSingleRoom(N: i32, n: i32, h: i32, e: i32, K: i32): i32 {
  const wide = h + e + 2 * K
  return ((N / n) * panelsOf(n) * PANEL * wide + 2 * 4 * PANEL + 1) / 2 + 8
}

/** Up to PANEL rows of a [rows, width] times `by`, as to[p, row]; zeros for rows that there are not. */
function pack(to: usize, a: usize, rows: i32, width: i32, by: f64): void {
  for (let r = 0; r < PANEL; r++) {
    let at = to + (r << 2)
    if (r >= rows) {
      for (let p = 0; p < width; p++, at += PANEL << 2) store<f32>(at, 0)
      continue
    }
    const row = a + ((r * width) << 3)
    for (let p = 0; p < width; p++, at += PANEL << 2) store<f32>(at, <f32>(by * load<f64>(row + (p << 3))))
  }
}

/** Four rows of one panel by another panel: to [4, PANEL], sums over k summands, from zero or from what `to` holds. */
// @ts-ignore: decorator
@inline function block(to: usize, a: usize, b: usize, k: i32, goesOn: bool): void {
  let s00 = zeros(), s01 = zeros(), s10 = zeros(), s11 = zeros(), s20 = zeros(), s21 = zeros(), s30 = zeros(), s31 = zeros()
  if (goesOn) {
    s00 = v128.load(to); s01 = v128.load(to, 16); s10 = v128.load(to, 32); s11 = v128.load(to, 48)
    s20 = v128.load(to, 64); s21 = v128.load(to, 80); s30 = v128.load(to, 96); s31 = v128.load(to, 112)
  }
  for (let p = 0; p < k; p++) {
    const b0 = v128.load(b)
    const b1 = v128.load(b, 16)
    let x = v128.load32_splat(a)
    s00 = madd<f32>(s00, x, b0); s01 = madd<f32>(s01, x, b1)
    x = v128.load32_splat(a, 4)
    s10 = madd<f32>(s10, x, b0); s11 = madd<f32>(s11, x, b1)
    x = v128.load32_splat(a, 8)
    s20 = madd<f32>(s20, x, b0); s21 = madd<f32>(s21, x, b1)
    x = v128.load32_splat(a, 12)
    s30 = madd<f32>(s30, x, b0); s31 = madd<f32>(s31, x, b1)
    a += PANEL << 2
    b += PANEL << 2
  }
  v128.store(to, s00); v128.store(to, s01, 16); v128.store(to, s10, 32); v128.store(to, s11, 48)
  v128.store(to, s20, 64); v128.store(to, s21, 80); v128.store(to, s30, 96); v128.store(to, s31, 112)
}

/** Doubles that a matrix over `values` times n columns takes in tiles. */
export function tiledRoom(n: i32, values: i32): i32 {
  const panels = values * panelsOf(n)
  return panels * panels * PANEL * PANEL
}

// @ts-ignore: decorator
@inline function tileAt(tiles: usize, a: i32, b: i32, panels: i32): usize {
  return tiles + (((a * panels + b) * PANEL * PANEL) << 3)
}

/** A matrix [n, n] as tiles; zeros where it has no numbers. */
export function intoTiles(tiles: usize, from: usize, n: i32): void {
  const panels = panelsOf(n)
  for (let a = 0; a < panels; a++) {
    for (let b = 0; b < panels; b++) {
      const to = tileAt(tiles, a, b, panels)
      for (let i = 0; i < PANEL; i++) {
        for (let j = 0; j < PANEL; j++) {
          const r = a * PANEL + i, c = b * PANEL + j
          store<f64>(to + ((i * PANEL + j) << 3), r < n && c < n ? load<f64>(from + ((r * n + c) << 3)) : 0)
        }
      }
    }
  }
}

/** Adds what tiles on and above the diagonal hold to both triangles of q [N, N], columns of D in blocks of n. */
export function addTiles(q: usize, tiles: usize, N: i32, n: i32): void {
  const panels = panelsOf(n), all = (N / n) * panels
  for (let a = 0; a < all; a++) {
    const ra = (a % panels) * PANEL, ca = (a / panels) * n + ra, rows = min(PANEL, n - ra)
    for (let b = a; b < all; b++) {
      const rb = (b % panels) * PANEL, cb = (b / panels) * n + rb, cols = min(PANEL, n - rb)
      const from = tileAt(tiles, a, b, all)
      for (let i = 0; i < rows; i++) {
        for (let j = a == b ? i : 0; j < cols; j++) {
          const x = load<f64>(from + ((i * PANEL + j) << 3))
          const upper = q + (((ca + i) * N + cb + j) << 3), lower = q + (((cb + j) * N + ca + i) << 3)
          store<f64>(upper, load<f64>(upper) + x)
          if (upper != lower) store<f64>(lower, load<f64>(lower) + x)
        }
      }
    }
  }
}

/** to += s t + u over four rows of a tile. */
// @ts-ignore: decorator
@inline function addFour(to: usize, s: usize, t: usize, u: usize): void {
  for (let at = 0; at < 4 * PANEL; at += 2) {
    const x = f64x2.promote_low_f32x4(v128.load64_zero(t + (at << 2))), y = f64x2.promote_low_f32x4(v128.load64_zero(u + (at << 2)))
    const sum = f64x2.add(f64x2.mul(v128.load(s + (at << 3)), x), y)
    v128.store(to + (at << 3), f64x2.add(v128.load(to + (at << 3)), sum))
  }
}

/**
 * tiles += w (D^T D - Z diag(taken) Z^T), as `gramAdd` has it, on and above the diagonal; `s` holds x_i . x_j in tiles. A
 * column's numbers are multiplied by the root of w and rounded; what meets x x^T is summed by itself, all else together.
 */
export function gramAddSingle(tiles: usize, N: i32, n: i32, s: usize, first: usize, h: i32, rest: usize, e: i32, z: usize, K: i32,
  taken: usize, w: f64, work: usize): void {
  const root = sqrt<f64>(w)
  const values = N / n, panels = panelsOf(n)
  const wide = (h + e + 2 * K) * PANEL << 2 // bytes of a panel: first, rest, z, and z times what is taken
  const t = work, u = work + (4 * PANEL << 2), packed = work + (8 * PANEL << 2)
  for (let v = 0; v < values; v++) {
    for (let c = 0; c < panels; c++) {
      const at = v * n + c * PANEL, rows = min(PANEL, n - c * PANEL)
      let to = packed + (v * panels + c) * wide
      pack(to, first + ((at * h) << 3), rows, h, root)
      to += (h * PANEL) << 2
      pack(to, rest + ((at * e) << 3), rows, e, root)
      to += (e * PANEL) << 2
      pack(to, z + ((at * K) << 3), rows, K, root)
      const less = to + ((K * PANEL) << 2)
      for (let k = 0; k < K; k++) {
        const by = -load<f64>(taken + (k << 3)) * root
        for (let r = 0; r < PANEL; r++) {
          store<f32>(less + ((k * PANEL + r) << 2), r < rows ? <f32>(by * load<f64>(z + (((at + r) * K + k) << 3))) : 0)
        }
      }
    }
  }
  const all = values * panels
  const behind = (h * PANEL) << 2, past = ((h + e) * PANEL) << 2
  for (let g = 0; g < all; g += GROUP) {
    const end = min(all, g + GROUP)
    for (let b = g; b < all; b++) {
      const right = packed + b * wide
      for (let a = g; a < min(end, b + 1); a++) {
        const to = tileAt(tiles, a, b, all), ss = tileAt(s, a % panels, b % panels, panels)
        for (let half = 0; half < PANEL; half += 4) {
          const own = packed + a * wide + (half << 2)
          const from: usize = (half * PANEL) << 3
          block(t, own, right, h, false)
          block(u, own + behind, right + behind, e, false)
          if (K > 0) block(u, own + past + ((K * PANEL) << 2), right + past, K, true)
          addFour(to + from, ss + from, t, u)
        }
      }
    }
  }
}
