// LU with partial pivoting and Cholesky, both in place on row-major matrices, blocked so that most of the work is products.
import { gemmInto } from './gemm'

const LU_BLOCK: i32 = 24
const CHOLESKY_BLOCK: i32 = 16
const PASS: i32 = 512 // summands that one product may subtract
const minusOne: usize = memory.data<f64>([-1])

// @ts-ignore: decorator
@inline function subtractRow(to: usize, from: usize, n: i32, factor: f64): void {
  let j = 0
  for (const by = f64x2.splat(factor); j + 2 <= n; j += 2) {
    v128.store(to + (j << 3), f64x2.sub(v128.load(to + (j << 3)), f64x2.mul(by, v128.load(from + (j << 3)))))
  }
  if (j < n) store<f64>(to + (j << 3), load<f64>(to + (j << 3)) - factor * load<f64>(from + (j << 3)))
}

function swapRows(a: usize, b: usize, n: i32): void {
  for (let j = 0; j < n; j++) {
    const x = load<f64>(a + (j << 3))
    store<f64>(a + (j << 3), load<f64>(b + (j << 3)))
    store<f64>(b + (j << 3), x)
  }
}

/**
 * A [m, n] becomes L below the diagonal and U on and above it; `order` (m ints) the source of each row. Pivots: largest
 * magnitude, ties to the first; a column of zeros is passed over. Returns the sign of the permutation.
 */
export function factorLu(a: usize, m: i32, n: i32, order: usize): i32 {
  const row: usize = n << 3
  let sign = 1
  for (let i = 0; i < m; i++) store<i32>(order + (i << 2), i)
  for (let k0 = 0, r = min(m, n); k0 < r; k0 += LU_BLOCK) {
    const end = min(k0 + LU_BLOCK, r)
    for (let k = k0; k < end; k++) {
      const pivotRow = a + k * row
      let best = k
      let size = abs<f64>(load<f64>(pivotRow + (k << 3)))
      for (let i = k + 1; i < m; i++) {
        const x = abs<f64>(load<f64>(a + i * row + (k << 3)))
        if (x > size) { size = x; best = i }
      }
      if (size == 0) continue
      if (best != k) {
        swapRows(pivotRow, a + best * row, n)
        const moved = load<i32>(order + (k << 2))
        store<i32>(order + (k << 2), load<i32>(order + (best << 2)))
        store<i32>(order + (best << 2), moved)
        sign = -sign
      }
      const pivot = load<f64>(pivotRow + (k << 3))
      for (let i = k + 1; i < m; i++) {
        const at = a + i * row + (k << 3)
        const l = load<f64>(at) / pivot
        store<f64>(at, l)
        if (l != 0) subtractRow(at + 8, pivotRow + ((k + 1) << 3), end - k - 1, l)
      }
    }
    const rest = n - end
    if (rest == 0) continue
    // U12 = L11^-1 A12, then A22 -= L21 U12
    for (let k = k0; k < end; k++) {
      for (let i = k + 1; i < end; i++) {
        subtractRow(a + i * row + (end << 3), a + k * row + (end << 3), rest, load<f64>(a + i * row + (k << 3)))
      }
    }
    if (end < m) {
      gemmInto<f64>(a + end * row + (end << 3), n, a + end * row + (k0 << 3), a + k0 * row + (end << 3), m - end, rest, end - k0,
        n, 1, n, 1, 0, minusOne, 1)
    }
  }
  return sign
}

/** The lower triangle of A [n, n] becomes L. Returns -1, or the index of the first pivot that is not positive (left at its place). */
export function factorCholesky(a: usize, n: i32): i32 {
  const row: usize = n << 3
  for (let k0 = 0; k0 < n; k0 += CHOLESKY_BLOCK) {
    const end = min(k0 + CHOLESKY_BLOCK, n)
    // A[k0.., k0..end] -= L[k0.., ..k0] L[k0..end, ..k0]^T
    for (let p = 0; p < k0; p += PASS) {
      gemmInto<f64>(a + k0 * row + (k0 << 3), n, a + k0 * row + (p << 3), a + k0 * row + (p << 3), n - k0, end - k0,
        min(PASS, k0 - p), n, 1, 1, n, 0, minusOne, 1)
    }
    const stop = choleskyBlock(a, row, k0, end)
    if (stop >= 0) return stop
    let i = end
    for (; i + 4 <= n; i += 4) solveFour(a + i * row, a, row, k0, end)
    for (; i < n; i++) solveOne(a + i * row, a, row, k0, end)
  }
  return -1
}

/** The square block on the diagonal, k0 .. end. */
function choleskyBlock(a: usize, row: usize, k0: i32, end: i32): i32 {
  for (let i = k0; i < end; i++) {
    const li = a + i * row
    solveOne(li, a, row, k0, i)
    let sum = load<f64>(li + (i << 3))
    for (let p = k0; p < i; p++) sum -= load<f64>(li + (p << 3)) * load<f64>(li + (p << 3))
    if (!(sum > 0)) {
      store<f64>(li + (i << 3), sum)
      return i
    }
    store<f64>(li + (i << 3), sqrt<f64>(sum))
  }
  return -1
}

/** Entries k0 .. end of one row of L, from the rows above. */
function solveOne(li: usize, a: usize, row: usize, k0: i32, end: i32): void {
  for (let j = k0; j < end; j++) {
    const lj = a + j * row
    let sum = load<f64>(li + (j << 3))
    for (let p = k0; p < j; p++) sum -= load<f64>(li + (p << 3)) * load<f64>(lj + (p << 3))
    store<f64>(li + (j << 3), sum / load<f64>(lj + (j << 3)))
  }
}

/** The same for four rows, whose sums do not wait for one another. */
function solveFour(l0: usize, a: usize, row: usize, k0: i32, end: i32): void {
  const l1 = l0 + row, l2 = l1 + row, l3 = l2 + row
  for (let j = k0; j < end; j++) {
    const lj = a + j * row
    let s0 = load<f64>(l0 + (j << 3)), s1 = load<f64>(l1 + (j << 3)), s2 = load<f64>(l2 + (j << 3)), s3 = load<f64>(l3 + (j << 3))
    for (let p = k0; p < j; p++) {
      const x = load<f64>(lj + (p << 3))
      s0 -= load<f64>(l0 + (p << 3)) * x
      s1 -= load<f64>(l1 + (p << 3)) * x
      s2 -= load<f64>(l2 + (p << 3)) * x
      s3 -= load<f64>(l3 + (p << 3)) * x
    }
    const pivot = load<f64>(lj + (j << 3))
    store<f64>(l0 + (j << 3), s0 / pivot)
    store<f64>(l1 + (j << 3), s1 / pivot)
    store<f64>(l2 + (j << 3), s2 / pivot)
    store<f64>(l3 + (j << 3), s3 / pivot)
  }
}
