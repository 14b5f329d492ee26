// Products with records that are read where they lie: a descriptor of two addresses says which rows of a table (i32
// each) and where the table is. With a single output the copy of a batch would cost as much as the product.
import { ADD } from './finish'
import { rowAt, rowsTimes } from './gemv'
import { madd, width } from './lanes'
import { dot } from './reduce'

const SPAN: i32 = 4096 // bytes of the sum that stay in the first-level cache while the rows pass by
const sums: usize = memory.data(4096, 16)

/** y[m] = X w for the described X [m, k]: the bits of gemv. */
export function pickedNt<T>(y: usize, x: usize, w: usize, m: i32, k: i32): void {
  rowsTimes<T>(y, load<i32>(x, 4), load<i32>(x), w, m, k)
}

/** Four more rows in the sums. */
// @ts-ignore: decorator
@inline function addFour<T>(d: usize, r0: usize, r1: usize, r2: usize, r3: usize, bytes: i32): void {
  const s = <i32>sizeof<T>()
  const d0 = v128.load_splat<T>(d), d1 = v128.load_splat<T>(d + s)
  const d2 = v128.load_splat<T>(d + 2 * s), d3 = v128.load_splat<T>(d + 3 * s)
  for (let at = 0; at < bytes; at += 32) {
    let a = v128.load(sums + at), b = v128.load(sums + at, 16)
    a = madd<T>(a, d0, v128.load(r0 + at)); b = madd<T>(b, d0, v128.load(r0 + at, 16))
    a = madd<T>(a, d1, v128.load(r1 + at)); b = madd<T>(b, d1, v128.load(r1 + at, 16))
    a = madd<T>(a, d2, v128.load(r2 + at)); b = madd<T>(b, d2, v128.load(r2 + at, 16))
    a = madd<T>(a, d3, v128.load(r3 + at)); b = madd<T>(b, d3, v128.load(r3 + at, 16))
    v128.store(sums + at, a); v128.store(sums + at, b, 16)
  }
}

/**
 * c[k] = sum over p of d[p] X[p, :] for the described X [m, k], each element over p = 0 .. m-1 in that order: the bits of
 * gemm. Modes store and add. Rows pass by in fours, so that each is read in long stretches.
 */
export function pickedTn<T>(c: usize, d: usize, x: usize, m: i32, k: i32, alphaAt: usize, mode: i32): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  const rows: usize = load<i32>(x), table: usize = load<i32>(x, 4)
  const row: usize = k * s
  const alpha: T = mode == ADD ? load<T>(alphaAt) : <T>0
  const alphas = v128.splat<T>(alpha)
  const whole = (k & ~(2 * V - 1)) * s
  for (let from = 0; from < whole; from += SPAN) {
    const bytes = min(SPAN, whole - from)
    memory.fill(sums, 0, bytes)
    let p = 0
    for (; p + 4 <= m; p += 4) {
      addFour<T>(d + p * s, rowAt(table, rows, p, row) + from, rowAt(table, rows, p + 1, row) + from,
        rowAt(table, rows, p + 2, row) + from, rowAt(table, rows, p + 3, row) + from, bytes)
    }
    for (; p < m; p++) {
      const g = v128.load_splat<T>(d + p * s)
      const r = rowAt(table, rows, p, row) + from
      for (let at = 0; at < bytes; at += 16) v128.store(sums + at, madd<T>(v128.load(sums + at), g, v128.load(r + at)))
    }
    const to = c + from
    if (mode == ADD) {
      for (let at = 0; at < bytes; at += 16) v128.store(to + at, madd<T>(v128.load(to + at), alphas, v128.load(sums + at)))
    } else memory.copy(to, sums, bytes)
  }
  for (let at: usize = whole; at < row; at += s) {
    let sum = <T>0
    for (let p = 0; p < m; p++) sum = <T>(sum + <T>(load<T>(d + p * s) * load<T>(rowAt(table, rows, p, row) + at)))
    store<T>(c + at, mode == ADD ? <T>(load<T>(c + at) + <T>(alpha * sum)) : sum)
  }
}

/** Squared norms of the described rows: the bits of rowDot. */
export function pickedRowSquares<T>(to: usize, x: usize, m: i32, k: i32): void {
  const s = <i32>sizeof<T>()
  for (let i = 0; i < m; i++) {
    const r = rowAt(load<i32>(x, 4), load<i32>(x), i, k * s)
    store<T>(to + i * s, dot<T>(r, r, k))
  }
}
