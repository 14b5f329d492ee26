// Convolutions of stride 1 without patches: two filters by up to four vectors of output columns, or four by two, stay in
// registers while the image is read where it lies. Each output is summed over (c, a, b) in that order, as over a patch:
// the bits of gemm.
import { madd, positive, width, zeros } from './lanes'

// Of the call under way: taps as pairs (where in the image, how many side by side), image and output in bytes.
let taps: usize = 0, tapsEnd: usize = 0
let rows: i32 = 0, imageRow: usize = 0, outRow: usize = 0, plane: usize = 0
let clears: bool = false

// @ts-ignore: decorator
@inline function finish<T>(sum: v128, plus: v128): v128 {
  sum = v128.add<T>(sum, plus)
  return clears ? positive<T>(sum) : sum
}

/**
 * Two filters by nv vectors of columns (`four`: four by two), all rows of one image. `x` and `to` are at the first column;
 * the last vector begins `last` bytes further. `w`: the filters tap by tap, each value repeated to a vector. Loads of one
 * tap are kept from those of the next by the exits between them; otherwise they would all be in registers at once.
 */
// @ts-ignore: decorator
@inline function block<T>(nv: i32, four: bool, to: usize, x: usize, w: usize, bias: usize, last: usize): void {
  const s = sizeof<T>()
  const end = tapsEnd
  for (let i = rows; i > 0; i--) {
    let s00 = zeros(), s01 = zeros(), s10 = zeros(), s11 = zeros(), s20 = zeros(), s21 = zeros(), s30 = zeros(), s31 = zeros()
    let a0: v128, a1: v128, a2 = zeros(), a3 = zeros(), b0: v128, b1: v128
    let tap = w
    for (let p = taps; p < end; p += 8) {
      const at = x + load<i32>(p), rear = at + last
      const count = load<i32>(p, 4)
      a0 = four ? v128.load(tap) : v128.load(at)
      a1 = four ? v128.load(tap, 16) : nv == 2 ? v128.load(rear) : v128.load(at, 16)
      if (nv > 2) a2 = four ? v128.load(tap, 32) : nv == 3 ? v128.load(rear) : v128.load(at, 32)
      if (nv > 3) a3 = four ? v128.load(tap, 48) : v128.load(rear)
      b0 = four ? v128.load(at) : v128.load(tap); b1 = four ? v128.load(rear) : v128.load(tap, 16)
      s00 = madd<T>(s00, a0, b0); s01 = madd<T>(s01, a0, b1); s10 = madd<T>(s10, a1, b0); s11 = madd<T>(s11, a1, b1)
      if (nv > 2) { s20 = madd<T>(s20, a2, b0); s21 = madd<T>(s21, a2, b1) }
      if (nv > 3) { s30 = madd<T>(s30, a3, b0); s31 = madd<T>(s31, a3, b1) }
      if (count > 1) {
        a0 = four ? v128.load(tap, 64) : v128.load(at, s)
        a1 = four ? v128.load(tap, 80) : nv == 2 ? v128.load(rear, s) : v128.load(at, 16 + s)
        if (nv > 2) a2 = four ? v128.load(tap, 96) : nv == 3 ? v128.load(rear, s) : v128.load(at, 32 + s)
        if (nv > 3) a3 = four ? v128.load(tap, 112) : v128.load(rear, s)
        b0 = four ? v128.load(at, s) : v128.load(tap, 32); b1 = four ? v128.load(rear, s) : v128.load(tap, 48)
        s00 = madd<T>(s00, a0, b0); s01 = madd<T>(s01, a0, b1); s10 = madd<T>(s10, a1, b0); s11 = madd<T>(s11, a1, b1)
        if (nv > 2) { s20 = madd<T>(s20, a2, b0); s21 = madd<T>(s21, a2, b1) }
        if (nv > 3) { s30 = madd<T>(s30, a3, b0); s31 = madd<T>(s31, a3, b1) }
        if (count > 2) {
          a0 = four ? v128.load(tap, 128) : v128.load(at, 2 * s)
          a1 = four ? v128.load(tap, 144) : nv == 2 ? v128.load(rear, 2 * s) : v128.load(at, 16 + 2 * s)
          if (nv > 2) a2 = four ? v128.load(tap, 160) : nv == 3 ? v128.load(rear, 2 * s) : v128.load(at, 32 + 2 * s)
          if (nv > 3) a3 = four ? v128.load(tap, 176) : v128.load(rear, 2 * s)
          b0 = four ? v128.load(at, 2 * s) : v128.load(tap, 64); b1 = four ? v128.load(rear, 2 * s) : v128.load(tap, 80)
          s00 = madd<T>(s00, a0, b0); s01 = madd<T>(s01, a0, b1); s10 = madd<T>(s10, a1, b0); s11 = madd<T>(s11, a1, b1)
          if (nv > 2) { s20 = madd<T>(s20, a2, b0); s21 = madd<T>(s21, a2, b1) }
          if (nv > 3) { s30 = madd<T>(s30, a3, b0); s31 = madd<T>(s31, a3, b1) }
          if (count > 3) {
            a0 = four ? v128.load(tap, 192) : v128.load(at, 3 * s)
            a1 = four ? v128.load(tap, 208) : nv == 2 ? v128.load(rear, 3 * s) : v128.load(at, 16 + 3 * s)
            if (nv > 2) a2 = four ? v128.load(tap, 224) : nv == 3 ? v128.load(rear, 3 * s) : v128.load(at, 32 + 3 * s)
            if (nv > 3) a3 = four ? v128.load(tap, 240) : v128.load(rear, 3 * s)
            b0 = four ? v128.load(at, 3 * s) : v128.load(tap, 96); b1 = four ? v128.load(rear, 3 * s) : v128.load(tap, 112)
            s00 = madd<T>(s00, a0, b0); s01 = madd<T>(s01, a0, b1); s10 = madd<T>(s10, a1, b0); s11 = madd<T>(s11, a1, b1)
            if (nv > 2) { s20 = madd<T>(s20, a2, b0); s21 = madd<T>(s21, a2, b1) }
            if (nv > 3) { s30 = madd<T>(s30, a3, b0); s31 = madd<T>(s31, a3, b1) }
            if (count > 4) {
              a0 = four ? v128.load(tap, 256) : v128.load(at, 4 * s)
              a1 = four ? v128.load(tap, 272) : nv == 2 ? v128.load(rear, 4 * s) : v128.load(at, 16 + 4 * s)
              if (nv > 2) a2 = four ? v128.load(tap, 288) : nv == 3 ? v128.load(rear, 4 * s) : v128.load(at, 32 + 4 * s)
              if (nv > 3) a3 = four ? v128.load(tap, 304) : v128.load(rear, 4 * s)
              b0 = four ? v128.load(at, 4 * s) : v128.load(tap, 128); b1 = four ? v128.load(rear, 4 * s) : v128.load(tap, 144)
              s00 = madd<T>(s00, a0, b0); s01 = madd<T>(s01, a0, b1); s10 = madd<T>(s10, a1, b0); s11 = madd<T>(s11, a1, b1)
              if (nv > 2) { s20 = madd<T>(s20, a2, b0); s21 = madd<T>(s21, a2, b1) }
              if (nv > 3) { s30 = madd<T>(s30, a3, b0); s31 = madd<T>(s31, a3, b1) }
            }
          }
        }
      }
      tap += count * (four ? 64 : 32)
    }
    if (four) {
      put<T>(2, to, last, bias, s00, s01, s01, s01)
      put<T>(2, to + plane, last, bias + s, s10, s11, s11, s11)
      put<T>(2, to + 2 * plane, last, bias + 2 * s, s20, s21, s21, s21)
      put<T>(2, to + 3 * plane, last, bias + 3 * s, s30, s31, s31, s31)
    } else {
      put<T>(nv, to, last, bias, s00, s10, s20, s30)
      put<T>(nv, to + plane, last, bias + s, s01, s11, s21, s31)
    }
    to += outRow
    x += imageRow
  }
}

