// A matrix times a vector, where there is nothing to block: each row is summed by lanes.
import { across, madd, width, zeros } from './lanes'

/** y = A x for rows of A: lanes first (p mod width), then across, then what is left over. */
export function gemv<T>(y: usize, a: usize, x: usize, m: i32, k: i32): void {
  rowsTimes<T>(y, a, 0, x, m, k)
}

/** The same for the rows of A whose numbers (i32) stand at `index`; all in their order if that is 0. */
// @ts-ignore: decorator
@inline export function rowsTimes<T>(y: usize, a: usize, index: usize, x: usize, m: i32, k: i32): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  const row: usize = k * s
  let i = 0
  for (; i + 4 <= m; i += 4) {
    let s0 = zeros(), s1 = zeros(), s2 = zeros(), s3 = zeros()
    let r0 = rowAt(a, index, i, row), r1 = rowAt(a, index, i + 1, row)
    let r2 = rowAt(a, index, i + 2, row), r3 = rowAt(a, index, i + 3, row)
    let at = x
    let p = 0
    for (; p + V <= k; p += V) {
      const v = v128.load(at)
      s0 = madd<T>(s0, v128.load(r0), v); s1 = madd<T>(s1, v128.load(r1), v)
      s2 = madd<T>(s2, v128.load(r2), v); s3 = madd<T>(s3, v128.load(r3), v)
      at += 16; r0 += 16; r1 += 16; r2 += 16; r3 += 16
    }
    store<T>(y + i * s, rest<T>(across<T>(s0), r0, at, k - p))
    store<T>(y + (i + 1) * s, rest<T>(across<T>(s1), r1, at, k - p))
    store<T>(y + (i + 2) * s, rest<T>(across<T>(s2), r2, at, k - p))
    store<T>(y + (i + 3) * s, rest<T>(across<T>(s3), r3, at, k - p))
  }
  for (; i < m; i++) {
    let sum = zeros()
    let r = rowAt(a, index, i, row)
    let at = x
    let p = 0
    for (; p + V <= k; p += V) {
      sum = madd<T>(sum, v128.load(r), v128.load(at))
      at += 16; r += 16
    }
    store<T>(y + i * s, rest<T>(across<T>(sum), r, at, k - p))
  }
}

// @ts-ignore: decorator
@inline export function rowAt(a: usize, index: usize, i: i32, row: usize): usize {
  return a + <usize>(index ? load<i32>(index + 4 * i) : i) * row
}

// @ts-ignore: decorator
@inline function rest<T>(sum: T, a: usize, x: usize, left: i32): T {
  const s = <i32>sizeof<T>()
  for (let p = 0; p < left; p++) sum = <T>(sum + <T>(load<T>(a + p * s) * load<T>(x + p * s)))
  return sum
}
