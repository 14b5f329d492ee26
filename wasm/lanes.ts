// The few SIMD words that every kernel file shares. T is f32 or f64 throughout.

// @ts-ignore: decorator
@inline export function width<T>(): i32 { return 16 / <i32>sizeof<T>() }

// @ts-ignore: decorator
@inline export function zeros(): v128 { return i64x2.splat(0) }

/** acc + a * b, rounded twice: plain SIMD has no fused multiply-add, so the bits are the same on every machine. */
// @ts-ignore: decorator
@inline export function madd<T>(acc: v128, a: v128, b: v128): v128 { return v128.add<T>(acc, v128.mul<T>(a, b)) }

/** Sum of the lanes, left to right. */
// @ts-ignore: decorator
@inline export function across<T>(x: v128): T {
  if (sizeof<T>() == 4) {
    return <T>(f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 1) + f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3))
  }
  return <T>(f64x2.extract_lane(x, 0) + f64x2.extract_lane(x, 1))
}