// @ts-ignore: decorator
@inline function put<T>(nv: i32, to: usize, last: usize, bias: usize, a: v128, b: v128, c: v128, d: v128): void {
  const plus = v128.load_splat<T>(bias)
  v128.store(to, finish<T>(a, plus))
  if (nv > 2) v128.store(to, finish<T>(b, plus), 16)
  if (nv > 3) v128.store(to, finish<T>(c, plus), 32)
  v128.store(to + last, finish<T>(nv == 2 ? b : nv == 3 ? c : d, plus))
}

// Functions of their own: in one function they would share registers.
function two2<T>(to: usize, x: usize, w: usize, bias: usize, last: usize): void { block<T>(2, false, to, x, w, bias, last) }
function two3<T>(to: usize, x: usize, w: usize, bias: usize, last: usize): void { block<T>(3, false, to, x, w, bias, last) }
function two4<T>(to: usize, x: usize, w: usize, bias: usize, last: usize): void { block<T>(4, false, to, x, w, bias, last) }
function four2<T>(to: usize, x: usize, w: usize, bias: usize, last: usize): void { block<T>(4, true, to, x, w, bias, last) }

/** A copy of n planes of H x W with zeros around them. */
export function surround<T>(to: usize, from: usize, n: i32, H: i32, W: i32, padding: i32): void {
  const s = <i32>sizeof<T>()
  const wide = W + 2 * padding
  const size = (H + 2 * padding) * wide
  memory.fill(to, 0, n * size * s)
  for (let c = 0; c < n; c++) {
    for (let y = 0; y < H; y++) memory.copy(to + (c * size + (y + padding) * wide + padding) * s, from + (c * H + y) * W * s, W * s)
  }
}

