// Coordinate descent over boxes, or over simplices where a record has more than two values. The plain loops in
// src/attacks/attributes/linear/coordinate-descent.test.ts define it.
import { madd } from './lanes'

// @ts-ignore: decorator
@inline function within(step: f64, low: f64, high: f64): f64 { return step != step ? 0 : min<f64>(high, max<f64>(low, step)) }

// @ts-ignore: decorator
@inline function move(q: usize, p: usize, g: usize, N: i32, at: i32, by: f64): void {
  store<f64>(p + (at << 3), load<f64>(p + (at << 3)) + by)
  const row = q + ((at * N) << 3)
  const s = f64x2.splat(by)
  let j = 0
  for (; j + 4 <= N; j += 4) {
    const to = g + (j << 3), from = row + (j << 3)
    v128.store(to, madd<f64>(v128.load(to), s, v128.load(from)))
    v128.store(to, madd<f64>(v128.load(to, 16), s, v128.load(from, 16)), 16)
  }
  for (; j < N; j++) store<f64>(g + (j << 3), load<f64>(g + (j << 3)) + by * load<f64>(row + (j << 3)))
}

/**
 * At most `most` sweeps over p [N], N = values n, with g = Q p - b kept up; they end once nothing moved further than
 * `tolerance`. Returns how many there were, and leaves how far the last one moved at `moved`.
 */
export function descendShares(q: usize, p: usize, g: usize, N: i32, n: i32, most: i32, tolerance: f64, moved: usize): i32 {
  const values = N / n
  const ignored = tolerance / 100
  let sweeps = 0
  let furthest: f64 = Infinity
  while (furthest > tolerance && sweeps < most) {
    furthest = 0
    for (let i = 0; i < n; i++) {
      for (let v = 0; v < values; v++) {
        const at = v * n + i
        const own = load<f64>(q + ((at * N + at) << 3))
        let used: f64 = 0
        for (let u = 0; u < values; u++) used += load<f64>(p + ((u * n + i) << 3))
        const by = within(-load<f64>(g + (at << 3)) / own, -load<f64>(p + (at << 3)), max<f64>(0, 1 - used))
        if (abs<f64>(by) > ignored) move(q, p, g, N, at, by)
        furthest = max<f64>(furthest, abs<f64>(by))
        for (let u = v + 1; u < values; u++) {
          const other = u * n + i
          const bend = own + load<f64>(q + ((other * N + other) << 3)) - 2 * load<f64>(q + ((at * N + other) << 3))
          const shift = within((load<f64>(g + (other << 3)) - load<f64>(g + (at << 3))) / bend, -load<f64>(p + (at << 3)), load<f64>(p + (other << 3)))
          if (abs<f64>(shift) <= ignored) continue
          move(q, p, g, N, at, shift)
          move(q, p, g, N, other, -shift)
          furthest = max<f64>(furthest, abs<f64>(shift))
        }
      }
    }
    sweeps++
  }
  store<f64>(moved, furthest)
  return sweeps
}
