/** Sums and products with the rounding error they made, for the few places that subtract nearly equal numbers. */

/** [s, e]: s = fl(a + b) and s + e = a + b exactly. */
export function twoSum(a: number, b: number): [sum: number, error: number] {
  const s = a + b
  const fromB = s - a
  return [s, a - (s - fromB) + (b - fromB)]
}

/** [p, e]: p = fl(a b) and p + e = a b exactly, |a|, |b| < 2^970 and no underflow. */
export function twoProduct(a: number, b: number): [product: number, error: number] {
  const p = a * b
  const aHigh = upperHalf(a)
  const bHigh = upperHalf(b)
  const aLow = a - aHigh
  const bLow = b - bHigh
  return [p, aLow * bLow - (p - aHigh * bHigh - aLow * bHigh - aHigh * bLow)]
}

function upperHalf(a: number): number {
  const c = 134217729 * a // 2^27 + 1
  return c - (c - a)
}
