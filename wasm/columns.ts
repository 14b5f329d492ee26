// Matrices inside the dense kernels: column after column, each padded with zeros to `ld` doubles, a multiple of four, so
// that no SIMD loop has a tail. Sums run over lanes first, in one fixed order.
import { across, madd, zeros } from './lanes'

// @ts-ignore: decorator
@inline export function padded(n: i32): i32 { return (n + 3) & ~3 }

/** Largest magnitude; NaN when a value is not finite. */
export function maxAbs(a: usize, n: i32): f64 {
  // Not finite times zero is NaN, and a sum keeps it; pmax is one instruction where max is seven.
  let top0 = zeros(), top1 = zeros(), bad = zeros()
  let i = 0
  for (; i + 4 <= n; i += 4) {
    const x = v128.load(a), y = v128.load(a, 16)
    top0 = f64x2.pmax(top0, f64x2.abs(x))
    top1 = f64x2.pmax(top1, f64x2.abs(y))
    bad = madd<f64>(madd<f64>(bad, x, zeros()), y, zeros())
    a += 32
  }
  top0 = f64x2.pmax(top0, top1)
  let top = max<f64>(f64x2.extract_lane(top0, 0), f64x2.extract_lane(top0, 1))
  let wrong = across<f64>(bad)
  for (; i < n; i++) {
    top = max<f64>(top, abs<f64>(load<f64>(a)))
    wrong += load<f64>(a) * 0
    a += 8
  }
  return wrong == 0 ? top : NaN
}

/** Columns of a row-major [m, n], times `by`. */
export function loadColumns(to: usize, ld: i32, from: usize, m: i32, n: i32, by: f64): void {
  const stride: usize = ld << 3
  const row: usize = n << 3
  const scale = f64x2.splat(by)
  let j = 0
  for (; j + 2 <= n; j += 2) {
    let c0 = to + j * stride
    let c1 = c0 + stride
    let at = from + (j << 3)
    let i = 0
    for (; i + 2 <= m; i += 2) {
      const r0 = f64x2.mul(v128.load(at), scale)
      const r1 = f64x2.mul(v128.load(at + row), scale)
      v128.store(c0, v128.shuffle<f64>(r0, r1, 0, 2))
      v128.store(c1, v128.shuffle<f64>(r0, r1, 1, 3))
      c0 += 16; c1 += 16
      at += row << 1
    }
    if (i < m) {
      store<f64>(c0, load<f64>(at) * by)
      store<f64>(c1, load<f64>(at, 8) * by)
      c0 += 8; c1 += 8
      i++
    }
    memory.fill(c0, 0, (ld - i) << 3)
    memory.fill(c1, 0, (ld - i) << 3)
  }
  if (j < n) {
    const c0 = to + j * stride
    for (let i = 0; i < m; i++) store<f64>(c0 + (i << 3), load<f64>(from + i * row + (j << 3)) * by)
    memory.fill(c0 + (m << 3), 0, (ld - m) << 3)
  }
}

/** Columns of the transpose of a row-major [n, m]: its rows, padded, times `by`. */
export function loadRows(to: usize, ld: i32, from: usize, m: i32, n: i32, by: f64): void {
  const scale = f64x2.splat(by)
  for (let j = 0; j < n; j++) {
    let i = 0
    for (; i + 2 <= m; i += 2) v128.store(to + (i << 3), f64x2.mul(v128.load(from + (i << 3)), scale))
    if (i < m) store<f64>(to + (i << 3), load<f64>(from + (i << 3)) * by)
    memory.fill(to + (m << 3), 0, (ld - m) << 3)
    to += ld << 3
    from += m << 3
  }
}

/** The first m rows of n columns as a row-major [m, n]. */
export function storeColumns(to: usize, from: usize, ld: i32, m: i32, n: i32): void {
  const stride: usize = ld << 3
  const row: usize = n << 3
  let i = 0
  for (; i + 2 <= m; i += 2) {
    let at = from + (i << 3)
    let r0 = to + i * row
    let r1 = r0 + row
    let j = 0
    for (; j + 2 <= n; j += 2) {
      const c0 = v128.load(at)
      const c1 = v128.load(at + stride)
      v128.store(r0, v128.shuffle<f64>(c0, c1, 0, 2))
      v128.store(r1, v128.shuffle<f64>(c0, c1, 1, 3))
      r0 += 16; r1 += 16
      at += stride << 1
    }
    if (j < n) {
      store<f64>(r0, load<f64>(at))
      store<f64>(r1, load<f64>(at, 8))
    }
  }
  if (i < m) for (let j = 0; j < n; j++) store<f64>(to + i * row + (j << 3), load<f64>(from + j * stride + (i << 3)))
}

/** The first n unit vectors. */
export function unitColumns(to: usize, ld: i32, n: i32): void {
  memory.fill(to, 0, (n * ld) << 3)
  for (let j = 0; j < n; j++) store<f64>(to + ((j * ld + j) << 3), 1)
}

/** Sum of products over a padded length. */
export function dotColumns(a: usize, b: usize, length: i32): f64 {
  let s0 = zeros(), s1 = zeros()
  for (const end = a + (length << 3); a < end; a += 32) {
    s0 = madd<f64>(s0, v128.load(a), v128.load(b))
    s1 = madd<f64>(s1, v128.load(a, 16), v128.load(b, 16))
    b += 32
  }
  return across<f64>(f64x2.add(s0, s1))
}

/** a *= by over a padded length */
export function scaleColumn(a: usize, length: i32, by: f64): void {
  const scale = f64x2.splat(by)
  for (const end = a + (length << 3); a < end; a += 16) v128.store(a, f64x2.mul(v128.load(a), scale))
}

/** a += by * b over a padded length */
export function addColumn(a: usize, b: usize, length: i32, by: f64): void {
  const scale = f64x2.splat(by)
  for (const end = a + (length << 3); a < end; a += 16) {
    v128.store(a, madd<f64>(v128.load(a), scale, v128.load(b)))
    b += 16
  }
}

export function swapColumns(a: usize, b: usize, length: i32): void {
  for (const end = a + (length << 3); a < end; a += 16) {
    const x = v128.load(a)
    v128.store(a, v128.load(b))
    v128.store(b, x)
    b += 16
  }
}

export function swapDoubles(a: usize, b: usize): void {
  const x = load<f64>(a)
  store<f64>(a, load<f64>(b))
  store<f64>(b, x)
}
