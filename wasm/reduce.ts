// Sums in one fixed order, and the row-wise functions that need a sum.
import { evaluate } from './elementwise'
import { across, madd, width, zeros } from './lanes'

/** Sum of a[i] * b[i]: four vectors of partial sums by position, added pairwise, across the lanes, then the rest. */
// @ts-ignore: decorator
@inline export function dot<T>(a: usize, b: usize, n: i32): T {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  let s0 = zeros(), s1 = zeros(), s2 = zeros(), s3 = zeros()
  let i = 0
  for (; i + 4 * V <= n; i += 4 * V) {
    s0 = madd<T>(s0, v128.load(a), v128.load(b))
    s1 = madd<T>(s1, v128.load(a, 16), v128.load(b, 16))
    s2 = madd<T>(s2, v128.load(a, 32), v128.load(b, 32))
    s3 = madd<T>(s3, v128.load(a, 48), v128.load(b, 48))
    a += 64
    b += 64
  }
  let sum = across<T>(v128.add<T>(v128.add<T>(s0, s1), v128.add<T>(s2, s3)))
  for (; i < n; i++) {
    sum = <T>(sum + <T>(load<T>(a) * load<T>(b)))
    a += s
    b += s
  }
  return sum
}

/** Same order as dot. */
// @ts-ignore: decorator
@inline export function sum<T>(a: usize, n: i32): T {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  let s0 = zeros(), s1 = zeros(), s2 = zeros(), s3 = zeros()
  let i = 0
  for (; i + 4 * V <= n; i += 4 * V) {
    s0 = v128.add<T>(s0, v128.load(a))
    s1 = v128.add<T>(s1, v128.load(a, 16))
    s2 = v128.add<T>(s2, v128.load(a, 32))
    s3 = v128.add<T>(s3, v128.load(a, 48))
    a += 64
  }
  let total = across<T>(v128.add<T>(v128.add<T>(s0, s1), v128.add<T>(s2, s3)))
  for (; i < n; i++) {
    total = <T>(total + load<T>(a))
    a += s
  }
  return total
}

/** [rows, cols] -> [rows, 1] */
// @ts-ignore: decorator
@inline export function sumCols<T>(to: usize, from: usize, rows: i32, cols: i32): void {
  const s = <i32>sizeof<T>()
  for (let i = 0; i < rows; i++) store<T>(to + i * s, sum<T>(from + i * cols * s, cols))
}

/** Sum of a * b over each row: [rows, cols] -> [rows, 1] */
// @ts-ignore: decorator
@inline export function rowDot<T>(to: usize, a: usize, b: usize, rows: i32, cols: i32): void {
  const s = <i32>sizeof<T>()
  for (let i = 0; i < rows; i++) store<T>(to + i * s, dot<T>(a + i * cols * s, b + i * cols * s, cols))
}

/** [rows, cols] -> [1, cols], rows added in order */
// @ts-ignore: decorator
@inline export function sumRows<T>(to: usize, from: usize, rows: i32, cols: i32): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  const step: usize = cols * s
  let j = 0
  for (; j + 4 * V <= cols; j += 4 * V) {
    let s0 = zeros(), s1 = zeros(), s2 = zeros(), s3 = zeros()
    let at = from + j * s
    for (let i = 0; i < rows; i++) {
      s0 = v128.add<T>(s0, v128.load(at))
      s1 = v128.add<T>(s1, v128.load(at, 16))
      s2 = v128.add<T>(s2, v128.load(at, 32))
      s3 = v128.add<T>(s3, v128.load(at, 48))
      at += step
    }
    const out = to + j * s
    v128.store(out, s0)
    v128.store(out, s1, 16)
    v128.store(out, s2, 32)
    v128.store(out, s3, 48)
  }
  for (; j < cols; j++) {
    let total: T = <T>0
    let at = from + j * s
    for (let i = 0; i < rows; i++) {
      total = <T>(total + load<T>(at))
      at += step
    }
    store<T>(to + j * s, total)
  }
}

/** Per row: exp(x - max) / sum, or (`log` form) max + log(sum). One pass in f64, added left to right. NaN spreads. */
// @ts-ignore: decorator
@inline export function softmaxRows<T>(to: usize, from: usize, rows: i32, cols: i32, logForm: bool): void {
  const s = <i32>sizeof<T>()
  for (let i = 0; i < rows; i++) {
    const row = from + i * cols * s
    let top: f64 = -Infinity
    for (let j = 0; j < cols; j++) top = max<f64>(top, <f64>load<T>(row + j * s))
    let total: f64 = 0
    if (logForm) {
      for (let j = 0; j < cols; j++) total += f64x2.extract_lane(evaluate(0, f64x2.splat(<f64>load<T>(row + j * s) - top)), 0)
      const y = top + f64x2.extract_lane(evaluate(1, f64x2.splat(total)), 0)
      store<T>(to + i * s, <T>y)
    } else {
      const out = to + i * cols * s
      for (let j = 0; j < cols; j++) {
        const e = f64x2.extract_lane(evaluate(0, f64x2.splat(<f64>load<T>(row + j * s) - top)), 0)
        total += e
        store<T>(out + j * s, <T>e)
      }
      for (let j = 0; j < cols; j++) store<T>(out + j * s, <T>(<f64>load<T>(out + j * s) / total))
    }
  }
}

/** Index of the first value that is not finite, or -1. */
// @ts-ignore: decorator
@inline export function firstNonFinite<T>(a: usize, n: i32): i32 {
  const s = <i32>sizeof<T>()
  for (let i = 0; i < n; i++) {
    const x = load<T>(a + i * s)
    if (<T>(x - x) != <T>0) return i
  }
  return -1
}
