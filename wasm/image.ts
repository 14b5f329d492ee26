// Convolutions and their transposes; by patches and products where `convolve` does not do. Layout: [n, channels * height * width]; filters [filters, channels * kernel * kernel].
import { convolve, convolves } from './convolve'
import { gemm } from './gemm'
import { width } from './lanes'

/** Patches of one image side by side: to[(c, a, b), (i, j)] = image[c, i*stride + a - padding, j*stride + b - padding]. */
function patches<T>(to: usize, image: usize, C: i32, H: i32, W: i32, K: i32, stride: i32, padding: i32, OH: i32, OW: i32): void {
  const s = <i32>sizeof<T>()
  for (let c = 0; c < C; c++) {
    for (let a = 0; a < K; a++) {
      for (let b = 0; b < K; b++) {
        for (let i = 0; i < OH; i++) {
          const y = i * stride + a - padding
          const row = image + ((c * H + y) * W + b - padding) * s
          if (stride == 1 && padding == 0) {
            copyRow<T>(to, row, OW)
          } else {
            for (let j = 0; j < OW; j++) {
              const x = j * stride + b - padding
              const inside = y >= 0 && y < H && x >= 0 && x < W
              store<T>(to + j * s, inside ? load<T>(row + j * stride * s) : <T>0)
            }
          }
          to += OW * s
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

export function convInput<T>(to: usize, c: usize, w: usize, n: i32, C: i32, H: i32, W: i32, F: i32, K: i32, stride: i32,
  padding: i32, OH: i32, OW: i32, scratch: usize): void {
  const s = <i32>sizeof<T>()
  const P = OH * OW
  const depth = C * K * K
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
