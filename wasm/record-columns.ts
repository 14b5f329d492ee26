// Products with a matrix D of per-record gradients that is never written down: column c = v n + i of it is first_c x_i^T
// (h by k1) beside rest_c (e numbers), x_i being what record i shows whatever its value. All in f64; every sum has one order.
import { gemmInto } from './gemm'
import { ADD, RESUME, STORE } from './finish'
import { across, madd, zeros } from './lanes'

const SQUARE: i32 = 48 // rows and columns of a Gram matrix that are made together
const STRIP: i32 = 16 // columns of D that are multiplied by directions together
const WIDE: i32 = 1024 // about so many numbers a column of D then takes
const SLICE: i32 = 128 // columns of D that are summed together
const PASS: i32 = 512 // summands that one product may add
const one: usize = memory.data<f64>([1])

/** to[i, j] = a[i, j] ca[i] - b[i, j] cb[i]; rows of `to` are `wide` apart. */
export function blendRows(to: usize, wide: i32, a: usize, ca: usize, b: usize, cb: usize, rows: i32, width: i32): void {
  for (let i = 0; i < rows; i++) {
    const x = load<f64>(ca + (i << 3)), y = load<f64>(cb + (i << 3))
    const xs = f64x2.splat(x), ys = f64x2.splat(y)
    const row: usize = to + ((i * wide) << 3), ra: usize = a + ((i * width) << 3), rb: usize = b + ((i * width) << 3)
    let j = 0
    for (; j + 2 <= width; j += 2) {
      const at: usize = j << 3
      v128.store(row + at, f64x2.sub(f64x2.mul(v128.load(ra + at), xs), f64x2.mul(v128.load(rb + at), ys)))
    }
    if (j < width) store<f64>(row + (j << 3), load<f64>(ra + (j << 3)) * x - load<f64>(rb + (j << 3)) * y)
  }
}

// @ts-ignore: decorator
@inline function dotOf(a: usize, b: usize, n: i32): f64 {
  let s0 = zeros(), s1 = zeros()
  let j = 0
  for (; j + 4 <= n; j += 4) {
    s0 = madd<f64>(s0, v128.load(a + (j << 3)), v128.load(b + (j << 3)))
    s1 = madd<f64>(s1, v128.load(a + (j << 3), 16), v128.load(b + (j << 3), 16))
  }
  let sum = across<f64>(f64x2.add(s0, s1))
  for (; j < n; j++) sum += load<f64>(a + (j << 3)) * load<f64>(b + (j << 3))
  return sum
}

// @ts-ignore: decorator
@inline function addRow(to: usize, from: usize, n: i32, by: f64): void {
  const s = f64x2.splat(by)
  let j = 0
  for (; j + 2 <= n; j += 2) v128.store(to + (j << 3), madd<f64>(v128.load(to + (j << 3)), s, v128.load(from + (j << 3))))
  if (j < n) store<f64>(to + (j << 3), load<f64>(to + (j << 3)) + by * load<f64>(from + (j << 3)))
}

/** C += alpha A B^T for rows of A and of B, k of them however large. */
function addProduct(c: usize, cWide: i32, a: usize, b: usize, m: i32, n: i32, k: i32, alphaAt: usize): void {
  for (let p = 0; p < k; p += PASS) {
    gemmInto<f64>(c, cWide, a + (p << 3), b + (p << 3), m, n, min(PASS, k - p), k, 1, 1, k, 0, alphaAt, ADD)
  }
}

/** Room that `columnsAlong` works in, in doubles. */
export function alongRoom(h: i32, k1: i32, K: i32): i32 { return STRIP * (WIDE + max(h, k1)) + K }

/**
 * z [N, K] = D^T U. U's part that meets first x^T stands as ut [h, K k1], the rest as ur [K, e]. With `sparse` it stands as
 * ut [k1, K h], and zeros of x are passed over.
 */
