// Kernels on images: convolutions by patches and products, their transposes, and the sparse forms that visit only the
// winners of a max-pool. Layout: [n, channels * height * width]; filters [filters, channels * kernel * kernel].
import { gemm } from './gemm'
import { madd, width, zeros } from './lanes'

const mask: usize = memory.data(16, 16)

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

/** out = conv(x, w) (+ bias, one a filter, unless its address is 0). Scratch: C K K OH OW elements. */
export function conv<T>(to: usize, x: usize, w: usize, bias: usize, n: i32, C: i32, H: i32, W: i32, F: i32, K: i32, stride: i32,
  padding: i32, OH: i32, OW: i32, scratch: usize): void {
  const s = <i32>sizeof<T>()
  const P = OH * OW
  const depth = C * K * K
  for (let r = 0; r < n; r++) {
    patches<T>(scratch, x, C, H, W, K, stride, padding, OH, OW)
    gemm<T>(to, w, scratch, F, P, depth, depth, 1, P, 1, 0, 0, 0)
    if (bias) for (let f = 0; f < F; f++) addToAll<T>(to + f * P * s, P, load<T>(bias + f * s))
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

/**
 * to[0..n] += g * from[0..n] for the short rows of a filter. For V < n < 2 V the second vector overlaps the first: its
 * new lanes are those where `late` is g (zero elsewhere), and it is stored first.
 */
// @ts-ignore: decorator
@inline function addRow<T>(to: usize, from: usize, n: i32, g: T, gs: v128, late: v128): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  if (n > V && n < 2 * V) {
    const end = (n - V) * s
    const first = madd<T>(v128.load(to), gs, v128.load(from))
    v128.store(to + end, madd<T>(v128.load(to + end), late, v128.load(from + end)))
    v128.store(to, first)
    return
  }
  let i = 0
  for (; i + V <= n; i += V) v128.store(to + i * s, madd<T>(v128.load(to + i * s), gs, v128.load(from + i * s)))
  for (; i < n; i++) store<T>(to + i * s, <T>(load<T>(to + i * s) + <T>(g * load<T>(from + i * s))))
}

/** One row a position: to[(i, j), (c, a, b)], rows of `padded` elements, what lies to the right is left alone. Stride 1, no padding. */
function patchRows<T>(to: usize, image: usize, C: i32, H: i32, W: i32, K: i32, OH: i32, OW: i32, padded: i32): void {
  const s = <i32>sizeof<T>()
  const rest = padded - C * K * K
  for (let i = 0; i < OH; i++) {
    for (let j = 0; j < OW; j++) {
      let from = image + (i * W + j) * s
      for (let c = 0; c < C; c++) {
        for (let a = 0; a < K; a++) {
          copyRow<T>(to, from + a * W * s, K)
          to += K * s
        }
        from += H * W * s
      }
      to += rest * s
    }
  }
}

/** row += sum over the list of g * patch, for 8 (or, not `wide`, 4) vectors of the row that stay in registers. */
// @ts-ignore: decorator
@inline function addPatches<T>(row: usize, patches: usize, list: usize, count: i32, wide: bool): void {
  let s0 = v128.load(row), s1 = v128.load(row, 16), s2 = v128.load(row, 32), s3 = v128.load(row, 48)
  let s4 = zeros(), s5 = zeros(), s6 = zeros(), s7 = zeros()
  if (wide) { s4 = v128.load(row, 64); s5 = v128.load(row, 80); s6 = v128.load(row, 96); s7 = v128.load(row, 112) }
  for (let q = 0; q < count; q++) {
    const at = patches + <usize>load<i32>(list)
    const g = v128.load_splat<T>(list, 8)
    s0 = madd<T>(s0, g, v128.load(at)); s1 = madd<T>(s1, g, v128.load(at, 16))
    s2 = madd<T>(s2, g, v128.load(at, 32)); s3 = madd<T>(s3, g, v128.load(at, 48))
    if (wide) {
      s4 = madd<T>(s4, g, v128.load(at, 64)); s5 = madd<T>(s5, g, v128.load(at, 80))
      s6 = madd<T>(s6, g, v128.load(at, 96)); s7 = madd<T>(s7, g, v128.load(at, 112))
    }
    list += 16
  }
  v128.store(row, s0); v128.store(row, s1, 16); v128.store(row, s2, 32); v128.store(row, s3, 48)
  if (wide) { v128.store(row, s4, 64); v128.store(row, s5, 80); v128.store(row, s6, 96); v128.store(row, s7, 112) }
}

/**
 * convWeight of a cotangent that is c at the columns `index` and zero elsewhere; stride 1, no padding. The winners of a
 * filter lie side by side, as a pool leaves them. Scratch: OH OW + F rows of C K K elements, each rounded up to 64
 * bytes, and 16 bytes for each winner of a filter.
 */
export function convWeightAt<T>(to: usize, x: usize, c: usize, index: usize, n: i32, winners: i32, C: i32, H: i32, W: i32, F: i32,
  K: i32, OH: i32, OW: i32, scratch: usize): void {
  const s = <i32>sizeof<T>()
  const P = OH * OW
  const depth = C * K * K
  const stride = (depth * s + 63) & ~63
  const sums = scratch + P * stride
  const list = sums + F * stride
  const perFilter = winners / F
  memory.fill(scratch, 0, (P + F) * stride)
  for (let r = 0; r < n; r++) {
    patchRows<T>(scratch, x, C, H, W, K, OH, OW, stride / s)
    for (let f = 0; f < F; f++) {
      // Those that are not zero: where their patch lies, and their value.
      let end = list
      for (let q = 0; q < perFilter; q++) {
        const g = load<T>(c + q * s)
        if (g == <T>0) continue
        store<i32>(end, (<i32>load<T>(index + q * s) - f * P) * stride)
        store<T>(end, g, 8)
        end += 16
      }
      const count = <i32>(end - list) / 16
      const row = sums + f * stride
      let b = 0
      for (; b + 128 <= stride; b += 128) addPatches<T>(row + b, scratch + b, list, count, true)
      if (b < stride) addPatches<T>(row + b, scratch + b, list, count, false)
      c += perFilter * s
      index += perFilter * s
    }
    x += C * H * W * s
  }
  for (let f = 0; f < F; f++) memory.copy(to + f * depth * s, sums + f * stride, depth * s)
}

export function convInputAt<T>(to: usize, c: usize, index: usize, w: usize, n: i32, winners: i32, C: i32, H: i32, W: i32, F: i32,
  K: i32, OH: i32, OW: i32): void {
  const s = <i32>sizeof<T>()
  const V = width<T>()
  const P = OH * OW
  const depth = C * K * K
  // Of the vector that ends a row of K, the lanes that the first vector has not covered.
  for (let l = 0; l < V; l++) {
    if (sizeof<T>() == 4) store<i32>(mask + 4 * l, l >= 2 * V - K ? -1 : 0)
    else store<i64>(mask + 8 * l, l >= 2 * V - K ? -1 : 0)
  }
  const lateLanes = v128.load(mask)
  memory.fill(to, 0, n * C * H * W * s)
  for (let r = 0; r < n; r++) {
    for (let q = 0; q < winners; q++) {
      const g = load<T>(c + q * s)
      if (g == <T>0) continue
      const at = <i32>load<T>(index + q * s)
      const p = at % P
      const gs = v128.splat<T>(g)
      const late = v128.and(gs, lateLanes)
      let filter = w + (at / P) * depth * s
      let patch = to + ((p / OW) * W + (p % OW)) * s
      for (let ch = 0; ch < C; ch++) {
        for (let a = 0; a < K; a++) {
          addRow<T>(patch + a * W * s, filter, K, g, gs, late)
          filter += K * s
        }
        patch += H * W * s
      }
    }
    to += C * H * W * s
    c += winners * s
    index += winners * s
  }
}
