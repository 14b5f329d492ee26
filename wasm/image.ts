// Convolutions and their transposes; by patches and products where `convolve` does not do. Layout: [n, channels * height * width]; filters [filters, channels * kernel * kernel].
import { convolve, convolves, surround } from './convolve'
import { gemm } from './gemm'
import { width } from './lanes'

/**
 * Patches of one image side by side: to[(c, a, b), (i, j)] = image[c, i*stride + a - padding, j*stride + b - padding]. A
 * padded image is laid behind them first.
 */
function patches<T>(to: usize, image: usize, C: i32, H: i32, W: i32, K: i32, stride: i32, padding: i32, OH: i32, OW: i32): void {
  const s = <i32>sizeof<T>()
  if (padding) {
    const padded = to + C * K * K * OH * OW * s
    surround<T>(padded, image, C, H, W, padding)
    image = padded
    H += 2 * padding
    W += 2 * padding
  }
  for (let c = 0; c < C; c++) {
    for (let a = 0; a < K; a++) {
      for (let b = 0; b < K; b++) {
        let row = image + ((c * H + a) * W + b) * s
        for (let i = 0; i < OH; i++) {
          if (stride == 1) copyRow<T>(to, row, OW)
          else for (let j = 0; j < OW; j++) store<T>(to + j * s, load<T>(row + j * stride * s))
          to += OW * s
          row += stride * W * s
        }
      }
    }
  }
}

/** The last vector overlaps the one before it: quicker than the odd elements one by one. */
// @ts-ignore: decorator
@inline function copyRow<T>(to: usize, from: usize, n: i32): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  if (n < V) {
    for (let i = 0; i < n; i++) store<T>(to + i * s, load<T>(from + i * s))
    return
  }
  for (let i = 0; i + V <= n; i += V) v128.store(to + i * s, v128.load(from + i * s))
  v128.store(to + (n - V) * s, v128.load(from + (n - V) * s))
}

/** out = conv(x, w) (+ bias, one a filter, unless its address is 0; then relu). Scratch: C K K OH OW elements, or what `convolve` needs. */
export function conv<T>(to: usize, x: usize, w: usize, bias: usize, relu: bool, n: i32, C: i32, H: i32, W: i32, F: i32, K: i32, stride: i32,
  padding: i32, OH: i32, OW: i32, scratch: usize): void {
  const s = <i32>sizeof<T>()
  if (convolves<T>(F, stride, OW)) {
    convolve<T>(to, x, w, bias, relu, n, C, H, W, F, K, padding, scratch)
    return
  }
  const P = OH * OW
  const depth = C * K * K
  for (let r = 0; r < n; r++) {
    patches<T>(scratch, x, C, H, W, K, stride, padding, OH, OW)
    gemm<T>(to, w, scratch, F, P, depth, depth, 1, P, 1, 0, 0, 0)
    if (bias) for (let f = 0; f < F; f++) addToAll<T>(to + f * P * s, P, load<T>(bias + f * s))
    if (relu) for (let i = 0; i < F * P; i++) store<T>(to + i * s, max<T>(load<T>(to + i * s), <T>0))
    x += C * H * W * s
    to += F * P * s
  }
}

// @ts-ignore: decorator
@inline function addToAll<T>(to: usize, n: i32, value: T): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  const v = v128.splat<T>(value)
  let i = 0
  for (; i + V <= n; i += V) v128.store(to + i * s, v128.add<T>(v128.load(to + i * s), v))
  for (; i < n; i++) store<T>(to + i * s, <T>(load<T>(to + i * s) + value))
}

export function convWeight<T>(to: usize, x: usize, c: usize, n: i32, C: i32, H: i32, W: i32, F: i32, K: i32, stride: i32,
  padding: i32, OH: i32, OW: i32, scratch: usize): void {
  const s = <i32>sizeof<T>()
  const P = OH * OW
  const depth = C * K * K
  memory.fill(to, 0, F * depth * s)
  for (let r = 0; r < n; r++) {
    patches<T>(scratch, x, C, H, W, K, stride, padding, OH, OW)
    gemm<T>(to, c, scratch, F, depth, P, P, 1, 1, P, 0, 0, 8) // 8: goes on from what is there
    x += C * H * W * s
    c += F * P * s
  }
}

/** to[c, f, a, b] = w[f, c, K-1-a, K-1-b] */
function turned<T>(to: usize, w: usize, C: i32, F: i32, K: i32): void {
  const s = <i32>sizeof<T>()
  for (let c = 0; c < C; c++) {
    for (let f = 0; f < F; f++) {
      const filter = w + (f * C + c) * K * K * s
      for (let k = K * K - 1; k >= 0; k--) {
        store<T>(to, load<T>(filter + k * s))
        to += s
      }
    }
  }
}

/** With stride 1 a convolution of the padded cotangent with turned filters. Scratch as for `conv`, and the filters. */
export function convInput<T>(to: usize, c: usize, w: usize, n: i32, C: i32, H: i32, W: i32, F: i32, K: i32, stride: i32,
  padding: i32, OH: i32, OW: i32, scratch: usize): void {
  const s = <i32>sizeof<T>()
  const P = OH * OW
  const depth = C * K * K
  if (convolves<T>(C, stride, W) && padding < K) {
    turned<T>(scratch, w, C, F, K)
    convolve<T>(to, c, scratch, 0, false, n, F, OH, OW, C, K, K - 1 - padding, scratch + F * depth * s)
    return
  }
  memory.fill(to, 0, n * C * H * W * s)
  for (let r = 0; r < n; r++) {
    gemm<T>(scratch, w, c, depth, P, F, 1, depth, P, 1, 0, 0, 0)
    let from = scratch
    for (let ch = 0; ch < C; ch++) {
      for (let a = 0; a < K; a++) {
        for (let b = 0; b < K; b++) {
          for (let i = 0; i < OH; i++) {
            const y = i * stride + a - padding
            if (y >= 0 && y < H) {
              const row = to + ((ch * H + y) * W + b - padding) * s
              for (let j = 0; j < OW; j++) {
                const px = j * stride + b - padding
                if (px < 0 || px >= W) continue
                const at = row + j * stride * s
                store<T>(at, <T>(load<T>(at) + load<T>(from + j * s)))
              }
            }
            from += OW * s
          }
        }
      }
    }
    c += F * P * s
    to += C * H * W * s
  }
}