export function columnsAlong(z: usize, first: usize, h: i32, rest: usize, e: i32, x: usize, k1: i32, n: i32, N: i32, ut: usize,
  ur: usize, K: i32, sparse: bool, work: usize): void {
  const part = sparse ? h : k1 // what a direction takes in a row of ut
  const most = max(1, WIDE / max(1, part))
  for (let at = 0; at < N;) {
    const record = at % n
    const rows = min(STRIP, n - record)
    for (let k0 = 0; k0 < K; k0 += most) {
      const count = min(most, K - k0)
      const wide = count * part
      const us = ut + ((k0 * part) << 3)
      if (sparse) {
        memory.fill(work, 0, (rows * wide) << 3)
        for (let i = 0; i < rows; i++) {
          for (let j = 0; j < k1; j++) {
            const v = load<f64>(x + (((record + i) * k1 + j) << 3))
            if (v != 0) addRow(work + ((i * wide) << 3), us + ((j * K * h) << 3), wide, v)
          }
        }
      } else {
        gemmInto<f64>(work, wide, first + ((at * h) << 3), us, rows, wide, h, h, 1, K * k1, 1, 0, 0, STORE)
      }
      for (let i = 0; i < rows; i++) {
        const own = sparse ? first + (((at + i) * h) << 3) : x + (((record + i) * k1) << 3)
        for (let k = 0; k < count; k++) {
          store<f64>(z + (((at + i) * K + k0 + k) << 3), dotOf(own, work + ((i * wide + k * part) << 3), part))
        }
      }
    }
    at += rows
  }
  if (K == 1) {
    for (let c = 0; c < N; c++) store<f64>(z + (c << 3), load<f64>(z + (c << 3)) + dotOf(rest + ((c * e) << 3), ur, e))
  } else addProduct(z, K, rest, ur, N, K, e, one)
}

/** Room that `columnsSum` works in, in doubles. */
export function sumRoom(k1: i32, K: i32): i32 { return SLICE * k1 * K }

/** D p for K vectors p [K, N]: wt [h, K k1] and r [K, e]. */
export function columnsSum(wt: usize, r: usize, first: usize, h: i32, rest: usize, e: i32, x: usize, k1: i32, n: i32, N: i32,
  p: usize, K: i32, work: usize): void {
  const wide = K * k1
  memory.fill(wt, 0, (h * wide) << 3)
  memory.fill(r, 0, (K * e) << 3)
  for (let at = 0; at < N;) {
    const record = at % n
    const rows = min(SLICE, n - record)
    for (let i = 0; i < rows; i++) {
      const own = x + (((record + i) * k1) << 3)
      for (let k = 0; k < K; k++) {
        const by = load<f64>(p + ((k * N + at + i) << 3))
        const to = work + ((i * wide + k * k1) << 3)
        for (let j = 0; j < k1; j++) store<f64>(to + (j << 3), by * load<f64>(own + (j << 3)))
      }
    }
    gemmInto<f64>(wt, wide, first + ((at * h) << 3), work, h, wide, rows, 1, h, wide, 1, 0, one, ADD)
    gemmInto<f64>(r, e, p + (at << 3), rest + ((at * e) << 3), K, e, rows, N, 1, e, 1, 0, one, ADD)
    at += rows
  }
}

/** Room that `gramAdd` works in, in doubles. */
export function gramRoom(K: i32): i32 { return SQUARE * (2 * SQUARE + K) }

/**
 * Q += w (D^T D - Z diag(taken) Z^T) on and above the diagonal of Q [N, N], Z [N, K]; s [n, n] holds x_i . x_j.
 */
export function gramAdd(q: usize, N: i32, n: i32, s: usize, first: usize, h: i32, rest: usize, e: i32, z: usize, K: i32,
  taken: usize, w: f64, work: usize): void {
  const size = 8
  const second = work + ((SQUARE * SQUARE) << 3)
  const left = second + ((SQUARE * SQUARE) << 3)
  for (let a = 0; a < N;) {
    const ra = a % n
    const rows = min(SQUARE, n - ra)
    for (let i = 0; i < rows; i++) {
      for (let k = 0; k < K; k++) {
        const at = (a + i) * K + k
        store<f64>(left + (i * K + k) * size, -load<f64>(taken + (k << 3)) * load<f64>(z + at * size))
      }
    }
    for (let b = a; b < N;) {
      const rb = b % n
      const cols = min(SQUARE, n - rb)
      const to = q + ((a * N + b) << 3)
      gemmInto<f64>(work, cols, first + a * h * size, first + b * h * size, rows, cols, h, h, 1, 1, h, 0, 0, STORE)
      gemmInto<f64>(second, cols, rest + a * e * size, rest + b * e * size, rows, cols, e, e, 1, 1, e, 0, 0, STORE)
      if (K > 0) gemmInto<f64>(second, cols, left, z + b * K * size, rows, cols, K, K, 1, 1, K, 0, 0, RESUME)
      for (let i = 0; i < rows; i++) {
        const own = to + ((i * N) << 3), ss = s + (((ra + i) * n + rb) << 3)
        const t = work + i * cols * size, u = second + i * cols * size
        for (let j = 0; j < cols; j++) {
          const sum = load<f64>(ss + (j << 3)) * load<f64>(t + j * size) + load<f64>(u + j * size)
          store<f64>(own + (j << 3), load<f64>(own + (j << 3)) + w * sum)
        }
      }
      b += cols
    }
    a += rows
  }
}
