// The few SIMD words that every kernel file shares. T is f32 or f64 throughout.

// @ts-ignore: decorator
@inline export function width<T>(): i32 { return 16 / <i32>sizeof<T>() }

// @ts-ignore: decorator
@inline export function zeros(): v128 { return i64x2.splat(0) }

/**
 * acc + a * b, rounded twice: plain SIMD has no fused multiply-add, so the bits are the same on every machine. Relaxed SIMD
 * (tools/build-kernels.mjs --relaxed, for measuring) rounds once or twice, as the machine likes.
 */
// @ts-ignore: decorator
@inline export function madd<T>(acc: v128, a: v128, b: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return v128.relaxed_madd<T>(a, b, acc)
  return v128.add<T>(acc, v128.mul<T>(a, b))
}

/** max(x, 0): -0 becomes 0, a NaN stays. By comparison, after an addition that turns -0: max itself takes eight instructions. */
// @ts-ignore: decorator
@inline export function positive<T>(x: v128): v128 { return v128.pmax<T>(v128.add<T>(x, zeros()), zeros()) }

/** Sum of the lanes, left to right. */
// @ts-ignore: decorator
@inline export function across<T>(x: v128): T {
  if (sizeof<T>() == 4) {
    return <T>(f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 1) + f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3))
  }
  return <T>(f64x2.extract_lane(x, 0) + f64x2.extract_lane(x, 1))
}

/** A square of width x width elements, transposed in registers; strides in bytes. */
// @ts-ignore: decorator
@inline export function transposeSquare<T>(from: usize, fromStride: usize, to: usize, toStride: usize): void {
  const r0 = v128.load(from)
  const r1 = v128.load(from + fromStride)
  if (sizeof<T>() == 8) {
    v128.store(to, v128.shuffle<f64>(r0, r1, 0, 2))
    v128.store(to + toStride, v128.shuffle<f64>(r0, r1, 1, 3))
    return
  }
  const r2 = v128.load(from + 2 * fromStride)
  const r3 = v128.load(from + 3 * fromStride)
  const a = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5)
  const b = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5)
  const c = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7)
  const d = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7)
  v128.store(to, v128.shuffle<f64>(a, b, 0, 2))
  v128.store(to + toStride, v128.shuffle<f64>(a, b, 1, 3))
  v128.store(to + 2 * toStride, v128.shuffle<f64>(c, d, 0, 2))
  v128.store(to + 3 * toStride, v128.shuffle<f64>(c, d, 1, 3))
}
