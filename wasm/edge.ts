// The last columns of a product, fewer than two vectors, from a packed panel whose rows are 32 bytes apart. As in gemm.ts
// each element is summed over p in order.
import { finishOne } from './finish'
import { madd, width, zeros } from './lanes'

const tile: usize = memory.data(64, 16)

/** A last column where the rows of A lie side by side (Aᵀ): lanes are rows, four vectors of them at a time. */
function column<T>(c: usize, cRow: usize, a: usize, aCol: usize, b: usize, m: i32, k: i32, extra: usize, extraRow: usize, alpha: T,
  mode: i32, resume: bool): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  for (let i = 0; i < m; i += 4 * V) {
    const high = min(4 * V, m - i)
    let s0 = zeros(), s1 = zeros(), s2 = zeros(), s3 = zeros()
    if (resume) {
      for (let r = 0; r < high; r++) store<T>(tile + r * s, load<T>(c + r * cRow))
      s0 = v128.load(tile); s1 = v128.load(tile, 16); s2 = v128.load(tile, 32); s3 = v128.load(tile, 48)
    }
    let at = a + i * s, by = b
    if (high == 4 * V) {
      for (let p = 0; p < k; p++) {
        const x = v128.load_splat<T>(by)
        s0 = madd<T>(s0, x, v128.load(at)); s1 = madd<T>(s1, x, v128.load(at, 16))
        s2 = madd<T>(s2, x, v128.load(at, 32)); s3 = madd<T>(s3, x, v128.load(at, 48))
        at += aCol; by += 32
      }
      v128.store(tile, s0); v128.store(tile, s1, 16); v128.store(tile, s2, 32); v128.store(tile, s3, 48)
    } else {
      for (let r = 0; r < high; r++) {
        let sum: T = resume ? load<T>(tile + r * s) : <T>0
        for (let p = 0; p < k; p++) sum = <T>(sum + <T>(load<T>(b + 32 * p) * load<T>(at + r * s + p * aCol)))
        store<T>(tile + r * s, sum)
      }
    }
    for (let r = 0; r < high; r++) {
      finishOne<T>(load<T>(tile + r * s), c, extra, alpha, mode)
      c += cRow
      extra += extraRow
    }
  }
}

/** The last columns, fewer than two vectors: rows in fours by one packed vector at a time, stored one by one. */
export function tail<T>(panel: usize, c: usize, cRow: usize, a: usize, aRow: usize, aCol: usize, m: i32, w: i32, k: i32, extra: usize,
  extraRow: usize, alpha: T, mode: i32, resume: bool): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  for (let j = 0; j < w; j += V) {
    const wide = min(V, w - j)
    const b = panel + j * s
    if (aRow == s && wide < V && m >= 4 * V) {
      for (let l = 0; l < wide; l++) {
        column<T>(c + (j + l) * s, cRow, a, aCol, b + l * s, m, k, extra + (j + l) * s, extraRow, alpha, mode, resume)
      }
      continue
    }
    for (let i = 0; i < m; i += 4) {
      const high = min(4, m - i)
      const ci = c + i * cRow + j * s
      if (resume) {
        for (let r = 0; r < high; r++) {
          for (let l = 0; l < wide; l++) store<T>(tile + 16 * r + l * s, load<T>(ci + r * cRow + l * s))
        }
      }
      tailSums<T>(a + i * aRow, aRow, aCol, b, high, k, resume)
      const ei = extra + i * extraRow + j * s
      for (let r = 0; r < high; r++) {
        for (let l = 0; l < wide; l++) {
          finishOne<T>(load<T>(tile + 16 * r + l * s), ci + r * cRow + l * s, ei + r * extraRow + l * s, alpha, mode)
        }
      }
    }
  }
}

/** Four rows by a vector, into the tile. Rows past the end repeat the last one: their sums are computed and never stored. */
function tailSums<T>(a: usize, aRow: usize, aCol: usize, b: usize, high: i32, k: i32, resume: bool): void {
  let r1 = a + min(1, high - 1) * aRow, r2 = a + min(2, high - 1) * aRow, r3 = a + min(3, high - 1) * aRow
  let s0 = zeros(), s1 = zeros(), s2 = zeros(), s3 = zeros()
  if (resume) { s0 = v128.load(tile); s1 = v128.load(tile, 16); s2 = v128.load(tile, 32); s3 = v128.load(tile, 48) }
  for (let p = 0; p < k; p++) {
    const x = v128.load(b)
    s0 = madd<T>(s0, v128.load_splat<T>(a), x); s1 = madd<T>(s1, v128.load_splat<T>(r1), x)
    s2 = madd<T>(s2, v128.load_splat<T>(r2), x); s3 = madd<T>(s3, v128.load_splat<T>(r3), x)
    a += aCol; r1 += aCol; r2 += aCol; r3 += aCol; b += 32
  }
  v128.store(tile, s0); v128.store(tile, s1, 16); v128.store(tile, s2, 32); v128.store(tile, s3, 48)
}
