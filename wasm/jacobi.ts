// One-sided Jacobi: pairs of columns are rotated until all are orthogonal; then their norms are the singular values.
// A round turns n/2 disjoint pairs, so that the square roots and divisions of a round run side by side.
import { TINY_SQ } from './householder'
import { madd, zeros } from './lanes'

/** The sum of a's lanes and the sum of b's. */
// @ts-ignore: decorator
@inline function acrossBoth(a: v128, b: v128): v128 {
  return f64x2.add(v128.shuffle<f64>(a, b, 0, 2), v128.shuffle<f64>(a, b, 1, 3))
}

/**
 * y: n columns whose first `rows` (padded) doubles are to become orthogonal; rotations act on all `ld`. The larger of a
 * pair moves to the lower index. `work`: 5 (n + 3) doubles. Returns the number of sweeps, -1 when `most` did not do.
 */
export function orthogonalise(y: usize, ld: i32, rows: i32, n: i32, tolerance: f64, most: i32, work: usize): i32 {
  const stride: usize = ld << 3
  const lanes: usize = ((n + 3) >> 2) << 4 // room for n/2 doubles, rounded up to whole vectors
  const pp = work, qq = pp + lanes, dd = qq + lanes, ss = dd + lanes, tt = ss + lanes
  const tolSq = f64x2.splat(tolerance * tolerance)
  // A later turn by an angle with sine s, of columns p and q, puts s |q| / |p| times a cosine back into a settled pair. That
  // factor is cos / (1 - |p|^2 / |q|^2) for |p| < |q|: at most 2 cos, or where the norms are close 1.5 s. There are fewer than
  // 2n such turns: when all sines and cosines are at most sqrt(tolerance / 4n), a sweep leaves nothing to do.
  const smallSq = f64x2.splat(tolerance / (4 * <f64>max(n, 1)))
  const one = f64x2.splat(1)
  const tiny = f64x2.splat(TINY_SQ)
  const sign = i64x2.splat(i64.MIN_VALUE)
  for (let sweep = 1; sweep <= most; sweep++) {
    let large = zeros() // set when a turn of this sweep was not small
    let swaps = false
    for (let round = 0; round < n; round++) {
      // The pairs i < j with i + j = round modulo n: together the rounds meet every pair once.
      const lower = (round + 1) >> 1
      const pairs = lower + ((n - 1 - round) >> 1)
      for (let k = 0; k < pairs; k += 2) {
        // Two pairs at a time; an odd one is its own companion.
        const l = min(k + 1, pairs - 1)
        let p = y + (k < lower ? k : round + 1 + k - lower) * stride
        let q = y + (k < lower ? round - k : n - 1 - k + lower) * stride
        let r = y + (l < lower ? l : round + 1 + l - lower) * stride
        let s = y + (l < lower ? round - l : n - 1 - l + lower) * stride
        let pp0 = zeros(), qq0 = zeros(), pq0 = zeros(), pp1 = zeros(), qq1 = zeros(), pq1 = zeros()
        for (const end = p + (rows << 3); p < end; p += 16) {
          const x0 = v128.load(p), z0 = v128.load(q), x1 = v128.load(r), z1 = v128.load(s)
          pp0 = madd<f64>(pp0, x0, x0); qq0 = madd<f64>(qq0, z0, z0); pq0 = madd<f64>(pq0, x0, z0)
          pp1 = madd<f64>(pp1, x1, x1); qq1 = madd<f64>(qq1, z1, z1); pq1 = madd<f64>(pq1, x1, z1)
          q += 16; r += 16; s += 16
        }
        v128.store(pp + (k << 3), acrossBoth(pp0, pp1))
        v128.store(qq + (k << 3), acrossBoth(qq0, qq1))
        v128.store(dd + (k << 3), acrossBoth(pq0, pq1))
      }
      let any = false
      for (let at: usize = 0, end: usize = pairs << 3; at < end; at += 16) {
        const a = v128.load(pp + at), b = v128.load(qq + at), d = v128.load(dd + at)
        const dSq = f64x2.mul(d, d), ab = f64x2.mul(a, b)
        const turn = v128.and(f64x2.gt(dSq, f64x2.mul(tolSq, ab)), f64x2.gt(f64x2.pmin(a, b), tiny))
        if (!v128.any_true(turn)) {
          v128.store(ss + at, zeros())
          continue
        }
        any = true
        // t = 2d / (h + sign(h) sqrt(h^2 + 4d^2)) with h = b - a: the tangent of the smaller of the two angles
        const h = f64x2.sub(b, a), twice = f64x2.add(d, d)
        const root = f64x2.sqrt(madd<f64>(f64x2.mul(twice, twice), h, h))
        const t = v128.and(turn, f64x2.div(twice, f64x2.add(h, v128.bitselect(h, root, sign))))
        // s = t / r and s / (1 + c) = t / (1 + r), where r = sqrt(1 + t^2) = 1 / c
        const r = f64x2.sqrt(madd<f64>(one, t, t))
        const both = f64x2.div(t, f64x2.mul(r, f64x2.add(one, r)))
        const sine = f64x2.mul(both, f64x2.add(one, r))
        v128.store(ss + at, sine)
        v128.store(tt + at, f64x2.mul(both, r))
        large = v128.or(large, v128.and(turn, f64x2.gt(dSq, f64x2.mul(smallSq, ab))))
        large = v128.or(large, f64x2.gt(f64x2.mul(sine, sine), smallSq))
      }
      if (!any) continue
      for (let k = 0; k < pairs; k++) {
        const sine = load<f64>(ss + (k << 3))
        if (sine == 0) continue
        let p = y + (k < lower ? k : round + 1 + k - lower) * stride
        let q = y + (k < lower ? round - k : n - 1 - k + lower) * stride
        // With tau = s / (1 + c) the change, not the column, is rounded: a small turn costs little accuracy.
        const s = f64x2.splat(sine), tau = v128.load_splat<f64>(tt + (k << 3))
        const cross = load<f64>(pp + (k << 3)) < load<f64>(qq + (k << 3)) ? q - p : 0
        if (cross) swaps = true
        for (const end = p + stride; p < end; p += 32) {
          const x0 = v128.load(p), x1 = v128.load(p, 16), z0 = v128.load(q), z1 = v128.load(q, 16)
          const up0 = f64x2.sub(x0, f64x2.mul(s, madd<f64>(z0, tau, x0)))
          const up1 = f64x2.sub(x1, f64x2.mul(s, madd<f64>(z1, tau, x1)))
          const down0 = f64x2.add(z0, f64x2.mul(s, f64x2.sub(x0, f64x2.mul(tau, z0))))
          const down1 = f64x2.add(z1, f64x2.mul(s, f64x2.sub(x1, f64x2.mul(tau, z1))))
          v128.store(p + cross, up0)
          v128.store(p + cross, up1, 16)
          v128.store(q - cross, down0)
          v128.store(q - cross, down1, 16)
          q += 32
        }
      }
    }
    // A sweep in which columns changed places has not met all pairs.
    if (!swaps && !v128.any_true(large)) return sweep
  }
  return -1
}
