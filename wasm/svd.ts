// Singular value decomposition of any tall matrix, and condition numbers of many.
import { squareRoom, squareSvd } from './bidiagonal'
import { loadColumns, loadRows, maxAbs, padded } from './columns'
import { applyQ, factorQr } from './householder'
import { smallRoom, smallSvd } from './jacobi-svd'

const SMALL: i32 = 32 // up to here Jacobi, which is more accurate, costs little more than divide and conquer

/** Where `decompose` wants the exponent of the largest entry: Jacobi gains range from 2^240, the others need about 1. */
export function wantedExponent(n: i32): i32 { return n <= SMALL ? 240 : 0 }

/** Bytes of `work` for `decompose` on m rows and n columns, n <= m. */
export function decomposeRoom(m: i32, n: i32): i32 {
  if (n <= SMALL) return smallRoom(m, n)
  return squareRoom(n) + ((3 * n * padded(n) + padded(n) + n * padded(m) + 32 * (33 + 2 * n)) << 3)
}

/**
 * a: n columns of m >= n rows, overwritten. s: n values, descending. With u, its n columns (as wide as a's) and those of v
 * (padded(n) wide) get the singular vectors. Returns -1 when an iteration does not converge.
 */
export function decompose(u: usize, s: usize, v: usize, a: usize, ld: i32, m: i32, n: i32, work: usize): i32 {
  if (n <= SMALL) return smallSvd(u, s, v, a, ld, m, n, work)
  const wide = padded(n)
  const square = work, q = square + ((n * wide) << 3), p = q + ((n * wide) << 3), d = p + ((n * wide) << 3)
  const reflectors = d + (wide << 3), tau = reflectors + ((n * ld) << 3), rest = tau + (wide << 3)
  const tall = m > n
  if (tall) {
    factorQr(a, ld, m, n, reflectors, tau, 0, rest)
    memory.fill(square, 0, (n * wide) << 3)
    for (let j = 0; j < n; j++) memory.copy(square + ((j * wide) << 3), a + ((j * ld) << 3), (j + 1) << 3)
  }
  if (squareSvd(d, q, p, tall ? square : a, wide, n, u != 0, rest) < 0) return -1
  for (let j = 0; j < n; j++) {
    // Ascending there, descending here.
    const from = n - 1 - j
    store<f64>(s + (j << 3), load<f64>(d + (from << 3)))
    if (!u) continue
    memory.copy(v + ((j * wide) << 3), p + ((from * wide) << 3), wide << 3)
    memory.copy(u + ((j * ld) << 3), q + ((from * wide) << 3), wide << 3)
    memory.fill(u + ((j * ld + wide) << 3), 0, (ld - wide) << 3)
  }
  if (u && tall) applyQ(u, n, ld, reflectors, tau, n, false, false, rest)
  return 0
}

/** The power of two that brings `size` > 0 to about 2^target. */
function scaleTo(target: i32, size: f64): f64 {
  const exponent = <i32>((reinterpret<u64>(size) >> 52) & 0x7ff) - 1023
  return reinterpret<f64>(<u64>(min(max(target - exponent, -1000), 1000) + 1023) << 52)
}

/** Bytes of `work` for `conditionBatch`. */
export function batchRoom(rows: i32, cols: i32): i32 {
  const m = max(rows, cols), n = min(rows, cols)
  return decomposeRoom(m, n) + ((n * padded(m) + padded(n)) << 3)
}

/**
 * Condition numbers of `count` row-major matrices. Returns -1, or the index of the first matrix that is not finite, or
 * -2 - index of the first that did not converge.
 */
export function conditionBatch(to: usize, from: usize, count: i32, rows: i32, cols: i32, work: usize): i32 {
  const m = max(rows, cols), n = min(rows, cols)
  const ld = padded(m)
  const s = work
  const a = s + (padded(n) << 3)
  const rest = a + ((n * ld) << 3)
  for (let b = 0; b < count; b++) {
    const size = maxAbs(from, rows * cols)
    if (!(size < Infinity)) return b
    let condition: f64 = Infinity
    if (size > 0) {
      const by = scaleTo(wantedExponent(n), size)
      if (rows < cols) loadRows(a, ld, from, m, n, by)
      else loadColumns(a, ld, from, m, n, by)
      if (decompose(0, s, 0, a, ld, m, n, rest) < 0) return -2 - b
      const least = load<f64>(s + ((n - 1) << 3))
      if (least > 0) condition = load<f64>(s) / least
    }
    store<f64>(to + (b << 3), condition)
    from += (rows * cols) << 3
  }
  return -1
}
