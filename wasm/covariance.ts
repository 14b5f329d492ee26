// From the factor L of a precision matrix to what a Gaussian has: its mean, and the covariances of its parts.
import { madd } from './lanes'
import { solveTriangular } from './triangular'

const COLUMNS: i32 = 96 // columns of an inverse that are solved for together

/** to = from / by. */
export function divideInto(to: usize, from: usize, n: i32, by: f64): void {
  const s = f64x2.splat(by)
  let j = 0
  for (; j + 2 <= n; j += 2) v128.store(to + (j << 3), f64x2.div(v128.load(from + (j << 3)), s))
  if (j < n) store<f64>(to + (j << 3), load<f64>(from + (j << 3)) / by)
}

/** X = L^-1 of a row-major lower triangle [n, n]; above its diagonal are zeros. `work`: 96 n doubles. */
export function invertLower(x: usize, l: usize, n: i32, work: usize): void {
  memory.fill(x, 0, (n * n) << 3)
  for (let from = 0; from < n; from += COLUMNS) {
    // Above its diagonal a column is zero: only the trailing part of L is needed.
    const size = n - from, cols = min(COLUMNS, n - from)
    memory.fill(work, 0, (size * cols) << 3)
    for (let j = 0; j < cols; j++) store<f64>(work + ((j * cols + j) << 3), 1)
    solveTriangular(l + ((from * n + from) << 3), n, 1, size, work, cols, false, false)
    for (let i = 0; i < size; i++) memory.copy(x + (((from + i) * n + from) << 3), work + ((i * cols) << 3), cols << 3)
  }
}

/** to[i] = sum over rows r of X[r, a + i] X[r, b + i], i < count, X lower triangular [n, n]. */
export function columnProducts(to: usize, x: usize, n: i32, a: i32, b: i32, count: i32): void {
  memory.fill(to, 0, count << 3)
  const far = max(a, b)
  for (let r = far; r < n; r++) {
    const row = x + ((r * n) << 3)
    const end = min(count, r - far + 1)
    const ra = row + (a << 3), rb = row + (b << 3)
    let i = 0
    for (; i + 2 <= end; i += 2) {
      const at: usize = i << 3
      v128.store(to + at, madd<f64>(v128.load(to + at), v128.load(ra + at), v128.load(rb + at)))
    }
    if (i < end) store<f64>(to + (i << 3), load<f64>(to + (i << 3)) + load<f64>(ra + (i << 3)) * load<f64>(rb + (i << 3)))
  }
}

/** y = X^T X b for a lower triangle X [n, n]; returns |X b|^2. */
export function throughInverse(y: usize, x: usize, n: i32, b: usize): f64 {
  memory.fill(y, 0, n << 3)
  let square: f64 = 0
  for (let r = 0; r < n; r++) {
    const row = x + ((r * n) << 3)
    let sum: f64 = 0
    for (let c = 0; c <= r; c++) sum += load<f64>(row + (c << 3)) * load<f64>(b + (c << 3))
    square += sum * sum
    const s = f64x2.splat(sum)
    let c = 0
    for (; c + 2 <= r + 1; c += 2) v128.store(y + (c << 3), madd<f64>(v128.load(y + (c << 3)), s, v128.load(row + (c << 3))))
    if (c <= r) store<f64>(y + (c << 3), load<f64>(y + (c << 3)) + sum * load<f64>(row + (c << 3)))
  }
  return square
}