/** Whether `convolve` does these sizes. */
// @ts-ignore: decorator
@inline export function convolves<T>(F: i32, stride: i32, OW: i32): bool { return stride == 1 && F > 1 && OW >= width<T>() }

/**
 * to = conv(x, w) (+ bias, one a filter, unless its address is 0; then relu if `relu`). Scratch: the filters of a block
 * (64 bytes for each of C K K), the taps (8 bytes each), a bias of zeros (F) and the padded images.
 */
export function convolve<T>(to: usize, x: usize, w: usize, bias: usize, relu: bool, n: i32, C: i32, H: i32, W: i32, F: i32, K: i32,
  padding: i32, scratch: usize): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  const depth = C * K * K
  taps = scratch + 64 * depth
  let free = taps + 8 * depth
  if (!bias) {
    bias = free
    memory.fill(bias, 0, F * s)
    free += F * s
  }
  if (padding) {
    surround<T>(free, x, n * C, H, W, padding)
    x = free
    H += 2 * padding
    W += 2 * padding
  }
  const OH = H - K + 1, OW = W - K + 1
  rows = OH; imageRow = W * s; outRow = OW * s; plane = OH * OW * s; clears = relu
  tapsEnd = taps
  for (let c = 0; c < C; c++) {
    for (let a = 0; a < K; a++) {
      for (let b = 0; b < K; b += 5) {
        store<i32>(tapsEnd, ((c * H + a) * W + b) * s)
        store<i32>(tapsEnd, min(5, K - b), 4)
        tapsEnd += 8
      }
    }
  }
  const vectors = (OW + V - 1) / V
  for (let f = 0; f < F;) {
    const count = vectors < 3 && F - f > 2 && F > 3 ? 4 : 2
    f = min(f, F - count) // the last block may do again what the one before it did
    for (let q = 0; q < count; q++) {
      for (let p = 0; p < depth; p++) v128.store(scratch + 16 * (p * count + q), v128.load_splat<T>(w + ((f + q) * depth + p) * s))
    }
    for (let r = 0; r < n; r++) {
      const image = x + r * C * H * W * s, out = to + (r * F + f) * OH * OW * s
      let left = vectors
      for (let j = 0; left > 0;) {
        const take = left < 3 ? 2 : left == 3 || left == 5 || left == 6 ? 3 : 4
        const last = min((take - 1) * V, OW - V - j) * s
        const from = image + j * s, at = out + j * s, b = bias + f * s
        if (take == 4) two4<T>(at, from, scratch, b, last)
        else if (take == 3) two3<T>(at, from, scratch, b, last)
        else if (count == 4) four2<T>(at, from, scratch, b, last)
        else two2<T>(at, from, scratch, b, last)
        left -= take
        j += take * V
      }
    }
    f += count
  }
}
